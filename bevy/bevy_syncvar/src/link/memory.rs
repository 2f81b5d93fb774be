//! Links in memory: apps of one process.

use std::collections::VecDeque;
use std::error::Error;
use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use syncvar::testing::{Conditions, Pipe};
use syncvar::{
    Channel, ConnectionId, Endpoint, FrameTransport, NetworkClient, NetworkServer, PacketLimits,
};

/// Link of a client to a server of the same process.
///
/// ```
/// # use bevy_app::prelude::*;
/// use bevy_syncvar::prelude::*;
///
/// let (listener, first) = MemoryLink::pair();
/// let second = listener.link();
/// let mut server = App::new();
/// server.add_plugins(ServerPlugin::new(listener));
/// let clients = [first, second].map(|link| {
///     let mut client = App::new();
///     client.add_plugins(ClientPlugin::new(link));
///     client
/// });
/// # let _ = clients;
/// ```
#[derive(Debug)]
pub struct MemoryLink {
    wire: Arc<Wire>,
    down: Pipe,
    is_connected: bool,
    is_over: bool,
}

/// The server's side of the links of a process.
#[derive(Debug)]
pub struct MemoryListener {
    connector: MemoryConnector,
    accepted: Vec<Accepted>,
}

/// Makes links to a [`MemoryListener`], also when its app runs.
#[derive(Clone, Debug)]
pub struct MemoryConnector {
    conditions: Conditions,
    new: Arc<Mutex<Vec<Arc<Wire>>>>,
}

/// Connection of a server.
#[derive(Debug)]
struct Accepted {
    connection: ConnectionId,
    wire: Arc<Wire>,
    up: Pipe,
}

/// Packets under way between two apps.
#[derive(Debug, Default)]
struct Wire {
    up: Mutex<Queue>,
    down: Mutex<Queue>,
}

/// One direction of a wire.
#[derive(Debug, Default)]
struct Queue {
    packets: VecDeque<(Channel, u8, Bytes)>,
    is_closed: bool,
}

type Failure = Box<dyn Error + Send + Sync>;

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Queue {
    /// Moves the packets into the simulated link.
    fn drain_into(&mut self, pipe: &mut Pipe, now: Duration) {
        for (carrier, channel, bytes) in mem::take(&mut self.packets) {
            pipe.send(now, (carrier, channel), bytes);
        }
    }
}

impl MemoryLink {
    /// Makes a listener, and the link of a first client.
    pub fn pair() -> (MemoryListener, Self) {
        let listener = MemoryListener::new(Conditions::default());
        let link = listener.link();
        (listener, link)
    }
}

impl Default for MemoryListener {
    fn default() -> Self {
        Self::new(Conditions::default())
    }
}

impl MemoryListener {
    /// Makes a listener whose links have simulated conditions. With loss, unreliable channels are datagrams.
    pub fn new(conditions: Conditions) -> Self {
        Self {
            connector: MemoryConnector {
                conditions,
                new: Arc::default(),
            },
            accepted: Vec::new(),
        }
    }

    /// Makes the link of a client.
    pub fn link(&self) -> MemoryLink {
        self.connector.link()
    }

    /// Returns the maker of links, for clients that join later.
    pub fn connector(&self) -> MemoryConnector {
        self.connector.clone()
    }

    fn limits(conditions: &Conditions) -> PacketLimits {
        PacketLimits {
            datagrams: *conditions != Conditions::default(),
            max_unreliable: 1200,
            ..PacketLimits::STREAM
        }
    }
}

impl MemoryConnector {
    /// Makes the link of a client.
    pub fn link(&self) -> MemoryLink {
        let wire = Arc::<Wire>::default();
        let mut new = lock(&self.new);
        new.push(wire.clone());
        MemoryLink {
            wire,
            down: Pipe::new(&self.conditions, 2 * new.len() as u64),
            is_connected: false,
            is_over: false,
        }
    }
}

impl FrameTransport<NetworkServer> for MemoryListener {
    fn receive(&mut self, server: &mut NetworkServer, now: Duration) -> Result<(), Failure> {
        for wire in lock(&self.connector.new).drain(..) {
            let limits = Self::limits(&self.connector.conditions);
            let connection = Endpoint::handle_connect(server, limits);
            let number = 2 * u64::from(connection.0) + 1;
            let up = Pipe::new(&self.connector.conditions, number);
            self.accepted.push(Accepted {
                connection,
                wire,
                up,
            });
        }
        self.accepted.retain_mut(|accepted| {
            let connection = accepted.connection;
            let mut queue = lock(&accepted.wire.up);
            queue.drain_into(&mut accepted.up, now);
            let is_closed = queue.is_closed;
            drop(queue);
            while let Some((carrier, channel, bytes)) = accepted.up.next_arrived(now) {
                let handled = match carrier {
                    Channel::Unreliable => server.handle_datagram(connection, channel, &bytes),
                    Channel::Reliable => server.handle_packet(connection, channel, &bytes),
                };
                if let Err(error) = handled {
                    tracing::warn!(%connection, %error, "disconnected");
                    server.disconnect(connection, "malformed input");
                }
            }
            let is_over = is_closed && accepted.up.is_empty();
            if is_over {
                Endpoint::handle_disconnect(server, connection);
            }
            !is_over
        });
        Ok(())
    }

    fn transmit(&mut self, server: &mut NetworkServer, _: Duration) {
        while let Some(packet) = server.poll_transmit() {
            let to = self
                .accepted
                .iter()
                .find(|accepted| accepted.connection == packet.connection);
            if let Some(accepted) = to {
                let bytes = packet.to_bytes();
                let mut down = lock(&accepted.wire.down);
                down.packets
                    .push_back((packet.delivery, packet.channel, bytes));
            }
        }
        while let Some(connection) = server.poll_close() {
            self.accepted.retain(|accepted| {
                let stays = accepted.connection != connection;
                if !stays {
                    lock(&accepted.wire.down).is_closed = true;
                }
                stays
            });
        }
    }

    fn is_over(&self) -> bool {
        false
    }
}

impl FrameTransport<NetworkClient> for MemoryLink {
    fn receive(&mut self, client: &mut NetworkClient, now: Duration) -> Result<(), Failure> {
        if !self.is_connected {
            self.is_connected = true;
            let limits = MemoryListener::limits(self.down.conditions());
            Endpoint::handle_connect(client, limits);
        }
        let mut queue = lock(&self.wire.down);
        queue.drain_into(&mut self.down, now);
        let is_closed = queue.is_closed;
        drop(queue);
        while let Some((carrier, channel, bytes)) = self.down.next_arrived(now) {
            let server = ConnectionId::SERVER;
            let handled = match carrier {
                Channel::Unreliable => Endpoint::handle_datagram(client, server, channel, &bytes),
                Channel::Reliable => Endpoint::handle_packet(client, server, channel, &bytes),
            };
            handled?;
        }
        if is_closed && self.down.is_empty() && !self.is_over {
            self.is_over = true;
            Endpoint::handle_disconnect(client, ConnectionId::SERVER);
        }
        Ok(())
    }

    fn transmit(&mut self, client: &mut NetworkClient, _: Duration) {
        let mut up = lock(&self.wire.up);
        while let Some(packet) = Endpoint::poll_transmit(client) {
            up.packets
                .push_back((packet.delivery, packet.channel, packet.to_bytes()));
        }
        while Endpoint::poll_close(client).is_some() {
            up.is_closed = true;
        }
    }

    fn is_over(&self) -> bool {
        self.is_over
    }
}

impl Drop for MemoryLink {
    fn drop(&mut self) {
        lock(&self.wire.up).is_closed = true;
    }
}
