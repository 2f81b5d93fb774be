//! What is kept for a connection, and how one begins and ends.

use std::collections::BTreeMap;
use std::time::Duration;

use syncvar_runtime::call::Rates;
use syncvar_runtime::{Channel, ConnectionId, NetId};

use super::audience::AudienceId;
use super::object::Object;
use super::outbox::{Exception, Outbox};
use super::{DisconnectReason, MirrorServer, MirrorServerEvent};
use crate::{Limits, MirrorError};

/// A client.
#[derive(Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "facts that hold independently"
)]
pub(super) struct Connection {
    pub(super) outbox: Outbox,
    /// Whether it may say anything but who it is.
    pub(super) authenticated: bool,
    pub(super) ready: bool,
    /// Whether it has been shown everything since it is ready: so long it is shown nothing.
    pub(super) shown: bool,
    /// Whether it has asked for a player and the game has not seen that: how many events had been missed.
    pub(super) asked: Option<u64>,
    pub(super) player: Option<NetId>,
    pub(super) owned: Owned,
    /// When it was last asked for its time.
    pub(super) last_ping: Option<Duration>,
    /// In seconds.
    pub(super) rtt: Option<f64>,
    /// How often it has called what.
    pub(super) rates: Rates,
    /// How many of its messages have been handled since the last update.
    pub(super) messages: usize,
    /// What the frame under way has written for it, reliably and unreliably.
    pub(super) states: Share,
    pub(super) deltas: Share,
    /// Whether it is in the list of those that have something to be polled.
    pub(super) listed: bool,
}

/// What a frame has written for a connection, on one channel.
#[derive(Debug, Default)]
pub(super) struct Share {
    /// The audiences that it is in and that the frame has written for.
    pub(super) frames: Vec<AudienceId>,
    /// What it is sent in place of what these are.
    pub(super) exceptions: Vec<(AudienceId, Exception)>,
}

/// What a connection owns, in the order in which it was given it.
#[derive(Debug, Default)]
pub(super) struct Owned {
    /// By a number that each object keeps.
    objects: BTreeMap<u64, NetId>,
    next: u64,
}

impl Owned {
    pub(super) fn add(&mut self, id: NetId, object: &mut Object) {
        object.owned_at = self.next;
        self.objects.insert(self.next, id);
        self.next += 1;
    }

    pub(super) fn remove(&mut self, object: &Object) {
        self.objects.remove(&object.owned_at);
    }
}

impl MirrorServer {
    /// The transport has a new connection, which carries so much. The server is told of what becomes of
    /// it by the number that is returned, which never comes back.
    pub fn handle_connect(&mut self, limits: Limits) -> ConnectionId {
        let id = ConnectionId(self.next_connection);
        self.next_connection += 1;
        let connection = Connection {
            outbox: Outbox::new(limits),
            authenticated: false,
            ready: false,
            shown: false,
            asked: None,
            player: None,
            owned: Owned::default(),
            last_ping: None,
            rtt: None,
            rates: Rates::default(),
            messages: 0,
            states: Share::default(),
            deltas: Share::default(),
            listed: false,
        };
        self.connections.insert(id.0, connection);
        self.measure_messages();
        self.interest.management.handle_connect(id);
        if self.config.authenticate {
            self.events
                .push(MirrorServerEvent::Connecting { connection: id });
        } else {
            self.accept(id);
        }
        id
    }

    /// Lets a connection in, which the game has found to be who it says: see
    /// [`MirrorServerConfig::authenticate`](crate::MirrorServerConfig::authenticate). Mirror's
    /// `NetworkAuthenticator.ServerAccept`. Does nothing if there is no such connection, or if it is in.
    /// One that is not to be let in is [disconnected](Self::disconnect).
    pub fn accept(&mut self, connection: ConnectionId) {
        let Some(client) = self.connections.get_mut(connection.0) else {
            return;
        };
        if std::mem::replace(&mut client.authenticated, true) {
            return;
        }
        self.send_scene(connection);
        self.events
            .push(MirrorServerEvent::Connected { connection });
    }

    /// Ends a connection, from this side: what has been queued for it is sent, and then the transport is
    /// told to close it ([`poll_close`](Self::poll_close)). Whatever it owns is despawned, as in Mirror, but
    /// for objects of a scene, which have no owner then. Returns whether there was one.
    pub fn disconnect(&mut self, connection: ConnectionId) -> bool {
        let Some(client) = self.connections.get_mut(connection.0) else {
            return false;
        };
        for channel in client.outbox.channels(None) {
            client.outbox.flush(channel);
        }
        self.close(connection, DisconnectReason::Requested);
        true
    }

    /// The transport has lost a connection, or the client has left. Whatever it owns is despawned, as in
    /// Mirror, but for objects of a scene, which have no owner then.
    pub fn handle_disconnect(&mut self, connection: ConnectionId) {
        self.farewells.retain(|(gone, _)| *gone != connection);
        self.closing.retain(|gone| *gone != connection);
        self.forget_connection(connection, DisconnectReason::ConnectionLost);
    }

    /// Ends a connection that has sent what cannot be handled.
    pub(super) fn refuse(&mut self, connection: ConnectionId, error: MirrorError) -> MirrorError {
        tracing::warn!(%connection, %error, "a client is disconnected");
        self.close(connection, DisconnectReason::Refused(error.clone()));
        error
    }

    pub(super) fn close(&mut self, connection: ConnectionId, reason: DisconnectReason) {
        if let Some(client) = self.connections.get_mut(connection.0) {
            while let Some(packet) = client.outbox.pop() {
                self.farewells.push_back((connection, packet));
            }
            self.closing.push_back(connection);
            self.forget_connection(connection, reason);
        }
    }

    fn forget_connection(&mut self, connection: ConnectionId, reason: DisconnectReason) {
        let Some(client) = self.connections.remove(connection.0) else {
            return;
        };
        self.measure_messages();
        self.interest.forget_connection(connection);
        self.forget_observer(connection);
        self.owed.retain(|(owed, _)| *owed != connection);
        for object in self.objects.values_mut() {
            object.views.retain(|(known, _)| *known != connection);
        }
        for id in client.owned.objects.values() {
            self.lose_owner(*id, connection);
        }
        self.events.push(MirrorServerEvent::Disconnected {
            connection,
            reason,
            player: client.player,
        });
    }

    /// Finds the longest messages that every connection can be sent.
    fn measure_messages(&mut self) {
        let longest = |channel| {
            let clients = self.connections.values();
            let longest = clients.map(|client| client.outbox.longest(channel));
            longest.min().unwrap_or(usize::MAX)
        };
        let (states, deltas) = (longest(Channel::Reliable), longest(Channel::Unreliable));
        (self.longest_state, self.longest_delta) = (states, deltas);
    }
}
