//! `Synchronize`: data beside the fields of a behaviour, with one function for both directions.

mod serializable;
mod serializer;

pub use serializable::{NetworkSerializable, Serializable};
pub use serializer::BufferSerializer;

use std::borrow::Cow;
use std::error::Error;
use std::fmt;

use super::NetworkBehaviour;
use crate::{NetId, ReadError, WriteError};

/// Data that travels once with the snapshot of an object, beside its fields: settings that never
/// change, or values derived from many values. One function writes it on the server and reads it on a
/// client.
///
/// ```
/// use syncvar::prelude::*;
///
/// #[derive(NetworkBehaviour, Default)]
/// #[network_behaviour(synchronize)]
/// struct Door {
///     colour: u32, // no `SyncVar`: it travels once
/// }
///
/// impl Synchronize for Door {
///     fn on_synchronize(
///         &mut self,
///         serializer: &mut BufferSerializer<'_, '_>,
///     ) -> Result<(), SynchronizeError> {
///         serializer.serialize_value(&mut self.colour)
///     }
/// }
///
/// let mut net = MemoryNetwork::pair(|| Prefabs::new().register::<Door>("door"));
/// let id = net.server.spawn(Door { colour: 0xff_80_00 });
/// net.settle();
/// assert_eq!(net.client(0).get::<Door>(id).unwrap().colour, 0xff_80_00);
/// ```
///
/// It runs with each snapshot that a client receives: at the spawn or show of the object, at a join,
/// and after a request of the client because of a read error. On the server it writes, after the
/// object's [`on_network_spawn`](crate::NetworkLifecycle::on_network_spawn), once for all clients
/// that receive the object then in the same encoding. On a client it reads, after the fields of all the
/// behaviours and before
/// [`on_network_pre_spawn`](crate::NetworkLifecycle::on_network_pre_spawn).
///
/// A failure concerns only this data: the object, its fields and its remaining behaviours stay valid. A
/// write fails if the function returns an error, panics, or writes a value without a form on the
/// wire. The data is then not sent, the function does not run on the client, and the server reports
/// `ServerEvent::SynchronizeFailed`. A read fails if the function returns an error, panics, or
/// leaves bytes unread. The client then reports `ClientEvent::SynchronizeFailed`.
///
/// A class with `synchronize` is responsible for its bases: if they have data too, it calls
/// `self.base.on_synchronize(serializer)?`. A class without it uses the function of its base.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has `synchronize` and no `on_synchronize`",
    label = "no `impl Synchronize for {Self}`",
    note = "write `impl Synchronize for {Self} {{ ... }}`, or remove `synchronize`"
)]
pub trait Synchronize: HasSynchronize {
    /// Writes or reads the data, in the same order.
    ///
    /// # Errors
    ///
    /// The errors of the serializer, and the errors of the data.
    fn on_synchronize(
        &mut self,
        serializer: &mut BufferSerializer<'_, '_>,
    ) -> Result<(), SynchronizeError>;
}

/// A behaviour whose [`on_synchronize`](Synchronize::on_synchronize) runs.
/// `#[network_behaviour(synchronize)]` implements it; without it the compiler refuses the method, which
/// would never run. A behaviour written by hand implements it beside
/// [`BehaviourInfo::synchronize`](crate::BehaviourInfo::synchronize()).
#[diagnostic::on_unimplemented(
    message = "the `on_synchronize` of `{Self}` is never called",
    label = "`{Self}` does not have `synchronize`",
    note = "write `#[network_behaviour(synchronize)]` above the struct, below `#[derive(NetworkBehaviour)]`"
)]
pub trait HasSynchronize: NetworkBehaviour {}

/// Reason why data was not written or read.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SynchronizeError {
    /// A value could not be read.
    Read(ReadError),
    /// A value lacks a form on the wire.
    Write(WriteError),
    /// The function refused the data, for this reason.
    Refused(Cow<'static, str>),
    /// The function panicked, with this message.
    Panicked(String),
    /// The function left bytes unread.
    LeftOver {
        /// Number of unread bytes.
        left: usize,
    },
}

impl fmt::Display for SynchronizeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read(error) => fmt::Display::fmt(error, f),
            Self::Write(error) => fmt::Display::fmt(error, f),
            Self::Refused(reason) => fmt::Display::fmt(reason, f),
            Self::Panicked(message) => write!(f, "a panic: {message}"),
            Self::LeftOver { left } => write!(f, "{left} bytes are left over"),
        }
    }
}

impl Error for SynchronizeError {}

impl From<ReadError> for SynchronizeError {
    fn from(error: ReadError) -> Self {
        Self::Read(error)
    }
}

impl From<WriteError> for SynchronizeError {
    fn from(error: WriteError) -> Self {
        Self::Write(error)
    }
}

impl From<&'static str> for SynchronizeError {
    fn from(why: &'static str) -> Self {
        Self::Refused(why.into())
    }
}

impl From<String> for SynchronizeError {
    fn from(why: String) -> Self {
        Self::Refused(why.into())
    }
}

/// Data of a behaviour that a client could not read.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SynchronizeFailure {
    /// The object.
    pub object: NetId,
    /// Name of the behaviour.
    pub behaviour: &'static str,
    /// Number of bytes read.
    pub read: usize,
    /// Number of bytes sent.
    pub expected: usize,
    /// The error.
    pub error: SynchronizeError,
}
