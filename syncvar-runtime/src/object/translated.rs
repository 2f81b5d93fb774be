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
use crate::translate::behaviour::{BehaviourPlan, Scratch};
use crate::translate::resolve::PrefabPlan;
use crate::{DeserializeContext, NetId, NetworkReader, NetworkWriter, ReadErrorKind, ReadResult};

/// Memory of a translation, for reuse.
#[derive(Debug, Default)]
pub struct TranslationMemory {
    scratch: Scratch,
    bytes: NetworkWriter,
    /// Fields whose values did not fit, with the position of their behaviour.
    pub unfit: Vec<(usize, u64)>,
}

impl TranslationMemory {
    /// Returns an empty writer.
    fn restart(&mut self, reader: &NetworkReader<'_>) {
        if self.bytes.encoding() == reader.encoding() {
            self.bytes.truncate(0);
        } else {
            self.bytes = NetworkWriter::with_encoding(reader.encoding());
        }
    }
}

/// Condition for the fields of a snapshot or a delta.
struct Rule<'a> {
    /// `None` on a reliable channel.
    newest: Option<NewestWins>,
    kept: &'a mut KeptFields,
}

impl Rule<'_> {
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
            .with_budget(self.budget);
        let keeps_own = entry.own == OwnFields::Written && self.message.newest.is_none();
        let mut result = Ok(());
        if keeps_own {
            let mut save = SaveOwn::within(&reader);
            slots.for_each_mut(|slot| save.slot(0, slot));
            result = save.charge(&mut reader);
        }
        if result.is_ok() {
            result =
                self.read_behaviours(entry.own, slots, plan, &mut reader, memory, &mut targets);
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
        targets: &mut Vec<NetId>,
    ) -> ReadResult<()> {
        self.memory.masks.fill(0);
        let channel = self.message.channel;
        let mut rule = Rule {
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
                    let read = |reader: &mut NetworkReader<'_>| rule.read_delta(slot, reader);
                    let (result, fields) = in_place(reader, targets, read);
                    result?;
                    fields
                }
                Some(plan) => read_delta(index, slot, plan, &mut rule, reader, memory, targets)?,
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
    rule: &mut Rule<'_>,
    reader: &mut NetworkReader<'_>,
    memory: &mut TranslationMemory,
    targets: &mut Vec<NetId>,
) -> ReadResult<u64> {
    memory.restart(reader);
    let encoding = reader.encoding();
    let converted = {
        let mut former = |field: usize| value_of(slot, field, encoding);
        plan.convert_delta(reader, &mut memory.bytes, &mut memory.scratch, &mut former)?
    };
    if converted.unfit != 0 {
        memory.unfit.push((index, converted.unfit));
    }
    if converted.fields == 0 {
        return Ok(0);
    }
    let mut own = plain(&memory.bytes, reader, targets);
    let (result, fields) = rule.read_delta(slot, &mut own);
    let result = result.and_then(|()| own.finish());
    reader.set_budget(own.budget());
    result.map(|()| fields)
}

/// Returns a field of the client in the bytes of a converted value.
fn value_of(slot: &mut dyn Slot, field: usize, encoding: crate::Encoding) -> Option<Vec<u8>> {
    let mut writer = NetworkWriter::with_encoding(encoding);
    let context = crate::SerializeContext {
        plain: true,
        ..*writer.context()
    };
    let fields = slot.fields();
    writer.with_context(context, |writer| fields.write_fields(writer, 1 << field));
    (!writer.has_error()).then(|| writer.as_bytes().to_vec())
}

/// Returns a reader of converted bytes.
fn plain<'b>(
    bytes: &'b NetworkWriter,
    reader: &NetworkReader<'_>,
    targets: &'b mut Vec<NetId>,
) -> NetworkReader<'b> {
    let mut own = NetworkReader::with_encoding(bytes.as_bytes(), bytes.encoding())
        .with_budget(reader.budget())
        .with_references(targets);
    own.set_context(DeserializeContext {
        plain: true,
        ..*own.context()
    });
    own
}

/// Reads bytes that are equal in both builds, and collects their references.
fn in_place<R>(
    reader: &mut NetworkReader<'_>,
    targets: &mut Vec<NetId>,
    read: impl FnOnce(&mut NetworkReader<'_>) -> R,
) -> R {
    let mut own = NetworkReader::with_encoding(reader.rest(), reader.encoding())
        .with_budget(reader.budget())
        .with_references(targets);
    let result = read(&mut own);
    let (length, budget, report) = (own.position(), own.budget(), own.take_report());
    reader.set_budget(budget);
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
fn no_behaviour(reader: &NetworkReader<'_>, index: usize) -> crate::ReadError {
    let (what, value) = ("position of a behaviour", index as u64);
    reader.error(ReadErrorKind::InvalidValue { what, value })
}

impl dyn Slots {
    /// Gives the behaviours of a new object the rules of a server of a different build.
    pub fn set_rules(&mut self, plan: &PrefabPlan) {
        for behaviour in plan.behaviours.iter().filter(|it| it.has_rules) {
            let slot = behaviour.target.and_then(|index| self.slot_mut(index));
            if let Some(slot) = slot {
                slot.set_rules(Some(ServerRules {
                    channel: behaviour.channel,
                    fields: behaviour.rules,
                }));
            }
        }
    }

    /// Reads the snapshots of a server of a different build. With a rule the newest value wins in the behaviours with ticks.
    /// Fields without a value that fits keep their values. Runs no hooks.
    ///
    /// # Errors
    ///
    /// When the bytes are not snapshots of the server's behaviours.
    pub fn read_translated(
        &mut self,
        plan: &PrefabPlan,
        reader: &mut NetworkReader<'_>,
        newest: Option<NewestWins>,
        kept: &mut KeptFields,
        memory: &mut TranslationMemory,
        targets: &mut Vec<NetId>,
    ) -> ReadResult<()> {
        let mut rule = Rule { newest, kept };
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
                None => in_place(reader, targets, |reader| rule.read_snapshot(slot, reader))?,
                Some(plan) => {
                    memory.restart(reader);
                    let (bytes, scratch) = (&mut memory.bytes, &mut memory.scratch);
                    let converted = if behaviour.is_optional {
                        plan.convert_snapshot_to_delta(reader, bytes, scratch)?
                    } else {
                        let wanted = !rule.newest.map_or(0, |rule| rule.kept_by(slot));
                        plan.convert_snapshot(reader, wanted, bytes, scratch)?
                    };
                    if converted.unfit != 0 {
                        memory.unfit.push((index, converted.unfit));
                    }
                    let mut own = plain(&memory.bytes, reader, targets);
                    let result = if behaviour.is_optional {
                        rule.read_delta(slot, &mut own).0
                    } else {
                        slot.fields().read_fields(&mut own, converted.fields)
                    };
                    let result = result.and_then(|()| own.finish());
                    reader.set_budget(own.budget());
                    result?;
                    if let (Some(rule), Some(ticks)) = (rule.newest, slot.ticks_mut()) {
                        ticks.set(converted.fields, rule.tick);
                    }
                }
            }
            if let Some(slot) = self.slot_mut(index) {
                slot.skip_hooks();
            }
        }
        Ok(())
    }
}
