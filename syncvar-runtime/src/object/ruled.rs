//! What is kept of the fields of a behaviour that have rules: who has written them, what they were,
//! and when they were last sent.

use super::slot::{Nanos, RuledBehaviour, nanos};
use crate::schema::{BehaviourSchema, RuleBits};
use crate::{NetworkReader, NetworkWriter};

/// What is kept of the fields with rules of one behaviour.
#[derive(Debug, Default)]
pub struct Ruled {
    /// On the server: whether a connection owns the object.
    pub owned: bool,
    /// The fields that are dirty because the owner has written them: it has them.
    pub relayed: u64,
    /// The fields that the owner has been told otherwise about since it became the owner: it is told
    /// what has become of its writes from then on.
    pub echoed: u64,
    /// What fields were before a change.
    before: Vec<FormerField>,
    /// What was sent of fields with an interval or a threshold.
    sent: Vec<LastSent>,
}

/// What a field was before something that may change it.
#[derive(Debug)]
struct FormerField {
    bit: u64,
    value: Vec<u8>,
    was_dirty: bool,
    /// What the server does to it is not refused, but noted.
    shared: bool,
}

/// When a field was last sent, and what it was then.
#[derive(Debug)]
struct LastSent {
    bit: u64,
    at: Nanos,
    /// None if it has no threshold, or was never sent.
    value: Option<Vec<u8>>,
}

/// The single bits of a mask, ascending.
pub(super) fn each(mut bits: u64) -> impl Iterator<Item = u64> {
    std::iter::from_fn(move || {
        let bit = bits & bits.wrapping_neg();
        bits ^= bit;
        (bit != 0).then_some(bit)
    })
}

/// One field as it is in a full state; none if that has no form.
fn value_of(behaviour: &(impl RuledBehaviour + ?Sized), bit: u64) -> Option<Vec<u8>> {
    let mut writer = NetworkWriter::new();
    behaviour.write_fields(&mut writer, bit);
    let valid = writer.take_error().is_none();
    valid.then(|| writer.as_bytes().to_vec())
}

/// Puts back what a field was.
fn put_back(behaviour: &mut (impl RuledBehaviour + ?Sized), bit: u64, value: &[u8]) {
    let mut reader = NetworkReader::new(value).with_max_elements(usize::MAX);
    if let Err(error) = behaviour.read_fields(&mut reader, bit) {
        tracing::error!(%error, "a field cannot read what it has written itself");
    }
}

impl Ruled {
    /// Remembers those fields that are not the server's to write, while a connection owns the object.
    pub fn begin_change(&mut self, behaviour: &(impl RuledBehaviour + ?Sized), rules: &RuleBits) {
        self.before.clear();
        if self.owned {
            self.keep(behaviour, rules.owner_write, rules.server_override);
        }
    }

    fn keep(&mut self, behaviour: &(impl RuledBehaviour + ?Sized), fields: u64, shared: u64) {
        let dirty = behaviour.dirty_bits();
        for bit in each(fields) {
            if let Some(value) = value_of(behaviour, bit) {
                self.before.push(FormerField {
                    bit,
                    value,
                    was_dirty: dirty & bit != 0,
                    shared: shared & bit != 0,
                });
            }
        }
    }

    /// Puts back what was not the server's to write, and returns those fields.
    pub fn end_change(&mut self, behaviour: &mut (impl RuledBehaviour + ?Sized)) -> u64 {
        let mut refused = 0;
        let dirty = behaviour.dirty_bits();
        for former in std::mem::take(&mut self.before) {
            let bit = former.bit;
            let is_same = || value_of(behaviour, bit).is_some_and(|value| value == former.value);
            if dirty & bit == 0 || is_same() {
                continue;
            }
            if former.shared {
                self.relayed &= !bit;
                self.echoed |= bit;
                continue;
            }
            refused |= bit;
            put_back(behaviour, bit, &former.value);
            if former.was_dirty {
                behaviour.set_dirty_bit(bit);
            } else {
                behaviour.clear_dirty_bits(bit);
            }
        }
        refused
    }

    /// Remembers some fields, so that they can be put back.
    ///
    /// Of those that are `shared`, what others do may have come between the changes that are pending:
    /// they are sent whole when they are put back.
    pub fn save(&mut self, behaviour: &dyn RuledBehaviour, fields: u64, shared: u64) {
        self.before.clear();
        self.keep(behaviour, fields, shared);
    }

    /// How many bytes were saved.
    pub fn saved_bytes(&self) -> usize {
        self.before.iter().map(|former| former.value.len()).sum()
    }

    /// How many bytes the fields take now that were saved.
    pub fn bytes_now(&self, behaviour: &dyn RuledBehaviour) -> usize {
        let values = self
            .before
            .iter()
            .map(|former| value_of(behaviour, former.bit));
        values
            .map(|value| value.map_or(0, |value| value.len()))
            .sum()
    }

    /// Puts back what was saved. Whether a field is dirty stays as it is.
    pub fn restore(&mut self, behaviour: &mut dyn RuledBehaviour) {
        for former in std::mem::take(&mut self.before) {
            put_back(behaviour, former.bit, &former.value);
            if former.shared && former.was_dirty {
                behaviour.set_dirty_bit(former.bit);
            }
        }
    }

    /// Puts back what was saved and is something else now, and makes it dirty. Returns which fields these
    /// are.
    pub fn restore_as_written(&mut self, behaviour: &mut dyn RuledBehaviour) -> u64 {
        let mut fields = 0;
        for former in std::mem::take(&mut self.before) {
            let is_same = value_of(behaviour, former.bit).is_some_and(|now| now == former.value);
            if is_same && !former.was_dirty {
                continue;
            }
            put_back(behaviour, former.bit, &former.value);
            fields |= former.bit;
        }
        behaviour.set_dirty_bit(fields);
        fields
    }

    /// Forgets what was saved.
    pub fn discard(&mut self) {
        self.before.clear();
    }

    /// Another connection owns the object, or none does.
    pub fn set_owned(&mut self, behaviour: &mut dyn RuledBehaviour, owned: bool) {
        self.owned = owned;
        self.echoed = 0;
        // What is left of the former owner's writes is for everyone now, and all of it.
        let left = std::mem::take(&mut self.relayed) & behaviour.dirty_bits();
        if left != 0 {
            behaviour.set_dirty_bit(left);
        }
    }

    /// Some fields were sent.
    pub fn note_sent(
        &mut self,
        behaviour: &(impl RuledBehaviour + ?Sized),
        rules: &RuleBits,
        fields: u64,
        now: Nanos,
    ) {
        self.relayed &= !fields;
        for bit in each(fields & rules.throttled) {
            self.last_sent(bit).at = now;
        }
        self.note_values(behaviour, rules, fields);
    }

    /// All who observe the object have these fields as they are.
    pub fn note_values(
        &mut self,
        behaviour: &(impl RuledBehaviour + ?Sized),
        rules: &RuleBits,
        fields: u64,
    ) {
        for bit in each(fields & rules.throttled) {
            self.last_sent(bit).value = value_of(behaviour, bit);
        }
    }

    fn last_sent(&mut self, bit: u64) -> &mut LastSent {
        let place = self.sent.iter().position(|sent| sent.bit == bit);
        let place = place.unwrap_or_else(|| {
            self.sent.push(LastSent {
                bit,
                at: 0,
                value: None,
            });
            self.sent.len() - 1
        });
        &mut self.sent[place]
    }

    /// The dirty fields that are held back by an interval or a threshold, and when the first of them
    /// is due, if time is all that it waits for.
    pub fn held_back(
        &self,
        behaviour: &(impl RuledBehaviour + ?Sized),
        schema: &BehaviourSchema,
        now: Nanos,
    ) -> (u64, Option<Nanos>) {
        let (mut held, mut due) = (0, None);
        let dirty = behaviour.dirty_bits();
        for sent in self.sent.iter().filter(|sent| dirty & sent.bit != 0) {
            let rules = schema.rules(sent.bit.trailing_zeros());
            let since = now.saturating_sub(sent.at);
            let (min, max) = (nanos(rules.min_interval), nanos(rules.max_interval));
            let until = if !rules.min_interval.is_zero() && since <= min {
                Some(sent.at.saturating_add(min))
            } else if rules.threshold && (max == 0 || since <= max) && !is_beyond(behaviour, sent) {
                (max != 0).then(|| sent.at.saturating_add(max))
            } else {
                continue;
            };
            held |= sent.bit;
            due = due.into_iter().chain(until).min();
        }
        (held, due)
    }
}

fn is_beyond(behaviour: &(impl RuledBehaviour + ?Sized), sent: &LastSent) -> bool {
    let Some(value) = &sent.value else {
        return true;
    };
    let mut reader = NetworkReader::new(value).with_max_elements(usize::MAX);
    behaviour.is_beyond_threshold(&mut reader, sent.bit)
}
