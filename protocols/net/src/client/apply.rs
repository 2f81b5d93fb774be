//! Changes: read everything first, then tell.

use super::references::waits;
use super::{ClientEvent, NetworkClient, Replica};
use crate::events::Events;
use crate::object::{Entry, Reception, ReceptionReport};
use crate::packet::Entries;
use crate::table::Table;
use crate::{ChangedFields, Framing, HookFailure, MessageType, NetId, NetworkReader, ReadError};

/// So many objects are found before the first of them is read.
const BATCH: usize = 128;

/// Takes the results of applied changes: events, and references to objects that are not there yet.
struct Report<'a> {
    events: &'a mut Events<ClientEvent>,
    unresolved: &'a mut Vec<(NetId, NetId)>,
    objects: &'a Table<Replica>,
    joining: bool,
}

impl ReceptionReport for Report<'_> {
    fn changed(&mut self, object: NetId, behaviour: usize, fields: ChangedFields) {
        self.events.push(ClientEvent::Changed {
            object,
            behaviour,
            fields,
        });
    }

    fn hook_failed(&mut self, failure: HookFailure) {
        self.events.push(ClientEvent::HookFailed(Box::new(failure)));
    }

    fn referenced(&mut self, holder: NetId, target: NetId) {
        if waits(self.objects, self.joining, (holder, target)) {
            self.unresolved.push((holder, target));
        }
    }
}

impl NetworkClient {
    /// Applies an `UpdateVars` message.
    pub(super) fn handle_update(&mut self, channel: u8, payload: &[u8]) -> Result<(), ReadError> {
        let mut reader = NetworkReader::new(payload);
        let object = NetId(reader.read_packed_u32()?);
        let changes = reader.read_bytes(reader.remaining())?;
        self.apply_changes(Framing::Unet, channel, object, changes);
        Ok(())
    }

    /// Applies the changes of one object, now or when it is there.
    #[inline]
    pub(super) fn apply_changes(
        &mut self,
        framing: Framing,
        channel: u8,
        object: NetId,
        changes: &[u8],
    ) {
        match self.find(object, changes) {
            Some((pool, entry)) => self.read_entries(framing, channel, pool, &[entry]),
            None => self.pass_over(framing, channel, object, changes),
        }
    }

    /// Applies an `UpdateBatch` message.
    pub(super) fn handle_updates(&mut self, channel: u8, payload: &[u8]) -> Result<(), ReadError> {
        let mut run = [Entry::default(); BATCH];
        let (mut pool, mut length) = (0, 0);
        let mut result = Ok(());
        for entry in Entries::new(payload) {
            let (object, changes) = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    result = Err(error);
                    break;
                }
            };
            self.stats.count_entry(MessageType::UpdateBatch);
            let Some((next, entry)) = self.find(object, changes) else {
                self.pass_over(Framing::Compact, channel, object, changes);
                continue;
            };
            if next != pool || length == BATCH {
                self.read_entries(Framing::Compact, channel, pool, &run[..length]);
                (pool, length) = (next, 0);
            }
            run[length] = entry;
            length += 1;
        }
        self.read_entries(Framing::Compact, channel, pool, &run[..length]);
        result
    }

    /// The object that changes are for, if it is there and they can be applied to it now.
    #[inline]
    pub(super) fn find<'a>(&self, object: NetId, changes: &'a [u8]) -> Option<(u32, Entry<'a>)> {
        let replica = self.objects.get(object.0)?;
        let behind = !replica.announced && self.late.holds(object);
        if replica.poisoned || behind {
            return None;
        }
        let entry = Entry {
            net_id: object,
            row: replica.at.row,
            announced: replica.announced,
            own: replica.owned && replica.lent && self.config.compare_schemas,
            changes,
        };
        Some((replica.at.pool, entry))
    }

    /// Changes have come for an object that is poisoned.
    pub(super) fn ask_again(&mut self, object: NetId) {
        let Some(replica) = self.objects.get_mut(object.0) else {
            return;
        };
        // The answer to the last question could not be read either.
        if !std::mem::replace(&mut replica.asked, true) {
            self.ask_for(object);
        }
    }

    fn read_entries(&mut self, framing: Framing, channel: u8, pool: u32, entries: &[Entry<'_>]) {
        let Some(pool) = self.pools.pool_mut(pool) else {
            return;
        };
        let mut report = Report {
            events: &mut self.events,
            unresolved: &mut self.unresolved,
            objects: &self.objects,
            joining: self.joining,
        };
        let mut reception = Reception {
            encoding: framing.encoding(),
            channel,
            max_elements: self.config.max_elements,
            masks: &mut self.masks,
            report: &mut report,
            failed: &mut self.failed,
            hooked: &mut self.desk.hooked,
            targets: &mut self.targets,
        };
        pool.read_changes(entries, &mut reception);
        self.note_references();
        if !self.desk.hooked.is_empty() {
            self.take_hook_writes();
        }
        if !self.failed.is_empty() {
            for (object, error) in std::mem::take(&mut self.failed) {
                self.poison(object, error);
            }
        }
    }

    /// An object could not be read: ask for all of it, once, until it has come. If this was the answer,
    /// ask again when the next change of the object comes, and not at once: one that can never be read
    /// must not be sent back and forth for ever.
    pub(super) fn poison(&mut self, object: NetId, error: ReadError) {
        let Some(replica) = self.objects.get_mut(object.0) else {
            return;
        };
        let ask = !std::mem::replace(&mut replica.poisoned, true);
        replica.asked = ask;
        tracing::warn!(%object, %error, "an object could not be read");
        self.events.push(ClientEvent::Poisoned { object, error });
        if ask {
            self.ask_for(object);
        }
    }
}
