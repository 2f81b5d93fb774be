//! Visitors of the fields of a behaviour: one for each operation of [`BehaviourFields`](super::BehaviourFields).
//!
//! Each visitor is compiled into the emitted `visit` of every class, and does for a field what a line of the derive
//! would do.

use super::{FieldVisitor, NetworkBehaviour};
use crate::field::{FieldPlace, PreviousStep};
use crate::{NetworkReader, NetworkWriter, OperationLog, ReadResult, ReadResultExt, SyncField};

/// Visits all fields with a fresh `Previous`.
#[inline]
pub(super) fn each<B: NetworkBehaviour, V: FieldVisitor>(behaviour: &mut B, mut visitor: V) -> V {
    behaviour.visit(&mut B::Previous::default(), &mut visitor);
    visitor
}

/// Makes a field clean outside of an object.
#[inline]
fn clear(field: &mut impl SyncField) {
    field.clear_dirty();
    if let Some(place) = field.place_mut() {
        place.note_sent();
    }
}

pub(super) struct SetDirty {
    pub(super) bits: u64,
}

impl FieldVisitor for SetDirty {
    #[inline]
    fn field<A: SyncField>(&mut self, bit: u64, _: &'static str, mut field: A) {
        if self.bits & bit != 0 {
            field.set_dirty();
        }
    }
}

pub(super) struct MakeDirty {
    pub(super) fields: u64,
    pub(super) former: u64,
}

impl FieldVisitor for MakeDirty {
    #[inline]
    fn field<A: SyncField>(&mut self, bit: u64, _: &'static str, mut field: A) {
        if self.fields & bit != 0 {
            if field.is_dirty() {
                self.former |= bit;
            }
            field.set_dirty();
        }
    }
}

pub(super) struct MakeChangesWhole;

impl FieldVisitor for MakeChangesWhole {
    #[inline]
    fn field<A: SyncField>(&mut self, _: u64, _: &'static str, mut field: A) {
        if field.is_dirty() {
            field.set_dirty();
        }
    }
}

pub(super) struct NumberedRelay {
    pub(super) fields: u64,
}

impl FieldVisitor for NumberedRelay {
    #[inline]
    fn field<A: SyncField>(&mut self, bit: u64, _: &'static str, mut field: A) {
        if self.fields & bit != 0 {
            field.relay();
        }
    }
}

pub(super) struct ClearAll;

impl FieldVisitor for ClearAll {
    #[inline]
    fn field<A: SyncField>(&mut self, _: u64, _: &'static str, mut field: A) {
        clear(&mut field);
    }
}

pub(super) struct ClearDirty {
    pub(super) bits: u64,
}

impl FieldVisitor for ClearDirty {
    #[inline]
    fn field<A: SyncField>(&mut self, bit: u64, _: &'static str, mut field: A) {
        if self.bits & bit != 0 {
            clear(&mut field);
        }
    }
}

pub(super) struct SetObserved {
    pub(super) observed: bool,
}

impl FieldVisitor for SetObserved {
    #[inline]
    fn field<A: SyncField>(&mut self, _: u64, _: &'static str, mut field: A) {
        field.set_observed(self.observed);
    }
}

pub(super) struct SetLog {
    pub(super) log: OperationLog,
}

impl FieldVisitor for SetLog {
    #[inline]
    fn field<A: SyncField>(&mut self, _: u64, _: &'static str, mut field: A) {
        field.set_log(self.log);
    }
}

pub(super) struct BeginChange {
    /// Set if a field has a codec.
    pub(super) encoded: bool,
}

impl FieldVisitor for BeginChange {
    #[inline]
    fn field<A: SyncField>(&mut self, _: u64, _: &'static str, mut field: A) {
        if A::ENCODED {
            field.previous(PreviousStep::BeginChange);
            self.encoded = true;
        }
    }
}

pub(super) struct EndChange;

impl FieldVisitor for EndChange {
    #[inline]
    fn field<A: SyncField>(&mut self, _: u64, _: &'static str, mut field: A) {
        if A::ENCODED {
            field.previous(PreviousStep::EndChange);
        }
    }
}

pub(super) struct Round<'a> {
    pub(super) writer: &'a mut NetworkWriter,
}

impl FieldVisitor for Round<'_> {
    #[inline]
    fn field<A: SyncField>(&mut self, _: u64, name: &'static str, mut field: A) {
        if !A::ENCODED {
            return;
        }
        self.writer.truncate(0);
        field.write_full(self.writer);
        if self.writer.take_error().is_some() {
            return;
        }
        let mut reader =
            NetworkReader::with_encoding(self.writer.as_bytes(), self.writer.encoding());
        if let Err(error) = field.read_full(&mut reader) {
            tracing::error!(field = name, %error, "a codec does not read its bytes");
        }
    }
}

pub(super) struct WriteFields<'a> {
    pub(super) writer: &'a mut NetworkWriter,
    pub(super) fields: u64,
}

impl FieldVisitor for WriteFields<'_> {
    #[expect(
        clippy::inline_always,
        reason = "a call for each field makes Mirror's snapshots a tenth slower"
    )]
    #[inline(always)]
    fn field<A: SyncField>(&mut self, bit: u64, name: &'static str, field: A) {
        if self.fields & bit != 0 {
            field.write_full(self.writer.at(name));
        }
    }
}

pub(super) struct ReadFields<'a, 'b> {
    pub(super) reader: &'a mut NetworkReader<'b>,
    pub(super) fields: u64,
    pub(super) result: ReadResult<()>,
}

impl FieldVisitor for ReadFields<'_, '_> {
    #[inline]
    fn field<A: SyncField>(&mut self, bit: u64, name: &'static str, mut field: A) {
        if self.fields & bit != 0 && self.result.is_ok() {
            self.result = field.read_full(self.reader).at(name);
        }
    }
}

pub(super) struct BeyondThreshold<'a, 'b> {
    pub(super) last_sent: &'a mut NetworkReader<'b>,
    pub(super) field: u64,
    pub(super) beyond: bool,
}

impl FieldVisitor for BeyondThreshold<'_, '_> {
    #[inline]
    fn field<A: SyncField>(&mut self, bit: u64, _: &'static str, field: A) {
        if self.field == bit {
            self.beyond = field.is_beyond_threshold(self.last_sent);
        }
    }
}

pub(super) struct Remember {
    pub(super) fields: u64,
    /// Set if a field has a hook.
    pub(super) hooks: bool,
}

impl FieldVisitor for Remember {
    #[inline]
    fn field<A: SyncField>(&mut self, bit: u64, _: &'static str, mut field: A) {
        if A::HOOK {
            self.hooks = true;
            if self.fields & bit != 0 {
                field.previous(PreviousStep::Remember);
            }
        }
    }
}

pub(super) struct ChangedSince {
    pub(super) changed: u64,
}

impl FieldVisitor for ChangedSince {
    #[inline]
    fn field<A: SyncField>(&mut self, bit: u64, _: &'static str, mut field: A) {
        if A::HOOK && field.previous(PreviousStep::Compare) {
            self.changed |= bit;
        }
    }
}

pub(super) struct SkipHooks {
    pub(super) fields: u64,
}

impl FieldVisitor for SkipHooks {
    #[inline]
    fn field<A: SyncField>(&mut self, bit: u64, _: &'static str, mut field: A) {
        if A::HOOK && self.fields & bit != 0 {
            field.previous(PreviousStep::Skip);
        }
    }
}

pub(super) struct EndWrite;

impl FieldVisitor for EndWrite {
    #[inline]
    fn field<A: SyncField>(&mut self, _: u64, _: &'static str, mut field: A) {
        FieldPlace::end_write(&mut field);
    }
}
