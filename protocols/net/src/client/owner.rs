//! What this client writes to the objects that it owns, and what it is told about them.

use super::guard::{ReplicaMut, refuse};
use super::{ClientEvent, NetworkClient, Replica};
use crate::behaviour::Panicked;
use crate::events::Events;
use crate::message::begin;
use crate::object::{Nanos, SaveOwn, Slot, Slots, Visit, list, nanos};
use crate::{ChangedFields, HookFailure};
use crate::{
    MessageType, NetId, NetworkBehaviour, NetworkReader, NetworkWriter, ReadError, ReadErrorKind,
};

impl NetworkClient {
    /// The first behaviour of this type on an object, for writing: to what is not synchronised, and to
    /// fields that the owner writes. See [`ReplicaMut`].
    pub fn get_mut<B: NetworkBehaviour>(&mut self, id: NetId) -> Option<ReplicaMut<'_, B>> {
        let replica = self.objects.get(id.0).filter(|replica| replica.announced)?;
        let index = self.pools.position::<B>(replica.at)?;
        self.get_mut_at(id, index)
    }

    /// The behaviour at a position of an object, for objects with two behaviours of one type; see
    /// [`get_mut`](Self::get_mut).
    pub fn get_mut_at<B: NetworkBehaviour>(
        &mut self,
        id: NetId,
        index: usize,
    ) -> Option<ReplicaMut<'_, B>> {
        let may = self.may_write(id);
        let replica = self
            .objects
            .get_mut(id.0)
            .filter(|replica| replica.announced)?;
        if !std::mem::replace(&mut replica.lent, true) {
            // What has come from the server is not this client's to send.
            forget_writes(self.pools.slots_mut(replica.at)?);
        }
        let (behaviour, _) = self.pools.behaviour_at_mut::<B>(replica.at, index)?;
        Some(ReplicaMut {
            before: behaviour.before_change(),
            behaviour,
            net_id: id,
            index,
            may: if may {
                const { B::SCHEMA.rule_bits() }.owner_write
            } else {
                0
            },
            desk: &mut self.desk,
            events: &mut self.events,
        })
    }

    /// Whether this client may write to the fields of an object that its owner writes.
    fn may_write(&self, id: NetId) -> bool {
        let owned = self.objects.get(id.0).is_some_and(|replica| replica.owned);
        owned && self.is_connected() && self.config.compare_schemas
    }

    /// The behaviours of an object are about to be called, and may be written to.
    pub(super) fn begin_writes(&mut self, id: NetId, slots: &mut dyn Slots) {
        if let Some(replica) = self.objects.get_mut(id.0)
            && !std::mem::replace(&mut replica.lent, true)
        {
            forget_writes(slots);
        }
        slots.for_each_mut(|slot| slot.begin_change());
    }

    /// They have been called: what has been written is as with [`ReplicaMut`].
    pub(super) fn end_writes(&mut self, id: NetId, slots: &mut dyn Slots) {
        let may_write = self.may_write(id);
        let mut index = 0;
        slots.for_each_mut(|slot| {
            slot.end_change();
            let dirty = slot.dirty_bits();
            let may = if may_write {
                slot.info().rules.owner_write
            } else {
                0
            };
            let refused = dirty & !may;
            if refused != 0 {
                clean(slot, refused);
                self.desk.refused.insert(id);
                let fields = ChangedFields::new(&slot.info().schema, refused);
                refuse(&mut self.events, id, index, fields);
            }
            if dirty & may != 0 {
                self.desk.writing.insert(id);
            }
            index += 1;
        });
    }

    /// What hooks have written to fields that this client writes is sent as if the application had.
    #[cold]
    pub(super) fn take_hook_writes(&mut self) {
        for id in std::mem::take(&mut self.desk.hooked) {
            if !self.may_write(id) {
                continue;
            }
            if let Some(replica) = self.objects.get_mut(id.0)
                && !std::mem::replace(&mut replica.lent, true)
                && let Some(slots) = self.pools.slots_mut(replica.at)
            {
                // Whatever else is dirty is so from before it was received.
                slots.for_each_mut(|slot| {
                    let own = slot.info().rules.owner_write;
                    clean(slot, !own);
                });
            }
            self.desk.writing.insert(id);
        }
    }

    /// Asks for the objects that this client has written to and may not.
    pub(super) fn ask_for_refused(&mut self) {
        if !self.desk.refused.is_empty() {
            for id in std::mem::take(&mut self.desk.refused) {
                let known = self.objects.get(id.0).is_some();
                if known && self.is_connected() {
                    self.ask_for(id);
                }
            }
        }
    }

    /// Sends what this client has written to the objects that it owns, as far as it is due.
    pub(super) fn send_writes(&mut self) {
        self.ask_for_refused();
        if self.desk.writing.is_empty() {
            return;
        }
        let writing = std::mem::take(&mut self.desk.writing);
        for id in writing {
            if self.send_write(id) {
                self.desk.writing.insert(id);
            }
        }
    }

    /// Returns whether something is left that waits.
    fn send_write(&mut self, id: NetId) -> bool {
        let connected = self.is_connected();
        let Some(replica) = self.objects.get(id.0) else {
            return false;
        };
        let Some(slots) = self.pools.slots_mut(replica.at) else {
            return true;
        };
        if !connected || !replica.owned {
            forget_writes(slots);
            return false;
        }
        if replica.lease == 0 {
            return true;
        }
        let mut write = WriteOwn {
            now: nanos(self.now),
            writer: NetworkWriter::with_encoding(self.framing.encoding()),
            sent: Vec::new(),
            left: false,
        };
        write.all(slots);
        if write.sent.is_empty() {
            return write.left;
        }
        let failed = write.writer.take_error().is_some();
        let writer = self.outgoing.begin();
        let start = begin(MessageType::OwnerWrite, writer);
        writer.write_packed_u32(id.0);
        writer.write_packed_u32(replica.lease);
        writer.write_bytes(write.writer.as_bytes());
        writer.finish_message(start);
        let failed = failed | writer.take_error().is_some();
        if failed {
            self.outgoing.give_up();
        } else {
            let length = self.outgoing.commit();
            self.stats.count_encoded(MessageType::OwnerWrite, length);
        }
        for (index, fields) in write.sent {
            let Some(slot) = slots.slot_mut(index) else {
                continue;
            };
            slot.mark_fields_sent(fields, write.now);
            if failed {
                let fields = ChangedFields::new(&slot.info().schema, fields);
                refuse(&mut self.events, id, index, fields);
            }
        }
        if failed && let Some(replica) = self.objects.get_mut(id.0) {
            // There is no way to say it: the server's is what counts.
            replica.yields = true;
            self.desk.refused.insert(id);
        }
        write.left
    }

    /// The server gives fields to this client as they are, and tells it what its writes must bear.
    pub(super) fn handle_owner_state(&mut self, payload: &[u8]) -> Result<(), ReadError> {
        let mut reader = NetworkReader::with_encoding(payload, self.framing.encoding())
            .with_max_elements(self.config.max_elements)
            .with_references(&self.targets);
        let object = NetId(reader.read_packed_u32()?);
        let lease = reader.read_packed_u32()?;
        let Some(replica) = self.objects.get_mut(object.0) else {
            self.stats.unknown_objects += 1;
            return Ok(());
        };
        replica.lease = lease;
        let announced = replica.announced;
        let Some(slots) = self
            .pools
            .slots_mut(replica.at)
            .filter(|_| !replica.poisoned)
        else {
            return Ok(());
        };
        let mut read = Vec::new();
        let mut result = Ok(());
        while reader.remaining() > 0 && result.is_ok() {
            result = read_state(slots, &mut reader, &mut read);
        }
        for (index, fields) in read {
            if let Some(slot) = slots.slot_mut(index) {
                tell(
                    slot,
                    (object, index, fields),
                    announced && result.is_ok(),
                    &mut self.events,
                );
            }
        }
        match result {
            Ok(()) => self.note_more_references(object),
            Err(error) => {
                list(&mut self.targets).clear();
                self.poison(object, error);
            }
        }
        Ok(())
    }

    /// The full state of an object has come. What this client owns and has written itself stays, and
    /// is sent again: the server may have said this before it heard of it. Not so while everything comes
    /// again: then it is not known yet what this client still owns. `all` says that nothing stays.
    pub(super) fn read_full(
        replica: &mut Replica,
        slots: &mut dyn Slots,
        reader: &mut NetworkReader<'_>,
        all: bool,
    ) -> (Result<(), ReadError>, bool) {
        let keeps = replica.owned && replica.lent && !replica.yields && !all;
        replica.lease = 0;
        replica.yields = false;
        let mut kept = 0;
        if keeps {
            slots.for_each_mut(|slot| SaveOwn.slot(0, slot));
        }
        let result = slots.read_full(reader);
        if replica.lent && !keeps {
            forget_writes(slots);
        }
        if keeps {
            slots.for_each_mut(|slot| {
                if let Some(ruled) = slot.ruled() {
                    kept |= ruled.kept.restore_as_written(ruled.behaviour);
                }
            });
        }
        (result, kept != 0)
    }
}

/// Makes fields clean; all of them, where a behaviour has none with rules.
fn clean(slot: &mut dyn Slot, fields: u64) {
    let last_send = slot.last_send();
    match slot.ruled() {
        Some(ruled) => ruled.behaviour.clear_dirty_bits(fields),
        None => slot.mark_sent(last_send),
    }
}

/// What is in the fields is not this client's to send.
fn forget_writes(slots: &mut dyn Slots) {
    slots.for_each_mut(|slot| {
        let last_send = slot.last_send();
        slot.mark_sent(last_send);
    });
}

/// Writes what this client has written to the behaviours of an object.
struct WriteOwn {
    now: Nanos,
    writer: NetworkWriter,
    /// The fields of each behaviour that are in it.
    sent: Vec<(usize, u64)>,
    /// Whether something waits for its time.
    left: bool,
}

impl WriteOwn {
    fn all(&mut self, slots: &mut dyn Slots) {
        let mut index = 0_u8;
        slots.for_each_mut(|slot| {
            self.write(index, slot);
            index = index.saturating_add(1);
        });
    }

    fn write(&mut self, index: u8, slot: &mut dyn Slot) {
        let info = slot.info();
        let dirty = slot.dirty_bits() & info.rules.owner_write;
        let fields = dirty & !slot.held_back(self.now).0;
        let is_due = self.now.saturating_sub(slot.last_send()) > info.send_interval;
        if !is_due || fields == 0 {
            self.left |= dirty != 0;
            return;
        }
        let start = self.writer.len();
        self.writer.write_u8(index);
        self.writer.set_fields(fields);
        if slot.serialize(&mut self.writer, false) {
            self.sent.push((index.into(), fields));
            self.left |= dirty != fields;
        } else {
            self.writer.truncate(start);
            self.left = true;
        }
    }
}

fn read_state(
    slots: &mut dyn Slots,
    reader: &mut NetworkReader<'_>,
    read: &mut Vec<(usize, u64)>,
) -> Result<(), ReadError> {
    let index = reader.read_u8()?;
    let Some(slot) = slots.slot_mut(index.into()) else {
        let (what, value) = ("position of a behaviour", index.into());
        return Err(reader.error(ReadErrorKind::InvalidValue { what, value }));
    };
    let result = slot.deserialize(reader, false);
    let fields = reader.take_seen_bits();
    read.push((index.into(), fields));
    if let Some(ruled) = slot.ruled() {
        ruled.behaviour.clear_dirty_bits(fields);
    }
    result
}

/// Calls the hooks for what was read and makes the event, or forgets about it.
fn tell(
    slot: &mut dyn Slot,
    (object, behaviour, fields): (NetId, usize, u64),
    hooks: bool,
    events: &mut Events<ClientEvent>,
) {
    if !hooks {
        slot.skip_hooks();
        return;
    }
    let fields = ChangedFields::new(&slot.info().schema, fields);
    if let Err(Panicked(message)) = slot.call_hooks() {
        let failure = HookFailure::new(object, fields, message);
        events.push(ClientEvent::HookFailed(Box::new(failure)));
    }
    events.push(ClientEvent::Changed {
        object,
        behaviour,
        fields,
    });
}
