//! What a client tells the application.

use std::fmt;

use super::CallFailure;
use crate::{BehaviourSchema, DisconnectReason, NetId, NetworkHash128, ReadError, ReceivedEvent};

/// Something that happened on the client.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ClientEvent {
    /// The server has let us in.
    Connected,
    /// The server has not let us in.
    Refused {
        /// Why.
        reason: DisconnectReason,
    },
    /// The connection is over. The objects stay as they are until the next connection.
    Disconnected {
        /// Why.
        reason: DisconnectReason,
    },
    /// Every object that this client may see has been spawned.
    Ready,
    /// The server sends no more objects and changes until [`ready`](crate::NetworkClient::ready).
    NotReady,
    /// An object is there, with its state. Objects that come in one burst are announced when all
    /// of them are there.
    Spawned {
        /// Which.
        object: NetId,
    },
    /// Fields of an object have been received; the hooks of those that are different now have run.
    Changed {
        /// Which object.
        object: NetId,
        /// The position of the behaviour on it.
        behaviour: usize,
        /// Which fields.
        fields: ChangedFields,
    },
    /// An object is gone.
    Despawned {
        /// Which.
        object: NetId,
        /// Whether it still exists for others.
        hidden: bool,
    },
    /// This client has become the owner of an object, or is no longer.
    OwnerChanged {
        /// Which.
        object: NetId,
        /// Whether this client owns it now.
        owned: bool,
    },
    /// A message for an object could not be read. It keeps what it has, some of it perhaps new, and
    /// ignores further updates; the server has been asked for all of it.
    Poisoned {
        /// Which.
        object: NetId,
        /// What could not be read.
        error: ReadError,
    },
    /// An object has been sent whole again, after [`Poisoned`](Self::Poisoned) or after
    /// [`NotReady`](Self::NotReady). No hook has run for what is different now.
    Restored {
        /// Which.
        object: NetId,
    },
    /// An object has raised an event: see [`ReceivedEvent::arguments`].
    SyncEvent(ReceivedEvent),
    /// A call of the server panicked, or its arguments could not be read. What it did until then
    /// stands; the object is as good as before.
    CallFailed(Box<CallFailure>),
    /// An object of the server cannot be made here.
    SpawnFailed {
        /// Which.
        object: NetId,
        /// What names its prefab.
        asset_id: NetworkHash128,
        /// Why.
        reason: SpawnFailure,
    },
}

/// Why an object of the server cannot be made on this client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SpawnFailure {
    /// No prefab has this asset id.
    #[error("no prefab has this asset id")]
    UnknownPrefab,
    /// [`ClientConfig::max_objects`](crate::ClientConfig::max_objects) are there already.
    #[error("there are as many objects as the limit allows")]
    TooManyObjects,
}

/// A set of fields of one behaviour.
#[derive(Clone, Copy)]
pub struct ChangedFields {
    schema: &'static BehaviourSchema,
    dirty_bits: u64,
}

impl ChangedFields {
    pub(super) fn new(schema: &'static BehaviourSchema, dirty_bits: u64) -> Self {
        Self { schema, dirty_bits }
    }

    /// The name of the behaviour.
    pub fn behaviour(&self) -> &'static str {
        self.schema.name
    }

    /// The set as dirty bits: bit *i* is field *i*, the fields of bases first.
    pub fn dirty_bits(&self) -> u64 {
        self.dirty_bits
    }

    /// The names of the fields, in declaration order.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.schema.field_names(self.dirty_bits)
    }

    /// Whether the field of this name is among them.
    pub fn contains(&self, name: &str) -> bool {
        self.names().any(|field| field == name)
    }
}

impl PartialEq for ChangedFields {
    fn eq(&self, other: &Self) -> bool {
        self.behaviour() == other.behaviour() && self.dirty_bits == other.dirty_bits
    }
}

impl fmt::Debug for ChangedFields {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ", self.behaviour())?;
        f.debug_set().entries(self.names()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::ClientEvent;

    #[test]
    fn an_event_is_half_a_cache_line() {
        assert_eq!(size_of::<ClientEvent>(), 32);
    }
}
