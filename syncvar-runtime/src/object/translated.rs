//! State of a server of a different build, read by the plan of its prefab.
//!
//! The behaviours come in the order of the server. Of each, the plan makes the bytes that the class of the client reads; a
//! behaviour with equal bytes is read as it is, and a behaviour that the client lacks is skipped. What follows is the path of equal
//! builds: the newest value wins, own writes stay, hooks run, changes are reported.

use super::newest::{KeptFields, NewestWins};
use super::own_fields::{OwnFields, RestoreOwn, SaveOwn};
use super::reception::{Entry, Reception};
use super::slot::Slot;
use super::slot_state::ServerRules;
use super::slots::{Slots, Visit as _};
use crate::translate::behaviour::{BehaviourPlan, Converted, UnorderedValues};
use crate::translate::resolve::PrefabPlan;
use crate::{
    Encoding, NetworkReader, NetworkWriter, ReadError, ReadErrorKind, ReadResult, SerializeContext,
};

/// Memory of a translation, for reuse.
#[derive(Debug, Default)]
pub struct TranslationMemory {
    scratch: UnorderedValues,
    bytes: NetworkWriter,
    /// Fields whose values did not fit, with the position of their behaviour.
    pub unfit: Vec<(usize, u64)>,
}

impl TranslationMemory {
    /// Makes the bytes of a behaviour of the client, and notes the fields that do not fit.
    fn convert<'r>(
        &mut self,
        index: usize,
        reader: &mut NetworkReader<'r>,
        convert: impl FnOnce(
            &mut NetworkReader<'r>,
            &mut NetworkWriter,
            &mut UnorderedValues,
        ) -> ReadResult<Converted>,
    ) -> ReadResult<Converted> {
        self.bytes.restart(reader.encoding());
        let (bytes, scratch) = (&mut self.bytes, &mut self.scratch);
        let converted = reader.without_references(|reader| convert(reader, bytes, scratch))?;
        if converted.unfit != 0 {
            self.unfit.push((index, converted.unfit));
        }
        Ok(converted)
    }
}

/// Condition for the fields of a snapshot or a delta.
struct FieldCondition<'a> {
    /// `None` on a reliable channel.
    newest: Option<NewestWins>,
    kept: &'a mut KeptFields,
}

impl FieldCondition<'_> {
    /// Reads a delta. Returns the fields that were read.
    fn read_delta(
        &mut self,
        slot: &mut dyn Slot,
        reader: &mut NetworkReader<'_>,
    ) -> (ReadResult<()>, u64) {
        match self.newest {
            Some(rule) => self.kept.read(slot, rule, reader, false),
            None => {
                let result = slot.deserialize(reader, false);
                (result, reader.take_report().seen)
            }
        }
    }

    /// Reads a snapshot in the bytes of the class.
    fn read_snapshot(
        &mut self,
        slot: &mut dyn Slot,
        reader: &mut NetworkReader<'_>,
    ) -> ReadResult<()> {
        match self.newest {
            Some(rule) => self.kept.read(slot, rule, reader, true).0,
            None => slot.deserialize(reader, true),
        }
    }
}

impl Reception<'_> {
    /// Reads the delta of an object of a server of a different build: all fields, then the hooks, then the reports.
    pub fn read_translated(
        &mut self,
        entry: &Entry<'_>,
        slots: &mut dyn Slots,
        plan: &PrefabPlan,
        memory: &mut TranslationMemory,
    ) {
        let mut targets = std::mem::take(self.memory.targets);
        let mut reader = NetworkReader::with_encoding(entry.changes, self.message.encoding)
            .with_budget(self.budget)
            .with_references(&mut targets);
        let keeps_own = entry.own == OwnFields::Written && self.message.newest.is_none();
        let mut result = Ok(());
        if keeps_own {
            let mut save = SaveOwn::within(&reader);
            slots.for_each_mut(|slot| save.slot(0, slot));
            result = save.charge(&mut reader);
        }
        if result.is_ok() {
            result = self.read_behaviours(entry.own, slots, plan, &mut reader, memory);
        }
        if keeps_own {
            slots.for_each_mut(|slot| RestoreOwn.slot(0, slot));
        }
        self.budget = reader.budget();
        self.finish(entry, slots, result, &mut targets);
        *self.memory.targets = targets;
    }

    fn read_behaviours(
        &mut self,
        own: OwnFields,
        slots: &mut dyn Slots,
        plan: &PrefabPlan,
        reader: &mut NetworkReader<'_>,
        memory: &mut TranslationMemory,
    ) -> ReadResult<()> {
        self.memory.masks.fill(0);
        let channel = self.message.channel;
        let mut rule = FieldCondition {
            newest: self.message.newest.map(|rule| NewestWins { own, ..rule }),
            kept: self.memory.kept,
        };
        for behaviour in plan.behaviours.iter().filter(|it| it.channel == channel) {
            let Some(index) = behaviour.target else {
                skip(behaviour.state.as_ref(), reader, BehaviourPlan::skip_delta)?;
                continue;
            };
            let Some(slot) = slots.slot_mut(index) else {
                return Err(no_behaviour(reader, index));
            };
            let fields = match &behaviour.state {
                None => {
                    let (result, fields) = in_place(reader, |reader| rule.read_delta(slot, reader));
                    result.map(|()| fields)?
                }
                Some(plan) => read_delta(index, slot, plan, &mut rule, reader, memory)?,
            };
            if let Some(mask) = self.memory.masks.get_mut(index) {
                *mask = fields;
            }
        }
        reader.finish()
    }
}

/// Reads a delta by its plan. Returns the fields that were read.
fn read_delta(
    index: usize,
    slot: &mut dyn Slot,
    plan: &BehaviourPlan,
    rule: &mut FieldCondition<'_>,
    reader: &mut NetworkReader<'_>,
    memory: &mut TranslationMemory,
) -> ReadResult<u64> {
    let encoding = reader.encoding();
    let mut former = |field: usize| value_of(slot, field, encoding);
    let converted = memory.convert(index, reader, |reader, bytes, scratch| {
        plan.convert_delta(reader, bytes, scratch, &mut former)
    })?;
    if converted.fields == 0 {
        return Ok(0);
    }
    reader.read_translated(memory.bytes.as_bytes(), |own| {
        let (result, fields) = rule.read_delta(slot, own);
        result.and_then(|()| own.finish()).map(|()| fields)
    })
}

/// Returns a field of the client in the bytes of a converted value.
fn value_of(slot: &mut dyn Slot, field: usize, encoding: Encoding) -> Option<Vec<u8>> {
    let mut writer = NetworkWriter::with_encoding(encoding);
    let context = SerializeContext {
        plain: true,
        ..*writer.context()
    };
    let fields = slot.fields();
    writer.with_context(context, |writer| fields.write_fields(writer, 1 << field));
    (!writer.has_error()).then(|| writer.as_bytes().to_vec())
}

/// Reads bytes that are equal in both builds.
fn in_place<R>(
    reader: &mut NetworkReader<'_>,
    read: impl FnOnce(&mut NetworkReader<'_>) -> R,
) -> R {
    let (result, length, report) = reader.in_part(reader.rest(), |part| {
        let result = read(part);
        (result, part.position(), part.take_report())
    });
    reader.add_report(report);
    // The bytes are there: they have been read.
    let _ = reader.read_bytes(length);
    result
}

/// Skips the state of a behaviour that the client lacks.
fn skip<'r>(
    plan: Option<&BehaviourPlan>,
    reader: &mut NetworkReader<'r>,
    skip: impl FnOnce(&BehaviourPlan, &mut NetworkReader<'r>) -> ReadResult<()>,
) -> ReadResult<()> {
    plan.map_or(Ok(()), |plan| skip(plan, reader))
}

#[cold]
fn no_behaviour(reader: &NetworkReader<'_>, index: usize) -> ReadError {
    let (what, value) = ("position of a behaviour", index as u64);
    reader.error(ReadErrorKind::InvalidValue { what, value })
}

impl dyn Slots {
    /// Gives the behaviours of an object the rules of a server of a different build; with `None` those of their classes.
    pub fn set_rules(&mut self, plan: Option<&PrefabPlan>) {
        self.for_each_mut(|slot| slot.set_rules(None));
        let behaviours = plan.into_iter().flat_map(|plan| &plan.behaviours);
        for behaviour in behaviours.filter(|it| it.has_rules) {
            let slot = behaviour.target.and_then(|index| self.slot_mut(index));
            if let Some(slot) = slot {
                slot.set_rules(Some(ServerRules {
                    channel: behaviour.channel,
                    fields: behaviour.rules,
                }));
            }
        }
    }

    /// Reads the snapshots of an object, by the plan of its prefab for a server of a different build. With a rule the newest
    /// value wins in the behaviours with ticks. Runs no hooks.
    ///
    /// # Errors
    ///
    /// When the bytes are not snapshots of the behaviours.
    #[inline]
    pub fn read_state(
        &mut self,
        plan: Option<&PrefabPlan>,
        reader: &mut NetworkReader<'_>,
        newest: Option<NewestWins>,
        kept: &mut KeptFields,
        memory: &mut TranslationMemory,
    ) -> ReadResult<()> {
        match (plan, newest) {
            (None, None) => self.read_full(reader),
            (None, Some(rule)) => self.read_full_newest(reader, rule, kept),
            (Some(plan), newest) => {
                let rule = &mut FieldCondition { newest, kept };
                self.read_translated(plan, reader, rule, memory)
            }
        }
    }

    /// Reads a delta in the place of all earlier values, of the behaviour at a position on the server. Returns the position of
    /// the behaviour here, `None` for a behaviour that this build lacks, and the fields that were read. Returns `None`
    /// for a position without a behaviour.
    pub fn read_owned(
        &mut self,
        plan: Option<&PrefabPlan>,
        position: usize,
        reader: &mut NetworkReader<'_>,
        memory: &mut TranslationMemory,
    ) -> Option<(Option<usize>, ReadResult<u64>)> {
        let mut kept = KeptFields::default();
        let rule = &mut FieldCondition {
            newest: None,
            kept: &mut kept,
        };
        let behaviour = match plan {
            None => None,
            Some(plan) => Some(plan.behaviours.get(position)?),
        };
        let index = behaviour.map_or(Some(position), |it| it.target);
        let plan = behaviour.and_then(|it| it.state.as_ref());
        let Some(index) = index else {
            let skipped = skip(plan, reader, BehaviourPlan::skip_delta);
            return Some((None, skipped.map(|()| 0)));
        };
        let slot = self.slot_mut(index)?;
        let read = match plan {
            None => {
                let (result, fields) = rule.read_delta(slot, reader);
                result.map(|()| fields)
            }
            Some(plan) => read_delta(index, slot, plan, rule, reader, memory),
        };
        Some((Some(index), read))
    }

    /// Reads the snapshots of a server of a different build. Fields without a value that fits keep their values.
    #[cold]
    fn read_translated(
        &mut self,
        plan: &PrefabPlan,
        reader: &mut NetworkReader<'_>,
        rule: &mut FieldCondition<'_>,
        memory: &mut TranslationMemory,
    ) -> ReadResult<()> {
        for behaviour in &plan.behaviours {
            let Some(index) = behaviour.target else {
                skip(
                    behaviour.state.as_ref(),
                    reader,
                    BehaviourPlan::skip_snapshot,
                )?;
                continue;
            };
            let Some(slot) = self.slot_mut(index) else {
                return Err(no_behaviour(reader, index));
            };
            match &behaviour.state {
                None => in_place(reader, |reader| rule.read_snapshot(slot, reader))?,
                Some(plan) if behaviour.is_optional => {
                    read_as_delta(index, slot, plan, rule, reader, memory)?;
                }
                Some(plan) => read_snapshot(index, slot, plan, rule, reader, memory)?,
            }
            slot.skip_hooks();
        }
        Ok(())
    }
}

/// Reads a snapshot by its plan, field by field.
fn read_snapshot(
    index: usize,
    slot: &mut dyn Slot,
    plan: &BehaviourPlan,
    rule: &FieldCondition<'_>,
    reader: &mut NetworkReader<'_>,
    memory: &mut TranslationMemory,
) -> ReadResult<()> {
    let wanted = !rule.newest.map_or(0, |rule| rule.kept_by(slot));
    let converted = memory.convert(index, reader, |reader, bytes, scratch| {
        plan.convert_snapshot(reader, wanted, bytes, scratch)
    })?;
    reader.read_translated(memory.bytes.as_bytes(), |own| {
        slot.fields().read_fields(own, converted.fields)?;
        own.finish()
    })?;
    if let (Some(rule), Some(ticks)) = (rule.newest, slot.ticks_mut()) {
        ticks.set(converted.fields, rule.tick);
    }
    Ok(())
}

/// Reads a snapshot of an optional behaviour, which may come or go, as a delta with all fields.
fn read_as_delta(
    index: usize,
    slot: &mut dyn Slot,
    plan: &BehaviourPlan,
    rule: &mut FieldCondition<'_>,
    reader: &mut NetworkReader<'_>,
    memory: &mut TranslationMemory,
) -> ReadResult<()> {
    memory.convert(index, reader, |reader, bytes, scratch| {
        plan.convert_snapshot_to_delta(reader, bytes, scratch)
    })?;
    reader.read_translated(memory.bytes.as_bytes(), |own| {
        rule.read_delta(slot, own).0?;
        own.finish()
    })
}

/// Converts the writes of an owner into the types of the server: a behaviour by its position on the client's object, and a
/// delta, which is all that the reader has. Appends nothing if the server takes none of them.
///
/// # Errors
///
/// When the bytes are not a delta of the client's behaviour.
pub fn translate_write(
    plan: &PrefabPlan,
    index: usize,
    reader: &mut NetworkReader<'_>,
    writer: &mut NetworkWriter,
    memory: &mut TranslationMemory,
) -> ReadResult<Converted> {
    let mut behaviours = plan.behaviours.iter().enumerate();
    let found = behaviours.find(|(_, it)| it.target == Some(index));
    let Some((position, behaviour)) = found else {
        return Ok(Converted::default());
    };
    let start = writer.len();
    writer.write_u8(u8::try_from(position).unwrap_or(u8::MAX));
    match &behaviour.writes {
        None => writer.write_bytes(reader.rest()),
        Some(plan) => {
            let scratch = &mut memory.scratch;
            let converted = plan.convert_delta(reader, writer, scratch, &mut |_| None)?;
            if converted.fields == 0 {
                writer.truncate(start);
            }
            return Ok(converted);
        }
    }
    Ok(Converted::default())
}
