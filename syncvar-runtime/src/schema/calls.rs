//! Declarations of a behaviour's calls, as constants of the macro.

use std::fmt;

use super::MemberSchema;
use super::utf16::character_at;
use crate::ConnectionId;

/// Kind of a call: its direction and effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CallKind {
    /// A client calls the server.
    Command,
    /// The server calls clients.
    ClientRpc,
    /// The server calls one client.
    TargetRpc,
    /// The server raises an event on clients.
    SyncEvent,
}

/// A remote call. The macro makes it by [`command`](Self::command) and further constructors.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct CallSchema {
    /// Kind of the call.
    pub kind: CallKind,
    /// Name of the method.
    pub name: &'static str,
    /// Former names of the method, newest first.
    pub was: &'static [&'static str],
    /// Name of the method in UNet, such as `CmdFire`.
    pub unity_name: &'static str,
    /// UNet's identifier: the hash of `Player:Cmd:CmdFire`.
    pub hash: u32,
    /// Mirror's identifier: the full name of its method, such as
    /// `System.Void Player::CmdFire(System.Int32)`, if declared.
    pub mirror_name: Option<&'static str>,
    /// Arguments, in order.
    pub arguments: &'static [MemberSchema],
    /// Channel of the call.
    pub channel: u8,
    /// Set if the call runs after the state of its tick.
    pub after_state: bool,
    /// Set if only the owner of the object may call the command.
    pub requires_ownership: bool,
    /// Limit of a command in calls per second and connection; `None` for the configured rate.
    pub rate: Option<f64>,
    /// Default receivers of a call of clients.
    audience: DefaultReceivers,
}

/// Receivers of a call, in place of the declared receivers.
///
/// ```
/// use syncvar::{ConnectionId, Target};
///
/// let all_but_the_shooter = Target::AllBut(ConnectionId(1));
/// # assert_ne!(all_but_the_shooter, Target::Observers);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Target {
    /// Every observer of the object.
    Observers,
    /// The owner of the object.
    Owner,
    /// Every observer of the object except its owner.
    NotOwner,
    /// Every observer of the object, and the server. The method runs there at once, and only once if
    /// the server has a local client.
    Everyone,
    /// One connection, which must observe the object.
    One(ConnectionId),
    /// Several connections, each of which must observe the object.
    Set(Vec<ConnectionId>),
    /// Every observer of the object except one connection.
    AllBut(ConnectionId),
}

impl Target {
    /// Returns whether an observer of an object with this owner is a receiver.
    pub fn includes(&self, observer: ConnectionId, owner: Option<ConnectionId>) -> bool {
        match self {
            Self::Observers | Self::Everyone => true,
            Self::Owner => owner == Some(observer),
            Self::NotOwner => owner != Some(observer),
            Self::One(connection) => *connection == observer,
            Self::Set(connections) => connections.contains(&observer),
            Self::AllBut(connection) => *connection != observer,
        }
    }

    /// Returns the connections that the target names, for an object with this owner.
    pub fn named<'a>(&'a self, owner: &'a Option<ConnectionId>) -> &'a [ConnectionId] {
        match self {
            Self::Observers | Self::NotOwner | Self::Everyone | Self::AllBut(_) => &[],
            Self::Owner => owner.as_slice(),
            Self::One(connection) => std::slice::from_ref(connection),
            Self::Set(connections) => connections,
        }
    }
}

/// Default receivers of a call of clients.
#[derive(Clone, Copy, Debug)]
enum DefaultReceivers {
    Observers,
    Owner,
    NotOwner,
    Everyone,
}

impl CallKind {
    /// Returns the kind's part of UNet's hashes.
    const fn unity_text(self) -> &'static str {
        match self {
            Self::Command => "Cmd",
            Self::ClientRpc => "Rpc",
            Self::TargetRpc => "TargetRpc",
            Self::SyncEvent => "Event",
        }
    }
}

impl fmt::Display for CallKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Command => "command",
            Self::ClientRpc => "client_rpc",
            Self::TargetRpc => "target_rpc",
            Self::SyncEvent => "sync_event",
        })
    }
}

impl CallSchema {
    const fn new(
        kind: CallKind,
        class: &'static str,
        name: &'static str,
        unity_name: &'static str,
    ) -> Self {
        Self {
            kind,
            name,
            was: &[],
            unity_name,
            hash: Self::hash_of(class, kind, unity_name),
            mirror_name: None,
            arguments: &[],
            channel: 0,
            after_state: false,
            requires_ownership: true,
            rate: None,
            audience: DefaultReceivers::Observers,
        }
    }

    /// Declares a command by the names of the class, the method, and the UNet method.
    pub const fn command(
        class: &'static str,
        name: &'static str,
        unity_name: &'static str,
    ) -> Self {
        Self::new(CallKind::Command, class, name, unity_name)
    }

    /// Declares a call of clients.
    pub const fn client_rpc(
        class: &'static str,
        name: &'static str,
        unity_name: &'static str,
    ) -> Self {
        Self::new(CallKind::ClientRpc, class, name, unity_name)
    }

    /// Declares a call of a client.
    pub const fn target_rpc(
        class: &'static str,
        name: &'static str,
        unity_name: &'static str,
    ) -> Self {
        Self::new(CallKind::TargetRpc, class, name, unity_name)
    }

    /// Declares an event.
    pub const fn sync_event(
        class: &'static str,
        name: &'static str,
        unity_name: &'static str,
    ) -> Self {
        Self::new(CallKind::SyncEvent, class, name, unity_name)
    }

    /// Sets the former names of the method, newest first: `#[command(was = "shoot")]`.
    #[must_use]
    pub const fn was(mut self, names: &'static [&'static str]) -> Self {
        self.was = names;
        self
    }

    /// Sets the full name of the method in Mirror.
    #[must_use]
    pub const fn with_mirror_name(mut self, name: &'static str) -> Self {
        self.mirror_name = Some(name);
        self
    }

    /// Sets the arguments.
    #[must_use]
    pub const fn with_arguments(mut self, arguments: &'static [MemberSchema]) -> Self {
        self.arguments = arguments;
        self
    }

    /// Sets the channel.
    #[must_use]
    pub const fn on_channel(mut self, channel: u8) -> Self {
        self.channel = channel;
        self
    }

    /// Lets the call run after the state of its tick.
    #[must_use]
    pub const fn after_state(mut self) -> Self {
        self.after_state = true;
        self
    }

    /// Lets every observer call the command.
    #[must_use]
    pub const fn for_anyone(mut self) -> Self {
        self.requires_ownership = false;
        self
    }

    /// Limits the command's calls per second and connection.
    #[must_use]
    pub const fn at_most(mut self, rate: f64) -> Self {
        self.rate = Some(rate);
        self
    }

    /// Addresses the call to the owner.
    #[must_use]
    pub const fn to_owner(mut self) -> Self {
        self.audience = DefaultReceivers::Owner;
        self
    }

    /// Addresses the call to all observers but the owner.
    #[must_use]
    pub const fn to_not_owner(mut self) -> Self {
        self.audience = DefaultReceivers::NotOwner;
        self
    }

    /// Addresses the call to all observers and the server itself.
    #[must_use]
    pub const fn to_everyone(mut self) -> Self {
        self.audience = DefaultReceivers::Everyone;
        self
    }

    /// Returns the default receivers.
    pub const fn target(&self) -> Target {
        match self.audience {
            DefaultReceivers::Observers => Target::Observers,
            DefaultReceivers::Owner => Target::Owner,
            DefaultReceivers::NotOwner => Target::NotOwner,
            DefaultReceivers::Everyone => Target::Everyone,
        }
    }

    /// Returns UNet's identifier of a call: each UTF-16 unit of the text `class:kind:name` is added
    /// to 31 times the hash so far, from 0 on, modulo 2^32.
    ///
    /// ```
    /// use syncvar::calls::{CallKind, CallSchema};
    ///
    /// let hash = CallSchema::hash_of("Calls", CallKind::Command, "CmdMove");
    /// assert_eq!(hash, 2_965_276_518);
    /// ```
    pub const fn hash_of(class: &str, kind: CallKind, unity_name: &str) -> u32 {
        let hash = hash_text(0, class);
        let hash = hash_text(hash, ":");
        let hash = hash_text(hash, kind.unity_text());
        let hash = hash_text(hash, ":");
        hash_text(hash, unity_name)
    }
}

/// Continues a hash over the UTF-16 code units of a text.
const fn hash_text(mut hash: u32, text: &str) -> u32 {
    let mut index = 0;
    while index < text.len() {
        let character = character_at(text, index);
        hash = hash.wrapping_mul(31).wrapping_add(character.unit);
        if let Some(second) = character.second {
            hash = hash.wrapping_mul(31).wrapping_add(second);
        }
        index = character.next;
    }
    hash
}
