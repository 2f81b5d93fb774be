//! The life of one behaviour, step by step beside the recorded one.

use std::collections::BTreeSet;

use super::Check;
use super::apply;
use super::bytes::RecordedBytes;
use super::class::Class;
use super::explain::{why_change, why_no_change};
use super::list_step;
use super::rule::Rule;
use super::subject::{Subject, expected_delta};
use syncvar_testing::golden::{Json, Node};

pub(crate) struct Trial<'a> {
    class: &'a Class,
    subject: Box<dyn Subject>,
    /// The recorded values after the last step, in the order of the class's fields.
    before: Vec<Json>,
    /// The bits without a field that UNet has been given by `set_dirty_bit` and has not cleared.
    unknown_bits: u64,
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
            unknown_bits: 0,
        }
    }

    pub(crate) fn step(&mut self, step: &Json, check: &mut Check) {
        let done = self.act(step).and(self.class.can_have(step.at("state")));
        match done {
            Ok(()) => self.compare(step, check),
            Err(rule) => check.under(rule),
        }
        self.follow(step);
    }

    /// Does what was done to the recorded behaviour.
    fn act(&mut self, step: &Json) -> Result<(), Rule> {
        if step.at("clear_before").truth() {
            self.subject.clear_dirty_bits();
            self.unknown_bits = 0;
        }
        for (name, value) in step.at("set").entries() {
            self.class
                .field(name)
                .assign(self.subject.as_mut(), value)?;
        }
        self.change_lists(step)?;
        if let Some(dirty_bits) = step.get("set_dirty_bit") {
            let dirty_bits = dirty_bits.number();
            self.subject.set_dirty_bit(self.class.our_bits(dirty_bits));
            self.unknown_bits |= dirty_bits & !self.class.recorded_bits();
        }
        Ok(())
    }

    /// What was done to lists is recorded as prose, and what came of it as a state.
    fn change_lists(&mut self, step: &Json) -> Result<(), Rule> {
        let list_bits = self.class.list_bits();
        let mut fields = self.class.fields.iter();
        fields.try_for_each(|field| match list_bits & field.bit {
            0 => Ok(()),
            _ => field.assign(self.subject.as_mut(), step.at("state").at(&field.name)),
        })
    }

    fn compare(&mut self, step: &Json, check: &mut Check) {
        self.compare_dirty_bits(step, check);
        let same_values = self.compare_values(step, check);
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
        let returns = step.at("initial_returned").truth();
        check.equal("initial_returned", returns, initial_returned);
        self.compare_initial(step, initial.as_bytes(), same_values, check);
        self.compare_delta(step, (delta.as_bytes(), returned), same_values, check);
        if self.has_dirty_lists() {
            let (subject, delta) = (self.subject.as_ref(), delta.as_bytes());
            list_step::compare(self.class, subject, &self.before, step, delta, check);
        }
        apply::initial(self.class, step, check);
        apply::delta(self.class, step, check);
    }

    /// The same fields are dirty, or a rule says why not.
    fn compare_dirty_bits(&self, step: &Json, check: &mut Check) {
        let (recorded, ours): (u64, _) =
            (step.at("dirty_mask").number(), self.subject.dirty_bits());
        let unknown_bits = recorded & !self.class.recorded_bits();
        check.equal(
            "UNet's bits without a field",
            self.unknown_bits,
            unknown_bits,
        );
        if recorded == ours && !self.class.collides() {
            return;
        }
        if unknown_bits != 0 {
            check.under(Rule::UnknownDirtyBits);
            check.equal("bits without a field", 0, ours & !self.class.bits());
        }
        let as_recorded = self.class.as_recorded(ours);
        let other_bits = recorded != ours || self.class.our_bits(recorded) != ours;
        if self.class.collides() && other_bits {
            check.under(Rule::CollidingBits);
        }
        let bits: BTreeSet<u64> = self
            .class
            .fields
            .iter()
            .map(|field| field.recorded_bit)
            .collect();
        for bit in bits {
            let (theirs, ours) = (recorded & bit != 0, as_recorded & bit != 0);
            if theirs != ours {
                let rule = self.why_other_bit(bit, ours, step);
                check.differs(rule, &format!("whether bit {bit:#x} is set"), theirs, ours);
            }
        }
    }

    /// Whether ours sends changes of lists.
    fn has_dirty_lists(&self) -> bool {
        self.subject.dirty_bits() & self.class.list_bits() != 0
    }

    /// Why ours has set, or has not set, the bit of a field to which the step assigns.
    fn why_other_bit(&self, recorded_bit: u64, is_set: bool, step: &Json) -> Option<Rule> {
        let list_bits = self.class.as_recorded(self.class.list_bits());
        if is_set && recorded_bit & list_bits != 0 {
            // UNet says nothing of it here, it has sent a message for each operation.
            return Some(Rule::ListChanges);
        }
        let fields = self.class.fields.iter().enumerate();
        let mut fields = fields.filter(|(_, field)| field.recorded_bit == recorded_bit);
        fields.find_map(|(index, field)| {
            self.changes(index, step).find_map(|(old, new)| {
                if is_set {
                    why_change(old, new)
                } else {
                    why_no_change(self.class, field, old, new)
                }
            })
        })
    }

    /// The assignments of a step to one field: what was there, and what is assigned.
    fn changes<'s>(
        &'s self,
        index: usize,
        step: &'s Json,
    ) -> impl Iterator<Item = (&'s Json, &'s Json)> {
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

    /// Whether the values are the same; if not, a rule says why ours has stored another one.
    fn compare_values(&self, step: &Json, check: &mut Check) -> bool {
        let mut same_values = true;
        for (index, field) in self.class.fields.iter().enumerate() {
            let recorded = self.class.show(field, step.at("state").at(&field.name));
            let ours = field.show(self.subject.as_ref());
            if recorded != ours {
                let mut changes = self.changes(index, step);
                let rule = changes.find_map(|(old, new)| why_change(old, new));
                check.differs(rule, &field.name, recorded, ours);
                same_values = false;
            }
        }
        same_values
    }

    /// The bytes are the same, unless ours has stored another value; then they are the same for
    /// the recorded values.
    fn compare_initial(&self, step: &Json, initial: &[u8], same_values: bool, check: &mut Check) {
        let recorded = RecordedBytes::find(step, "initial").expect("bytes");
        let mut same = recorded.are(initial);
        if !same_values {
            same = recorded.are(self.class.make_as_in(step).serialize(true).0.as_bytes());
        }
        if !same {
            check.fault("initial", recorded, hex::encode(initial));
        }
    }

    /// The bytes are the same, unless the dirty bits or the values are not; then either side's are
    /// those of its own bits.
    fn compare_delta(
        &self,
        step: &Json,
        (delta, returned): (&[u8], bool),
        same_values: bool,
        check: &mut Check,
    ) {
        let recorded = RecordedBytes::find(step, "delta").expect("bytes");
        let recorded_returned = step.at("returned").truth();
        let recorded_bits: u64 = step.at("dirty_mask").number();
        let dirty_bits = self.subject.dirty_bits();
        let has_unknown_bits =
            recorded_bits != dirty_bits && recorded_bits & !self.class.recorded_bits() != 0;
        if recorded.are(delta) && !has_unknown_bits {
            return check.equal("returned", recorded_returned, returned);
        }
        let same_fields = same_values && dirty_bits == recorded_bits;
        if same_fields && !self.class.collides() && !self.has_dirty_lists() {
            return check.fault("delta", recorded, hex::encode(delta));
        }
        check.equal_bytes("our delta", &expected_delta(self.subject.as_ref()), delta);
        check.equal("returned by ours", dirty_bits != 0, returned);
        let theirs = self.class.recorded_delta(step);
        if !recorded.are(&theirs) {
            check.fault("UNet's delta", recorded, hex::encode(theirs));
        }
        let is_written = recorded_bits & self.class.recorded_bits() != 0;
        check.equal("returned by UNet", is_written, recorded_returned);
    }

    /// Takes over what the recorded behaviour has now, so that each step stands for itself.
    fn follow(&mut self, step: &Json) {
        let state = step.at("state");
        let values = self
            .class
            .fields
            .iter()
            .map(|field| state.at(&field.name).clone());
        self.before = values.collect();
        self.class.store(self.subject.as_mut(), state);
        let dirty_bits = step.at("dirty_mask").number();
        self.subject.set_dirty_bit(self.class.our_bits(dirty_bits));
        self.unknown_bits = dirty_bits & !self.class.recorded_bits();
    }
}
