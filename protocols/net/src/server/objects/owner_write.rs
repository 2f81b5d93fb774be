//! Writes of owners to their objects.

use syncvar_runtime::endpoint::Misbehaviour;
use syncvar_runtime::object::{Location, OwnerMemory, Slot, Slots, StateSize};
use syncvar_runtime::schema::Role;
use syncvar_runtime::{
    ChangedFields, ConnectionId, NetId, NetworkReader, ReadError, ReadErrorKind,
};

use crate::server::objects::owner::StateChange;
use crate::server::sessions::incoming::Origin;
use crate::server::{NetworkServer, ServerEvent};

impl NetworkServer {
    /// Applies a write of an owner. Writes of other connections and writes under an earlier lease
    /// are ignored.
    ///
    /// A malformed, unauthorized or oversized write changes no field. The next update sends the owner
    /// the server's values; its writes until then are ignored.
    pub(crate) fn handle_owner_write(
        &mut self,
        from: ConnectionId,
        payload: &[u8],
    ) -> Result<(), ReadError> {
        let framing = self.sessions.framing(from).unwrap_or_default();
        let mut reader = NetworkReader::with_encoding(payload, framing.encoding())
            .with_budget(self.sessions.intake.budget)
            .relaying();
        let id = NetId(reader.read_packed_u32()?);
        let lease = reader.read_packed_u32()?;
        let owned = self.objects.world.objects.get(id.0);
        let owned = owned.filter(|replicated| replicated.owner == Some(from));
        let Some((at, current)) = owned.map(|replicated| (replicated.at, replicated.lease)) else {
            self.ignore_write();
            self.context.events.push_minor(ServerEvent::WriteIgnored {
                connection: from,
                object: id,
            });
            return Ok(());
        };
        let is_rejected = self.sessions.owner_corrections.contains(from, id);
        if current != lease || lease == 0 || is_rejected {
            self.ignore_write();
            return Ok(());
        }
        if !self.is_newer_write((from, id), (at, lease), &reader) {
            return Ok(());
        }
        if self.host.is_some() {
            self.remember_local_object(id, at);
        }
        let tick = self.tick();
        let Some(slots) = self.objects.world.pools.slots_mut(at) else {
            self.context.stats.ignored_writes += 1;
            return Ok(());
        };
        let Some(connection) = self.sessions.connections.get_mut(from.0) else {
            return Ok(());
        };
        let memory = (
            &mut connection.memory,
            self.context.config.limits.max_owner_memory,
        );
        // A message repeats the fields whose arrival the client does not know.
        let repeats = matches!(self.sessions.origin, Origin::Datagram { .. });
        let written = apply_write((id, tick, repeats), slots, &mut reader, memory);
        self.sessions.intake.budget = reader.budget();
        match written {
            Ok(Written { refused, .. }) if !refused.is_empty() => {
                self.refuse_write(from, id, refused);
                Ok(())
            }
            Ok(Written { accepted, .. }) if accepted.is_empty() => Ok(()),
            Ok(Written { accepted, .. }) => {
                self.report_written(from, id, accepted);
                Ok(())
            }
            Err(error) => {
                self.context.stats.ignored_writes += 1;
                self.sessions.owner_corrections.insert(from, id);
                Err(error)
            }
        }
    }

    /// Returns whether a write is newer than the last one of its object under the same lease. Only those of
    /// unreliable behaviours can be older: their packets overtake each other.
    pub(crate) fn is_newer_write(
        &mut self,
        (from, id): (ConnectionId, NetId),
        (at, lease): (Location, u32),
        reader: &NetworkReader<'_>,
    ) -> bool {
        let slots = self.objects.world.pools.slots(at);
        let first = reader.peek().map_or(0, usize::from);
        let first = slots.and_then(|slots| slots.slot(first)).map(Slot::info);
        let is_lossy = first.is_some_and(|info| {
            let channel = self.context.config.channel_info(info.channel);
            channel.lossy && info.resendable
        });
        let Some(connection) = self.sessions.connections.get_mut(from.0) else {
            return false;
        };
        let Some(datagrams) = &mut connection.datagrams else {
            return true;
        };
        datagrams.writes.clean(&connection.owned);
        match self.sessions.origin {
            Origin::Datagram { tick, .. } => datagrams.writes.note_datagram(id, lease, tick),
            Origin::Stream { tick } if is_lossy => {
                datagrams.writes.note_stream(id, lease, tick);
                true
            }
            Origin::Stream { .. } | Origin::Plain => true,
        }
    }

    /// Returns the present tick as on the wire.
    pub(crate) fn tick(&self) -> u32 {
        u32::try_from(self.network_time().tick).unwrap_or(u32::MAX)
    }

    /// Counts a write that was sent too late, or by another connection than the owner.
    pub(crate) fn ignore_write(&mut self) {
        self.context.stats.ignored_writes += 1;
        self.sessions.intake.count(Misbehaviour::Ignored);
    }

    /// Reports a write with values that a check refused.
    pub(crate) fn refuse_write(
        &mut self,
        owner: ConnectionId,
        id: NetId,
        refused: Vec<(usize, ChangedFields)>,
    ) {
        self.ignore_write();
        self.context.stats.refused.checked_writes += 1;
        self.sessions.owner_corrections.insert(owner, id);
        for (behaviour, fields) in refused {
            tracing::debug!(connection = %owner, object = %id, ?fields, "a check refused a write");
            self.context.events.push_minor(ServerEvent::CheckFailed {
                connection: owner,
                object: id,
                behaviour,
                fields,
            });
        }
    }

    pub(crate) fn report_written(
        &mut self,
        owner: ConnectionId,
        id: NetId,
        all: Vec<(usize, ChangedFields)>,
    ) {
        for (behaviour, fields) in all {
            self.context.events.push_minor(ServerEvent::Written {
                connection: owner,
                object: id,
                behaviour,
                fields,
            });
        }
        self.objects.schedule.queue_dirty(id);
    }

    /// Sends the server's values to owners with rejected writes, once per update.
    pub(crate) fn correct_owners(&mut self) {
        for (owner, id) in std::mem::take(&mut self.sessions.owner_corrections).iter() {
            if self.owner(id) == Some(owner) {
                let change = StateChange {
                    fields: &|info| info.policy.owner_write & info.policy.readable(Role::Owner),
                    ..StateChange::NONE
                };
                self.send_owner_state(owner, id, &change);
            }
        }
    }
}

/// Written fields of each behaviour. With refused ones, none has changed.
#[derive(Default)]
struct Written {
    accepted: Vec<(usize, ChangedFields)>,
    refused: Vec<(usize, ChangedFields)>,
}

/// Applies a write of an owner in a tick, completely or not at all. `repeats`: some of its values may be those
/// of now, and are not relayed.
fn apply_write(
    (id, tick, repeats): (NetId, u32, bool),
    slots: &mut dyn Slots,
    reader: &mut NetworkReader<'_>,
    memory: (&mut OwnerMemory, usize),
) -> Result<Written, ReadError> {
    let (length, budget) = (reader.remaining(), reader.budget().memory);
    let before = save(slots, reader)?;
    let mut all: Vec<(usize, u64)> = Vec::new();
    let mut read = Ok(());
    while reader.remaining() > 0 && read.is_ok() {
        read = read_write(slots, reader, &mut all);
    }
    let refused = if read.is_ok() {
        check(slots, &all, tick)
    } else {
        Vec::new()
    };
    if read.is_ok() && refused.is_empty() {
        // A number may take five times as many bytes in the snapshot that is measured.
        let taken = budget.saturating_sub(reader.budget().memory);
        let taken = taken.saturating_add(length.saturating_mul(5));
        read = keep(id, slots, reader, (before, taken), memory);
    }
    let undone = read.is_err() || !refused.is_empty();
    if undone || repeats {
        // The restore reads the values once more, and a comparison writes them.
        spend(reader, before.work);
    }
    let mut index = 0;
    slots.for_each_mut(|slot| {
        if let Some(restricted) = slot.policy_slot() {
            if repeats && !undone {
                for (_, fields) in all.iter_mut().filter(|(at, _)| *at == index) {
                    *fields = restricted
                        .state
                        .clear_unchanged(restricted.behaviour, *fields);
                }
            }
            if undone {
                let of_slot = all.iter().filter(|(at, _)| *at == index);
                let fields = of_slot.fold(0, |bits, (_, fields)| bits | fields);
                restricted.state.revert(restricted.behaviour, fields);
            } else {
                restricted.state.discard();
            }
        }
        index += 1;
    });
    read?;
    let mut accepted = Vec::new();
    if undone {
        return Ok(Written { accepted, refused });
    }
    for (index, fields) in all {
        let Some(slot) = slots.slot_mut(index) else {
            continue;
        };
        if fields == 0 {
            continue;
        }
        let checked = slot.info().policy.checked;
        if let Some(restricted) = slot.policy_slot() {
            restricted.state.relay(restricted.behaviour, fields);
            restricted.state.note_accepted(fields & checked, tick);
        }
        accepted.push((index, ChangedFields::new(slot.info().class, fields)));
    }
    Ok(Written { accepted, refused })
}

/// Returns the written fields whose values are refused, for each behaviour.
fn check(slots: &mut dyn Slots, all: &[(usize, u64)], tick: u32) -> Vec<(usize, ChangedFields)> {
    let mut refused = Vec::new();
    for (index, written) in all {
        let Some(slot) = slots.slot_mut(*index) else {
            continue;
        };
        let fields = slot.refused_writes(*written, tick);
        if fields != 0 {
            refused.push((*index, ChangedFields::new(slot.info().class, fields)));
        }
    }
    refused
}

/// Saves the owner's fields, within the work of the reader. Returns their size.
fn save(slots: &mut dyn Slots, reader: &mut NetworkReader<'_>) -> Result<StateSize, ReadError> {
    let (mut size, mut saved) = (StateSize::default(), true);
    let mut left = reader.budget().work;
    slots.for_each_mut(|slot| {
        let owner_write = slot.info().policy.owner_write;
        if let Some(restricted) = slot.policy_slot().filter(|_| saved) {
            let state = restricted.state;
            saved = state.save(restricted.behaviour, owner_write, 0, &mut left);
            size += state.saved_size();
        }
    });
    let done = reader.budget().work.saturating_sub(left);
    if saved {
        spend(reader, done);
        return Ok(size);
    }
    slots.for_each_mut(|slot| {
        if let Some(restricted) = slot.policy_slot() {
            restricted.state.discard();
        }
    });
    let refused = reader.take_work(size.work);
    spend(reader, done);
    refused.map(|()| size)
}

/// Records the memory of a write, or rejects the write. Fields beyond the limit must not grow. The exact
/// memory is measured only where the memory taken by the reader could exceed the limit.
fn keep(
    id: NetId,
    slots: &mut dyn Slots,
    reader: &mut NetworkReader<'_>,
    (before, taken): (StateSize, usize),
    (memory, limit): (&mut OwnerMemory, usize),
) -> Result<(), ReadError> {
    let (before, work) = (before.memory, before.work);
    let mut now = before.saturating_add(taken);
    if memory.with(id, before, now) > limit {
        reader.take_work(work)?;
        let mut size = StateSize::default();
        slots.for_each_mut(|slot| {
            if let Some(restricted) = slot.policy_slot() {
                size += restricted.state.size_now(restricted.behaviour);
            }
        });
        now = size.memory;
        spend(reader, size.work.saturating_sub(work));
    }
    if memory.with(id, before, now) > limit && now > before {
        return Err(reader.error(ReadErrorKind::TooMuchOwnerMemory { limit }));
    }
    memory.record(id, before, now);
    Ok(())
}

/// Takes work that is done already.
fn spend(reader: &mut NetworkReader<'_>, work: usize) {
    let left = reader.budget().work;
    // It is never more than the rest.
    let _ = reader.take_work(work.min(left));
}

fn read_write(
    slots: &mut dyn Slots,
    reader: &mut NetworkReader<'_>,
    all: &mut Vec<(usize, u64)>,
) -> Result<(), ReadError> {
    let index = reader.read_u8()?;
    let slot = slots.slot_mut(index.into());
    let Some(slot) = slot.filter(|slot| slot.info().policy.owner_write != 0) else {
        let (what, value) = ("behaviour that an owner writes", index.into());
        return Err(reader.error(ReadErrorKind::InvalidValue { what, value }));
    };
    let context = reader.context().with_fields(slot.info().policy.owner_write);
    let read = reader.with_context(context, |reader| slot.deserialize(reader, false));
    // Hooks belong to clients. The hooks of a host run with the next update.
    slot.skip_hooks();
    all.push((index.into(), reader.take_report().seen));
    read
}
