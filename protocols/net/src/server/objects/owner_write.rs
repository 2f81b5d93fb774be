//! Writes of owners to their objects.

use syncvar_runtime::object::Slots;
use syncvar_runtime::{
    ChangedFields, ConnectionId, NetId, NetworkReader, ReadError, ReadErrorKind,
};

use crate::server::{NetworkServer, ServerEvent};

impl NetworkServer {
    /// Applies a write of an owner. Writes of other connections and writes under an earlier lease
    /// are ignored.
    ///
    /// A malformed, unauthorized or oversized write changes no field. The next update sends the owner
    /// the server's values; its writes until then are ignored.
    pub(in crate::server) fn handle_owner_write(
        &mut self,
        from: ConnectionId,
        payload: &[u8],
    ) -> Result<(), ReadError> {
        let framing = self.sessions.framing(from).unwrap_or_default();
        let mut reader = NetworkReader::with_encoding(payload, framing.encoding())
            .with_budget(self.sessions.budget);
        let id = NetId(reader.read_packed_u32()?);
        let lease = reader.read_packed_u32()?;
        let owned = self.world.objects.get(id.0);
        let owned = owned.filter(|replicated| replicated.owner == Some(from));
        let Some((at, current)) = owned.map(|replicated| (replicated.at, replicated.lease)) else {
            self.stats.ignored_writes += 1;
            self.events.push_minor(ServerEvent::WriteIgnored {
                connection: from,
                object: id,
            });
            return Ok(());
        };
        let is_rejected = self.sessions.owner_corrections.contains(&(from, id));
        if current != lease || lease == 0 || is_rejected {
            self.stats.ignored_writes += 1;
            return Ok(());
        }
        if self.host.is_some() {
            self.remember_local_object(id, at);
        }
        let Some(slots) = self.world.pools.slots_mut(at) else {
            self.stats.ignored_writes += 1;
            return Ok(());
        };
        let limit = self.config.limits.max_owner_memory;
        let written = apply_write(slots, &mut reader, limit);
        self.sessions.budget = reader.budget();
        match written {
            Ok(written) => {
                self.report_written(from, id, written);
                Ok(())
            }
            Err(error) => {
                self.stats.ignored_writes += 1;
                self.sessions.owner_corrections.insert((from, id));
                Err(error)
            }
        }
    }

    fn report_written(&mut self, owner: ConnectionId, id: NetId, all: Vec<(usize, ChangedFields)>) {
        for (behaviour, fields) in all {
            self.events.push_minor(ServerEvent::Written {
                connection: owner,
                object: id,
                behaviour,
                fields,
            });
        }
        self.replication.schedule.queue_dirty(id);
    }

    /// Sends the server's values to owners with rejected writes, once per update.
    pub(in crate::server) fn correct_owners(&mut self) {
        self.sessions.reset_work();
        for (owner, id) in std::mem::take(&mut self.sessions.owner_corrections) {
            if self.owner(id) == Some(owner) {
                self.send_owner_state(owner, id, |info| {
                    info.policy.owner_write & info.policy.readable(true)
                });
            }
        }
    }
}

/// Applies a write of an owner, completely or not at all. Returns the written fields of each
/// behaviour.
fn apply_write(
    slots: &mut dyn Slots,
    reader: &mut NetworkReader<'_>,
    limit: usize,
) -> Result<Vec<(usize, ChangedFields)>, ReadError> {
    let (mut before, length) = (0, reader.remaining());
    slots.for_each_mut(|slot| {
        let owner_write = slot.info().policy.owner_write;
        if let Some(restricted) = slot.policy_slot() {
            restricted.state.save(restricted.behaviour, owner_write, 0);
            before += restricted.state.saved_bytes();
        }
    });
    let mut all = Vec::new();
    let mut read = Ok(());
    while reader.remaining() > 0 && read.is_ok() {
        read = read_write(slots, reader, &mut all);
    }
    // The same values may take more bytes in a snapshot of the other framing.
    if read.is_ok() && before.saturating_add(length.saturating_mul(5)) > limit {
        read = check_growth(slots, reader, before, limit);
    }
    slots.for_each_mut(|slot| {
        if let Some(restricted) = slot.policy_slot() {
            if read.is_err() {
                restricted.state.restore(restricted.behaviour);
            } else {
                restricted.state.discard();
            }
        }
    });
    read?;
    let mut written = Vec::new();
    for (index, fields) in all {
        let Some(slot) = slots.slot_mut(index) else {
            continue;
        };
        if let Some(restricted) = slot.policy_slot() {
            restricted.behaviour.set_dirty_bit(fields);
            restricted.state.relayed |= fields;
        }
        written.push((index, ChangedFields::new(&slot.info().schema, fields)));
    }
    Ok(written)
}

/// Rejects a write that makes the owner's fields exceed the limit. Fields beyond the limit must not
/// grow.
fn check_growth(
    slots: &mut dyn Slots,
    reader: &NetworkReader<'_>,
    before: usize,
    limit: usize,
) -> Result<(), ReadError> {
    let mut count = 0;
    slots.for_each_mut(|slot| {
        if let Some(restricted) = slot.policy_slot() {
            count += restricted.state.bytes_now(restricted.behaviour);
        }
    });
    if count > limit.max(before) {
        let kind = ReadErrorKind::Custom("what the owner writes would take too many bytes");
        return Err(reader.error(kind));
    }
    Ok(())
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
