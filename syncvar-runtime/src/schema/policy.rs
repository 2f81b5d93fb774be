//! Policy of a field: its readers, its writer, and its send interval.

use std::fmt;
use std::time::Duration;

use super::{BehaviourSchema, bit_at};

/// Connections that receive a field. The server has every field.
///
/// ```
/// use syncvar::{NetworkBehaviour, prelude::*};
/// use syncvar::schema::Readers;
///
/// #[derive(NetworkBehaviour, Default)]
/// struct Player {
///     #[sync_var(read = owner)]
///     hand: SyncVar<u32>,
/// }
///
/// let hand = &Player::SCHEMA.fields[0];
/// assert_eq!(hand.policy.readers, Readers::Owner);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Readers {
    /// All observers of the object.
    #[default]
    Everyone,
    /// The connection that owns the object.
    Owner,
    /// All observers of the object except its owner.
    Others,
    /// The owner of the object, and the observers in its group.
    Group,
    /// No connection: the field belongs to the saves and journals of the server.
    Server,
}

/// Role of an observer of an object: it decides about the fields that the observer reads.
///
/// ```
/// use syncvar::schema::Role;
///
/// assert!(Role::Owner.reads_group() && Role::Member.reads_group());
/// assert!(!Role::Observer.reads_group());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// Neither the owner nor a member of the object's group.
    #[default]
    Observer,
    /// The owner, in the group or not.
    Owner,
    /// A member of the object's group that does not own the object.
    Member,
}

impl Role {
    /// Returns whether the observer owns the object.
    #[inline]
    pub const fn is_owner(self) -> bool {
        matches!(self, Self::Owner)
    }

    /// Returns whether the observer reads the fields of the group.
    #[inline]
    pub const fn reads_group(self) -> bool {
        matches!(self, Self::Owner | Self::Member)
    }

    /// Returns the number on the wire.
    #[inline]
    pub const fn number(self) -> u8 {
        match self {
            Self::Observer => 0,
            Self::Owner => 1,
            Self::Member => 2,
        }
    }

    /// Returns the role with a number on the wire.
    pub const fn from_number(number: u8) -> Option<Self> {
        match number {
            0 => Some(Self::Observer),
            1 => Some(Self::Owner),
            2 => Some(Self::Member),
            _ => None,
        }
    }
}

/// Sides that may write a field.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Writers {
    /// The server.
    #[default]
    Server,
    /// The connection that owns the object; the server while the object is without an owner.
    Owner,
    /// The connection that owns the object, and the server.
    OwnerAndServer,
}

/// Policy of a field, as `#[sync_var(...)]` states it. A field whose policy is not
/// [`DEFAULT`](Self::DEFAULT) is a restricted field.
///
/// ```
/// use std::time::Duration;
/// use syncvar::schema::{FieldPolicy, Readers};
///
/// let policy = FieldPolicy { readers: Readers::Owner, ..FieldPolicy::DEFAULT };
/// assert_eq!(policy.min_interval, Duration::ZERO);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldPolicy {
    /// Connections that receive the field.
    pub readers: Readers,
    /// Sides that may write it.
    pub writers: Writers,
    /// Set if the server [checks](crate::behaviour::CheckWrites) values of the owner.
    pub checked: bool,
    /// Set if the field travels with snapshots only, never as a change.
    pub initial_only: bool,
    /// Shortest time between two updates of the field; zero: every update of its behaviour.
    pub min_interval: Duration,
    /// Longest delay of a change below the threshold; zero: unlimited.
    pub max_interval: Duration,
    /// Set if a change waits until it
    /// [exceeds the threshold](crate::BehaviourFields::is_beyond_threshold).
    pub threshold: bool,
}

impl FieldPolicy {
    /// Policy of an unrestricted field: all observers read it, the server writes it, and every
    /// change is sent.
    pub const DEFAULT: Self = Self {
        readers: Readers::Everyone,
        writers: Writers::Server,
        checked: false,
        initial_only: false,
        min_interval: Duration::ZERO,
        max_interval: Duration::ZERO,
        threshold: false,
    };

    const fn is_throttled(&self) -> bool {
        !self.min_interval.is_zero() || self.threshold
    }
}

impl Default for FieldPolicy {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// Readers and writers: the part of a policy that both ends compare.
impl fmt::Display for FieldPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.readers {
            Readers::Everyone => "",
            Readers::Owner => ", read by the owner",
            Readers::Others => ", read by all but the owner",
            Readers::Group => ", read by the owner and its group",
            Readers::Server => ", read by the server",
        })?;
        f.write_str(match self.writers {
            Writers::Server => "",
            Writers::Owner => ", written by the owner",
            Writers::OwnerAndServer => ", written by the owner and the server",
        })?;
        f.write_str(if self.initial_only { ", sent once" } else { "" })
    }
}

/// Restricted fields of a behaviour and its bases by kind of restriction, as dirty bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PolicyBits {
    /// Fields that only the owner reads.
    pub owner_only: u64,
    /// Fields that all observers except the owner read.
    pub others_only: u64,
    /// Fields that the owner and the observers in the object's group read.
    pub group: u64,
    /// Fields that no connection reads.
    pub server_only: u64,
    /// Fields that the owner writes.
    pub owner_write: u64,
    /// Fields that the owner and the server write.
    pub server_override: u64,
    /// Fields of the owner whose values the server checks.
    pub checked: u64,
    /// Fields that travel with snapshots only.
    pub initial_only: u64,
    /// Fields with an interval or a threshold.
    pub throttled: u64,
}

impl PolicyBits {
    const NONE: Self = Self {
        owner_only: 0,
        others_only: 0,
        group: 0,
        server_only: 0,
        owner_write: 0,
        server_override: 0,
        checked: 0,
        initial_only: 0,
        throttled: 0,
    };

    /// Returns the union over several behaviours.
    pub fn of_any(all: impl Iterator<Item = Self>) -> Self {
        all.fold(Self::NONE, |a, b| Self {
            owner_only: a.owner_only | b.owner_only,
            others_only: a.others_only | b.others_only,
            group: a.group | b.group,
            server_only: a.server_only | b.server_only,
            owner_write: a.owner_write | b.owner_write,
            server_override: a.server_override | b.server_override,
            checked: a.checked | b.checked,
            initial_only: a.initial_only | b.initial_only,
            throttled: a.throttled | b.throttled,
        })
    }

    /// Returns whether any field is restricted.
    pub const fn any(&self) -> bool {
        self.restricted() != 0
    }

    /// Returns the fields with a policy. Changes of the remaining fields go to every observer at once.
    pub const fn restricted(&self) -> u64 {
        self.private() | self.server_only | self.owner_write | self.initial_only | self.throttled
    }

    /// Returns whether a field needs a state beside its value: previous values, or its last send.
    pub const fn has_state(&self) -> bool {
        self.owner_write | self.throttled != 0
    }

    /// Returns the fields that only some observers read.
    pub const fn private(&self) -> u64 {
        self.owner_only | self.others_only | self.group
    }

    /// Returns the fields that an observer with a role may read.
    pub const fn readable(&self, role: Role) -> u64 {
        let others = match role {
            Role::Observer => self.owner_only | self.group,
            Role::Owner => self.others_only,
            Role::Member => self.owner_only,
        };
        !(others | self.server_only)
    }

    pub(crate) const fn add(&mut self, bit: u64, policy: &FieldPolicy) {
        match policy.readers {
            Readers::Everyone => {}
            Readers::Owner => self.owner_only |= bit,
            Readers::Others => self.others_only |= bit,
            Readers::Group => self.group |= bit,
            Readers::Server => self.server_only |= bit,
        }
        if !matches!(policy.writers, Writers::Server) {
            self.owner_write |= bit;
            if matches!(policy.writers, Writers::OwnerAndServer) {
                self.server_override |= bit;
            }
            if policy.checked {
                self.checked |= bit;
            }
        }
        if policy.initial_only {
            self.initial_only |= bit;
        }
        if policy.is_throttled() {
            self.throttled |= bit;
        }
    }
}

impl BehaviourSchema {
    /// Returns the policy of the field with a dirty bit.
    pub fn policy(&self, index: u32) -> FieldPolicy {
        self.field(index)
            .map_or(FieldPolicy::DEFAULT, |field| field.policy)
    }

    /// Returns the restricted fields.
    pub const fn policy_bits(&self) -> PolicyBits {
        let (first, mut bits) = match self.base {
            Some(base) => (base.field_count(), base.policy_bits()),
            None => (0, PolicyBits::NONE),
        };
        let mut index = 0;
        while index < self.fields.len() {
            bits.add(bit_at(first, index), &self.fields[index].policy);
            index += 1;
        }
        bits
    }
}
