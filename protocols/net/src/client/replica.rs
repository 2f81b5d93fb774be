//! `Replica`: bookkeeping of one object on the client.

use syncvar_runtime::object::Location;
use syncvar_runtime::world::WorldObject;

/// Bookkeeping of one object in the client's [`World`](syncvar_runtime::world::World). Opaque.
#[derive(Debug)]
pub struct Replica {
    /// Pool and row of its behaviours.
    pub(super) at: Location,
    pub(super) stage: Stage,
    pub(super) health: Health,
    pub(super) local_writes: LocalWrites,
    /// Number that owner writes of this client must carry; 0 until the server has sent it.
    pub(super) lease: u32,
    /// Tick of its spawn; 0 without headers.
    pub(super) spawned: u32,
    /// Whether this client owns it.
    pub(super) owned: bool,
    /// Bits of its predicted behaviours, by position.
    pub(super) predicted: u64,
    /// Whether this client owned it before the current burst.
    pub(super) owned_before_burst: bool,
    /// Whether the current burst has contained its snapshot.
    pub(super) refreshed: bool,
}

/// Visibility of an object for the application.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// Invisible: its burst is incomplete, or its snapshot was unreadable.
    Arriving,
    /// Visible at the end of its burst; [`ClientEvent::Spawned`](super::ClientEvent::Spawned) follows.
    Visible,
    /// Reported by [`ClientEvent::Spawned`](super::ClientEvent::Spawned).
    Announced,
}

/// Result of the last read of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Health {
    /// Every update has been readable since the last snapshot.
    Intact,
    /// An update was unreadable; all updates are ignored until a snapshot can be read.
    Poisoned {
        /// Whether a request for the snapshot is unanswered.
        asked: bool,
    },
}

/// Writes of the application and of callbacks to an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LocalWrites {
    /// Never borrowed for writing: dirty bits come from received values.
    None,
    /// Borrowed for writing before: dirty bits are writes of this client.
    Tracked,
    /// Contains a write that cannot be encoded: the next snapshot replaces every value.
    Discarded,
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
    pub(super) fn new(at: Location) -> Self {
        Self {
            at,
            stage: Stage::Arriving,
            health: Health::Intact,
            local_writes: LocalWrites::None,
            lease: 0,
            spawned: 0,
            owned: false,
            predicted: 0,
            owned_before_burst: false,
            refreshed: true,
        }
    }

    /// Returns whether the application can see the object.
    #[inline]
    pub(super) fn is_visible(&self) -> bool {
        self.stage != Stage::Arriving
    }

    /// Returns whether the application has received the object's `Spawned` event.
    pub(super) fn is_announced(&self) -> bool {
        self.stage == Stage::Announced
    }

    #[inline]
    pub(super) fn is_poisoned(&self) -> bool {
        self.health != Health::Intact
    }

    /// Poisons the object. Returns whether to ask the server for a snapshot.
    ///
    /// A second unreadable snapshot in a row asks again only at the object's next update
    /// ([`ask_again`](Self::ask_again)): an object that can never be read must not travel back and
    /// forth endlessly.
    pub(super) fn poison(&mut self) -> bool {
        let asked = !self.is_poisoned();
        self.health = Health::Poisoned { asked };
        asked
    }

    /// Returns whether to ask for the snapshot of a poisoned object, because no request is unanswered.
    pub(super) fn ask_again(&mut self) -> bool {
        match &mut self.health {
            Health::Intact => false,
            Health::Poisoned { asked } => !std::mem::replace(asked, true),
        }
    }

    /// Returns whether received values must not replace dirty fields that the owner writes.
    #[inline]
    pub(super) fn keeps_own_writes(&self) -> bool {
        self.owned && self.local_writes != LocalWrites::None
    }

    /// Tracks writes from now on. Returns whether they were untracked.
    pub(super) fn track_writes(&mut self) -> bool {
        let untracked = self.local_writes == LocalWrites::None;
        if untracked {
            self.local_writes = LocalWrites::Tracked;
        }
        untracked
    }
}
