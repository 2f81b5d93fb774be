//! Records of a journal: the changes since the record before, with every field and fact.
//!
//! The end of an update writes the record of its tick. A field travels with its whole value: a journal does not depend on
//! send intervals, budgets and observers. Deltas make fields clean, so their masks are noted before
//! ([`note_flushed`](crate::server::objects::Objects)).

use std::collections::BTreeMap;
use std::time::Duration;

use bytes::Bytes;
use syncvar_runtime::unstable::object::{Slot, Slots};
use syncvar_runtime::{Channel, NetId, WriteError};

use crate::TickRecord;
use crate::message::{Message, ObjectDestroy, SetParent};
use crate::record::{ItemWriter, RecordHead, RecordKind, packets};
use crate::save::SaveError;
use crate::server::ServerEvent;
use crate::server::ground::Ground;
use crate::server::objects::Objects;
use crate::server::objects::journaled::JournalChanges;
use crate::server::saving::facts::FactsWriter;
use crate::server::saving::gather::{known_facts, object_facts};
use crate::server::saving::objects::ObjectWriter;
use crate::server::visibility::Visibility;

/// Longest time without a record.
const SILENCE: Duration = Duration::from_millis(100);

/// Writes the record of an update, if a journal runs and anything has changed, or after a silence.
pub(crate) fn write_record(ground: &mut Ground<'_>, visibility: &Visibility) {
    let Some(changes) = ground.objects.take_journal_changes() else {
        return;
    };
    let mut items = ItemWriter::default();
    write_removals(&changes, &mut items);
    write_objects(ground, &changes, &mut items);
    let mut facts = FactsWriter::default();
    for id in changes.facts.iter() {
        if let Some(known) = object_facts(ground, visibility, id) {
            facts.object(id, &known);
        }
    }
    write_numbers(ground, visibility, &mut facts);
    for (key, value) in ground.context.notes.take_changes() {
        facts.note(&key, &value);
    }
    let now = ground.context.clock.now();
    let Some(journal) = &ground.outbound.journal else {
        return;
    };
    let is_silent = now.saturating_sub(journal.last) < SILENCE;
    let messages = items.take();
    if messages.is_empty() && facts.as_bytes().is_empty() && is_silent {
        return;
    }
    if facts.as_bytes().is_empty() {
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
        let record = TickRecord::new(head, &[messages, tail.take()].concat());
        journal.records.push_back(record);
    }
}

fn write_removals(changes: &JournalChanges, items: &mut ItemWriter) {
    let mut segments = packets();
    for net_id in changes.removed.iter() {
        ObjectDestroy { net_id }.encode(segments.begin());
        segments.commit();
    }
    let chunks: Vec<_> = segments.drain().collect();
    items.add(0, Channel::Reliable, &chunks);
}

/// Writes new objects, parents and changed fields.
fn write_objects(ground: &mut Ground<'_>, changes: &JournalChanges, items: &mut ItemWriter) {
    let mut writer = ObjectWriter::default();
    for id in changes.spawned.iter() {
        let written = writer.add(ground.context, ground.objects, id);
        postpone(ground, id, &written, |objects| objects.note_spawned(id));
    }
    let mut dirty = changes.flushed.keys().copied().collect::<Vec<_>>();
    ground.objects.schedule.copy_dirty(&mut dirty);
    dirty.sort_unstable();
    dirty.dedup();
    for id in dirty {
        if !changes.spawned.contains(id) {
            let flushed = changes.flushed.get(&id).map_or(&[][..], |masks| masks);
            write_changed(ground, &mut writer, id, flushed);
        }
    }
    writer.drain_snapshots(items);
    let mut segments = packets();
    for child in changes.reparented.iter() {
        if !changes.spawned.contains(child) {
            let parent = ground.objects.world.relations.parent(child);
            let parent = parent.unwrap_or(NetId::NONE);
            SetParent { child, parent }.encode(segments.begin());
            segments.commit();
        }
    }
    let chunks: Vec<_> = segments.drain().collect();
    items.add(0, Channel::Reliable, &chunks);
    writer.drain_changes(items);
}

/// Writes the changed fields of an object.
fn write_changed(ground: &mut Ground<'_>, writer: &mut ObjectWriter, id: NetId, flushed: &[u64]) {
    let room = ground.context.config.room(Channel::Reliable);
    let Some(slots) = ground.objects.world.slots_mut(id) else {
        if ground.objects.world.contains(id) {
            // Checked out.
            ground.objects.schedule.queue_dirty(id);
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
    let written = if resendable {
        writer.add_masks(id, slots, room, &masks)
    } else {
        writer.add(ground.context, ground.objects, id)
    };
    postpone(ground, id, &written, |objects| objects.note_flushed(id));
}

/// Reports a value without a form, and repeats the object in the next record.
fn postpone(
    ground: &mut Ground<'_>,
    id: NetId,
    written: &Result<(), SaveError>,
    again: impl FnOnce(&mut Objects),
) {
    match written {
        Ok(()) => {}
        Err(SaveError::Value { error, .. }) => {
            report(ground, id, *error);
            again(ground.objects);
        }
        Err(_) => again(ground.objects),
    }
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
