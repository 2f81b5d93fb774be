//! `Endpoint` for `Gateway`: its clients come over any transport.

use std::time::Duration;

use syncvar_net::{NetworkServer, PacketError, ServerEvent};
use syncvar_runtime::{ConnectionId, Endpoint, PacketLimits, Transmit};

use super::Gateway;
use crate::Carrier;

/// Updates per second of a transport with its own loop: a record waits 5 ms at most.
const UPDATES: u32 = 200;

/// Connections of the transport. Before the first keyframe of a zone they wait: the
/// transport keeps their packets.
impl<C: Carrier> Endpoint for Gateway<C> {
    type Error = PacketError;
    type Event = ServerEvent;

    fn handle_connect(&mut self, limits: PacketLimits) -> ConnectionId {
        match &mut self.world {
            Some(world) => {
                let connection = Endpoint::handle_connect(&mut world.server, limits);
                self.links.note(connection);
                connection
            }
            None => self.links.wait(limits),
        }
    }

    fn accepts_packets(&self, connection: ConnectionId) -> bool {
        let world = self.world.as_ref();
        world.is_some_and(|world| world.server.accepts_packets(connection))
    }

    fn handle_packet(
        &mut self,
        connection: ConnectionId,
        channel: u8,
        packet: &[u8],
    ) -> Result<(), PacketError> {
        let server = self.server_or(connection)?;
        Endpoint::handle_packet(server, connection, channel, packet)
    }

    fn handle_datagram(
        &mut self,
        connection: ConnectionId,
        channel: u8,
        packet: &[u8],
    ) -> Result<(), PacketError> {
        let server = self.server_or(connection)?;
        Endpoint::handle_datagram(server, connection, channel, packet)
    }

    fn handle_disconnect(&mut self, connection: ConnectionId) {
        self.links.forget(connection);
        if let Some(world) = &mut self.world {
            Endpoint::handle_disconnect(&mut world.server, connection);
        }
    }

    fn handle_silence(&mut self, connection: ConnectionId, text: &str) {
        if let Some(world) = &mut self.world {
            world.server.handle_silence(connection, text);
        }
    }

    fn disconnect(&mut self, connection: ConnectionId, text: &str) {
        match &mut self.world {
            Some(world) => Endpoint::disconnect(&mut world.server, connection, text),
            None => self.links.close(connection),
        }
    }

    fn is_connected(&self, connection: ConnectionId) -> bool {
        match &self.world {
            Some(world) => Endpoint::is_connected(&world.server, connection),
            None => self.links.waits(connection),
        }
    }

    fn is_away(&self, connection: ConnectionId) -> bool {
        let world = self.world.as_ref();
        world.is_some_and(|world| Endpoint::is_away(&world.server, connection))
    }

    fn returned(&self) -> impl Iterator<Item = (ConnectionId, ConnectionId)> {
        let world = self.world.iter();
        world.flat_map(|world| Endpoint::returned(&world.server))
    }

    fn expects_packets(&self, connection: ConnectionId) -> bool {
        let world = self.world.as_ref();
        world.is_some_and(|world| world.server.expects_packets(connection))
    }

    fn update(&mut self, now: Duration) {
        self.update(now);
    }

    fn hold_state(&mut self, connection: ConnectionId, held: bool) {
        if let Some(world) = &mut self.world {
            world.server.hold_state(connection, held);
        }
    }

    fn tick_rate(&self) -> u32 {
        UPDATES
    }

    fn poll_transmit(&mut self) -> Option<Transmit<'_>> {
        self.world.as_mut()?.server.poll_transmit()
    }

    fn poll_close(&mut self) -> Option<ConnectionId> {
        let closed = self.links.poll_close();
        closed.or_else(|| self.world.as_mut()?.server.poll_close())
    }

    fn poll_event(&mut self) -> Option<ServerEvent> {
        self.poll_event()
    }

    fn event_count(&self) -> u64 {
        self.events.total()
    }

    fn forget_events(&mut self, count: u64) {
        self.events.forget(count);
    }
}

impl<C: Carrier> Gateway<C> {
    /// Returns the server, for a packet of a connection.
    fn server_or(&mut self, connection: ConnectionId) -> Result<&mut NetworkServer, PacketError> {
        let world = self.world.as_mut();
        let world = world.ok_or(PacketError::UnknownConnection(connection))?;
        Ok(&mut world.server)
    }
}
