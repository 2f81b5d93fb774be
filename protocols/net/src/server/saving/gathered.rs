//! `GatheredState`: the state of a server, gathered in slices by ascending id. `SaveInProgress`: a save whose slices
//! belong to several updates.
//!
//! A slice adds the objects behind the last gathered one. The objects so far stay up to date, for the record of each update
//! divides at them: their changes follow in the state, and the changes of the other objects come with their slices.
//!
//! ```text
//! ids             1 ...... gathered ...... last ......
//! changes         in the state    left out      in the state, with the new objects
//! next slice                      -->
//!
//! update 1        slice
//! update 2        changes │ slice
//! update 3        changes │ slice │ facts: the state of update 3
//! ```
//!
//! Every item applies to the items before it, so the last slice makes the state that of its update. No object is written
//! twice, and no update writes more than its changes and a slice. A second design was rejected: a change of an object that no
//! slice has would write the whole object first. It costs the same bytes, but an update that changes all objects writes all
//! of them.

use std::sync::{Arc, PoisonError, Weak};

use syncvar_runtime::NetId;

use crate::TickRecord;
use crate::record::{ItemWriter, RecordHead, RecordKind};
use crate::save::{PendingSave, Save, SaveError, SaveResult};
use crate::server::ground::Ground;
use crate::server::objects::Objects;
use crate::server::objects::journaled::JournalChanges;
use crate::server::outbound::journal::KnownFacts;
use crate::server::outbound::save::{GatheredState, SaveInProgress};
use crate::server::saving::facts::{FactsWriter, ObjectFacts};
use crate::server::saving::gather::{known_facts, object_facts};
use crate::server::saving::objects::ObjectWriter;
use crate::server::visibility::Visibility;

/// Length behind which a slice ends, for objects with long fields.
const SLICE: usize = 256 << 10;

/// Most bytes of changes: with more of them, the next update adds all slices.
const MAX_CHANGES: usize = 64 << 20;

impl GatheredState {
    /// Begins a state without objects.
    pub(crate) fn new(objects: &Objects) -> Self {
        Self {
            gathered: NetId::NONE,
            last: objects.last_id(),
            bytes: TickRecord::room(),
            facts: Vec::new(),
        }
    }

    /// Returns whether the state has an object, or gets it with the changes.
    pub(crate) fn has(&self, id: NetId) -> bool {
        id <= self.gathered || id > self.last
    }

    /// Returns whether the state has all objects.
    pub(crate) fn is_complete(&self) -> bool {
        self.gathered >= self.last
    }

    /// Adds the next objects, at most `count`.
    ///
    /// # Errors
    ///
    /// For a checked out object, and a value without a form.
    pub(crate) fn add_slice(
        &mut self,
        ground: &mut Ground<'_>,
        visibility: &Visibility,
        count: usize,
    ) -> Result<(), SaveError> {
        let behind = ground.objects.ids_behind(self.gathered);
        let ids = behind.take_while(|id| *id <= self.last).take(count);
        let ids: Vec<_> = ids.collect();
        let has_end = ids.len() < count;
        let (mut ids, mut objects) = (ids.into_iter(), ObjectWriter::default());
        let mut facts = FactsWriter::default();
        while objects.len() <= SLICE
            && let Some(id) = ids.next()
        {
            objects.add(ground.context, ground.objects, id)?;
            let known = object_facts(ground, visibility, id);
            if let Some(known) = known.filter(|known| *known != ObjectFacts::default()) {
                facts.object(id, &known);
            }
            self.gathered = id;
        }
        if has_end && ids.len() == 0 {
            self.gathered = self.last;
        }
        let mut items = ItemWriter::default();
        objects.drain_into(&mut items);
        self.bytes.extend_from_slice(&items.take());
        self.facts.extend_from_slice(facts.as_bytes());
        Ok(())
    }

    /// Returns the keyframe, with the facts that a journal compares. `seq` is the number of the last record of the journal.
    pub(crate) fn into_keyframe(
        mut self,
        ground: &mut Ground<'_>,
        visibility: &Visibility,
        seq: u64,
    ) -> (TickRecord, KnownFacts) {
        let world = &ground.objects.world;
        let waits = |id: NetId| world.objects.get(id.0).is_some_and(|it| it.owner.is_none());
        ground.sessions.returns.players.retain(waits);
        let numbers = known_facts(ground, visibility);
        let mut facts = FactsWriter::default();
        facts.append(&self.facts);
        facts.append(&numbers.server);
        for entry in numbers.connections.values().chain(numbers.players.values()) {
            facts.append(entry);
        }
        for (key, value) in ground.context.notes.iter() {
            facts.note(key, value);
        }
        let mut items = ItemWriter::default();
        items.add_facts(facts.as_bytes());
        self.bytes.extend_from_slice(&items.take());
        let origin = ground.record_origin();
        let head = ground.record_head(RecordKind::Keyframe(origin));
        let head = RecordHead { seq, ..head };
        (TickRecord::with_head(head, self.bytes), numbers)
    }
}

impl SaveInProgress {
    /// Begins a save with slices of some objects.
    pub(crate) fn new(objects: &Objects, slice: usize) -> (Self, PendingSave) {
        let pending = PendingSave::default();
        let save = Self {
            state: GatheredState::new(objects),
            slice: slice.max(1),
            changes: 0,
            result: Arc::downgrade(&pending.result),
        };
        (save, pending)
    }

    /// Returns whether the program waits for the save.
    pub(crate) fn is_awaited(&self) -> bool {
        self.result.strong_count() > 0
    }

    /// Adds the changes of an update to the objects so far.
    pub(crate) fn add_changes(&mut self, changes: &JournalChanges, items: &[u8], facts: &[u8]) {
        let state = &mut self.state;
        state.bytes.extend_from_slice(items);
        let mut ends = FactsWriter::default();
        for id in changes.removed.iter().filter(|id| state.has(*id)) {
            ends.removed_object(id);
        }
        state.facts.extend_from_slice(ends.as_bytes());
        state.facts.extend_from_slice(facts);
        self.changes += items.len() + facts.len();
    }

    /// Adds the slice of an update. Returns the save, unless the slice was the last one.
    pub(crate) fn advance(
        mut self: Box<Self>,
        ground: &mut Ground<'_>,
        visibility: &Visibility,
    ) -> Option<Box<Self>> {
        loop {
            let added = self.state.add_slice(ground, visibility, self.slice);
            if let Err(error) = added {
                self.fail(error);
                return None;
            }
            if self.state.is_complete() {
                break;
            }
            if self.changes <= MAX_CHANGES {
                return Some(self);
            }
        }
        let schema = ground.objects.world.prefabs.schema_text().clone();
        let seq = ground.outbound.journal.as_ref().map_or(1, |it| it.seq);
        let (keyframe, _) = self.state.into_keyframe(ground, visibility, seq);
        give(&self.result, Ok(Save::of_server(schema, keyframe)));
        None
    }

    /// Ends the save with an error.
    pub(crate) fn fail(&self, error: SaveError) {
        give(&self.result, Err(error));
    }
}

fn give(place: &Weak<SaveResult>, result: Result<Save, SaveError>) {
    if let Some(place) = place.upgrade() {
        *place.lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
    }
}

/// Objects of a slice of a state that is gathered at once.
const AT_ONCE: usize = 4_096;

/// Writes the keyframe of a save: all objects and facts. Returns it with the facts that a journal compares. `seq` is the number of the last record of the journal.
///
/// # Errors
///
/// For a checked out object, and a value without a form.
pub(crate) fn write_keyframe(
    ground: &mut Ground<'_>,
    visibility: &Visibility,
    seq: u64,
) -> Result<(TickRecord, KnownFacts), SaveError> {
    let mut state = GatheredState::new(ground.objects);
    while !state.is_complete() {
        state.add_slice(ground, visibility, AT_ONCE)?;
    }
    Ok(state.into_keyframe(ground, visibility, seq))
}
