//! Sockets of the links between nodes, in the loop of a program.

use std::io;
use std::net::{SocketAddr, ToSocketAddrs};
use std::time::Duration;

use syncvar_net::NetworkClient;
use syncvar_runtime::Prefabs;
use syncvar_runtime::endpoint::Reconnect;
use syncvar_tokio::{Host, Peer, TransportOptions};

use crate::link::{LinkCarrier, LinkPort};

/// Longest time between two attempts to reach a source.
const RETRY: Duration = Duration::from_secs(1);

/// Sockets of a [`LinkCarrier`]: its listeners and its dialled sources.
///
/// A program calls [`receive`](Self::receive) before its work of a frame and [`transmit`](Self::transmit) behind it. Neither waits. A
/// lost source is dialled again, after 0.1 to 1 s.
///
/// ```
/// use std::time::Instant;
/// use syncvar_fleet::link::LinkCarrier;
/// use syncvar_fleet::sockets::FleetSockets;
/// use syncvar_fleet::{Carrier, NodeId, Role};
///
/// let mut origin = LinkCarrier::new(NodeId(1), Role::Origin, "");
/// let mut here = FleetSockets::new();
/// let address = here.listen_tcp("127.0.0.1:0")?;
///
/// let mut relay = LinkCarrier::new(NodeId(2), Role::Relay, "");
/// let mut there = FleetSockets::new();
/// there.dial_tcp(&mut relay, address)?;
///
/// let started = Instant::now();
/// while relay.sources().is_empty() {
///     for (sockets, carrier) in [(&mut here, &mut origin), (&mut there, &mut relay)] {
///         sockets.receive(carrier, started.elapsed());
///         carrier.update(started.elapsed());
///         sockets.transmit(carrier, started.elapsed());
///     }
///     std::thread::sleep(std::time::Duration::from_millis(1));
/// }
/// assert_eq!(relay.sources(), [NodeId(1)]);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct FleetSockets {
    host: Host<LinkPort>,
    sources: Vec<Source>,
}

/// A dialled source.
#[derive(Debug)]
struct Source {
    peer: Peer,
    /// Its number in the carrier.
    number: usize,
}

impl Default for FleetSockets {
    fn default() -> Self {
        Self::new()
    }
}

impl FleetSockets {
    /// Creates sockets without addresses.
    pub fn new() -> Self {
        Self {
            host: Host::new(Self::options()),
            sources: Vec::new(),
        }
    }

    /// Returns the options of links between nodes, for sources by transports apart from TCP.
    pub fn options() -> TransportOptions {
        TransportOptions {
            reconnect: Some(Reconnect {
                first_delay: Duration::from_millis(100),
                max_delay: RETRY,
                max_attempts: u32::MAX,
            }),
            ..TransportOptions::default()
        }
    }

    /// Listens for nodes by TCP. Returns the address.
    ///
    /// # Errors
    ///
    /// When the system refuses the address.
    pub fn listen_tcp(&mut self, address: impl ToSocketAddrs) -> io::Result<SocketAddr> {
        self.host.listen_tcp(address)?;
        let addresses = self.host.local_addrs()?;
        addresses
            .last()
            .copied()
            .ok_or(io::ErrorKind::AddrNotAvailable.into())
    }

    /// Returns the sockets of the listeners, for further transports.
    pub fn listeners(&mut self) -> &mut Host<LinkPort> {
        &mut self.host
    }

    /// Adds a source, and dials it by TCP.
    ///
    /// # Errors
    ///
    /// When the address cannot be resolved.
    pub fn dial_tcp(
        &mut self,
        carrier: &mut LinkCarrier,
        address: impl ToSocketAddrs,
    ) -> io::Result<()> {
        // The transports take their limits from a client.
        let client = NetworkClient::new(Prefabs::new());
        let peer = Peer::tcp(address, &client, Self::options())?;
        self.dial(carrier, peer);
        Ok(())
    }

    /// Adds a source that a peer of any transport dials, with the [`options`](Self::options) of links.
    pub fn dial(&mut self, carrier: &mut LinkCarrier, peer: Peer) {
        let number = carrier.add_source();
        self.sources.push(Source { peer, number });
    }

    /// Passes the input of the sockets to the carrier.
    pub fn receive(&mut self, carrier: &mut LinkCarrier, now: Duration) {
        self.host.receive(carrier.listeners(), now);
        for source in &mut self.sources {
            if let Some(port) = carrier.source(source.number)
                && let Err(error) = source.peer.receive(port, now)
            {
                tracing::debug!(%error, "a source is not reached");
            }
        }
    }

    /// Sends the output of the carrier.
    pub fn transmit(&mut self, carrier: &mut LinkCarrier, now: Duration) {
        self.host.transmit(carrier.listeners(), now);
        for source in &mut self.sources {
            if let Some(port) = carrier.source(source.number) {
                source.peer.transmit(port, now);
            }
        }
    }
}
