//! `BehaviourFields`: operations on all fields of a behaviour, each of them a visitor.

use super::{FieldAccess, FieldVisitor, NetworkBehaviour};
use crate::{Lineage, NetworkReader, NetworkWriter, OperationLog, ReadResult, ReadResultExt};

/// Operations on the fields of a behaviour and its bases. Every [`NetworkBehaviour`] has them,
/// through its [`visit`](NetworkBehaviour::visit).
///
/// ```
/// use syncvar::{NetworkBehaviour, behaviour::BehaviourFields, prelude::*};
///
/// # #[derive(NetworkBehaviour, Default)]
/// # struct Door {
/// #     #[sync_var]
/// #     open: SyncVar<bool>,
/// # }
/// let mut door = Door { open: true.into() };
/// door.set_dirty_bit(1);
/// assert_eq!(door.sync_var_dirty_bits(), 1);
/// door.clear_all_dirty_bits();
/// assert_eq!(door.sync_var_dirty_bits(), 0);
/// ```
pub trait BehaviourFields: NetworkBehaviour + sealed::Sealed {
    /// Makes the fields with a set bit dirty: their values are sent again. Ignores bits without a
    /// field.
    #[inline]
    fn set_dirty_bit(&mut self, dirty_bits: u64) {
        each(self, SetDirty { bits: dirty_bits });
    }

    /// Like [`set_dirty_bit`](Self::set_dirty_bit). Returns those of the fields that were dirty before.
    #[inline]
    fn make_dirty(&mut self, fields: u64) -> u64 {
        each(self, MakeDirty { fields, former: 0 }).former
    }

    /// Makes the dirty fields so as a whole: their next deltas do not build on earlier ones.
    #[inline]
    fn make_changes_whole(&mut self) {
        each(self, MakeChangesWhole);
    }

    /// Makes fields dirty after the read of an owner's deltas: see
    /// [`SyncField::relay`](crate::SyncField::relay).
    #[inline]
    fn relay(&mut self, fields: u64) {
        each(self, Relay { fields });
    }

    /// Makes all fields clean: every observer has them, or the object has no observer.
    #[inline]
    fn clear_all_dirty_bits(&mut self) {
        each(self, ClearAll);
    }

    /// Makes the fields with a set bit clean, on an object of this lineage: see
    /// [`SyncField::clear_dirty_at`](crate::SyncField::clear_dirty_at).
    #[inline]
    fn clear_dirty_at(&mut self, fields: u64, lineage: Lineage) {
        each(self, ClearAt { fields, lineage });
    }

    /// Makes the fields with a set bit clean.
    #[inline]
    fn clear_dirty_bits(&mut self, dirty_bits: u64) {
        each(self, ClearDirty { bits: dirty_bits });
    }

    /// Makes replaced fields dirty, as after `player.health = 5.into()`: each replacement since the
    /// last [`clear_all_dirty_bits`](Self::clear_all_dirty_bits), and each field that was sent for
    /// another lineage. The server calls it after each use of the behaviour.
    ///
    /// Returns the lineage from now on: after a replacement another one, for the field that was moved out is
    /// clean for this lineage, and may return.
    #[inline]
    fn notice_replacements(&mut self, lineage: Lineage) -> Lineage {
        let replaced = false;
        if each(self, NoticeReplacements { lineage, replaced }).replaced {
            return begin_lineage(self);
        }
        lineage
    }

    /// Sets whether the object has observers: see [`SyncField::set_observed`](crate::SyncField::set_observed).
    #[inline]
    fn set_observed(&mut self, observed: bool) {
        each(self, SetObserved { observed });
    }

    /// Sets the operation log of the collections: see [`SyncField::set_log`](crate::SyncField::set_log).
    #[inline]
    fn set_log(&mut self, log: OperationLog) {
        each(self, SetLog { log });
    }

    /// Returns the clean values of the fields with a [codec](crate::SyncCodec), before a change;
    /// `None` without such fields. [`withdraw_changes`](Self::withdraw_changes) compares them.
    #[inline]
    fn before_change(&mut self) -> Option<Self::Previous> {
        let mut before = Self::Previous::default();
        let mut visitor = BeginChange { encoded: false };
        self.visit(&mut before, &mut visitor);
        visitor.encoded.then_some(before)
    }

    /// Makes a field clean again if its writes since [`before_change`](Self::before_change) leave its
    /// bytes unchanged. Fields that [`set_dirty_bit`](Self::set_dirty_bit) made dirty stay so.
    #[inline]
    fn withdraw_changes(&mut self, mut before: Self::Previous, lineage: Lineage) {
        self.visit(&mut before, &mut EndChange { lineage });
    }

    /// Replaces the value of each field with a [codec](crate::SyncCodec) by the one that travels. A value without
    /// a form stays. The writer is memory, in the encoding of the connection.
    fn round(&mut self, writer: &mut NetworkWriter) {
        each(self, Round { writer });
    }

    /// Writes the fields with a set bit, each one as in a snapshot, the fields of the bases first.
    /// Ignores bits without a field.
    #[inline]
    fn write_fields(&mut self, writer: &mut NetworkWriter, fields: u64) {
        each(self, WriteFields { writer, fields });
    }

    /// Reads the bytes of [`write_fields`](Self::write_fields) for the same fields. Makes no field
    /// dirty.
    ///
    /// # Errors
    ///
    /// When the bytes do not fit.
    #[inline]
    fn read_fields(&mut self, reader: &mut NetworkReader<'_>, fields: u64) -> ReadResult<()> {
        let result = Ok(());
        let visitor = ReadFields {
            reader,
            fields,
            result,
        };
        each(self, visitor).result
    }

    /// Returns whether a field with a [threshold](crate::FieldPolicy::threshold) exceeds it.
    /// `last_sent` holds the bytes of [`write_fields`](Self::write_fields) at the last send.
    fn is_beyond_threshold(&mut self, last_sent: &mut NetworkReader<'_>, field: u64) -> bool {
        let visitor = BeyondThreshold {
            last_sent,
            field,
            beyond: true,
        };
        each(self, visitor).beyond
    }

    /// Returns the values of some fields with a hook; `None` if the class has no hook.
    ///
    /// A host calls it before the first write between two updates, a client before it compares the
    /// first state of an object with its prefab, and a client of Mirror's protocol before each
    /// snapshot.
    fn remember_for_hooks(&mut self, fields: u64) -> Option<Self::Previous> {
        let mut previous = Self::Previous::default();
        let mut visitor = Remember {
            fields,
            hooks: false,
        };
        self.visit(&mut previous, &mut visitor);
        visitor.hooks.then_some(previous)
    }

    /// Returns the bits of the fields that differ from the remembered values, and removes all other
    /// values, so that [`call_hooks`](NetworkBehaviour::call_hooks) runs the right hooks.
    fn changed_since(&mut self, previous: &mut Self::Previous) -> u64 {
        let mut visitor = ChangedSince { changed: 0 };
        self.visit(previous, &mut visitor);
        visitor.changed
    }

    /// Removes the previous values of some fields, so that their hooks do not run.
    fn skip_hooks(&mut self, previous: &mut Self::Previous, fields: u64) {
        self.visit(previous, &mut SkipHooks { fields });
    }
}

impl<B: NetworkBehaviour> BehaviourFields for B {}

mod sealed {
    /// Excludes other implementations of [`BehaviourFields`](super::BehaviourFields).
    #[expect(unnameable_types, reason = "it is the seal")]
    pub trait Sealed {}

    impl<B: super::NetworkBehaviour> Sealed for B {}
}

/// Visits all fields with a fresh `Previous`.
#[inline]
fn each<B: NetworkBehaviour, V: FieldVisitor>(behaviour: &mut B, mut visitor: V) -> V {
    behaviour.visit(&mut B::Previous::default(), &mut visitor);
    visitor
}

/// Gives all fields another lineage, with their changes.
#[cold]
fn begin_lineage<B: NetworkBehaviour>(behaviour: &mut B) -> Lineage {
    let lineage = Lineage::unique();
    each(behaviour, SetPlaces { lineage });
    lineage
}

struct SetDirty {
    bits: u64,
}

impl FieldVisitor for SetDirty {
    #[inline]
    fn field<A: FieldAccess>(&mut self, bit: u64, _: &'static str, mut field: A) {
        if self.bits & bit != 0 {
            field.set_dirty();
        }
    }
}

struct MakeDirty {
    fields: u64,
    former: u64,
}

impl FieldVisitor for MakeDirty {
    #[inline]
    fn field<A: FieldAccess>(&mut self, bit: u64, _: &'static str, mut field: A) {
        if self.fields & bit != 0 {
            if field.is_dirty() {
                self.former |= bit;
            }
            field.set_dirty();
        }
    }
}

struct MakeChangesWhole;

impl FieldVisitor for MakeChangesWhole {
    #[inline]
    fn field<A: FieldAccess>(&mut self, _: u64, _: &'static str, mut field: A) {
        if field.is_dirty() {
            field.set_dirty();
        }
    }
}

struct Relay {
    fields: u64,
}

impl FieldVisitor for Relay {
    #[inline]
    fn field<A: FieldAccess>(&mut self, bit: u64, _: &'static str, mut field: A) {
        if self.fields & bit != 0 {
            field.relay();
        }
    }
}

struct ClearAll;

impl FieldVisitor for ClearAll {
    #[inline]
    fn field<A: FieldAccess>(&mut self, _: u64, _: &'static str, mut field: A) {
        field.clear_dirty();
    }
}

struct ClearDirty {
    bits: u64,
}

impl FieldVisitor for ClearDirty {
    #[inline]
    fn field<A: FieldAccess>(&mut self, bit: u64, _: &'static str, mut field: A) {
        if self.bits & bit != 0 {
            field.clear_dirty();
        }
    }
}

struct ClearAt {
    fields: u64,
    lineage: Lineage,
}

impl FieldVisitor for ClearAt {
    #[inline]
    fn field<A: FieldAccess>(&mut self, bit: u64, _: &'static str, mut field: A) {
        if self.fields & bit != 0 {
            field.clear_dirty_at(self.lineage.place(bit));
        }
    }
}

struct NoticeReplacements {
    lineage: Lineage,
    /// Set if a field has replaced another one.
    replaced: bool,
}

impl FieldVisitor for NoticeReplacements {
    #[inline]
    fn field<A: FieldAccess>(&mut self, bit: u64, _: &'static str, mut field: A) {
        let place = self.lineage.place(bit);
        self.replaced |= !field.is_at(place);
        field.notice_replacement(place);
    }
}

struct SetPlaces {
    lineage: Lineage,
}

impl FieldVisitor for SetPlaces {
    #[inline]
    fn field<A: FieldAccess>(&mut self, bit: u64, _: &'static str, mut field: A) {
        field.set_place(self.lineage.place(bit));
    }
}

struct SetObserved {
    observed: bool,
}

impl FieldVisitor for SetObserved {
    #[inline]
    fn field<A: FieldAccess>(&mut self, _: u64, _: &'static str, mut field: A) {
        field.set_observed(self.observed);
    }
}

struct SetLog {
    log: OperationLog,
}

impl FieldVisitor for SetLog {
    #[inline]
    fn field<A: FieldAccess>(&mut self, _: u64, _: &'static str, mut field: A) {
        field.set_log(self.log);
    }
}

struct BeginChange {
    /// Set if a field has a codec.
    encoded: bool,
}

impl FieldVisitor for BeginChange {
    #[inline]
    fn field<A: FieldAccess>(&mut self, _: u64, _: &'static str, mut field: A) {
        if A::ENCODED {
            field.begin_change();
            self.encoded = true;
        }
    }
}

struct EndChange {
    lineage: Lineage,
}

impl FieldVisitor for EndChange {
    #[inline]
    fn field<A: FieldAccess>(&mut self, bit: u64, _: &'static str, mut field: A) {
        if A::ENCODED {
            field.end_change(self.lineage.place(bit));
        }
    }
}

struct Round<'a> {
    writer: &'a mut NetworkWriter,
}

impl FieldVisitor for Round<'_> {
    #[inline]
    fn field<A: FieldAccess>(&mut self, _: u64, name: &'static str, mut field: A) {
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
    fn field<A: FieldAccess>(&mut self, bit: u64, name: &'static str, field: A) {
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
    fn field<A: FieldAccess>(&mut self, bit: u64, name: &'static str, mut field: A) {
        if self.fields & bit != 0 && self.result.is_ok() {
            self.result = field.read_full(self.reader).at(name);
        }
    }
}

struct BeyondThreshold<'a, 'b> {
    last_sent: &'a mut NetworkReader<'b>,
    field: u64,
    beyond: bool,
}

impl FieldVisitor for BeyondThreshold<'_, '_> {
    #[inline]
    fn field<A: FieldAccess>(&mut self, bit: u64, _: &'static str, field: A) {
        if self.field == bit {
            self.beyond = field.is_beyond_threshold(self.last_sent);
        }
    }
}

struct Remember {
    fields: u64,
    /// Set if a field has a hook.
    hooks: bool,
}

impl FieldVisitor for Remember {
    #[inline]
    fn field<A: FieldAccess>(&mut self, bit: u64, _: &'static str, mut field: A) {
        if A::HOOK {
            self.hooks = true;
            if self.fields & bit != 0 {
                field.remember();
            }
        }
    }
}

struct ChangedSince {
    changed: u64,
}

impl FieldVisitor for ChangedSince {
    #[inline]
    fn field<A: FieldAccess>(&mut self, bit: u64, _: &'static str, mut field: A) {
        if A::HOOK && field.has_changed() {
            self.changed |= bit;
        }
    }
}

struct SkipHooks {
    fields: u64,
}

impl FieldVisitor for SkipHooks {
    #[inline]
    fn field<A: FieldAccess>(&mut self, bit: u64, _: &'static str, mut field: A) {
        if A::HOOK && self.fields & bit != 0 {
            field.skip_hook();
        }
    }
}
