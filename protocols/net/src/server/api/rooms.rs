//! `Rooms`: all rooms of a server, for the conductor.

use syncvar_runtime::ConnectionId;

use crate::link::ack::Ack;
use crate::server::NetworkServer;
use crate::server::calls::Calls;
use crate::server::calls::target::CallScope;
use crate::server::datagrams::Datagrams;
use crate::server::ground::Ground;
use crate::server::host::Host;
use crate::server::replication::Replication;
use crate::server::visibility::Visibility;

/// All rooms of a server, each for writing. A method of a room takes the rooms below, never this
/// struct.
pub(crate) struct Rooms<'a> {
    pub(crate) ground: Ground<'a>,
    pub(crate) visibility: &'a mut Visibility,
    pub(crate) replication: &'a mut Replication,
    pub(crate) datagrams: &'a mut Datagrams,
    pub(crate) calls: &'a mut Calls,
    pub(crate) host: &'a mut Option<Box<Host>>,
}

impl Rooms<'_> {
    /// Handles the acknowledgement in a packet of a connection. Returns whether the connection misbehaves.
    pub(crate) fn handle_ack(mut self, connection: ConnectionId, ack: &Ack) -> bool {
        let (visibility, limiter) = (self.visibility, &mut self.replication.bandwidth);
        self.datagrams
            .handle_ack(&mut self.ground, visibility, limiter, connection, ack)
    }

    /// Attaches a connection after its transport has held the state back.
    pub(crate) fn attach_stream(mut self, connection: ConnectionId) {
        let (visibility, limiter) = (self.visibility, &mut self.replication.bandwidth);
        self.datagrams
            .attach_stream(&mut self.ground, visibility, limiter, connection);
    }

    /// Lends the rooms that decide the receivers of a call.
    pub(crate) fn call_scope(&self) -> CallScope<'_> {
        CallScope {
            context: self.ground.context,
            objects: self.ground.objects,
            sessions: self.ground.sessions,
            visibility: self.visibility,
            host: self.host.as_deref(),
            calls: self.calls,
        }
    }
}

impl NetworkServer {
    /// Lends the rooms to the conductor.
    #[inline]
    pub(crate) fn rooms(&mut self) -> Rooms<'_> {
        Rooms {
            ground: Ground {
                context: &mut self.context,
                objects: &mut self.objects,
                sessions: &mut self.sessions,
                outbound: &mut self.outbound,
            },
            visibility: &mut self.visibility,
            replication: &mut self.replication,
            datagrams: &mut self.datagrams,
            calls: &mut self.calls,
            host: &mut self.host,
        }
    }

    /// Queues the unsent bytes of all audiences for their members.
    pub(crate) fn deliver(&mut self) {
        let Rooms {
            mut ground,
            visibility,
            ..
        } = self.rooms();
        visibility.deliver(&mut ground);
    }
}
