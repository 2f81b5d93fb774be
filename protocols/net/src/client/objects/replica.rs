//! `Replica`: bookkeeping of an object on the client.

use syncvar_runtime::unstable::object::Location;
use syncvar_runtime::unstable::world::WorldObject;

/// Bookkeeping of an object in the client's [`World`](syncvar_runtime::unstable::world::World). Opaque. A client reads it
/// for each delta, so it stays at 16 bytes.
#[derive(Debug)]
pub struct Replica {
    /// Pool and row of its behaviours.
    pub(crate) at: Location,
    pub(crate) stage: ReplicaStage,
    pub(crate) health: Health,
    /// Tick of its spawn; 0 without headers.
    pub(crate) spawned: u32,
    /// Bits of [`Fact`].
    facts: u8,
}

/// A fact about an object, independent of the remaining facts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Fact {
    /// This client owns it.
    Owned = 1,
    /// This client owned it before the current burst.
    OwnedBeforeBurst = 1 << 1,
    /// The current burst has contained its snapshot.
    Refreshed = 1 << 2,
    /// This client has predicted a behaviour of the object.
    Predicted = 1 << 3,
    /// The application or a callback has borrowed it for writing: dirty bits are local writes. Before, they come from
    /// received values.
    Written = 1 << 4,
}

/// Visibility of an object for the application.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReplicaStage {
    /// Invisible: its burst is incomplete, or its snapshot was unreadable.
    Arriving,
    /// Visible at the end of its burst; [`ClientEvent::Spawned`](crate::ClientEvent::Spawned) follows.
    Visible,
    /// Reported by [`ClientEvent::Spawned`](crate::ClientEvent::Spawned).
    Announced,
}

/// Result of the last read of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Health {
    /// Every update has been readable since the last snapshot.
    Intact,
    /// An update was unreadable; all updates are ignored until a snapshot can be read.
    Poisoned {
        /// Whether a request for the snapshot is unanswered.
        asked: bool,
    },
}

impl WorldObject for Replica {
    fn location(&self) -> Location {
        self.at
    }

    #[inline]
    fn is_visible(&self) -> bool {
        self.is_visible()
    }
}

impl Replica {
    pub(crate) fn new(at: Location) -> Self {
        Self {
            at,
            stage: ReplicaStage::Arriving,
            health: Health::Intact,
            spawned: 0,
            facts: Fact::Refreshed as u8,
        }
    }

    /// Returns whether a fact is true.
    #[inline]
    pub(crate) fn is(&self, fact: Fact) -> bool {
        self.facts & fact as u8 != 0
    }

    /// Returns whether this client owns the object; `before_burst`: owned the object before the burst in progress.
    #[inline]
    pub(crate) fn was_owned(&self, before_burst: bool) -> bool {
        self.is(if before_burst {
            Fact::OwnedBeforeBurst
        } else {
            Fact::Owned
        })
    }

    /// Sets whether a fact is true.
    pub(crate) fn set(&mut self, fact: Fact, value: bool) {
        if value {
            self.facts |= fact as u8;
        } else {
            self.facts &= !(fact as u8);
        }
    }

    /// Sets whether this client owns the object. Returns whether that is a change.
    pub(crate) fn set_owned(&mut self, owned: bool) -> bool {
        let changed = self.is(Fact::Owned) != owned;
        self.set(Fact::Owned, owned);
        changed
    }

    /// Returns whether the application can see the object.
    #[inline]
    pub(crate) fn is_visible(&self) -> bool {
        self.stage != ReplicaStage::Arriving
    }

    /// Returns whether the application has received the object's `Spawned` event.
    pub(crate) fn is_announced(&self) -> bool {
        self.stage == ReplicaStage::Announced
    }

    #[inline]
    pub(crate) fn is_poisoned(&self) -> bool {
        self.health != Health::Intact
    }

    /// Poisons the object. Returns whether to ask the server for a snapshot.
    ///
    /// A second unreadable snapshot in a row asks again only at the object's next update
    /// ([`ask_again`](Self::ask_again)): an object that can never be read must not travel back and
    /// forth endlessly.
    pub(crate) fn poison(&mut self) -> bool {
        let asked = !self.is_poisoned();
        self.health = Health::Poisoned { asked };
        asked
    }

    /// Returns whether to ask for the snapshot of a poisoned object, because no request is unanswered.
    pub(crate) fn ask_again(&mut self) -> bool {
        match &mut self.health {
            Health::Intact => false,
            Health::Poisoned { asked } => !std::mem::replace(asked, true),
        }
    }

    /// Returns whether received values must not replace dirty fields that the owner writes.
    #[inline]
    pub(crate) fn keeps_own_writes(&self) -> bool {
        self.is(Fact::Owned) && self.is(Fact::Written)
    }

    /// Tracks writes from now on. Returns whether they were untracked.
    pub(crate) fn track_writes(&mut self) -> bool {
        let untracked = !self.is(Fact::Written);
        self.set(Fact::Written, true);
        untracked
    }
}

#[cfg(test)]
mod tests {
    use super::Replica;

    #[test]
    fn four_entries_fit_a_line_of_the_cache() {
        assert_eq!(size_of::<Option<Replica>>(), 16);
    }
}
