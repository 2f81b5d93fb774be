//! `JournalChanges`: what the next record of a journal contains.

use std::collections::BTreeMap;

use syncvar_runtime::NetId;
use syncvar_runtime::unstable::object::Slots;
use syncvar_runtime::unstable::ordered::Ids;

use crate::server::objects::Objects;

/// Changes of objects since the last record of the journal, apart from the dirty fields of changed objects.
#[derive(Debug, Default)]
pub(crate) struct JournalChanges {
    pub(crate) spawned: Ids<NetId>,
    pub(crate) removed: Ids<NetId>,
    /// Objects with a new parent.
    pub(crate) reparented: Ids<NetId>,
    /// Objects with a change beside the fields.
    pub(crate) facts: Ids<NetId>,
    /// Fields that were sent between two records, by behaviour.
    pub(crate) flushed: BTreeMap<NetId, Vec<u64>>,
}

impl Objects {
    /// Begins or ends the changes for a journal.
    pub(crate) fn track_journal(&mut self, has_journal: bool) {
        self.journal = has_journal.then(Box::default);
    }

    /// Returns whether the changes for a journal are noted.
    pub(crate) fn tracks_journal(&self) -> bool {
        self.journal.is_some()
    }

    /// Returns the last id of the objects, and of the removed objects whose end no record has.
    pub(crate) fn last_id(&self) -> NetId {
        let removed = self
            .journal
            .as_ref()
            .and_then(|it| it.removed.iter().last());
        self.ids().last().max(removed).unwrap_or(NetId::NONE)
    }

    /// Takes the changes for the next record. `None` without a journal.
    pub(crate) fn take_journal_changes(&mut self) -> Option<JournalChanges> {
        let changes = self.journal.as_mut()?;
        Some(std::mem::take(&mut **changes))
    }

    /// Notes a change of an object beside its fields.
    #[inline]
    pub(crate) fn note_facts(&mut self, id: NetId) {
        if let Some(changes) = &mut self.private {
            changes.entry(id).or_default();
        }
        if let Some(journal) = &mut self.journal {
            journal.facts.insert(id);
        }
    }

    /// Notes a new object.
    pub(crate) fn note_spawned(&mut self, id: NetId) {
        if let Some(journal) = &mut self.journal {
            journal.spawned.insert(id);
            journal.facts.insert(id);
        }
    }

    /// Notes the end of an object.
    pub(crate) fn note_removed(&mut self, id: NetId) {
        if let Some(journal) = &mut self.journal {
            journal.reparented.remove(id);
            journal.facts.remove(id);
            journal.flushed.remove(&id);
            // No record has a new object. A reader would keep the end of it for a later object with the id.
            if !journal.spawned.remove(id) {
                journal.removed.insert(id);
            }
        }
    }

    /// Notes the dirty fields of all objects, which are sent before the next record.
    pub(crate) fn note_all_flushed(&mut self) {
        if self.journal.is_some() || self.private.is_some() {
            let mut changed = Vec::new();
            self.schedule.copy_dirty(&mut changed);
            for id in changed {
                self.note_flushed(id);
            }
        }
    }

    /// Notes the dirty fields of an object, which are sent before the next record.
    pub(crate) fn note_flushed(&mut self, id: NetId) {
        self.note_private(id);
        let Some(mut journal) = self.journal.take() else {
            return;
        };
        if let Some(slots) = self.world.slots(id) {
            let flushed = journal.flushed.entry(id).or_default();
            flushed.resize(slots.len(), 0);
            for (mask, slot) in flushed.iter_mut().zip(<dyn Slots>::iter(slots)) {
                *mask |= slot.dirty_bits();
            }
        }
        self.journal = Some(journal);
    }
}
