//! `Transport`: both ends of a transport.

use std::future::Future;
use std::io;
use std::marker::PhantomData;
use std::net::SocketAddr;

use syncvar::prelude::*;
use syncvar::tcp::{Tcp, TransportOptions};
use syncvar::transport::{Carrier, Host, NetworkPeer};
use syncvar::udp::Udp;

/// Transport of a [`NetworkServer`] and its clients.
pub trait Transport {
    /// Marker in the type of the clients.
    type Carrier;

    /// Opens the port of a server.
    ///
    /// # Errors
    ///
    /// When the address is taken.
    fn listen(&self, host: &mut Host<NetworkServer>, addr: SocketAddr) -> io::Result<()>;

    /// Connects a client.
    fn connect(
        &self,
        server: SocketAddr,
        client: NetworkClient,
        options: TransportOptions,
    ) -> impl Future<Output = io::Result<NetworkPeer<Self::Carrier>>>;
}

/// Transport of a carrier: [`TCP`] or [`UDP`].
#[derive(Clone, Copy, Debug)]
pub struct By<C>(PhantomData<C>);

/// TCP, in frames of the library.
pub const TCP: By<Tcp> = By(PhantomData);

/// UDP, in datagrams of the library.
pub const UDP: By<Udp> = By(PhantomData);

impl<C: Carrier> Transport for By<C> {
    type Carrier = C;

    fn listen(&self, host: &mut Host<NetworkServer>, addr: SocketAddr) -> io::Result<()> {
        C::listen(host, &[addr])
    }

    async fn connect(
        &self,
        server: SocketAddr,
        client: NetworkClient,
        options: TransportOptions,
    ) -> io::Result<NetworkPeer<C>> {
        NetworkPeer::connect_with(server, client, options).await
    }
}

/// Returns the loopback address with a port of the system's choice.
#[must_use]
pub fn anywhere() -> SocketAddr {
    ([127, 0, 0, 1], 0).into()
}
