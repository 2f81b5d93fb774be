//! `Udp`: the ends of UDP.

use std::io;
use std::net::SocketAddr;

use syncvar_net::{NetworkClient, NetworkServer};
use syncvar_runtime::ReadError;

use crate::network_client::client_options;
use crate::{Carrier, Host, NetworkHost, NetworkPeer, Peer, TransportError, TransportOptions};

/// UDP as a [`Carrier`].
#[derive(Clone, Copy, Debug)]
pub enum Udp {}

/// A [`NetworkServer`] that listens on UDP.
pub type UdpServer = NetworkHost<Udp>;

/// A [`NetworkClient`] with a connection by UDP.
pub type UdpClient = NetworkPeer<Udp>;

/// Reason for which a [`UdpClient`] has received no packet.
pub type UdpError = TransportError<ReadError>;

impl Carrier for Udp {
    fn listen(host: &mut Host<NetworkServer>, addrs: &[SocketAddr]) -> io::Result<()> {
        host.listen_udp(addrs).map(drop)
    }

    fn dial(
        addrs: &[SocketAddr],
        client: &NetworkClient,
        options: TransportOptions,
    ) -> io::Result<Peer> {
        Peer::udp(addrs, client, options)
    }
}

impl Peer {
    /// Begins to connect a client by UDP. Waits for the system's resolver if the address has a name.
    ///
    /// The server can send packets of up to 8 MiB, or of a message of the client's
    /// [`max_message_size`](syncvar_net::ClientConfig::max_message_size), or of the option `max_packet`,
    /// if that is longer.
    ///
    /// # Errors
    ///
    /// When the address has no result, or with [`InvalidInput`](io::ErrorKind::InvalidInput) when the
    /// client's [`ping_interval`](syncvar_net::ClientConfig::ping_interval) is not below the
    /// `idle_timeout`: the answers to pings may be the server's only packets.
    pub fn udp(
        addr: impl std::net::ToSocketAddrs,
        client: &NetworkClient,
        options: TransportOptions,
    ) -> io::Result<Self> {
        let options = client_options(client, options)?;
        let peer = Self::datagrams::<crate::datagram::Own>(addr, options)?;
        Ok(peer.with_updates_by_packets())
    }
}
