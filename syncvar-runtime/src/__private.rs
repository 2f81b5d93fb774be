//! Names for the expansions of the derives.

use std::marker::PhantomData;

use crate::{CallContext, CallSchema, NetworkCalls, NetworkReader, ReadError};

/// What the derive asks for the calls of a type: a type with `#[network_calls]` answers with its
/// own, by the items here; any other by those of [`NoCalls`], which the compiler takes only if these
/// are not there.
#[derive(Debug)]
pub struct OwnCalls<B: ?Sized>(PhantomData<B>);

impl<B: NetworkCalls> OwnCalls<B> {
    /// Those of the type.
    pub const CALLS: &'static [CallSchema] = B::OWN_CALLS;

    /// Calls one of them.
    ///
    /// # Errors
    ///
    /// Those of [`NetworkCalls::handle_own_call`].
    pub fn handle_call(
        behaviour: &mut B,
        call: u32,
        reader: &mut NetworkReader<'_>,
        context: &mut CallContext<'_>,
    ) -> Result<(), ReadError> {
        behaviour.handle_own_call(call, reader, context)
    }
}

/// What [`OwnCalls`] has for a type without calls.
pub trait NoCalls<B: ?Sized> {
    /// None.
    const CALLS: &'static [CallSchema] = &[];

    /// There is nothing to call.
    ///
    /// # Errors
    ///
    /// Always.
    fn handle_call(
        _: &mut B,
        call: u32,
        reader: &mut NetworkReader<'_>,
        _: &mut CallContext<'_>,
    ) -> Result<(), ReadError> {
        Err(reader.unknown_call(call))
    }
}

impl<B: ?Sized> NoCalls<B> for OwnCalls<B> {}
