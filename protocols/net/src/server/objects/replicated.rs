//! The server's entry of an object.

use syncvar_runtime::unstable::object::{Location, Nanos};
use syncvar_runtime::{AudienceId, ConnectionId};

/// The server's entry of an object. The update loop reads it for every change, so it is one line of the cache.
#[derive(Debug)]
#[repr(align(64))]
pub struct Replicated {
    /// Position of its behaviours in the pools.
    pub(crate) at: Location,
    /// Connections that have the object.
    pub(crate) audience: AudienceId,
    /// Audience from the next update on.
    pub(crate) target_audience: AudienceId,
    pub(crate) owner: Option<ConnectionId>,
    /// Number that the owner's writes carry. Each grant of write access increments it.
    pub(crate) permit: u32,
    /// Tick of the spawn, or of the last update that looked at its changes: no frame wrote its fields later.
    pub(crate) framed: u32,
    /// Time of the next look by the schedule; `Nanos::MAX` without one.
    pub(crate) wake: Nanos,
    /// Bits of [`State`].
    states: u8,
}

/// A state of an object, independent of further states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum State {
    /// The audience has received the spawn.
    Announced = 1,
    /// The schedule lists the object for a change of its audience.
    VisibilityDirty = 1 << 1,
    /// The next update ignores the send interval: the object gains an observer.
    SendNow = 1 << 2,
    /// An observer needs a snapshot: it requested one, or an earlier attempt failed.
    /// [`Visibility::pending_snapshots`](crate::server::visibility::Visibility) lists the observers.
    SnapshotPending = 1 << 3,
    /// A delta could not be encoded. Snapshots wait for it: they would contain changes that the
    /// delta repeats.
    WriteFailed = 1 << 4,
    /// The interest management chooses the observers.
    ByInterest = 1 << 5,
    /// The object has a scene id or a parent.
    Related = 1 << 6,
    /// The owner changed while the object was checked out.
    OwnerChanged = 1 << 7,
}

/// States that the update loop treats apart.
const SPECIAL: u8 = State::VisibilityDirty as u8
    | State::SendNow as u8
    | State::SnapshotPending as u8
    | State::WriteFailed as u8;

impl Replicated {
    /// Returns the entry of an object without states.
    pub(crate) fn new(at: Location, audience: AudienceId, permit: u32) -> Self {
        Self {
            at,
            audience,
            target_audience: audience,
            owner: None,
            permit,
            framed: 0,
            wake: Nanos::MAX,
            states: 0,
        }
    }

    /// Returns whether an object is in a state.
    #[inline]
    pub(crate) fn is(&self, state: State) -> bool {
        self.states & state as u8 != 0
    }

    /// Enters or leaves a state.
    #[inline]
    pub(crate) fn set(&mut self, state: State, holds: bool) {
        if holds {
            self.states |= state as u8;
        } else {
            self.states &= !(state as u8);
        }
    }

    /// Leaves a state, and returns whether the object was in it.
    #[inline]
    pub(crate) fn take(&mut self, state: State) -> bool {
        let held = self.is(state);
        self.set(state, false);
        held
    }

    /// Returns whether an update only writes the object's changes.
    #[inline]
    pub(crate) fn is_plain(&self) -> bool {
        let states = self.states & (SPECIAL | State::Announced as u8);
        states == State::Announced as u8 && self.wake == Nanos::MAX
    }

    /// Voids all earlier writes of owners.
    pub(crate) fn renew_permit(&mut self) {
        self.permit = self.permit.checked_add(1).unwrap_or(1);
    }
}
