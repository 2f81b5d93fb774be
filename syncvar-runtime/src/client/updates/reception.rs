//! `Reception`: reading of deltas, one object after the other.

use crate::client::references::is_unresolved;
use crate::client::replica::Replica;
use crate::client::writes::{RestoreOwn, SaveOwn};
use crate::client::{ChangedFields, ClientEvent, HookFailure};
use crate::context::Panicked;
use crate::events::Events;
use crate::identity::{Entry, ReadChanges, Slot, Slots, Visit};
use crate::table::Table;
use crate::{BehaviourSchema, Dialect, NetId, NetworkReader, ReadError};

/// Context and results of the deltas in progress.
#[derive(Debug)]
pub(crate) struct Reception<'a> {
    pub(super) dialect: Dialect,
    pub(super) channel: u8,
    pub(super) max_elements: usize,
    /// Dirty masks of the object in progress, one per behaviour.
    pub(super) masks: &'a mut Vec<u64>,
    pub(super) events: &'a mut Events<ClientEvent>,
    /// Unreadable objects.
    pub(super) failed: &'a mut Vec<(NetId, ReadError)>,
    /// Objects with possible writes of hooks to owner-written fields.
    pub(super) hooked: &'a mut Vec<NetId>,
    /// Targets of the references in the object in progress.
    pub(super) targets: &'a mut Vec<NetId>,
    /// Holders and targets of unresolved references.
    pub(super) unresolved: &'a mut Vec<(NetId, NetId)>,
    pub(super) objects: &'a Table<Replica>,
    pub(super) joining: bool,
}

impl Reception<'_> {
    /// Reads the delta of an object: all fields, then the hooks, then the events.
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
        if !self.targets.is_empty() {
            self.record_references(entry.net_id, result.is_ok());
        }
        if entry.own {
            slots.visit(&mut RestoreOwn);
        }
        // An invisible object is announced with this state later.
        let mut report = ReportChanges {
            object: entry.net_id,
            hooks: result.is_ok() && entry.announced,
            written: false,
            masks: self.masks,
            events: self.events,
        };
        slots.visit(&mut report);
        if report.written {
            self.hooked.push(entry.net_id);
        }
        if let Err(error) = result {
            self.failed.push((entry.net_id, error));
        }
    }

    /// Records the unresolved references of the object in progress.
    #[inline(never)]
    fn record_references(&mut self, holder: NetId, is_read: bool) {
        for target in self.targets.drain(..) {
            let pair = (holder, target);
            if is_read && is_unresolved(self.objects, self.joining, pair) {
                self.unresolved.push(pair);
            }
        }
    }
}

/// Calls the hooks of the received fields and reports the changes.
struct ReportChanges<'a> {
    object: NetId,
    /// Whether hooks run and events are reported.
    hooks: bool,
    /// Whether a field that the owner writes is dirty afterwards.
    written: bool,
    masks: &'a [u64],
    events: &'a mut Events<ClientEvent>,
}

impl Visit for ReportChanges<'_> {
    #[inline]
    fn slot<S: Slot + ?Sized>(&mut self, index: u32, slot: &mut S) {
        if !self.hooks {
            slot.skip_hooks();
            return;
        }
        let called = slot.call_hooks();
        let owner_write = slot.info().rules.owner_write;
        self.written |= owner_write != 0 && slot.dirty_bits() & owner_write != 0;
        let behaviour = index as usize;
        let dirty_bits = self.masks.get(behaviour).copied().unwrap_or_default();
        if let Err(Panicked(message)) = called {
            self.report_panic(&slot.info().schema, dirty_bits, message);
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

impl ReportChanges<'_> {
    #[cold]
    fn report_panic(&mut self, schema: &'static BehaviourSchema, dirty_bits: u64, message: String) {
        let fields = ChangedFields::new(schema, dirty_bits);
        let failure = HookFailure::new(self.object, fields, message);
        self.events.push(ClientEvent::HookFailed(Box::new(failure)));
    }
}
