//! Names for the expansions of the derives.

use std::marker::PhantomData;

use crate::{BehaviourInfo, FieldBit, NetworkCalls};

/// Returns the constant of a field with this dirty bit.
pub const fn bit<B, T>(bit: u64) -> FieldBit<B, T> {
    FieldBit::interpolated(bit)
}

/// Source of a class's [`BehaviourInfo`] in the derive. The compiler prefers the constant here, for a
/// class with `#[network_calls]`, to the constant of [`NoCalls`].
#[derive(Debug)]
pub struct OwnCalls<B: ?Sized>(PhantomData<B>);

impl<B: NetworkCalls> OwnCalls<B> {
    /// Info of a class with these calls.
    pub const INFO: BehaviourInfo = BehaviourInfo::DEFAULT.calls::<B>();
}

/// Counterpart of [`OwnCalls`] for a type without calls.
pub trait NoCalls<B: ?Sized> {
    /// Info of a class without calls.
    const INFO: BehaviourInfo = BehaviourInfo::DEFAULT;
}

impl<B: ?Sized> NoCalls<B> for OwnCalls<B> {}

/// Marker of a type with `#[network_calls]`: a second block is a second implementation, and the error has this name.
pub trait AllCallsInOneBlock {}
