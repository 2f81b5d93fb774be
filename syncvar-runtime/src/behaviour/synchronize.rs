//! `Synchronize`: data of a behaviour's own, beside its fields, one function for both directions.

mod serializable;
mod serializer;

pub use serializable::{NetworkSerializable, Serializable};
pub use serializer::BufferSerializer;

use std::borrow::Cow;

use super::NetworkBehaviour;
use crate::{NetId, ReadError, WriteError};

/// Data that travels once with the snapshot of an object, beside its fields: settings that never
/// change, or values derived from many others. One function writes it on the server and reads it on a
/// client.
///
/// ```
/// # use syncvar::*;
/// # use syncvar::behaviour::{BehaviourInfo, BufferSerializer, FieldVisitor, HasSynchronize, Synchronize};
/// # use syncvar::error::SynchronizeError;
/// # use syncvar::schema::BehaviourSchema;
/// # use syncvar::testing::MemoryNetwork;
/// use syncvar::prelude::*;
///
/// # #[derive(Default)]
/// // #[derive(NetworkBehaviour, Default)]
/// // #[network_behaviour(synchronize)]
/// struct Door {
///     colour: u32, // no `SyncVar`: it travels once
/// }
/// # impl NetworkBehaviour for Door {
/// #     type Previous = ();
/// #     const SCHEMA: BehaviourSchema = BehaviourSchema { name: "Door", base: None, fields: &[] };
/// #     const INFO: BehaviourInfo = BehaviourInfo::DEFAULT.synchronize::<Self>();
/// #     fn sync_var_dirty_bits(&self) -> u64 { 0 }
/// #     fn visit(&mut self, _: &mut (), _: &mut impl FieldVisitor) {}
/// # }
/// # impl HasSynchronize for Door {}
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
/// It runs whenever a client is given a snapshot: at the spawn or show of the object, at a
/// join, and after the client has requested the object again because of a read error. On the server it
/// writes, after the object's [`on_network_spawn`](crate::NetworkLifecycle::on_network_spawn), once
/// for all clients that are given the object at that time in one encoding. On a client it reads,
/// after the fields of all behaviours and before
/// [`on_network_pre_spawn`](crate::NetworkLifecycle::on_network_pre_spawn).
///
/// A failure stays inside. If it fails or panics while it writes, or writes a value without a form
/// on the wire, its data is not sent
/// (`ServerEvent::SynchronizeFailed`), and it does
/// not run on the client. If it fails or panics while it reads, or leaves bytes over, the client reports
/// `ClientEvent::SynchronizeFailed`. Either way
/// the object, its fields and its other behaviours stay valid.
///
/// A class with `synchronize` is responsible for its bases: where they have data too, it calls
/// `self.base.on_synchronize(serializer)?`. A class without it passes the call on to its base.
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
    /// The errors of the serializer, and any other error of the data.
    fn on_synchronize(
        &mut self,
        serializer: &mut BufferSerializer<'_, '_>,
    ) -> Result<(), SynchronizeError>;
}

/// A behaviour whose [`on_synchronize`](Synchronize::on_synchronize) runs.
/// `#[network_behaviour(synchronize)]` implements it; without it the compiler refuses a method that never runs. A
/// behaviour written by hand implements it beside [`BehaviourInfo::synchronize`](crate::BehaviourInfo::synchronize()).
#[diagnostic::on_unimplemented(
    message = "nothing calls the `on_synchronize` of `{Self}`",
    label = "`{Self}` does not have `synchronize`",
    note = "write `#[network_behaviour(synchronize)]` above the struct, below `#[derive(NetworkBehaviour)]`"
)]
pub trait HasSynchronize: NetworkBehaviour {}

/// Why data could not be written or read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SynchronizeError {
    /// A value could not be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A value has no form on the wire.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// The function itself refuses the data, and says why.
    #[error("{0}")]
    Refused(Cow<'static, str>),
    /// The function has panicked, with this message.
    #[error("a panic: {0}")]
    Panicked(String),
    /// The function has read less than there is.
    #[error("{left} bytes are left over")]
    LeftOver {
        /// Number of unread bytes.
        left: usize,
    },
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
    /// The name of the behaviour.
    pub behaviour: &'static str,
    /// Number of bytes read.
    pub read: usize,
    /// Number of bytes sent.
    pub expected: usize,
    /// The error.
    pub error: SynchronizeError,
}
