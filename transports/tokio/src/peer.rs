//! `Peer`: the socket of a client, and its ticks.

mod clocked;
mod dial;
mod end;

use std::io;
use std::net::{SocketAddr, ToSocketAddrs};
use std::sync::Arc;
use std::task::{Context, Poll, Waker, ready};
use std::time::Duration;

use syncvar_runtime::{ConnectionId, Endpoint};
use tokio::runtime::Handle;
use tokio::time::{Instant, Interval};

use self::dial::Dial;
use crate::link::ServerLink;
use crate::shaped_link::ShapedLink;
use crate::silence::Silence;
use crate::tasks::{Door, End, TaskLink};
use crate::{LinkConditions, TransportError, TransportOptions, runtime};

/// Most packets of a [`Peer::receive`]; further packets wait for the next call.
const MAX_PACKETS: usize = 4096;

/// Socket of a client, with a connection to a server, for a program with a loop.
///
/// A peer owns neither the client nor the loop. The program calls [`receive`](Self::receive) before its
/// game, and [`transmit`](Self::transmit) after the client's update, in each frame. Neither call waits,
/// and the peer connects in the background. `TcpClient`, `UdpClient` and `MirrorPeer` own a client and its clock, for
/// programs on tokio.
///
/// ```
/// use std::time::{Duration, Instant};
/// use syncvar::prelude::*;
/// # #[cfg(feature = "tcp")] {
/// use syncvar::tcp::TransportOptions;
/// use syncvar::transport::Peer;
///
/// # fn play() -> std::io::Result<()> {
/// let mut client = NetworkClient::new(Prefabs::new());
/// let mut peer = Peer::tcp("127.0.0.1:7777", &client, TransportOptions::default())?;
/// let started = Instant::now();
/// while !peer.is_over() {
///     let now = started.elapsed(); // the one clock
///     if let Err(error) = peer.receive(&mut client, now) {
///         println!("{error}");
///     }
///     // The game: events, commands, the frame at `client.network_time_at(now)`.
///     client.update(now);
///     peer.transmit(&mut client, now);
///     std::thread::sleep(Duration::from_millis(16));
/// }
/// # Ok(())
/// # }
/// # play().unwrap();
/// # }
/// ```
///
/// To leave, call the client's `disconnect`, and go on until [`is_over`](Self::is_over); or call
/// [`disconnect_blocking`](Self::disconnect_blocking). Dropping a peer cuts the connection.
///
/// With [`TransportOptions::reconnect`], a lost connection ends as usual for the client; then the peer
/// connects again. A client with a session of its server returns to it, with its objects; any other one, and
/// one whose server has restarted, begins anew, with the events of a first connection. A client that the server
/// has sent away or refused stays away.
///
/// The sockets belong to a runtime as those of a [`Host`](crate::Host#runtime).
#[derive(Debug)]
pub struct Peer {
    /// `None` before and after the connection.
    link: Option<Box<ShapedLink>>,
    conditions: LinkConditions,
    /// `None` without further attempts.
    dial: Option<Dial>,
    /// Time at which a connection that this side ends is cut.
    leaving: Option<Duration>,
    options: TransportOptions,
    updates: Updates,
    /// Begin of the peer's clock, for the forms that own one.
    started: Instant,
    /// Ticks of the peer's clock, from the first one on.
    ticks: Option<Interval>,
    silence: Silence,
    /// Time of the last frame or tick.
    ticked: Option<Duration>,
    /// Runtime of the socket.
    runtime: Handle,
}

/// Times at which a peer updates its client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Updates {
    Ticks,
    /// Before each packet, too: the client measures the server's clock by the arrival of packets.
    TicksAndPackets,
}

/// Packet of the link, handled, or the time of the next one.
type Handled<E> = Poll<Result<(), TransportError<E>>>;

impl Peer {
    /// Begins to connect a client by Telepathy (TCP). Waits for the system's resolver if the address has
    /// a name.
    ///
    /// # Errors
    ///
    /// When the address has no result.
    #[cfg(feature = "telepathy")]
    pub fn telepathy(addr: impl ToSocketAddrs, options: TransportOptions) -> io::Result<Self> {
        Self::stream(addr, crate::stream::Framing::Plain, options)
    }

    /// Begins to connect a client by KCP (UDP). Waits for the system's resolver if the address has a
    /// name. A server without an answer within the [`silence_timeout`](TransportOptions::silence_timeout) is an
    /// error of [`receive`](Self::receive).
    ///
    /// # Errors
    ///
    /// When the address has no result.
    #[cfg(feature = "kcp")]
    pub fn kcp(addr: impl ToSocketAddrs, options: TransportOptions) -> io::Result<Self> {
        Self::datagrams::<crate::datagram::Mirror>(addr, options)
    }

    #[cfg(any(feature = "kcp", feature = "udp"))]
    pub(crate) fn datagrams<D: crate::datagram::Dialect>(
        addr: impl ToSocketAddrs,
        options: TransportOptions,
    ) -> io::Result<Self> {
        let addrs = resolve(addr)?;
        let connect = move |options: TransportOptions| {
            let addrs = addrs.clone();
            async move { crate::datagram::DatagramLink::<D>::connect(&addrs[..], &options).await }
        };
        Self::dial(connect, options)
    }

    #[cfg(any(feature = "tcp", feature = "telepathy"))]
    pub(crate) fn stream(
        addr: impl ToSocketAddrs,
        framing: crate::stream::Framing,
        options: TransportOptions,
    ) -> io::Result<Self> {
        let addrs = resolve(addr)?;
        let connect = move |options: TransportOptions| {
            let addrs = addrs.clone();
            async move { crate::stream::StreamLink::connect(&addrs[..], framing, &options).await }
        };
        Self::dial(connect, options)
    }

    /// Begins to connect a client by a task of a further crate, such as `syncvar-websocket`. For each
    /// connection `connect` makes the task: it connects, opens the [`Door`], and exchanges packets as on a
    /// [server](crate::tasks). A peer for a `NetworkClient` takes the options of `client_options`.
    ///
    /// # Errors
    ///
    /// When the system has no thread for the runtime of the sockets.
    pub fn by_task<F>(
        options: TransportOptions,
        connect: impl Fn(Door) -> F + Send + Sync + 'static,
    ) -> io::Result<Self>
    where
        F: Future<Output = io::Result<End>> + Send + 'static,
    {
        let connect = Arc::new(connect);
        let connect = move |options| {
            let connect = Arc::clone(&connect);
            async move { TaskLink::connect(|door| connect(door), options).await }
        };
        Ok(Self::dial(connect, options)?.with_updates_by_packets())
    }

    fn dial<F, L>(
        connect: impl Fn(TransportOptions) -> F + Send + Sync + 'static,
        options: TransportOptions,
    ) -> io::Result<Self>
    where
        F: Future<Output = io::Result<L>> + Send + 'static,
        L: ServerLink + 'static,
    {
        let dial = Dial::new(connect, &options);
        Ok(Self::with(Some(dial), options, runtime::handle()?))
    }

    /// Makes a peer of a connection.
    #[cfg(test)]
    pub(crate) fn new(
        client: &mut impl Endpoint,
        link: impl ServerLink + 'static,
        options: TransportOptions,
    ) -> Self {
        client.handle_connect(link.limits());
        let mut peer = Self::with(None, options, Handle::current());
        let link = ShapedLink::new(Box::new(link), &peer.conditions);
        peer.link = Some(Box::new(link));
        peer
    }

    fn with(dial: Option<Dial>, options: TransportOptions, runtime: Handle) -> Self {
        Self {
            link: None,
            conditions: LinkConditions::default(),
            dial,
            leaving: None,
            options,
            updates: Updates::Ticks,
            started: Instant::now(),
            ticks: None,
            silence: Silence::default(),
            ticked: None,
            runtime,
        }
    }

    /// Updates the client with its ticks alone.
    #[cfg(feature = "mirror")]
    pub(crate) fn with_updates_by_ticks(mut self) -> Self {
        self.updates = Updates::Ticks;
        self
    }

    /// Updates the client with each packet, too.
    pub(crate) fn with_updates_by_packets(mut self) -> Self {
        self.updates = Updates::TicksAndPackets;
        self
    }

    /// Returns whether the peer has a connection.
    pub fn is_connected(&self) -> bool {
        self.link.is_some()
    }

    /// Returns whether the last connection is over, or the first has failed: the peer receives no more
    /// packets.
    pub fn is_over(&self) -> bool {
        let dial = self.dial.as_ref();
        self.link.is_none() && !dial.is_some_and(Dial::has_attempts)
    }

    /// Returns a handle of the simulated conditions around the socket, of this connection and its successors.
    pub fn conditions(&self) -> LinkConditions {
        self.conditions.clone()
    }

    /// Returns the address of the server, while the peer has a connection.
    pub fn peer_addr(&self) -> Option<SocketAddr> {
        self.link.as_ref()?.peer_addr()
    }

    /// Begins a frame: passes the server's packets to the client. Does not wait. Connects first, and
    /// again after a lost connection if the options say so.
    ///
    /// `now` is the time of the loop, since any fixed moment: the time that the client's `update` takes.
    /// A silent server is timed out by it.
    ///
    /// # Errors
    ///
    /// When the connection fails or is over, once; the last events of the client say so, too. The peer
    /// [is over](Self::is_over) then, or connects again. Also for a malformed packet: the client decides
    /// whether the connection stands, and the next call goes on.
    pub fn receive<E: Endpoint>(
        &mut self,
        client: &mut E,
        now: Duration,
    ) -> Result<(), TransportError<E::Error>> {
        let runtime = self.runtime.clone();
        let _context = runtime.enter();
        let mut cx = Context::from_waker(Waker::noop());
        if self.leaving.is_some() && self.poll_leave(now, &mut cx).is_pending() {
            return Ok(());
        }
        if self.link.is_none() {
            if self.is_over() {
                return Ok(());
            }
            match self.poll_dial(client, &mut cx) {
                Poll::Ready(connected) => connected?,
                Poll::Pending => return Ok(()),
            }
        }
        for _ in 0..MAX_PACKETS {
            match self.poll_packet(client, now, &mut cx) {
                Poll::Ready(Ok(())) if self.leaving.is_none() => {}
                Poll::Ready(result) => return result,
                Poll::Pending => break,
            }
        }
        match self.timeout(client, now) {
            Some(timeout) => Err(self.end(client, timeout.into())),
            None => Ok(()),
        }
    }

    /// Ends a frame: sends the packets of the client's update, and closes a connection that the client
    /// has ended. Does not wait. `now` is the time of [`receive`](Self::receive).
    pub fn transmit(&mut self, client: &mut impl Endpoint, now: Duration) {
        let runtime = self.runtime.clone();
        let _context = runtime.enter();
        let mut cx = Context::from_waker(Waker::noop());
        if self.leaving.is_none()
            && let Some(link) = &mut self.link
        {
            client.expect_update(now);
            transmit(client, link.as_mut(), &mut cx);
            if client.poll_close().is_some() {
                self.leave(client, now);
            }
        }
        if self.leaving.is_some() {
            let _ = self.poll_leave(now, &mut cx);
        }
    }

    /// Ready when a packet is handled, or the connection is over.
    fn poll_packet<E: Endpoint>(
        &mut self,
        client: &mut E,
        now: Duration,
        cx: &mut Context<'_>,
    ) -> Handled<E::Error> {
        let Some(link) = &mut self.link else {
            return Poll::Ready(Err(TransportError::Closed));
        };
        match ready!(link.poll_receive(cx)) {
            Ok(Some(arrival)) => {
                self.silence.end();
                if let Some(dial) = &mut self.dial {
                    dial.succeed();
                }
                if self.updates == Updates::TicksAndPackets {
                    client.update(now);
                }
                let handled = arrival.handle(client, ConnectionId::SERVER);
                transmit(client, link.as_mut(), cx);
                if client.poll_close().is_some() {
                    self.leave(client, now);
                    // The server waits for this end to close: it must not depend on the next call.
                    let _ = self.poll_leave(now, cx);
                }
                Poll::Ready(handled.map_err(TransportError::Malformed))
            }
            Ok(None) => Poll::Ready(Err(self.end(client, TransportError::Closed))),
            Err(error) => Poll::Ready(Err(self.end(client, TransportError::Io(error)))),
        }
    }

    /// Ready with a new connection, or with the error of the last attempt.
    fn poll_dial(
        &mut self,
        client: &mut impl Endpoint,
        cx: &mut Context<'_>,
    ) -> Poll<io::Result<()>> {
        let Some(dial) = &mut self.dial else {
            return Poll::Ready(Err(io::ErrorKind::NotConnected.into()));
        };
        if client.dials_again() {
            dial.repeat_first();
        }
        let link = ready!(dial.poll_connect(&self.options, cx))?;
        client.handle_connect(link.limits());
        self.link = Some(Box::new(ShapedLink::new(link, &self.conditions)));
        self.silence = Silence::default();
        self.ticked = None;
        Poll::Ready(Ok(()))
    }
}

fn resolve(addr: impl ToSocketAddrs) -> io::Result<Vec<SocketAddr>> {
    Ok(addr.to_socket_addrs()?.collect())
}

/// Sends the client's packets until the link's queue is full.
fn transmit(client: &mut impl Endpoint, link: &mut dyn ServerLink, cx: &mut Context<'_>) {
    let mut any = false;
    while !link.is_full()
        && let Some(packet) = client.poll_transmit()
    {
        link.send(&packet);
        any = true;
    }
    if any {
        link.flush(cx);
    }
}
