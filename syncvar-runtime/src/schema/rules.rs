//! The rules of a field: who may read it, who may write it, and when it is sent.

use std::fmt;
use std::time::Duration;

use super::{BehaviourSchema, MAX_SYNC_VARS, TypeSchema};

/// Who is given a field. The server has all of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Readers {
    /// All who observe the object.
    #[default]
    Everyone,
    /// The connection that owns the object.
    Owner,
    /// All who observe the object but the connection that owns it.
    Others,
}

/// Who may write to a field.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Writers {
    /// The server.
    #[default]
    Server,
    /// The connection that owns the object; the server while none does.
    Owner,
}

/// What `#[sync_var(...)]` says about a field beyond its type. It stands in the
/// [schema](TypeSchema::Ruled) of the field.
///
/// ```
/// use std::time::Duration;
/// use syncvar::{FieldRules, Readers};
///
/// let rules = FieldRules { readers: Readers::Owner, ..FieldRules::USUAL };
/// assert_eq!(rules.min_interval, Duration::ZERO);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldRules {
    /// Who is given the field.
    pub readers: Readers,
    /// Who may write to it.
    pub writers: Writers,
    /// Whether the server may write to it, too, where its writer is the owner.
    pub server_override: bool,
    /// Whether it travels with the full state only, and never as a change.
    pub initial_only: bool,
    /// The shortest time between two updates of the field; zero: every update of its behaviour.
    pub min_interval: Duration,
    /// The longest time for which a change below the threshold waits; zero: for ever.
    pub max_interval: Duration,
    /// Whether a change waits until it is
    /// [large enough](crate::NetworkBehaviour::is_beyond_threshold).
    pub threshold: bool,
}

impl FieldRules {
    /// Those of a field about which nothing is said: everyone reads it, the server writes it, and
    /// each change is sent.
    pub const USUAL: Self = Self {
        readers: Readers::Everyone,
        writers: Writers::Server,
        server_override: false,
        initial_only: false,
        min_interval: Duration::ZERO,
        max_interval: Duration::ZERO,
        threshold: false,
    };

    const fn is_throttled(&self) -> bool {
        !self.min_interval.is_zero() || self.threshold
    }
}

impl Default for FieldRules {
    fn default() -> Self {
        Self::USUAL
    }
}

/// What both sides must agree on: who reads and who writes.
impl fmt::Display for FieldRules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.readers {
            Readers::Everyone => "",
            Readers::Owner => ", read by the owner",
            Readers::Others => ", read by all but the owner",
        })?;
        f.write_str(match (self.writers, self.server_override) {
            (Writers::Server, _) => "",
            (Writers::Owner, false) => ", written by the owner",
            (Writers::Owner, true) => ", written by the owner and the server",
        })?;
        f.write_str(if self.initial_only { ", sent once" } else { "" })
    }
}

/// The fields of a behaviour to which some rule applies, as dirty bits, those of its bases included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RuleBits {
    /// Only the owner reads them.
    pub owner_only: u64,
    /// All but the owner read them.
    pub others_only: u64,
    /// The owner writes them.
    pub owner_write: u64,
    /// Of those, the ones that the server may write as well.
    pub server_override: u64,
    /// They travel with the full state only.
    pub initial_only: u64,
    /// They have an interval or a threshold.
    pub throttled: u64,
}

impl RuleBits {
    /// What some behaviours have together.
    pub fn of_any(all: impl Iterator<Item = Self>) -> Self {
        all.fold(Self::NONE, |a, b| Self {
            owner_only: a.owner_only | b.owner_only,
            others_only: a.others_only | b.others_only,
            owner_write: a.owner_write | b.owner_write,
            server_override: a.server_override | b.server_override,
            initial_only: a.initial_only | b.initial_only,
            throttled: a.throttled | b.throttled,
        })
    }

    /// Whether any field has a rule.
    pub const fn any(&self) -> bool {
        self.private() | self.owner_write | self.initial_only | self.throttled != 0
    }

    /// The fields that not everyone reads.
    pub const fn private(&self) -> u64 {
        self.owner_only | self.others_only
    }

    /// The fields that a connection may read, as the owner or as another one.
    pub const fn readable(&self, owner: bool) -> u64 {
        if owner {
            !self.others_only
        } else {
            !self.owner_only
        }
    }
}

impl BehaviourSchema {
    /// The rules of the field that owns a dirty bit.
    pub fn rules(&self, index: u32) -> FieldRules {
        match self.field(index).map(|field| field.schema) {
            Some(TypeSchema::Ruled { rules, .. }) => rules,
            _ => FieldRules::USUAL,
        }
    }

    /// The fields to which rules apply.
    pub const fn rule_bits(&self) -> RuleBits {
        let (inherited, mut bits) = match self.base {
            Some(base) => (base.field_count(), base.rule_bits()),
            None => (0, RuleBits::NONE),
        };
        let mut index = 0;
        while index < self.fields.len() {
            let place = inherited as usize + index;
            // More fields than bits are an error, and told in another place.
            if let TypeSchema::Ruled { rules, .. } = self.fields[index].schema
                && place < MAX_SYNC_VARS as usize
            {
                bits.add(1 << place, &rules);
            }
            index += 1;
        }
        bits
    }
}

impl RuleBits {
    const NONE: Self = Self {
        owner_only: 0,
        others_only: 0,
        owner_write: 0,
        server_override: 0,
        initial_only: 0,
        throttled: 0,
    };

    const fn add(&mut self, bit: u64, rules: &FieldRules) {
        match rules.readers {
            Readers::Everyone => {}
            Readers::Owner => self.owner_only |= bit,
            Readers::Others => self.others_only |= bit,
        }
        if matches!(rules.writers, Writers::Owner) {
            self.owner_write |= bit;
            if rules.server_override {
                self.server_override |= bit;
            }
        }
        if rules.initial_only {
            self.initial_only |= bit;
        }
        if rules.is_throttled() {
            self.throttled |= bit;
        }
    }
}

impl TypeSchema {
    /// Whether it is a collection that sends its changes as operations.
    pub(super) const fn is_collection(&self) -> bool {
        match self {
            Self::Collection { .. } => true,
            Self::Ruled { value, .. } => value.is_collection(),
            _ => false,
        }
    }
}
