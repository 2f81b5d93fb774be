//! Changes: read everything first, then tell.

use std::sync::Mutex;

use super::owner::{RestoreOwn, SaveOwn};
use super::references::{list, waits};
use super::{ChangedFields, ClientEvent, HookFailure, NetworkClient, Replica};
use crate::context::Panicked;
use crate::events::Events;
use crate::identity::{Entry, Hooks, ReadChanges, Slot, Slots, Visit, run_hooks};
use crate::segments::Entries;
use crate::table::Table;
use crate::{BehaviourSchema, Dialect, MessageType, NetId, NetworkReader, ReadError};

/// So many objects are found before the first of them is read.
const BATCH: usize = 128;

/// What becomes of changes that have been received.
#[derive(Debug)]
pub(crate) struct Reception<'a> {
    dialect: Dialect,
    channel: u8,
    max_elements: usize,
    /// The dirty masks of the object under way, a behaviour each.
    masks: &'a mut Vec<u64>,
    events: &'a mut Events<ClientEvent>,
    /// Objects that could not be read.
    failed: &'a mut Vec<(NetId, ReadError)>,
    /// Objects with fields that hooks may have written, and the owner writes.
    hooked: &'a mut Vec<NetId>,
    /// What the references of the object under way refer to.
    targets: &'a mut Mutex<Vec<NetId>>,
    /// References to objects that are not there yet, and the objects that hold them.
    unresolved: &'a mut Vec<(NetId, NetId)>,
    objects: &'a Table<Replica>,
    joining: bool,
}

impl Reception<'_> {
    /// Has an object read its changes: all fields first, then the hooks, then the events.
    #[inline]
    pub(crate) fn read<S: Slots>(&mut self, entry: &Entry<'_>, slots: &mut S) {
        self.masks.clear();
        let mut reader = NetworkReader::with_dialect(entry.changes, self.dialect)
            .with_max_elements(self.max_elements)
            .with_references(self.targets);
        if entry.own {
            slots.visit(&mut SaveOwn);
        }
        let mut read = ReadChanges {
            channel: self.channel,
            reader: &mut reader,
            masks: self.masks,
            result: Ok(()),
        };
        slots.visit(&mut read);
        let result = read.result.and_then(|()| reader.finish());
        if !list(self.targets).is_empty() {
            self.note_references(entry.net_id, result.is_ok());
        }
        if entry.own {
            slots.visit(&mut RestoreOwn);
        }
        // If the application does not know the object yet, it will meet it with this state.
        let mut tell = Tell {
            object: entry.net_id,
            hooks: result.is_ok() && entry.announced,
            written: false,
            masks: self.masks,
            events: self.events,
        };
        slots.visit(&mut tell);
        if tell.written {
            self.hooked.push(entry.net_id);
        }
        if let Err(error) = result {
            self.failed.push((entry.net_id, error));
        }
    }

    /// Lists those references that have been read whose targets are not there yet.
    #[inline(never)]
    fn note_references(&mut self, holder: NetId, is_read: bool) {
        for target in list(self.targets).drain(..) {
            if is_read && waits(self.objects, self.joining, (holder, target)) {
                self.unresolved.push((holder, target));
            }
        }
    }
}

/// Calls the hooks for what was read and makes the events, or forgets about it.
struct Tell<'a> {
    object: NetId,
    hooks: bool,
    /// Whether a field that the owner writes is dirty now.
    written: bool,
    masks: &'a [u64],
    events: &'a mut Events<ClientEvent>,
}

impl Visit for Tell<'_> {
    #[inline]
    fn slot<S: Slot + ?Sized>(&mut self, index: u32, slot: &mut S) {
        if !self.hooks {
            slot.skip_hooks();
            return;
        }
        let called = run_hooks(slot, Hooks::LastRead);
        let owner_write = slot.info().policy.owner_write;
        self.written |= owner_write != 0 && slot.dirty_bits() & owner_write != 0;
        let behaviour = index as usize;
        let dirty_bits = self.masks.get(behaviour).copied().unwrap_or_default();
        if let Err(Panicked(message)) = called {
            self.report(&slot.info().schema, dirty_bits, message);
        }
        if dirty_bits != 0 {
            self.events.push(ClientEvent::Changed {
                object: self.object,
                behaviour,
                fields: ChangedFields::new(&slot.info().schema, dirty_bits),
            });
        }
    }
}

impl Tell<'_> {
    #[cold]
    fn report(&mut self, schema: &'static BehaviourSchema, dirty_bits: u64, message: String) {
        let fields = ChangedFields::new(schema, dirty_bits);
        let failure = HookFailure::new(self.object, fields, message);
        self.events.push(ClientEvent::HookFailed(Box::new(failure)));
    }
}

impl NetworkClient {
    /// Applies an `UpdateVars` message.
    pub(super) fn handle_update(&mut self, channel: u8, payload: &[u8]) -> Result<(), ReadError> {
        let mut reader = NetworkReader::new(payload);
        let object = NetId(reader.read_packed_u32()?);
        let changes = reader.read_bytes(reader.remaining())?;
        self.apply_changes(Dialect::Unet, channel, object, changes);
        Ok(())
    }

    /// Applies the changes of one object, now or when it is there.
    #[inline]
    pub(super) fn apply_changes(
        &mut self,
        dialect: Dialect,
        channel: u8,
        object: NetId,
        changes: &[u8],
    ) {
        match self.find(object, changes) {
            Some((pool, entry)) => self.read_entries(dialect, channel, pool, &[entry]),
            None => self.pass_over(dialect, channel, object, changes),
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
                self.pass_over(Dialect::Compact, channel, object, changes);
                continue;
            };
            if next != pool || length == BATCH {
                self.read_entries(Dialect::Compact, channel, pool, &run[..length]);
                (pool, length) = (next, 0);
            }
            run[length] = entry;
            length += 1;
        }
        self.read_entries(Dialect::Compact, channel, pool, &run[..length]);
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

    fn read_entries(&mut self, dialect: Dialect, channel: u8, pool: u32, entries: &[Entry<'_>]) {
        let Some(pool) = self.pools.pool_mut(pool) else {
            return;
        };
        let mut reception = Reception {
            dialect,
            channel,
            max_elements: self.config.max_elements,
            masks: &mut self.masks,
            events: &mut self.events,
            failed: &mut self.failed,
            hooked: &mut self.desk.hooked,
            targets: &mut self.targets,
            unresolved: &mut self.unresolved,
            objects: &self.objects,
            joining: self.joining,
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
