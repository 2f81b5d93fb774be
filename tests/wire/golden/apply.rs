//! What a new object makes of the recorded bytes.

use syncvar::wire::{NetworkReader, ReadErrorKind};

use super::Check;
use super::bytes::RecordedBytes;
use super::class::Class;
use super::field::Field;
use super::plane_and_ray;
use super::rule::Rule;
use super::subject::Subject;
use syncvar_testing::golden::{Json, Node};

/// A new object, and what became of the recorded one.
struct Receiver<'a> {
    class: &'a Class,
    /// What the sender has.
    state: &'a Json,
    recorded: &'a Json,
    subject: Box<dyn Subject>,
}

/// Reads the recorded initial state: all fields are those of the sender, and no hook is called.
pub(crate) fn initial(class: &Class, step: &Json, check: &mut Check) {
    let Some(mut receiver) = Receiver::new(class, step, "apply_initial_to_fresh") else {
        return;
    };
    let recorded = RecordedBytes::find(step, "initial").expect("bytes");
    let (sent, _) = class.make_as_in(step).serialize(true);
    let Some(bytes) = recorded.resolve(sent.as_bytes()) else {
        return check.fault("initial to apply", recorded, "other bytes");
    };
    let mut reader = NetworkReader::new(bytes);
    if let Err(error) = receiver.subject.deserialize(&mut reader, true) {
        return check.fault("apply_initial_to_fresh", "no error", error);
    }
    receiver.compare_consumed(&recorded, &reader, check);
    for field in &class.fields {
        receiver.compare_with_sender(field, true, check);
        receiver.compare_with_recorded(field, None, check);
    }
    receiver.compare_hooks(0, check);
}

/// Reads the recorded delta: the fields of its mask are those of the sender, the others as new, and
/// the hooks are called of those that are other than new. Where UNet's bits collide, and where
/// there are lists among them, ours reads what ours writes for the same fields.
pub(crate) fn delta(class: &Class, step: &Json, check: &mut Check) {
    let Some(mut receiver) = Receiver::new(class, step, "apply_delta_to_fresh") else {
        return;
    };
    let recorded = RecordedBytes::find(step, "delta").expect("bytes");
    let mut sender = class.make_as_in(step);
    let (sent, _) = sender.serialize(false);
    let sent = sent.as_bytes();
    let unknown_bits = step.at("dirty_mask").number::<u64>() & !class.recorded_bits();
    let refusal = (unknown_bits != 0).then_some(Rule::UnknownDirtyBits);
    let has_lists = sender.dirty_bits() & class.list_bits() != 0;
    if has_lists {
        check.under(Rule::ListChanges);
    }
    let bytes = if class.collides() || has_lists {
        Some(sent)
    } else {
        recorded.resolve(sent)
    };
    let Some(bytes) = bytes else {
        return check.differs(refusal, "delta to apply", recorded, "other bytes");
    };
    let mut reader = NetworkReader::new(bytes);
    if let Err(error) = receiver.subject.deserialize(&mut reader, false) {
        let is_refused = matches!(error.kind(), ReadErrorKind::UnknownDirtyBits { .. });
        let refusal = refusal.filter(|_| is_refused);
        return check.differs(refusal, "apply_delta_to_fresh", "no error", error);
    }
    receiver.compare_consumed(&recorded, &reader, check);
    let dirty_bits = sender.dirty_bits();
    let calls_hook = |field: &Field| field.has_hook && dirty_bits & field.bit != 0;
    let hooks = class
        .fields
        .iter()
        .any(calls_hook)
        .then_some(Rule::HooksAfterApply);
    for field in &class.fields {
        receiver.compare_with_sender(field, dirty_bits & field.bit != 0, check);
        receiver.compare_with_recorded(field, hooks, check);
    }
    receiver.compare_hooks(dirty_bits, check);
}

impl<'a> Receiver<'a> {
    fn new(class: &'a Class, step: &'a Json, key: &str) -> Option<Self> {
        Some(Self {
            class,
            state: step.at("state"),
            recorded: step.get(key)?,
            subject: class.make(),
        })
    }

    /// Both have read all that they were given.
    fn compare_consumed(
        &self,
        given: &RecordedBytes,
        reader: &NetworkReader<'_>,
        check: &mut Check,
    ) {
        let consumed = self.recorded.at("consumed").number();
        check.equal("what UNet consumed", given.length(), consumed);
        check.equal("what ours left", 0, reader.remaining());
    }

    /// Ours has what was sent, or what a new object has.
    fn compare_with_sender(&self, field: &Field, is_sent: bool, check: &mut Check) {
        let value = if is_sent {
            self.state.at(&field.name)
        } else {
            &field.default
        };
        let expected = self.class.show(field, value);
        let what = format!("{} as received", field.name);
        check.equal(&what, expected, field.show(self.subject.as_ref()));
    }

    /// UNet has the same as ours, or a rule says why not: `hooks`, if hooks are called, which in
    /// UNet store or do not store.
    fn compare_with_recorded(&self, field: &Field, hooks: Option<Rule>, check: &mut Check) {
        let state = self.recorded.get("state_after_PreStartClient");
        let state = state.unwrap_or(self.recorded.at("state"));
        let recorded = state.at(&field.name);
        let theirs = self.class.show(field, recorded);
        let ours = field.show(self.subject.as_ref());
        if theirs != ours {
            let rule = match field.kind.as_str() {
                kind @ ("Plane" | "Ray") => {
                    let wire = field.write(self.subject.as_ref());
                    plane_and_ray::is_read_as(kind, &wire, recorded).then_some(Rule::PlaneAndRay)
                }
                _ if field.is_reference() => Some(Rule::ReferencesAreIds),
                _ => hooks.filter(|_| field.has_hook),
            };
            check.differs(rule, &format!("{} as applied", field.name), theirs, ours);
        }
    }

    /// Ours calls the hooks of the fields that have changed, in order, and leaves nothing dirty.
    fn compare_hooks(&mut self, dirty_bits: u64, check: &mut Check) {
        let class = self.class;
        let hooked = class.fields.iter().filter(|field| field.has_hook);
        let hooked: Vec<_> = hooked.filter(|field| dirty_bits & field.bit != 0).collect();
        let old = |field: &&Field| class.show(field, &field.default);
        let changed = hooked
            .iter()
            .filter(|field| class.show(field, self.state.at(&field.name)) != old(field));
        let expected = changed.map(|field| format!("{} was {}", field.name, old(field)));
        let expected = expected.collect::<Vec<_>>().join(", ");
        check.equal("hooks", expected, self.subject.take_hook_log().join(", "));
        check.equal("dirty bits after reading", 0, self.subject.dirty_bits());
        let left_dirty: u64 = self.recorded.at("dirty_mask_after").number();
        let called = self
            .recorded
            .get("hook_log")
            .map_or(0, |log| log.items().len());
        if hooked.is_empty() {
            check.equal("UNet's dirty bits after reading", 0, left_dirty);
            check.equal("UNet's hooks", 0, called);
        } else {
            check.under(Rule::HooksAfterApply);
        }
    }
}
