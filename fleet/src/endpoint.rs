//! `Endpoint` of a node whose server begins with the first keyframe of its source.

/// Updates per second of a transport with its own loop: a record waits 5 ms at most.
pub(crate) const UPDATES: u32 = 200;

/// Implements [`Endpoint`](syncvar_runtime::Endpoint) for a node with the fields `world`, an option with a `server`, `links` and
/// `events`. A trait cannot: `Endpoint` belongs to a different crate.
macro_rules! impl_endpoint {
    ($node:ident) => {
        /// Connections of the transport. While the node has no server they wait: the transport keeps their packets.
        impl<C: $crate::Carrier> Endpoint for $node<C> {
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
                $crate::endpoint::UPDATES
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

        impl<C: $crate::Carrier> $node<C> {
            /// Returns the server, for a packet of a connection.
            fn server_or(
                &mut self,
                connection: ConnectionId,
            ) -> Result<&mut NetworkServer, PacketError> {
                let world = self.world.as_mut();
                let world = world.ok_or(PacketError::UnknownConnection(connection))?;
                Ok(&mut world.server)
            }
        }
    };
}

pub(crate) use impl_endpoint;
