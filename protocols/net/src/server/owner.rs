//! Owners: who is told what when an object gets another one, and what owners write.

use super::{NetworkServer, ServerEvent};
use crate::AudienceId;
use crate::ConnectionId;
use crate::message::begin;
use crate::object::{BehaviourInfo, Slots};
use crate::{
    ChangedFields, Channel, MessageType, NetId, NetworkReader, NetworkWriter, ReadError,
    ReadErrorKind,
};

impl NetworkServer {
    /// What an object of this kind has pending is sent before it gets another owner: what the former
    /// one has written goes to all others, and none of it is lost.
    pub(super) fn before_owner_change(&mut self, id: NetId) {
        let pool = self.objects.get(id.0).map(|spawned| spawned.at.pool);
        if pool.is_some_and(|pool| self.is_ruled(pool)) {
            self.hide_at_once(id);
            self.flush_ruled(id);
        }
    }

    /// An object has another owner: each of the two is given those fields that it may read now and
    /// could not before, and the former one what it may no longer write, as that is. `told` is who has
    /// been sent the object.
    pub(super) fn after_owner_change(
        &mut self,
        id: NetId,
        former: Option<ConnectionId>,
        owner: Option<ConnectionId>,
        told: Option<AudienceId>,
    ) {
        let Some(spawned) = self.objects.get(id.0) else {
            return;
        };
        let at = spawned.at;
        if !self.is_ruled(at.pool) {
            return;
        }
        let written = self.is_written_by(owner);
        if let Some(slots) = self.pools.slots_mut(at) {
            set_owned(slots, written);
        }
        let sees = |connection: &ConnectionId| {
            told.is_some_and(|audience| self.audiences.get(audience).observes(*connection))
        };
        let (former, owner) = (former.filter(sees), owner.filter(sees));
        if let Some(former) = former {
            self.send_owner_state(former, id, |info| {
                info.rules.others_only | info.rules.owner_write & !info.rules.owner_only
            });
        }
        if let Some(owner) = owner {
            // It may have missed what it is going to write from now on.
            let limited = self
                .connections
                .get(owner.0)
                .is_some_and(|c| c.limit.is_some());
            let channels = self.config.channels.clone();
            let may_miss = |channel: u8| {
                limited || channels.get(usize::from(channel)) == Some(&Channel::Unreliable)
            };
            self.send_owner_state(owner, id, |info| {
                let missed = if may_miss(info.channel) {
                    info.rules.owner_write
                } else {
                    0
                };
                info.rules.owner_only | missed & info.rules.readable(true)
            });
        }
    }

    /// Whether fields that the owner writes are not the server's to write. The local client and the server
    /// are one.
    pub(super) fn is_written_by(&self, owner: Option<ConnectionId>) -> bool {
        owner.is_some_and(|owner| !self.is_local(owner))
    }

    /// Lets an owner write: what it has written before that does not count. It has just been told that
    /// it is the owner, and has been given the object.
    pub(super) fn let_write(&mut self, owner: ConnectionId, id: NetId) {
        let description = self.describe(id);
        if description.is_some_and(|(_, description)| description.kind.owner_writes) {
            self.send_owner_state(owner, id, |_| 0);
        }
    }

    /// Gives a connection some fields of an object as they are, and the number that its writes must
    /// bear if it is the owner. What cannot be written in this way is given to it whole, with the next
    /// update.
    fn send_owner_state(
        &mut self,
        connection: ConnectionId,
        id: NetId,
        fields: impl Fn(&BehaviourInfo) -> u64,
    ) {
        let kind = self.describe(id).map(|(_, description)| description.kind);
        let (Some(kind), Some(spawned)) = (kind, self.objects.get_mut(id.0)) else {
            return;
        };
        let is_owner = spawned.owner == Some(connection);
        if is_owner && kind.owner_writes {
            spawned.lease = spawned.lease.checked_add(1).unwrap_or(1);
        }
        let lease = if is_owner { spawned.lease } else { 0 };
        let (at, unsent) = (spawned.at, spawned.unsent);
        let leaves = spawned.moved && !self.audiences.admits(spawned.wanted, connection);
        let Some(receiver) = self.connections.get_mut(connection.0) else {
            return;
        };
        let state = self.pools.slots_mut(at).and_then(|slots| {
            let mut state = NetworkWriter::with_encoding(receiver.framing.encoding());
            let written = write_state(slots, fields, &mut state);
            // Unet's own clients know no such message.
            (written && (state.is_empty() || !unsent)).then_some(state)
        });
        let understood = self.config.compare_schemas;
        if let Some(state) = state.filter(|state| !leaves && (understood || state.is_empty())) {
            if !understood || lease == 0 && state.is_empty() {
                return;
            }
            let writer = receiver.own.begin();
            let start = begin(MessageType::OwnerState, writer);
            writer.write_packed_u32(id.0);
            writer.write_packed_u32(lease);
            writer.write_bytes(state.as_bytes());
            writer.finish_message(start);
            if writer.take_error().is_none() {
                let length = receiver.own.commit();
                receiver.charge(length);
                self.stats.count_encoded(MessageType::OwnerState, length);
                receiver.list(&mut self.outgoing);
                return;
            }
            receiver.own.give_up();
        }
        self.owe(id, &[connection]);
        if let Some(spawned) = self.objects.get_mut(id.0) {
            self.schedule.queue_moved(id, spawned);
        }
    }

    /// What an owner has written to its object. A connection that is not the owner, or not any more,
    /// is not heard; nor is what was written before it was told otherwise.
    ///
    /// What cannot be read, is not the owner's to write or goes beyond a limit changes nothing: the owner is given its
    /// fields as they are with the next update, and is not heard until then.
    pub(super) fn handle_owner_write(
        &mut self,
        from: ConnectionId,
        payload: &[u8],
    ) -> Result<(), ReadError> {
        let framing = self
            .connections
            .get(from.0)
            .map(|connection| connection.framing);
        let mut reader =
            NetworkReader::with_encoding(payload, framing.unwrap_or_default().encoding())
                .with_max_elements(self.config.max_elements);
        let id = NetId(reader.read_packed_u32()?);
        let lease = reader.read_packed_u32()?;
        let spawned = self.objects.get(id.0);
        let Some(spawned) = spawned.filter(|spawned| spawned.owner == Some(from)) else {
            self.stats.ignored_writes += 1;
            self.events.push_minor(ServerEvent::WriteIgnored {
                connection: from,
                object: id,
            });
            return Ok(());
        };
        let waits = self.misled.contains(&(from, id));
        if spawned.lease != lease || lease == 0 || waits {
            self.stats.ignored_writes += 1;
            return Ok(());
        }
        let at = spawned.at;
        if self.host.is_some() {
            self.remember_object_for_local(id, at);
        }
        let Some(slots) = self.pools.slots_mut(at) else {
            self.stats.ignored_writes += 1;
            return Ok(());
        };
        let effort = self.effort.entry(from).or_default();
        let limit = self.config.max_owner_bytes;
        if *effort > limit.saturating_mul(4) {
            self.stats.ignored_writes += 1;
            self.misled.insert((from, id));
            return Ok(());
        }
        let written = read_writes(slots, &mut reader, limit, effort);
        let all = match written {
            Ok(all) => all,
            Err(error) => {
                self.stats.ignored_writes += 1;
                self.misled.insert((from, id));
                return Err(error);
            }
        };
        for (behaviour, fields) in all {
            self.events.push_minor(ServerEvent::Written {
                connection: from,
                object: id,
                behaviour,
                fields,
            });
        }
        self.schedule.queue_dirty(id);
        Ok(())
    }

    /// Gives owners their fields as they are whose writes could not be read: once with an update, however
    /// many there were.
    pub(super) fn correct_misled(&mut self) {
        self.effort.clear();
        for (owner, id) in std::mem::take(&mut self.misled) {
            if self.owner(id) == Some(owner) {
                self.send_owner_state(owner, id, |info| {
                    info.rules.owner_write & info.rules.readable(true)
                });
            }
        }
    }

    /// The game has written to fields that are the owner's.
    pub(super) fn refuse_write(&mut self, object: NetId, fields: ChangedFields) {
        refuse(&mut self.events, object, fields);
    }
}

/// Tells the game that it has written to fields that are the owner's.
pub(super) fn refuse(
    events: &mut crate::events::Events<ServerEvent>,
    object: NetId,
    fields: ChangedFields,
) {
    tracing::error!(%object, ?fields, "only the owner of the object writes to these fields");
    events.push(ServerEvent::WriteRefused { object, fields });
}

/// Notes whether a connection owns an object.
pub(super) fn set_owned(slots: &mut dyn Slots, owned: bool) {
    slots.for_each_mut(|slot| {
        if let Some(ruled) = slot.ruled() {
            ruled.kept.set_owned(ruled.behaviour, owned);
        }
    });
}

/// Writes some fields of each behaviour, as changes, behind the position of the behaviour. Returns
/// whether that can be done.
fn write_state(
    slots: &mut dyn Slots,
    fields: impl Fn(&BehaviourInfo) -> u64,
    writer: &mut NetworkWriter,
) -> bool {
    let (mut index, mut resendable) = (0_u8, true);
    slots.for_each_mut(|slot| {
        let info = slot.info();
        let fields = fields(info);
        if fields != 0 {
            resendable &= info.resendable;
            writer.write_u8(index);
            slot.write_again(fields, writer);
        }
        index = index.saturating_add(1);
    });
    resendable && writer.take_error().is_none()
}

/// Reads what an owner has written: all of it, or none. Returns the fields of each behaviour.
fn read_writes(
    slots: &mut dyn Slots,
    reader: &mut NetworkReader<'_>,
    limit: usize,
    effort: &mut usize,
) -> Result<Vec<(usize, ChangedFields)>, ReadError> {
    let (mut before, length) = (0, reader.remaining());
    slots.for_each_mut(|slot| {
        let owner_write = slot.info().rules.owner_write;
        if let Some(ruled) = slot.ruled() {
            ruled.kept.save(ruled.behaviour, owner_write, 0);
            before += ruled.kept.saved_bytes();
        }
    });
    *effort = effort.saturating_add(before);
    let mut all = Vec::new();
    let mut read = Ok(());
    while reader.remaining() > 0 && read.is_ok() {
        read = read_write(slots, reader, &mut all);
    }
    // What has been sent may take some more bytes in a full state of the other dialect.
    if read.is_ok() && before.saturating_add(length.saturating_mul(5)) > limit {
        read = check_growth(slots, reader, before, limit);
        *effort = effort.saturating_add(before);
    }
    slots.for_each_mut(|slot| {
        if let Some(ruled) = slot.ruled() {
            if read.is_err() {
                ruled.kept.restore(ruled.behaviour);
            } else {
                ruled.kept.discard();
            }
        }
    });
    read?;
    let mut told = Vec::new();
    for (index, fields) in all {
        let Some(slot) = slots.slot_mut(index) else {
            continue;
        };
        if let Some(ruled) = slot.ruled() {
            ruled.behaviour.set_dirty_bit(fields);
            ruled.kept.relayed |= fields;
        }
        told.push((index, ChangedFields::new(&slot.info().schema, fields)));
    }
    Ok(told)
}

/// What an owner has written may be long, but not become longer then.
fn check_growth(
    slots: &mut dyn Slots,
    reader: &NetworkReader<'_>,
    before: usize,
    limit: usize,
) -> Result<(), ReadError> {
    let mut count = 0;
    slots.for_each_mut(|slot| {
        if let Some(ruled) = slot.ruled() {
            count += ruled.kept.bytes_now(ruled.behaviour);
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
    let Some(slot) = slot.filter(|slot| slot.info().rules.owner_write != 0) else {
        let (what, value) = ("behaviour that an owner writes", index.into());
        return Err(reader.error(ReadErrorKind::InvalidValue { what, value }));
    };
    reader.set_fields(slot.info().rules.owner_write);
    let read = slot.deserialize(reader, false);
    // Hooks are for those who are told; those of a host run with the next update.
    slot.skip_hooks();
    reader.set_fields(u64::MAX);
    all.push((index.into(), reader.take_seen_bits()));
    read
}
