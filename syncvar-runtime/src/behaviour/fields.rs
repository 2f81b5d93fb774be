//! `BehaviourFields`: operations on all fields of a behaviour, each by a visitor.

use super::NetworkBehaviour;
use super::visitors::{
    BeginChange, BeyondThreshold, ChangedSince, ClearAll, ClearDirty, EndChange, EndWrite,
    MakeChangesWhole, MakeDirty, NumberedRelay, ReadFields, Remember, Round, SetDirty, SetLog,
    SetObserved, SkipHooks, WriteFields, each,
};
use crate::{NetworkReader, NetworkWriter, OperationLog, ReadResult};

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

    /// Makes the dirty fields so as a whole: their next deltas do not build on earlier deltas.
    #[inline]
    fn make_changes_whole(&mut self) {
        each(self, MakeChangesWhole);
    }

    /// Makes fields dirty after the read of an owner's deltas: see
    /// [`SyncField::relay`](crate::SyncField::relay).
    #[inline]
    fn relay(&mut self, fields: u64) {
        each(self, NumberedRelay { fields });
    }

    /// Makes all fields clean: every observer has them, or the object lacks observers.
    #[inline]
    fn clear_all_dirty_bits(&mut self) {
        each(self, ClearAll);
    }

    /// Makes the fields with a set bit clean.
    #[inline]
    fn clear_dirty_bits(&mut self, dirty_bits: u64) {
        each(self, ClearDirty { bits: dirty_bits });
    }

    /// Makes the fields dirty that were created or moved here since their last
    /// [`clear_all_dirty_bits`](Self::clear_all_dirty_bits), as by `player.health = 5.into()`. For behaviours outside
    /// of a server, which does so after each use of a behaviour.
    fn notice_replacements(&mut self) {
        each(self, EndWrite);
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
    fn withdraw_changes(&mut self, mut before: Self::Previous) {
        self.visit(&mut before, &mut EndChange);
    }

    /// Replaces the value of every field with a [codec](crate::SyncCodec) by the value that travels. A value without
    /// a form stays. The writer is memory, in the encoding of the connection.
    fn round(&mut self, writer: &mut NetworkWriter) {
        each(self, Round { writer });
    }

    /// Writes the fields with a set bit, each as in a snapshot, the fields of the bases first.
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

    /// Returns the values of some fields with a hook; `None` if the class lacks a hook.
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

    /// Returns the bits of the fields that differ from the remembered values, and removes the remaining
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
    /// Seals [`BehaviourFields`](super::BehaviourFields).
    #[expect(unnameable_types, reason = "it is the seal")]
    pub trait Sealed {}

    impl<B: super::NetworkBehaviour> Sealed for B {}
}
