//! `Following`: the records of another server, read into the objects of this one.
//!
//! A server that follows has no objects of its own: records spawn, change and remove them. A received field is dirty as
//! after a write of the program, so everything behind it is that of any server: audiences, interest, write records, repairs,
//! budgets, snapshots of joins.
//!
//! ```text
//! record    SpawnBatch │ UpdateBatch │ ObjectDestroy │ Call
//!               │            │             │            └ to the observers, unchanged
//!               │            │             └ despawn
//!               │            └ deltas are read; the fields that they name are dirty
//!               └ new: spawned with this state.  known: the fields that differ are set and dirty
//! update    tick of the record; deltas leave without a wait for a send interval
//! ```
//!
//! A keyframe behind a gap changes what differs, and removes the objects that it lacks: an observer sees neither hide nor show.

use syncvar_runtime::limits::ReadBudget;
use syncvar_runtime::schema::Role;
use syncvar_runtime::unstable::object::{FieldOperation, Slots, read_sections};
use syncvar_runtime::unstable::prefab::Prefab;
use syncvar_runtime::{Behaviours, Encoding, NetId, NetworkReader, Prefabs, ReadError};

use crate::TickRecord;
use crate::record::{RecordError, RecordHead, RecordKind, RecordOrigin, RecordSequence};
use crate::server::objects::Objects;

/// Position in the records of another server.
#[derive(Debug)]
pub(crate) struct Following {
    pub(crate) sequence: RecordSequence,
    /// Positions of the prefabs by rank.
    pub(crate) ranks: Vec<u32>,
    /// Head of the last record.
    pub(crate) head: RecordHead,
    /// Set if a message was unreadable since the last keyframe.
    pub(crate) lacks: bool,
}

impl Following {
    /// Begins with a keyframe of an origin.
    pub(crate) fn begin(record: &TickRecord, sequence: RecordSequence, prefabs: &Prefabs) -> Self {
        Self {
            sequence,
            ranks: prefabs.by_rank().map(|prefab| prefab.index).collect(),
            head: record.head(),
            lacks: false,
        }
    }

    /// Moves to a record.
    pub(crate) fn advance(&mut self, record: &TickRecord) {
        self.sequence.advance(record);
        self.head = record.head();
        if record.is_keyframe() {
            self.lacks = false;
        }
    }

    /// Returns the head of a keyframe with the state behind the last record.
    pub(crate) fn keyframe_head(&self) -> RecordHead {
        RecordHead {
            kind: RecordKind::Keyframe(*self.sequence.origin()),
            partial: self.lacks || self.head.partial,
            ..self.head
        }
    }
}

impl Objects {
    /// Returns whether there are neither objects nor another server to follow.
    pub(crate) fn is_new(&self) -> bool {
        self.following.is_none() && self.world.objects.len() == 0
    }

    /// Returns whether the objects come from an origin.
    pub(crate) fn follows(&self, origin: &RecordOrigin) -> bool {
        let following = self.following.as_ref();
        following.is_some_and(|it| it.sequence.origin() == origin)
    }

    /// Returns an error for a record that this server does not follow.
    pub(crate) fn check_followed(&self, record: &TickRecord) -> Result<(), RecordError> {
        let own = self.world.prefabs.schema_hash();
        match record.schema_hash() {
            Some(record) if record != own => Err(RecordError::OtherSchema {
                record,
                client: own,
            }),
            _ => Ok(()),
        }
    }

    /// Reads the delta of an object on a channel. The fields that it names are dirty.
    pub(crate) fn follow_delta(
        &mut self,
        channel: u8,
        id: NetId,
        delta: &[u8],
        budget: ReadBudget,
    ) -> Result<(), ReadError> {
        let mut reader = NetworkReader::with_encoding(delta, Encoding::Compact).with_budget(budget);
        let Some(slots) = self.world.slots_mut(id) else {
            return Err(reader.error(UNKNOWN_OBJECT));
        };
        let mut result = Ok(());
        slots.for_each_mut(|slot| {
            if result.is_err() || slot.info().channel != channel {
                return;
            }
            result = slot.deserialize(&mut reader, false);
            let fields = reader.take_report().seen;
            slot.skip_hooks();
            match slot.policy_slot() {
                Some(restricted) => restricted.state.follow(restricted.behaviour, fields),
                None => {
                    // Only a read can fail.
                    let _ = slot.fields().apply(fields, FieldOperation::Relay);
                }
            }
        });
        self.schedule.queue_dirty(id);
        result?;
        reader.finish()
    }

    /// Sets the fields of an object that differ from a new state. They are dirty.
    pub(crate) fn follow_state(&mut self, id: NetId, state: Behaviours) {
        let Some(slots) = self.world.slots_mut(id) else {
            return;
        };
        let fields = |_: usize, slot: &dyn syncvar_runtime::unstable::object::Slot| {
            // A private record has the remaining fields.
            slot.info().schema.dirty_bits() & slot.info().policy.readable(Role::Observer)
        };
        let differing = slots.reset_fields(id, fields, || state);
        for changed in differing {
            if let Some(slot) = slots.slot_mut(changed.behaviour) {
                slot.fields().set_dirty_bit(changed.fields);
                slot.skip_hooks();
            }
        }
        self.schedule.queue_dirty(id);
    }
}

const UNKNOWN_OBJECT: syncvar_runtime::ReadErrorKind =
    syncvar_runtime::ReadErrorKind::Custom("a change of an object that no record has spawned");

/// Makes an object with the state of a snapshot. Returns it with the bytes behind the state: the data beside the fields.
pub(crate) fn read_state<'a>(
    prefab: &Prefab,
    state: &'a [u8],
    budget: ReadBudget,
) -> Result<(Behaviours, &'a [u8]), ReadError> {
    let mut behaviours = prefab.make();
    let mut reader = NetworkReader::with_encoding(state, Encoding::Compact).with_budget(budget);
    let slots = behaviours.slots_mut();
    slots.read_full(&mut reader)?;
    let data = reader.rest();
    if !prefab.callbacks.synchronize {
        reader.finish()?;
    }
    <dyn Slots>::begin_anew(slots);
    Ok((behaviours, data))
}

/// Reads the data beside the fields of an object.
pub(crate) fn read_data(
    id: NetId,
    slots: &mut dyn Slots,
    data: &[u8],
    budget: ReadBudget,
) -> Result<(), ReadError> {
    let mut reader = NetworkReader::with_encoding(data, Encoding::Compact).with_budget(budget);
    read_sections(id, slots, None, &mut reader, |failure| {
        tracing::warn!(object = %id, behaviour = failure.behaviour, "unreadable on_synchronize data");
    })?;
    reader.finish()
}
