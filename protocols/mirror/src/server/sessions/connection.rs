//! State of a connection.

use std::collections::BTreeMap;
use std::time::Duration;

use syncvar_runtime::endpoint::Conduct;
use syncvar_runtime::unstable::call::Rates;
use syncvar_runtime::unstable::object::OwnerMemory;
use syncvar_runtime::{Counter, NetId};

use crate::Limits;
use crate::average::MovingAverage;
use crate::frames::RemoteTime;
use crate::server::audiences::AudienceId;
use crate::server::batches::outbox::{ConnectionOutbox, Exception};
use crate::server::objects::entry::Observed;

/// State of a connection.
#[derive(Debug)]
pub(crate) struct Connection {
    pub(crate) outbox: ConnectionOutbox,
    /// The connection is in the list of those with packets.
    pub(crate) is_outgoing: bool,
    /// Until then, only authentication messages are allowed.
    pub(crate) authenticated: bool,
    pub(crate) readiness: Readiness,
    pub(crate) player: Option<NetId>,
    /// Index of the event of the last request for a player.
    pub(crate) player_request: Option<u64>,
    pub(crate) holdings: Holdings,
    pub(crate) times: Times,
    /// Batches received.
    pub(crate) received: Counter,
    /// Call counts for the rate limits.
    pub(crate) rates: Rates,
    /// Messages, work and misbehaviour.
    pub(crate) conduct: Conduct,
    pub(crate) shares: Shares,
}

/// Readiness of a connection. Mirror, `NetworkConnectionToClient.isReady`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Readiness {
    #[default]
    NotReady,
    /// Ready; the spawn burst of its visible objects is still due.
    Ready,
    /// Ready, and sent its visible objects: spawns and changes follow at once.
    Receiving,
}

impl Connection {
    pub(crate) fn new(limits: Limits) -> Self {
        Self {
            outbox: ConnectionOutbox::new(limits),
            is_outgoing: false,
            authenticated: false,
            readiness: Readiness::NotReady,
            player: None,
            player_request: None,
            holdings: Holdings::default(),
            times: Times::default(),
            received: Counter::default(),
            rates: Rates::default(),
            conduct: Conduct::default(),
            shares: Shares::default(),
        }
    }

    #[inline]
    pub(crate) fn is_ready(&self) -> bool {
        self.readiness != Readiness::NotReady
    }

    #[inline]
    pub(crate) fn is_receiving(&self) -> bool {
        self.readiness == Readiness::Receiving
    }

    /// Makes the connection ready. Returns whether it was not.
    #[inline]
    pub(crate) fn become_ready(&mut self) -> bool {
        let was_ready = self.is_ready();
        if !was_ready {
            self.readiness = Readiness::Ready;
        }
        !was_ready
    }

    /// Removes an object from its owner.
    pub(crate) fn release(&mut self, id: NetId, object: &Observed) {
        self.holdings.owned.remove(object);
        self.holdings.memory.remove(id);
        self.player = self.player.filter(|player| *player != id);
    }
}

/// Objects of a connection.
#[derive(Debug, Default)]
pub(crate) struct Holdings {
    pub(crate) owned: Owned,
    /// Objects that the client has kept since it was ready.
    pub(crate) kept: Vec<NetId>,
    /// Memory that its writes have added to its objects.
    pub(crate) memory: OwnerMemory,
}

/// Pings and times of a connection.
#[derive(Debug, Default)]
pub(crate) struct Times {
    /// Time of the last ping.
    pub(crate) last_ping: Option<Duration>,
    pub(crate) round_trip: MovingAverage,
    /// Times of the client; `None` while no prefab works in frames.
    pub(crate) remote: Option<Box<RemoteTime>>,
}

impl Times {
    /// Returns whether a ping is due, and records the ping as sent.
    pub(crate) fn take_ping(&mut self, now: Duration, interval: Duration) -> bool {
        let is_over = |last| now.saturating_sub(last) >= interval;
        let is_due = interval != Duration::ZERO && self.last_ping.is_none_or(is_over);
        if is_due {
            self.last_ping = Some(now);
        }
        is_due
    }

    /// Returns the client's time at which its states are shown.
    pub(crate) fn shown(&self) -> Option<f64> {
        self.remote.as_ref()?.shown()
    }
}

/// Messages of the current frame for the audiences of a connection, by channel.
#[derive(Debug, Default)]
pub(crate) struct Shares {
    /// Reliable messages.
    pub(crate) states: FrameShare,
    /// Unreliable messages.
    pub(crate) deltas: FrameShare,
}

/// Messages of a frame for a connection, on one channel.
#[derive(Debug, Default)]
pub(crate) struct FrameShare {
    /// Audiences of the connection in this frame.
    pub(crate) frames: Vec<AudienceId>,
    /// Replacements for some of their messages.
    pub(crate) exceptions: Vec<(AudienceId, Exception)>,
}

/// Objects of an owner, in the order of assignment.
#[derive(Debug, Default)]
pub(crate) struct Owned {
    /// By [`Ownership::index`](crate::server::objects::entry::Ownership::index).
    objects: BTreeMap<u64, NetId>,
    next: u64,
}

impl Owned {
    #[inline]
    pub(crate) fn add(&mut self, id: NetId, object: &mut Observed) {
        object.ownership.index = self.next;
        self.objects.insert(self.next, id);
        self.next += 1;
    }

    #[inline]
    pub(crate) fn remove(&mut self, object: &Observed) {
        self.objects.remove(&object.ownership.index);
    }

    /// Returns the objects in the order of assignment.
    pub(crate) fn iter(&self) -> impl Iterator<Item = NetId> {
        self.objects.values().copied()
    }
}
