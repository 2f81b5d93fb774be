//! Errors of calls: on the calling side, and on the called server.

use std::error::Error;
use std::fmt;

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
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum CallError {
    /// The server has not accepted this client, or the connection is closed.
    NotConnected,
    /// The server has made this client not ready: it accepts no commands. Only in Mirror.
    NotReady,
    /// The object does not exist on this side.
    UnknownObject(NetId),
    /// No behaviour of the object is of this type or has it as its base.
    NoSuchBehaviour {
        /// The object.
        object: NetId,
        /// The requested behaviour.
        behaviour: &'static str,
    },
    /// Only the owner of the object may call this command.
    NotOwner(NetId),
    /// The receiver is the owner, and no connection owns the object.
    NoOwner(NetId),
    /// A receiver does not observe the object.
    NotObserved {
        /// The object.
        object: NetId,
        /// The connection.
        connection: ConnectionId,
    },
    /// The channel does not exist.
    UnknownChannel(u8),
    /// The call declares its receiver, and the caller gave a receiver.
    TargetGiven,
    /// The call is ambiguous in UNet's encoding: the object has two behaviours of
    /// one class, and the call would run on the first.
    Ambiguous,
    /// The behaviour has no command of this name.
    NoSuchCall {
        /// The object.
        object: NetId,
        /// Name of the call.
        call: String,
    },
    /// An argument that was given as a value does not fit its type.
    Argument(String),
    /// The server has a different build, without this command.
    ServerLacks {
        /// The behaviour.
        behaviour: &'static str,
        /// The command.
        call: &'static str,
    },
    /// An argument lacks a form on the wire, or the arguments exceed the size of a message.
    Unsendable(WriteError),
}

impl fmt::Display for CallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotConnected => f.write_str("there is no connection to the server"),
            Self::NotReady => f.write_str("this client is not ready"),
            Self::ServerLacks { behaviour, call } => {
                write!(
                    f,
                    "the build of the server lacks the command `{behaviour}::{call}`"
                )
            }
            Self::UnknownObject(object) => write!(f, "there is no object {object}"),
            Self::NoSuchBehaviour { object, behaviour } => {
                write!(f, "object {object} has no behaviour {behaviour}")
            }
            Self::NotOwner(object) => write!(
                f,
                "object {object} is not owned by this client: only its owner may call this"
            ),
            Self::NoOwner(object) => write!(f, "object {object} is owned by no connection"),
            Self::NotObserved { object, connection } => {
                write!(f, "{connection} does not observe object {object}")
            }
            Self::UnknownChannel(number) => write!(f, "there is no channel {number}"),
            Self::TargetGiven => {
                f.write_str("this call names its receiver: `to` cannot name another")
            }
            Self::Ambiguous => f.write_str(
                "in the bytes of UNet this call cannot be told from one of another behaviour of \
                 the object",
            ),
            Self::NoSuchCall { object, call } => {
                write!(f, "object {object} has no command {call} there")
            }
            Self::Argument(error) => write!(f, "an argument does not fit: {error}"),
            Self::Unsendable(error) => write!(f, "the arguments cannot be sent: {error}"),
        }
    }
}

impl Error for CallError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Unsendable(error) => Some(error),
            _ => None,
        }
    }
}

impl From<WriteError> for CallError {
    fn from(error: WriteError) -> Self {
        Self::Unsendable(error)
    }
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
/// let door = net.server.try_spawn(Door::default(), options).unwrap();
/// net.settle();
/// net.client_mut(0).calls::<Door>(door).unlock().unwrap();
/// net.server.set_owner(door, None).unwrap(); // before the command arrives
/// net.settle();
/// let refused = std::iter::from_fn(|| net.server.poll_event()).find_map(|event| match event {
///     ServerEvent::CommandRefused { reason, .. } => Some(reason),
///     _ => None,
/// });
/// assert!(matches!(refused, Some(CommandRefusal::NotOwner)));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CommandRefusal {
    /// The connection is not ready.
    NotReady,
    /// The object does not exist, or the connection does not observe it.
    UnknownObject,
    /// The object lacks a behaviour at this position.
    UnknownComponent(u8),
    /// The object lacks the command.
    UnknownCall,
    /// The behaviour lacks a command with this hash of its name.
    UnknownHash(u16),
    /// Only the owner of the object may call the command.
    NotOwner,
    /// The call exceeds its rate.
    TooOften,
    /// The arguments are malformed.
    Malformed(ReadError),
}

impl fmt::Display for CommandRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotReady => f.write_str("the connection is not ready"),
            Self::UnknownObject => {
                f.write_str("there is no such object, or the connection does not see it")
            }
            Self::UnknownComponent(number) => write!(f, "the object has no component {number}"),
            Self::UnknownCall => f.write_str("the object has no such command"),
            Self::UnknownHash(hash) => {
                write!(f, "the component has no command with the hash {hash}")
            }
            Self::NotOwner => f.write_str("the connection does not own the object"),
            Self::TooOften => f.write_str("it came more often than the rate allows"),
            Self::Malformed(error) => write!(f, "its arguments could not be read: {error}"),
        }
    }
}

impl Error for CommandRefusal {}

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
    /// Returns the sum of the reasons.
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
