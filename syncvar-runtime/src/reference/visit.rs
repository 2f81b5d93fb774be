//! `VisitRefs`: the references in a value, for programs with ids of their own.

use super::NetRef;
use crate::{
    DeserializeContext, NetId, NetworkReader, NetworkWriter, SerializeContext, SyncValue,
    WriteError, WriteErrorKind,
};

/// The references in a value, at any depth: in a message, in an argument of a call, in the content of a field. Every
/// [`SyncValue`] has it. An engine finds the entities of a value by it, and a program that loads saved
/// objects gives their references the new ids.
///
/// The value is written and read for it, so that a type of your own needs no code: each
/// [`NetRef`] and [`BehaviourRef`](crate::BehaviourRef) that refers to an object is visited, in the order of the bytes. A
/// [`NetId`] is a number, and is not. Neither are the contents of a `Postcard`.
///
/// ```
/// use syncvar::{VisitRefs, prelude::*};
///
/// #[derive(SyncValue, Clone, PartialEq, Debug)]
/// struct Order {
///     squad: Vec<NetRef>,
///     target: Option<NetRef>,
/// }
///
/// let [a, b, c] = [1, 2, 3].map(|id| NetRef::reserved(NetId(id)));
/// let mut order = Order { squad: vec![a, b], target: Some(c) };
/// let mut found = Vec::new();
/// order.visit_refs(|reference| found.push(reference))?;
/// assert_eq!(found, [a, b, c]);
///
/// order.map_refs(|reference| if reference == b { c } else { reference })?;
/// assert_eq!(order.squad, [a, c]);
/// # Ok::<(), syncvar::wire::WriteError>(())
/// ```
pub trait VisitRefs: SyncValue + sealed::Sealed {
    /// Calls a function with each reference.
    ///
    /// # Errors
    ///
    /// When the value has no form on the wire, or cannot be read back.
    fn visit_refs(&self, visit: impl FnMut(NetRef)) -> Result<(), WriteError> {
        let references = collect(self, &mut NetworkWriter::new())?;
        references.into_iter().map(NetRef::from).for_each(visit);
        Ok(())
    }

    /// Replaces each reference by the result of a function.
    ///
    /// # Errors
    ///
    /// As [`visit_refs`](Self::visit_refs); the value is unchanged.
    fn map_refs(&mut self, mut map: impl FnMut(NetRef) -> NetRef) -> Result<(), WriteError> {
        let mut writer = NetworkWriter::new();
        let references = collect(self, &mut writer)?;
        let mapped = references.iter().map(|id| map((*id).into()).id());
        let mut mapped: Vec<NetId> = mapped.collect();
        if mapped != references {
            mapped.reverse();
            let mut reader =
                NetworkReader::new(writer.as_bytes()).replacing_references(&mut mapped);
            // A failure leaves a value half-read.
            let mut value = self.clone();
            let read = value.read_in_place(&mut reader);
            read.map_err(|_| unreadable())?;
            *self = value;
        }
        Ok(())
    }
}

impl<T: SyncValue> VisitRefs for T {}

/// Writes a value, and reads its references.
fn collect<T: SyncValue>(value: &T, writer: &mut NetworkWriter) -> Result<Vec<NetId>, WriteError> {
    // Without codecs of user types, which may round.
    let plain = SerializeContext {
        plain: true,
        ..*writer.context()
    };
    writer.with_context(plain, |writer| value.write(writer));
    if let Some(error) = writer.take_error() {
        return Err(error);
    }
    let mut references = Vec::new();
    let mut reader = NetworkReader::new(writer.as_bytes()).with_references(&mut references);
    let plain = DeserializeContext {
        plain: true,
        ..*reader.context()
    };
    let read = reader.with_context(plain, |reader| T::read(reader));
    read.map_err(|_| unreadable())?;
    Ok(references)
}

fn unreadable() -> WriteError {
    WriteError::new(
        WriteErrorKind::Custom("the value cannot be read back"),
        0,
        None,
        None,
    )
}

mod sealed {
    /// Seals [`VisitRefs`](super::VisitRefs).
    #[expect(unnameable_types, reason = "it is the seal")]
    pub trait Sealed {}

    impl<T: super::SyncValue> Sealed for T {}
}
