//! `Tcp`: the ends of TCP.

use std::io;
use std::net::SocketAddr;

use syncvar_net::{NetworkClient, NetworkServer};
use syncvar_runtime::ReadError;

use crate::network_client::client_options;
use crate::{Carrier, Host, NetworkHost, NetworkPeer, Peer, TransportError, TransportOptions};

/// TCP as a [`Carrier`].
#[derive(Clone, Copy, Debug)]
pub enum Tcp {}

/// A [`NetworkServer`] that listens on TCP.
pub type TcpServer = NetworkHost<Tcp>;

/// A [`NetworkClient`] with a connection by TCP.
pub type TcpClient = NetworkPeer<Tcp>;

/// Reason for which a [`TcpClient`] has received no packet.
pub type TcpError = TransportError<ReadError>;

impl Carrier for Tcp {
    fn listen(host: &mut Host<NetworkServer>, addrs: &[SocketAddr]) -> io::Result<()> {
        host.listen_tcp(addrs).map(drop)
    }

    fn dial(
        addrs: &[SocketAddr],
        client: &NetworkClient,
        options: TransportOptions,
    ) -> io::Result<Peer> {
        Peer::tcp(addrs, client, options)
    }
}

impl Peer {
    /// Begins to connect a client by TCP. Waits for the system's resolver if the address has a name.
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
    pub fn tcp(
        addr: impl std::net::ToSocketAddrs,
        client: &NetworkClient,
        options: TransportOptions,
    ) -> io::Result<Self> {
        let options = client_options(client, options)?;
        let peer = Self::stream(addr, crate::stream::Framing::Numbered, options)?;
        Ok(peer.with_updates_by_packets())
    }
}
