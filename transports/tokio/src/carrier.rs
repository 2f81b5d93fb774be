//! `Carrier`.

use std::io;
use std::net::SocketAddr;

use syncvar_net::{NetworkClient, NetworkServer};

use crate::{Host, Peer, TransportOptions};

/// Carrier of packets between sockets: `tcp::Tcp`, `udp::Udp`. A [`NetworkPeer`](crate::NetworkPeer)
/// and a [`NetworkHost`](crate::NetworkHost) are made by one.
pub trait Carrier {
    /// Adds a socket to a host.
    ///
    /// # Errors
    ///
    /// When the system refuses the address.
    fn listen(host: &mut Host<NetworkServer>, addrs: &[SocketAddr]) -> io::Result<()>;

    /// Begins to connect.
    ///
    /// # Errors
    ///
    /// When there is no address, or an option contradicts the client's configuration.
    fn dial(
        addrs: &[SocketAddr],
        client: &NetworkClient,
        options: TransportOptions,
    ) -> io::Result<Peer>;
}
