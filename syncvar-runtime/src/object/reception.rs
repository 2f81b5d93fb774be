//! `Reception`: received changes on their way into objects. All fields are read first, then the hooks run.

use std::sync::{Mutex, PoisonError};

use super::{Entry, ReadChanges, RestoreOwn, SaveOwn, Slot, Slots, Visit};
use crate::behaviour::{HookFailure, Panicked};
use crate::schema::{BehaviourSchema, ChangedFields};
use crate::{Encoding, NetId, NetworkReader, ReadError};

/// Receiver of the results of applied changes: a client.
pub trait ReceptionReport {
    /// Fields of an object have been received.
    fn changed(&mut self, object: NetId, behaviour: usize, fields: ChangedFields);

    /// A hook has panicked.
    fn hook_failed(&mut self, failure: HookFailure);

    /// An object has got a reference to another one.
    fn referenced(&mut self, holder: NetId, target: NetId);
}

/// Effects of the received changes of a run of objects.
pub struct Reception<'a> {
    /// The encoding of the values.
    pub encoding: Encoding,
    /// The channel that the changes came on.
    pub channel: u8,
    /// The most elements that a sequence or collection may have.
    pub max_elements: usize,
    /// The dirty masks of the object under way, a behaviour each.
    pub masks: &'a mut Vec<u64>,
    /// Receiver of events.
    pub report: &'a mut dyn ReceptionReport,
    /// Objects that could not be read.
    pub failed: &'a mut Vec<(NetId, ReadError)>,
    /// Objects with fields that hooks may have written, and the owner writes.
    pub hooked: &'a mut Vec<NetId>,
    /// What the references of the object under way refer to.
    pub targets: &'a mut Mutex<Vec<NetId>>,
}

impl Reception<'_> {
    /// Has an object read its changes: all fields first, then the hooks, then the events.
    #[inline]
    pub fn read<S: Slots>(&mut self, entry: &Entry<'_>, slots: &mut S) {
        self.masks.clear();
        let mut reader = NetworkReader::with_encoding(entry.changes, self.encoding)
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
            report: self.report,
        };
        slots.visit(&mut tell);
        if tell.written {
            self.hooked.push(entry.net_id);
        }
        if let Err(error) = result {
            self.failed.push((entry.net_id, error));
        }
    }

    /// Reports the references that have been read.
    #[inline(never)]
    fn note_references(&mut self, holder: NetId, is_read: bool) {
        for target in list(self.targets).drain(..) {
            if is_read {
                self.report.referenced(holder, target);
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
    report: &'a mut dyn ReceptionReport,
}

impl Visit for Tell<'_> {
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
            let fields = ChangedFields::new(&slot.info().schema, dirty_bits);
            self.report.changed(self.object, behaviour, fields);
        }
    }
}

impl Tell<'_> {
    #[cold]
    fn report_panic(&mut self, schema: &'static BehaviourSchema, dirty_bits: u64, message: String) {
        let fields = ChangedFields::new(schema, dirty_bits);
        let failure = HookFailure::new(self.object, fields, message);
        self.report.hook_failed(failure);
    }
}

/// The list of references that a reader fills.
pub fn list(targets: &mut Mutex<Vec<NetId>>) -> &mut Vec<NetId> {
    targets.get_mut().unwrap_or_else(PoisonError::into_inner)
}
