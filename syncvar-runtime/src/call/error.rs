//! Errors of calls: on the calling side, and on the called server.

use super::CallPlace;
use crate::{ConnectionId, NetId, ReadError, WriteError};

/// A call that was not sent.
///
/// ```
/// use syncvar::calls::CallError;
/// use syncvar::prelude::*;
///
/// #[derive(NetworkBehaviour, Default)]
/// struct Door {
///     #[sync_var]
///     open: SyncVar<bool>,
/// }
///
/// #[network_calls]
/// impl Door {
///     #[command]
///     fn unlock(&mut self) {
///         self.open.set(true);
///     }
/// }
///
/// let mut net = MemoryNetwork::pair(|| Prefabs::new().register::<Door>("door"));
/// let door = net.server.spawn(Door::default()); // without an owner
/// net.settle();
/// let refused = net.client_mut(0).calls::<Door>(door).unlock();
/// assert_eq!(refused, Err(CallError::NotOwner(door)));
/// ```
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CallError {
    /// The server has not accepted this client, or the connection is closed.
    #[error("there is no connection to the server")]
    NotConnected,
    /// The server has made this client not ready: it accepts no commands. Only in Mirror.
    #[error("this client is not ready")]
    NotReady,
    /// The object does not exist on this side.
    #[error("there is no object {0}")]
    UnknownObject(NetId),
    /// No behaviour of the object is of this type or has it as its base.
    #[error("object {object} has no behaviour {behaviour}")]
    NoSuchBehaviour {
        /// The object.
        object: NetId,
        /// The requested behaviour.
        behaviour: &'static str,
    },
    /// Only the owner of the object may call this command.
    #[error("object {0} is not owned by this client: only its owner may call this")]
    NotOwner(NetId),
    /// The receiver is the owner, and no connection owns the object.
    #[error("object {0} is owned by no connection")]
    NoOwner(NetId),
    /// A receiver does not observe the object.
    #[error("{connection} does not observe object {object}")]
    NotObserved {
        /// The object.
        object: NetId,
        /// The connection.
        connection: ConnectionId,
    },
    /// The channel does not exist.
    #[error("there is no channel {0}")]
    UnknownChannel(u8),
    /// The call declares its receiver, and the caller gave another one.
    #[error("this call names its receiver: `to` cannot name another")]
    TargetGiven,
    /// The call is ambiguous in UNet's encoding: the object has two behaviours of
    /// one class, and the call would run on the first.
    #[error(
        "in the bytes of UNet this call cannot be told from one of another behaviour of the object"
    )]
    Ambiguous,
    /// An argument has no form on the wire, or the arguments exceed the size of a message.
    #[error("the arguments cannot be sent: {0}")]
    Unsendable(#[from] WriteError),
}

/// Reason for which a server has not run a command of a client. The connection remains open.
///
/// ```
/// use syncvar::calls::CommandRefusal;
/// use syncvar::prelude::*;
///
/// #[derive(NetworkBehaviour, Default)]
/// struct Door {
///     #[sync_var]
///     open: SyncVar<bool>,
/// }
///
/// #[network_calls]
/// impl Door {
///     #[command]
///     fn unlock(&mut self) {
///         self.open.set(true);
///     }
/// }
///
/// let mut net = MemoryNetwork::pair(|| Prefabs::new().register::<Door>("door"));
/// let owner = net.connection(0);
/// let options = SpawnOptions { owner: Some(owner), ..SpawnOptions::default() };
/// let door = net.server.spawn_with(Door::default(), options).unwrap();
/// net.settle();
/// net.client_mut(0).calls::<Door>(door).unlock().unwrap();
/// net.server.set_owner(door, None); // before the command arrives
/// net.settle();
/// let refused = std::iter::from_fn(|| net.server.poll_event()).find_map(|event| match event {
///     ServerEvent::CommandRefused { reason, .. } => Some(reason),
///     _ => None,
/// });
/// assert!(matches!(refused, Some(CommandRefusal::NotOwner)));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CommandRefusal {
    /// The connection is not ready.
    #[error("the connection is not ready")]
    NotReady,
    /// The object does not exist, or the connection does not observe it.
    #[error("there is no such object, or the connection does not see it")]
    UnknownObject,
    /// The object has no behaviour at this position.
    #[error("the object has no component {0}")]
    UnknownComponent(u8),
    /// The object has no such command.
    #[error("the object has no such command")]
    UnknownCall,
    /// The behaviour has no command with this hash of its name.
    #[error("the component has no command with the hash {0}")]
    UnknownHash(u16),
    /// Only the owner of the object may call the command.
    #[error("the connection does not own the object")]
    NotOwner,
    /// The call exceeds its rate.
    #[error("it came more often than the rate allows")]
    TooOften,
    /// The arguments are malformed.
    #[error("its arguments could not be read: {0}")]
    Malformed(ReadError),
}

/// Failed call of the server.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct CallFailure {
    /// The object.
    pub object: NetId,
    /// The name of the behaviour.
    pub behaviour: &'static str,
    /// The name of the call.
    pub call: &'static str,
    /// Message of the panic, or the read error of the arguments.
    pub message: String,
}

impl CallFailure {
    /// Creates a failure of this call.
    pub fn new(object: NetId, place: &CallPlace, message: String) -> Self {
        Self {
            object,
            behaviour: place.name,
            call: place.schema.name,
            message,
        }
    }
}

/// Number of refused commands, by reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RefusedCommands {
    /// The object did not exist, or the connection did not observe it.
    pub unknown_object: u64,
    /// The object had no such command.
    pub unknown_call: u64,
    /// The connection does not own the object.
    pub not_owner: u64,
    /// The command exceeded its rate.
    pub too_often: u64,
    /// The arguments were malformed.
    pub malformed: u64,
}

impl RefusedCommands {
    /// Returns the sum of all reasons.
    pub fn total(&self) -> u64 {
        self.unknown_object + self.unknown_call + self.not_owner + self.too_often + self.malformed
    }

    /// Counts a refused command.
    pub fn count(&mut self, reason: &CommandRefusal) {
        *match reason {
            CommandRefusal::NotReady | CommandRefusal::UnknownObject => &mut self.unknown_object,
            CommandRefusal::UnknownComponent(_)
            | CommandRefusal::UnknownCall
            | CommandRefusal::UnknownHash(_) => &mut self.unknown_call,
            CommandRefusal::NotOwner => &mut self.not_owner,
            CommandRefusal::TooOften => &mut self.too_often,
            CommandRefusal::Malformed(_) => &mut self.malformed,
        } += 1;
    }
}
