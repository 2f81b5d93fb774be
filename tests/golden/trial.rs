//! The life of one behaviour, step by step beside the recorded one.

use syncvar::NetworkWriter;

use super::apply;
use super::bytes::RecordedBytes;
use super::check::Check;
use super::class::{Class, Field};
use super::explain::{why_change, why_no_change};
use super::json::Json;
use super::rule::Rule;
use super::subject::Subject;

pub(crate) struct Trial<'a> {
    class: &'a Class,
    subject: Box<dyn Subject>,
    /// The recorded values after the last step, in the order of the class's fields.
    before: Vec<Json>,
}

/// What ours has written in a step.
pub(crate) struct Written {
    pub(crate) initial: Vec<u8>,
    pub(crate) delta: Vec<u8>,
    pub(crate) dirty_bits: u64,
}

impl<'a> Trial<'a> {
    pub(crate) fn new(class: &'a Class) -> Self {
        Self {
            class,
            subject: class.make(),
            before: class
                .fields
                .iter()
                .map(|field| field.default.clone())
                .collect(),
        }
    }

    pub(crate) fn step(&mut self, step: &Json, check: &mut Check) {
        match self.act(step) {
            Ok(()) => self.compare(step, check),
            Err(rule) => check.under(rule),
        }
        self.follow(step);
    }

    /// Does what was done to the recorded behaviour.
    fn act(&mut self, step: &Json) -> Result<(), Rule> {
        if step.at("clear_before").bool() {
            self.subject.clear_dirty_bits();
        }
        for (name, value) in step.at("set").entries() {
            self.class
                .field(name)
                .assign(self.subject.as_mut(), value)?;
        }
        if let Some(dirty_bits) = step.get("set_dirty_bit") {
            self.subject
                .set_dirty_bit(self.class.our_bits(dirty_bits.number()));
        }
        Ok(())
    }

    fn compare(&mut self, step: &Json, check: &mut Check) {
        self.compare_dirty_bits(step, check);
        let stored_otherwise = self.compare_values(step, check);
        let (initial, initial_returned) = self.subject.serialize(true);
        if step.get("throws").is_some() {
            check.equal(
                "whether a value is refused",
                true,
                initial.error().is_some(),
            );
            return;
        }
        let (delta, returned) = self.subject.serialize(false);
        let written = Written {
            initial: initial.as_bytes().to_vec(),
            delta: delta.as_bytes().to_vec(),
            dirty_bits: self.subject.dirty_bits(),
        };
        check.equal(
            "initial_returned",
            step.at("initial_returned").bool(),
            initial_returned,
        );
        self.compare_initial(step, &written, &stored_otherwise, check);
        let recorded = RecordedBytes::find(step, "delta").expect("bytes");
        let same_bits = written.dirty_bits == step.at("dirty_mask").number::<u64>();
        if recorded.are(&written.delta) {
            check.equal("returned", step.at("returned").bool(), returned);
        } else if same_bits && !self.class.collides() && stored_otherwise.is_empty() {
            check.fault("delta", recorded, hex::encode(&written.delta));
        } else {
            check.equal_bytes(
                "our own delta",
                &self.expected_delta(&written),
                &written.delta,
            );
            check.equal("our own returned", written.dirty_bits != 0, returned);
        }
        apply::initial(self.class, step, &written, check);
        apply::delta(self.class, step, &written, check);
    }

    /// The same fields are dirty, or a rule says why not.
    fn compare_dirty_bits(&self, step: &Json, check: &mut Check) {
        let (recorded, ours): (u64, _) =
            (step.at("dirty_mask").number(), self.subject.dirty_bits());
        if recorded == ours && !self.class.collides() {
            return;
        }
        if recorded & !self.class.recorded_bits() != 0 {
            check.under(Rule::UnknownDirtyBits);
        }
        let dirty = |field: &&Field| ours & field.bit != 0;
        let as_recorded = self.class.fields.iter().filter(dirty);
        let as_recorded = as_recorded.fold(0, |bits, field| bits | field.recorded_bit);
        let other_bits = recorded != ours || self.class.our_bits(recorded) != ours;
        if self.class.collides() && other_bits {
            check.under(Rule::CollidingBits);
        }
        for (index, field) in self.class.fields.iter().enumerate() {
            let (theirs, ours) = (
                recorded & field.recorded_bit,
                as_recorded & field.recorded_bit,
            );
            if theirs == ours {
                continue;
            }
            let mut changes = self.changes(index, step);
            let rule = if ours == 0 {
                changes.find_map(|(old, new)| why_no_change(self.class, field, old, new))
            } else {
                changes.find_map(|(old, new)| why_change(old, new))
            };
            check.differs(
                rule,
                &format!("whether {} is dirty", field.name),
                theirs != 0,
                ours != 0,
            );
        }
    }

    /// The assignments of a step to one field: what was there, and what is assigned.
    fn changes(&self, index: usize, step: &'a Json) -> impl Iterator<Item = (&Json, &Json)> {
        let name = &self.class.fields[index].name;
        let assigned = step
            .at("set")
            .entries()
            .iter()
            .filter(move |(key, _)| key == name);
        let assigned = assigned.map(|(_, value)| value);
        std::iter::once(&self.before[index])
            .chain(assigned.clone())
            .zip(assigned)
    }

    /// The values are the same. Returns the fields in which ours has stored another one, by a rule.
    fn compare_values(&self, step: &Json, check: &mut Check) -> Vec<usize> {
        let mut stored_otherwise = Vec::new();
        for (index, field) in self.class.fields.iter().enumerate() {
            let recorded = self.class.show(field, step.at("state").at(&field.name));
            let ours = field.show(self.subject.as_ref());
            if recorded != ours {
                let mut changes = self.changes(index, step);
                let rule = changes.find_map(|(old, new)| why_change(old, new));
                check.differs(rule, &field.name, recorded, ours);
                stored_otherwise.push(index);
            }
        }
        stored_otherwise
    }

    /// The bytes are the same, but for the fields in which ours has stored another value.
    fn compare_initial(
        &self,
        step: &Json,
        written: &Written,
        stored_otherwise: &[usize],
        check: &mut Check,
    ) {
        let recorded = RecordedBytes::find(step, "initial").expect("bytes");
        if recorded.are(&written.initial) {
            return;
        }
        let ours = self.class.cut(&written.initial);
        let mut expected = recorded
            .resolve(&[])
            .map(|bytes| self.class.cut(bytes))
            .unwrap_or_default();
        for field in stored_otherwise
            .iter()
            .map(|index| &self.class.fields[*index])
        {
            if let (Some(expected), Some(ours)) =
                (expected.get_mut(field.cell), ours.get(field.cell))
            {
                *expected = ours;
            }
        }
        check.equal_bytes("initial", &expected.concat(), &written.initial);
    }

    /// What ours must write where its dirty bits are not the recorded ones: each class level's
    /// mask, and behind it the bytes that the dirty fields have in the initial state.
    fn expected_delta(&self, written: &Written) -> Vec<u8> {
        let mut pieces = (0..).zip(self.class.cut(&written.initial));
        let mut writer = NetworkWriter::new();
        for field_count in self.subject.levels() {
            writer.write_packed_u64(written.dirty_bits);
            for (index, bytes) in pieces.by_ref().take(field_count) {
                if written.dirty_bits >> index & 1 == 1 {
                    writer.write_bytes(bytes);
                }
            }
        }
        writer.as_bytes().to_vec()
    }

    /// Takes over what the recorded behaviour has now, so that each step stands for itself.
    fn follow(&mut self, step: &Json) {
        let state = step.at("state");
        for (field, before) in self.class.fields.iter().zip(&mut self.before) {
            before.clone_from(state.at(&field.name));
            if self.class.show(field, before) != field.show(self.subject.as_ref()) {
                // A value that Rust has not is left as it is; its step says so by its rule.
                let _ = field.assign(self.subject.as_mut(), before);
            }
        }
        let dirty_bits = step.at("dirty_mask").number();
        self.subject.clear_dirty_bits();
        self.subject.set_dirty_bit(self.class.our_bits(dirty_bits));
    }
}
