//! State of the restricted fields of a behaviour: their writers, previous values and last sends.

use super::erased_fields::{ErasedFields, FieldOperation, apply, clear, set_dirty};
use super::nanos::{Nanos, nanos};
use super::saved_value::{SAVED, StateSize, measured_value_of, put_back, value_of};
use crate::limits::ReadBudget;
use crate::schema::{BehaviourSchema, PolicyBits, each_bit};
use crate::{NetworkReader, ReadResult};

/// State of the restricted fields of a behaviour.
#[derive(Debug, Default)]
pub struct PolicyState {
    /// On the server: a connection owns the object.
    pub owned: bool,
    /// Fields made dirty by a write of the owner, which has the value already.
    pub relayed: u64,
    /// Fields that the server has corrected for the present owner. From then on the owner receives the
    /// results of its writes.
    pub echoed: u64,
    /// Values before a change.
    before: Vec<FormerField>,
    /// Size of the values that were saved last; none after a write of the server.
    size: StateSize,
    /// Last sends of fields with an interval or a threshold.
    sent: Vec<LastSent>,
    /// Last accepted writes of checked fields by the present owner.
    accepted: Vec<(u64, u32)>,
    /// Tick of the last change of ownership.
    owned_since: u32,
}

/// Value of a field before an event that may change it.
#[derive(Debug)]
struct FormerField {
    bit: u64,
    value: Vec<u8>,
    was_dirty: bool,
    /// Set if a write of the server is accepted and recorded, not refused.
    shared: bool,
}

/// Time and value of a field's last send.
#[derive(Debug)]
struct LastSent {
    bit: u64,
    at: Nanos,
    /// `None` without a threshold, and before the first send.
    value: Option<Vec<u8>>,
}

impl PolicyState {
    /// Saves the fields that the server may not write, while a connection owns the object.
    pub fn begin_change(
        &mut self,
        behaviour: &mut (impl ErasedFields + ?Sized),
        policy: &PolicyBits,
    ) {
        self.before.clear();
        if self.owned {
            self.keep(behaviour, policy.owner_write, policy.server_override);
        }
    }

    fn keep(&mut self, behaviour: &mut (impl ErasedFields + ?Sized), fields: u64, shared: u64) {
        let dirty = behaviour.dirty_bits();
        self.size = StateSize::default();
        for bit in each_bit(fields) {
            let value = measured_value_of(behaviour, bit, &mut self.size);
            // A field of an absent behaviour is empty.
            if let Some(value) = value.filter(|value| !value.is_empty()) {
                self.before.push(FormerField {
                    bit,
                    value,
                    was_dirty: dirty & bit != 0,
                    shared: shared & bit != 0,
                });
            }
        }
    }

    /// Restores the fields that the server may not write; returns the fields that it wrote.
    pub fn end_change(&mut self, behaviour: &mut (impl ErasedFields + ?Sized)) -> u64 {
        let mut refused = 0;
        self.size = StateSize::default();
        let dirty = behaviour.dirty_bits();
        for former in std::mem::take(&mut self.before) {
            let bit = former.bit;
            let mut is_same =
                || value_of(behaviour, bit).is_some_and(|value| value == former.value);
            if dirty & bit == 0 || is_same() {
                continue;
            }
            if former.shared {
                self.note_override(behaviour, bit);
                continue;
            }
            refused |= bit;
            put_back(behaviour, bit, &former.value, false);
            if former.was_dirty {
                set_dirty(behaviour, bit);
            } else {
                clear(behaviour, bit);
            }
        }
        refused
    }

    /// Notes writes of the server to fields of the owner, which it may overwrite. Pending writes of the
    /// owner now go to all observers, as whole values: the owner has its own operations already.
    pub fn note_override(&mut self, behaviour: &mut (impl ErasedFields + ?Sized), fields: u64) {
        let pending = self.relayed & fields & behaviour.dirty_bits();
        if pending != 0 {
            set_dirty(behaviour, pending);
        }
        self.relayed &= !fields;
        self.echoed |= fields;
    }

    /// Saves some fields for a later restore, and takes the work from `work_left`. Returns `false`,
    /// without a save, if that is too little. The size of the last save is known; a first save may go
    /// beyond the rest.
    ///
    /// A `shared` field is sent whole after a restore: changes of the server may lie between its pending
    /// changes.
    pub fn save(
        &mut self,
        behaviour: &mut dyn ErasedFields,
        fields: u64,
        shared: u64,
        work_left: &mut usize,
    ) -> bool {
        self.before.clear();
        if self.size.work > *work_left {
            return false;
        }
        self.keep(behaviour, fields, shared);
        let left = work_left.checked_sub(self.size.work);
        *work_left = left.unwrap_or_default();
        if left.is_none() {
            self.before.clear();
        }
        left.is_some()
    }

    /// Returns the size of the values that were saved last.
    pub fn saved_size(&self) -> StateSize {
        self.size
    }

    /// Returns the present size of the saved fields.
    pub fn size_now(&self, behaviour: &mut dyn ErasedFields) -> StateSize {
        let mut size = StateSize::default();
        for former in &self.before {
            measured_value_of(behaviour, former.bit, &mut size);
        }
        size
    }

    /// Makes fields dirty after a write of the owner. A field that the server has corrected goes to all
    /// observers, as a whole value; the remaining fields go to all except the owner.
    pub fn relay(&mut self, behaviour: &mut dyn ErasedFields, fields: u64) {
        let corrected = fields & self.echoed;
        if corrected != 0 {
            set_dirty(behaviour, corrected);
        }
        apply(behaviour, fields & !corrected, FieldOperation::Relay);
        self.relayed |= fields;
    }

    /// Makes fields dirty after a change by the server that this server follows. They go to all readers.
    pub fn follow(&mut self, behaviour: &mut dyn ErasedFields, fields: u64) {
        apply(behaviour, fields, FieldOperation::Relay);
        self.relayed &= !fields;
    }

    /// Makes those of some fields clean whose saved value a write of the owner has not changed. Fields with pending
    /// changes stay. Returns the changed fields.
    pub fn clear_unchanged(&self, behaviour: &mut dyn ErasedFields, fields: u64) -> u64 {
        let mut unchanged = 0;
        for former in &self.before {
            let is_candidate = fields & former.bit != 0 && !former.was_dirty;
            if is_candidate && value_of(behaviour, former.bit).as_ref() == Some(&former.value) {
                unchanged |= former.bit;
            }
        }
        let unchanged_dirty = unchanged & behaviour.dirty_bits();
        clear(behaviour, unchanged_dirty);
        fields & !unchanged
    }

    /// Restores the saved fields after a refused write of the owner to `fields`, which has recorded some
    /// of its changes.
    pub fn revert(&mut self, behaviour: &mut dyn ErasedFields, fields: u64) {
        let before = self.before.iter().filter(|former| former.was_dirty);
        let before = before.fold(0, |bits, former| bits | former.bit);
        self.restore(behaviour);
        set_dirty(behaviour, fields & before);
        let clean = fields & !before & behaviour.dirty_bits();
        clear(behaviour, clean);
    }

    /// Restores the saved fields. Dirty bits stay. Returns these fields.
    pub fn restore(&mut self, behaviour: &mut dyn ErasedFields) -> u64 {
        let mut fields = 0;
        for former in std::mem::take(&mut self.before) {
            put_back(behaviour, former.bit, &former.value, false);
            fields |= former.bit;
            if former.shared && former.was_dirty {
                set_dirty(behaviour, former.bit);
            }
        }
        fields
    }

    /// Restores the saved fields that differ now, and makes them dirty. Returns these fields.
    pub fn restore_as_written(&mut self, behaviour: &mut dyn ErasedFields) -> u64 {
        let mut fields = 0;
        for former in std::mem::take(&mut self.before) {
            let is_same = value_of(behaviour, former.bit).is_some_and(|now| now == former.value);
            if is_same && !former.was_dirty {
                continue;
            }
            put_back(behaviour, former.bit, &former.value, false);
            fields |= former.bit;
        }
        set_dirty(behaviour, fields);
        fields
    }

    /// Discards the saved fields.
    pub fn discard(&mut self) {
        self.before.clear();
    }

    /// Returns those of some written fields whose value the server does not accept. `accepts`
    /// receives a field, its saved value, and the ticks since its last accepted write or since the change
    /// of ownership.
    pub fn refused(
        &self,
        fields: u64,
        tick: u32,
        mut accepts: impl FnMut(u64, &mut NetworkReader<'_>, u32) -> ReadResult<bool>,
    ) -> u64 {
        let mut refused = 0;
        let written = self.before.iter().filter(|former| fields & former.bit != 0);
        for FormerField { bit, value, .. } in written {
            let last = self.accepted.iter().find(|(field, _)| field == bit);
            let last = last.map_or(self.owned_since, |(_, at)| *at);
            let reader = NetworkReader::with_encoding(value, SAVED);
            let mut reader = reader.with_budget(ReadBudget::UNLIMITED);
            let accepted = accepts(*bit, &mut reader, tick.saturating_sub(last));
            if !accepted.unwrap_or(false) {
                refused |= bit;
            }
        }
        refused
    }

    /// Records accepted writes of checked fields.
    pub fn note_accepted(&mut self, fields: u64, tick: u32) {
        for bit in each_bit(fields) {
            match self.accepted.iter_mut().find(|(field, _)| *field == bit) {
                Some((_, at)) => *at = tick,
                None => self.accepted.push((bit, tick)),
            }
        }
    }

    /// Records a change of ownership in a tick.
    pub fn set_owned(
        &mut self,
        behaviour: &mut dyn ErasedFields,
        policy: &PolicyBits,
        owned: bool,
        tick: u32,
    ) {
        self.owned = owned;
        self.owned_since = tick;
        self.accepted.clear();
        // The new owner receives pending changes too, perhaps behind its first writes.
        self.echoed = behaviour.dirty_bits() & policy.server_override;
        // Pending writes of the previous owner now go to all observers, as whole values.
        let left = std::mem::take(&mut self.relayed) & behaviour.dirty_bits();
        if left != 0 {
            set_dirty(behaviour, left);
        }
    }

    /// Records a send of some fields.
    pub fn note_sent(
        &mut self,
        behaviour: &mut (impl ErasedFields + ?Sized),
        policy: &PolicyBits,
        fields: u64,
        now: Nanos,
    ) {
        self.relayed &= !fields;
        for bit in each_bit(fields & policy.throttled) {
            self.last_sent(bit).at = now;
        }
        self.note_values(behaviour, policy, fields);
    }

    /// Records that every observer has the present values of some fields.
    pub fn note_values(
        &mut self,
        behaviour: &mut (impl ErasedFields + ?Sized),
        policy: &PolicyBits,
        fields: u64,
    ) {
        for bit in each_bit(fields & policy.throttled) {
            self.last_sent(bit).value = value_of(behaviour, bit);
        }
    }

    /// Lets the next frame send some fields whatever their threshold.
    pub fn release(&mut self, fields: u64) {
        for sent in self.sent.iter_mut().filter(|sent| fields & sent.bit != 0) {
            sent.value = None;
        }
    }

    fn last_sent(&mut self, bit: u64) -> &mut LastSent {
        let index = self.sent.iter().position(|sent| sent.bit == bit);
        let index = index.unwrap_or_else(|| {
            self.sent.push(LastSent {
                bit,
                at: 0,
                value: None,
            });
            self.sent.len() - 1
        });
        &mut self.sent[index]
    }

    /// Returns the dirty fields that an interval or a threshold holds back, and the time when the first
    /// of them is due. `None` if only a larger change releases them.
    pub fn held_back(
        &self,
        behaviour: &mut (impl ErasedFields + ?Sized),
        schema: &BehaviourSchema,
        now: Nanos,
    ) -> (u64, Option<Nanos>) {
        let (mut held, mut due) = (0, None);
        let dirty = behaviour.dirty_bits();
        for sent in self.sent.iter().filter(|sent| dirty & sent.bit != 0) {
            let policy = schema.policy(sent.bit.trailing_zeros());
            let since = now.saturating_sub(sent.at);
            let (min, max) = (nanos(policy.min_interval), nanos(policy.max_interval));
            let until = if !policy.min_interval.is_zero() && since <= min {
                Some(sent.at.saturating_add(min))
            } else if policy.threshold && (max == 0 || since <= max) && !is_beyond(behaviour, sent)
            {
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

fn is_beyond(behaviour: &mut (impl ErasedFields + ?Sized), sent: &LastSent) -> bool {
    let Some(value) = &sent.value else {
        return true;
    };
    let mut reader = NetworkReader::with_encoding(value, SAVED).with_budget(ReadBudget::UNLIMITED);
    let mut is_beyond = true;
    let compare = FieldOperation::CompareThreshold(&mut reader, &mut is_beyond);
    apply(behaviour, sent.bit, compare);
    is_beyond
}
