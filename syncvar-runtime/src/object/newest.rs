//! State that may be older than the state of a replica: the newest value of every field wins.

use super::erased_fields::{ErasedFields, write};
use super::field_ticks::FieldTicks;
use super::own_fields::OwnFields;
use super::saved_value::{SAVED, StateSize, put_back};
use super::slot::{Slot, SlotInfo};
use super::slots::Slots;
use crate::behaviour::{Arrival, Presence};
use crate::schema::{PolicyBits, each_bit};
use crate::{NetworkReader, NetworkWriter, ReadError, ReadResult, SerializeContext};

/// Condition under which received state replaces the value of a field with a [tick](FieldTicks).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NewestWins {
    /// Tick of the packet. Fields with this tick or a higher tick keep their values.
    pub tick: u32,
    /// Set if reliable packets from before this one are missing. Fields whose readers or writer depend
    /// on the owner then keep their values.
    pub early: bool,
    /// Set if the packet is applied whole later. Only behaviours with [`Arrival::AtOnce`] are read now.
    pub at_once: bool,
    /// Fields that this end writes. They keep their values.
    pub own: OwnFields,
}

impl NewestWins {
    /// Returns the condition for a packet that is not early, on an end that does not own the object.
    pub const fn in_tick(tick: u32) -> Self {
        Self {
            tick,
            early: false,
            at_once: false,
            own: OwnFields::None,
        }
    }

    /// Returns the fields that keep their values.
    #[inline]
    fn kept(self, ticks: &FieldTicks, info: &SlotInfo, policy: &PolicyBits, dirty: u64) -> u64 {
        if self.passes_over(info) {
            return match info.presence {
                Presence::Always => info.schema.dirty_bits(),
                Presence::Optional => u64::MAX,
            };
        }
        let private = if self.early {
            policy.private() | policy.owner_write
        } else {
            self.own.kept(policy, dirty)
        };
        if ticks.newest() < self.tick {
            return private;
        }
        let newer = ticks.changed_since(self.tick);
        if info.presence == Presence::Optional {
            // A repair and a change of one tick are of one instance.
            let later = ticks.changed_after(self.tick);
            if later & info.schema.own_bits() != 0 {
                return u64::MAX;
            }
        }
        newer | private
    }

    /// Returns the fields of a behaviour that keep their values.
    pub(super) fn kept_by(self, slot: &dyn Slot) -> u64 {
        let ticks = slot.ticks();
        ticks.map_or(0, |ticks| {
            self.kept(ticks, slot.info(), slot.policy(), slot.dirty_bits())
        })
    }

    /// Returns whether a behaviour waits for the other packets of the tick.
    #[inline]
    fn passes_over(self, info: &SlotInfo) -> bool {
        self.at_once && info.arrival == Arrival::WithTick
    }
}

/// Values of fields before a read: of those that survive it, and of those that may arrive twice.
#[derive(Debug, Default)]
pub struct KeptFields {
    kept: SavedFields,
    former: SavedFields,
}

/// Values of some fields of a behaviour, in memory for reuse.
#[derive(Debug)]
struct SavedFields {
    writer: NetworkWriter,
    /// Bits of the fields, and the ends of their bytes.
    ends: Vec<(u64, usize)>,
    /// Set if the values have the plain forms of their types: a codec of a client of a different build may not hold
    /// the server's values.
    plain: bool,
}

impl Default for SavedFields {
    fn default() -> Self {
        Self {
            writer: NetworkWriter::with_encoding(SAVED),
            ends: Vec::new(),
            plain: false,
        }
    }
}

impl KeptFields {
    /// Reads the snapshot or the delta of a behaviour. With ticks, fields keep newer values,
    /// their hooks do not run, and the remaining fields of the state have its tick then. Returns the
    /// fields that were read, all fields for a snapshot, without those of a delta with redundancy whose
    /// values were there before.
    ///
    /// A value that was written on this client and lacks a form on the wire cannot be kept.
    ///
    /// # Errors
    ///
    /// When the bytes do not fit, or if the kept values exceed the work of the reader.
    #[inline]
    pub fn read<S: Slot + ?Sized>(
        &mut self,
        slot: &mut S,
        rule: NewestWins,
        reader: &mut NetworkReader<'_>,
        initial_state: bool,
    ) -> (ReadResult<()>, u64) {
        let state = slot.state();
        let Some(ticks) = state.and_then(|state| state.ticks.as_ref()) else {
            let result = slot.deserialize(reader, initial_state);
            return (result, fields_of(reader, initial_state));
        };
        let kept = match state.and_then(|state| state.rules.as_deref()) {
            // The policy of the class is a constant: most classes have no field that keeps its value.
            None => rule.kept(ticks, slot.info(), &slot.info().policy, slot.dirty_bits()),
            Some(rules) => rule.kept(ticks, slot.info(), &rules.fields.policy, slot.dirty_bits()),
        };
        let is_repeated = slot.info().redundancy > 0 && !initial_state;
        if is_repeated && let Err(error) = self.save_former(slot, kept, reader) {
            return (Err(error), 0);
        }
        let (result, fields) = if kept == 0 {
            let result = slot.deserialize(reader, initial_state);
            (result, fields_of(reader, initial_state))
        } else {
            let late = (!rule.passes_over(slot.info())).then_some(rule.tick);
            self.read_without(slot, kept, late, reader, initial_state)
        };
        if result.is_err() {
            return (result, fields);
        }
        if let Some(state) = slot.state_mut()
            && let Some(ticks) = &mut state.ticks
        {
            ticks.set(fields, rule.tick);
        }
        if is_repeated {
            return (result, self.without_copies(slot, fields, rule.tick));
        }
        (result, fields)
    }

    /// Saves the fields of the next delta that do not keep their values anyway.
    #[cold]
    #[inline(never)]
    fn save_former<S: Slot + ?Sized>(
        &mut self,
        slot: &mut S,
        kept: u64,
        reader: &mut NetworkReader<'_>,
    ) -> Result<(), ReadError> {
        let mask = reader.clone().read_dirty_bits(u64::MAX).unwrap_or_default();
        let fields = mask & slot.info().schema.dirty_bits() & !kept;
        self.former.save(slot, fields, reader).map(drop)
    }

    /// Returns the read fields whose values differ from the saved values. The remaining fields are copies: their hooks do not
    /// run, and they are samples alone.
    #[cold]
    #[inline(never)]
    fn without_copies<S: Slot + ?Sized>(&mut self, slot: &mut S, fields: u64, tick: u32) -> u64 {
        let copies = self.former.equal(slot, fields);
        if copies == 0 || slot.info().changes_presence(fields & !copies) {
            return fields;
        }
        slot.record(copies, tick, None);
        slot.skip_hooks_of(copies);
        fields & !copies
    }

    /// Reads the snapshot or the delta of a behaviour, except some fields, whose late values are samples of a
    /// tick. Returns the fields that were read.
    ///
    /// # Errors
    ///
    /// As in [`read`](Self::read).
    #[cold]
    #[inline(never)]
    pub fn read_without<S: Slot + ?Sized>(
        &mut self,
        slot: &mut S,
        kept: u64,
        late: Option<u32>,
        reader: &mut NetworkReader<'_>,
        initial_state: bool,
    ) -> (ReadResult<()>, u64) {
        if kept == u64::MAX && slot.info().presence == Presence::Optional {
            let mut context = *reader.context();
            context.unused = true;
            let read = |reader: &mut NetworkReader<'_>| slot.deserialize(reader, initial_state);
            let result = reader.with_context(context, read);
            fields_of(reader, initial_state);
            return (result, 0);
        }
        let kept = match self.kept.save(slot, kept, reader) {
            Ok(kept) => kept,
            Err(error) => return (Err(error), 0),
        };
        let result = slot.deserialize(reader, initial_state);
        let fields = fields_of(reader, initial_state);
        if let Some(tick) = late.filter(|_| result.is_ok()) {
            // A value from before the newest one is a sample nevertheless.
            slot.record(fields & kept, tick, None);
        }
        self.kept.restore(slot, fields);
        slot.skip_hooks_of(kept);
        (result, fields & !kept)
    }
}

impl SavedFields {
    /// Saves some fields. Returns those with a form on the wire.
    fn save<S: Slot + ?Sized>(
        &mut self,
        slot: &mut S,
        fields: u64,
        reader: &mut NetworkReader<'_>,
    ) -> Result<u64, ReadError> {
        self.writer.truncate(0);
        self.ends.clear();
        self.plain = reader.context().plain;
        let behaviour = slot.fields();
        let mut saved = 0;
        for field in each_bit(fields) {
            let start = self.writer.len();
            write_form(self.plain, behaviour, &mut self.writer, field);
            if self.writer.take_error().is_some() {
                self.writer.truncate(start);
                continue;
            }
            saved |= field;
            self.ends.push((field, self.writer.len()));
        }
        // Of the save, and of the restore or the comparison.
        let work = StateSize::of(&mut self.writer).work;
        reader.take_work(work.saturating_mul(2))?;
        Ok(saved)
    }

    /// Returns those of some fields whose saved value is their value still.
    fn equal<S: Slot + ?Sized>(&mut self, slot: &mut S, fields: u64) -> u64 {
        let behaviour = slot.fields();
        let (saved, mut start, mut equal) = (self.writer.len(), 0, 0);
        for (field, end) in &self.ends {
            if fields & field != 0 {
                write_form(self.plain, behaviour, &mut self.writer, *field);
                let is_valid = self.writer.take_error().is_none();
                let bytes = self.writer.as_bytes();
                if is_valid && bytes.get(saved..) == bytes.get(start..*end) {
                    equal |= field;
                }
                self.writer.truncate(saved);
            }
            start = *end;
        }
        equal
    }

    /// Restores the saved values of some fields.
    fn restore<S: Slot + ?Sized>(&mut self, slot: &mut S, fields: u64) {
        let behaviour = slot.fields();
        let mut start = 0;
        for (field, end) in &self.ends {
            let value = self.writer.as_bytes().get(start..*end);
            if let Some(value) = value.filter(|_| fields & field != 0) {
                put_back(behaviour, *field, value, self.plain);
            }
            start = *end;
        }
    }
}

/// Writes a field as in a snapshot, in the form of its codec or in the plain form of its type.
fn write_form(
    plain: bool,
    behaviour: &mut (impl ErasedFields + ?Sized),
    writer: &mut NetworkWriter,
    field: u64,
) {
    let context = SerializeContext {
        plain,
        ..*writer.context()
    };
    writer.with_context(context, |writer| write(behaviour, writer, field));
}

/// Takes the fields of a delta from the reader; all fields for a snapshot, whose report names its role.
#[inline]
fn fields_of(reader: &mut NetworkReader<'_>, initial_state: bool) -> u64 {
    if initial_state {
        u64::MAX
    } else {
        reader.take_report().seen
    }
}

impl dyn Slots {
    /// Gives the fields of every behaviour on such a channel this tick, that of the spawn.
    pub fn track_ticks(&mut self, tick: u32, is_unreliable: impl Fn(u8) -> bool) {
        self.for_each_mut(|slot| {
            if is_unreliable(slot.channel()) {
                slot.track_ticks(tick);
            }
        });
    }

    /// Sets the tick of some restricted fields in the behaviours with ticks.
    pub fn set_ticks(&mut self, tick: u32, fields: impl Fn(&PolicyBits) -> u64) {
        self.for_each_mut(|slot| {
            let fields = fields(slot.policy());
            if let Some(ticks) = slot.ticks_mut() {
                ticks.set(fields, tick);
            }
        });
    }

    /// Sets the tick of every field in the behaviours with ticks.
    pub fn reset_ticks(&mut self, tick: u32) {
        self.for_each_mut(|slot| {
            if let Some(ticks) = slot.ticks_mut() {
                ticks.reset(tick);
            }
        });
    }

    /// Reads the snapshot of every behaviour of an object that exists. The newest value wins in the
    /// behaviours with ticks. Runs no hooks.
    ///
    /// # Errors
    ///
    /// When the bytes do not fit.
    pub fn read_full_newest(
        &mut self,
        reader: &mut NetworkReader<'_>,
        rule: NewestWins,
        kept: &mut KeptFields,
    ) -> Result<(), ReadError> {
        let mut result = Ok(());
        self.for_each_mut(|slot| {
            if result.is_ok() {
                result = kept.read(slot, rule, reader, true).0;
                slot.skip_hooks();
            }
        });
        result
    }
}
