//! Records of a journal: the changes since the record before, with every field and fact.
//!
//! The end of an update writes the record of its tick. A field travels with its whole value: a journal does not depend on
//! send intervals, budgets and observers. Deltas make fields clean, so their masks are noted before
//! ([`note_flushed`](crate::server::objects::Objects)).

use std::collections::BTreeMap;

use bytes::Bytes;
use syncvar_runtime::unstable::object::{Slot, Slots};
use syncvar_runtime::unstable::packet::Segments;
use syncvar_runtime::{Channel, NetId, WriteError};

use crate::TickRecord;
use crate::message::{Message, ObjectDestroy, SetParent};
use crate::record::{ItemWriter, RecordHead, RecordKind, SILENCE, packets};
use crate::save::SaveError;
use crate::server::ServerEvent;
use crate::server::ground::Ground;
use crate::server::objects::Objects;
use crate::server::objects::journaled::JournalChanges;
use crate::server::outbound::save::GatheredState;
use crate::server::saving::facts::FactsWriter;
use crate::server::saving::gather::{known_facts, object_facts};
use crate::server::saving::objects::ObjectWriter;
use crate::server::visibility::Visibility;

/// Changes of objects, in the order of their items.
struct RecordPart {
    removed: Segments,
    objects: ObjectWriter,
    reparented: Segments,
    facts: FactsWriter,
}

impl Default for RecordPart {
    fn default() -> Self {
        Self {
            removed: packets(),
            objects: ObjectWriter::default(),
            reparented: packets(),
            facts: FactsWriter::default(),
        }
    }
}

impl RecordPart {
    /// Takes the items.
    fn take_items(&mut self) -> Bytes {
        let mut items = ItemWriter::default();
        let chunks: Vec<_> = self.removed.drain().collect();
        items.add(0, Channel::Reliable, &chunks);
        self.objects.drain_snapshots(&mut items);
        let chunks: Vec<_> = self.reparented.drain().collect();
        items.add(0, Channel::Reliable, &chunks);
        self.objects.drain_changes(&mut items);
        items.take()
    }
}

/// Changes of a record. A save in progress has those of its objects, too.
struct Parts<'a> {
    state: Option<&'a GatheredState>,
    /// Changes of the objects of the save.
    gathered: RecordPart,
    rest: RecordPart,
    /// First object of the save whose changes have no form.
    failed: Option<SaveError>,
}

impl<'a> Parts<'a> {
    fn new(state: Option<&'a GatheredState>) -> Self {
        Self {
            state,
            gathered: RecordPart::default(),
            rest: RecordPart::default(),
            failed: None,
        }
    }

    /// Returns whether a save in progress has an object.
    fn is_gathered(&self, id: NetId) -> bool {
        self.state.is_some_and(|state| state.has(id))
    }

    /// Ends a save in progress that has an object.
    fn fail(&mut self, id: NetId, error: SaveError) {
        if self.is_gathered(id) {
            self.failed.get_or_insert(error);
        }
    }

    /// Returns the part with the changes of an object.
    fn of(&mut self, id: NetId) -> &mut RecordPart {
        if self.is_gathered(id) {
            &mut self.gathered
        } else {
            &mut self.rest
        }
    }
}

/// Writes the record of an update, if a journal runs and anything has changed, or after a silence. Adds the changes to a save in
/// progress.
pub(crate) fn write_record(ground: &mut Ground<'_>, visibility: &Visibility) {
    let Some(changes) = ground.objects.take_journal_changes() else {
        return;
    };
    let save = ground.outbound.save.take();
    let mut save = save.filter(|save| save.is_awaited());
    let mut parts = Parts::new(save.as_ref().map(|save| &save.state));
    for net_id in changes.removed.iter() {
        let segments = &mut parts.of(net_id).removed;
        ObjectDestroy { net_id }.encode(segments.begin());
        segments.commit();
    }
    write_objects(ground, &changes, &mut parts);
    for id in changes.facts.iter() {
        if let Some(known) = object_facts(ground, visibility, id) {
            parts.of(id).facts.object(id, &known);
        }
    }
    let Parts {
        mut gathered,
        mut rest,
        failed,
        ..
    } = parts;
    let items = gathered.take_items();
    if let Some(save) = &mut save {
        save.add_changes(&changes, &items, gathered.facts.as_bytes());
    }
    gathered.facts.append(rest.facts.as_bytes());
    append_record(
        ground,
        visibility,
        gathered.facts,
        [items, rest.take_items()],
    );
    if let (Some(save), Some(error)) = (&save, failed) {
        save.fail(error);
        return;
    }
    ground.outbound.save = save;
}

/// Adds the slice of an update to a save in progress, behind its record.
pub(crate) fn advance_save(ground: &mut Ground<'_>, visibility: &Visibility) {
    if let Some(save) = ground.outbound.save.take() {
        ground.outbound.save = save.advance(ground, visibility);
    }
    if ground.outbound.save.is_none() && ground.outbound.journal.is_none() {
        ground.objects.track_journal(false);
    }
}

/// Appends the record of an update to the journal.
fn append_record(
    ground: &mut Ground<'_>,
    visibility: &Visibility,
    mut facts: FactsWriter,
    items: [Bytes; 2],
) {
    write_numbers(ground, visibility, &mut facts);
    for (key, value) in ground.context.notes.take_changes() {
        facts.note(&key, &value);
    }
    let now = ground.context.clock.now();
    let Some(journal) = &ground.outbound.journal else {
        return;
    };
    let is_silent = now.saturating_sub(journal.last) < SILENCE;
    let is_empty = items.iter().all(Bytes::is_empty) && facts.is_empty();
    if is_empty && is_silent {
        return;
    }
    if facts.is_empty() {
        // Each record of a journal has facts.
        facts.append(&journal.known.server);
    }
    let mut tail = ItemWriter::default();
    tail.add_facts(facts.as_bytes());
    let kind = RecordKind::Changes(ground.record_origin().checksum());
    let head = ground.record_head(kind);
    if let Some(journal) = &mut ground.outbound.journal {
        journal.seq += 1;
        journal.last = now;
        let head = RecordHead {
            seq: journal.seq,
            ..head
        };
        let [gathered, rest] = items;
        let record = TickRecord::new(head, &[gathered, rest, tail.take()].concat());
        journal.records.push_back(record);
        journal.is_taken = false;
    }
}

/// Writes new objects, parents and changed fields.
fn write_objects(ground: &mut Ground<'_>, changes: &JournalChanges, parts: &mut Parts<'_>) {
    for id in changes.spawned.iter() {
        let writer = &mut parts.of(id).objects;
        let written = writer.add(ground.context, ground.objects, id);
        postpone(ground, parts, id, written, |objects| {
            objects.note_spawned(id);
        });
    }
    let mut dirty = changes.flushed.keys().copied().collect::<Vec<_>>();
    ground.objects.schedule.copy_dirty(&mut dirty);
    dirty.sort_unstable();
    dirty.dedup();
    for id in dirty {
        if !changes.spawned.contains(id) {
            let flushed = changes.flushed.get(&id).map_or(&[][..], |masks| masks);
            write_changed(ground, parts, id, flushed);
        }
    }
    for child in changes.reparented.iter() {
        if !changes.spawned.contains(child) {
            let parent = ground.objects.world.relations.parent(child);
            let parent = parent.unwrap_or(NetId::NONE);
            let segments = &mut parts.of(child).reparented;
            SetParent { child, parent }.encode(segments.begin());
            segments.commit();
        }
    }
}

/// Writes the changed fields of an object.
fn write_changed(ground: &mut Ground<'_>, parts: &mut Parts<'_>, id: NetId, flushed: &[u64]) {
    let room = ground.context.config.room(Channel::Reliable);
    let Some(slots) = ground.objects.world.slots_mut(id) else {
        if ground.objects.world.contains(id) {
            // Checked out.
            ground.objects.schedule.queue_dirty(id);
            parts.fail(id, SaveError::CheckedOut(id));
        }
        return;
    };
    let masks: Vec<u64> = { <dyn Slots>::iter(slots).enumerate() }
        .map(|(index, slot)| {
            let changed = slot.dirty_bits() | flushed.get(index).copied().unwrap_or_default();
            // All fields follow a behaviour that is new on its object.
            let all = slot.info().changes_presence(changed) && slot.behaviour().is_present();
            if all {
                slot.info().schema.dirty_bits()
            } else {
                changed
            }
        })
        .collect();
    let is_resendable = |(slot, mask): (&dyn Slot, &u64)| *mask == 0 || slot.info().resendable;
    let resendable = <dyn Slots>::iter(slots).zip(&masks).all(is_resendable);
    let writer = &mut parts.of(id).objects;
    let written = if resendable {
        writer.add_masks(id, slots, room, &masks)
    } else {
        writer.add(ground.context, ground.objects, id)
    };
    postpone(ground, parts, id, written, |objects| {
        objects.note_flushed(id);
    });
}

/// Reports a value without a form, and repeats the object in the next record.
fn postpone(
    ground: &mut Ground<'_>,
    parts: &mut Parts<'_>,
    id: NetId,
    written: Result<(), SaveError>,
    again: impl FnOnce(&mut Objects),
) {
    let Err(error) = written else {
        return;
    };
    if let SaveError::Value { error, .. } = &error {
        report(ground, id, *error);
    }
    again(ground.objects);
    parts.fail(id, error);
}

#[cold]
fn report(ground: &mut Ground<'_>, id: NetId, error: WriteError) {
    let event = ServerEvent::serialize_failed(id, error);
    ground.context.events.push(event);
}

/// Writes the changed facts about the server, connections and waiting players.
fn write_numbers(ground: &mut Ground<'_>, visibility: &Visibility, facts: &mut FactsWriter) {
    let present = known_facts(ground, visibility);
    let Some(journal) = &mut ground.outbound.journal else {
        return;
    };
    let known = std::mem::replace(&mut journal.known, present);
    let present = &journal.known;
    if known.server != present.server {
        facts.append(&present.server);
    }
    append_changed(
        &known.connections,
        &present.connections,
        facts,
        |id, facts| {
            facts.connection(*id, None);
        },
    );
    append_changed(&known.players, &present.players, facts, |key, facts| {
        facts.player(key, &[]);
    });
}

/// Appends the entries that are new or different, and the ends of the entries that are gone.
fn append_changed<K: Ord>(
    known: &BTreeMap<K, Bytes>,
    present: &BTreeMap<K, Bytes>,
    facts: &mut FactsWriter,
    end: impl Fn(&K, &mut FactsWriter),
) {
    for key in known.keys().filter(|key| !present.contains_key(key)) {
        end(key, facts);
    }
    for (key, entry) in present {
        if known.get(key) != Some(entry) {
            facts.append(entry);
        }
    }
}
