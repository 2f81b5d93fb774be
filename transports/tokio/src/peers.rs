//! `PeerAddrs`: the addresses of a host's connections, and the origins of their pages.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use syncvar_runtime::ConnectionId;

/// Handle of the addresses of a host's connections, for bans and logs, and of the origins of their pages, for an admission rule.
///
/// An address is known from the connection on, and for one tick after its end: while the server's
/// event of the end is handled.
///
/// ```
/// use std::ops::ControlFlow;
/// use syncvar::prelude::*;
/// use syncvar::tcp::{TransportOptions, TcpServer};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> std::io::Result<()> {
/// let server = NetworkServer::new(Prefabs::new());
/// let tcp = TcpServer::bind("127.0.0.1:0", server, TransportOptions::default()).await?;
/// let peers = tcp.peer_addrs();
/// tcp.run(|server, _now| {
///     while let Some(event) = server.poll_event() {
///         if let ServerEvent::Connected { connection } = event {
///             println!("{connection} from {:?}", peers.get(connection));
///         }
///     }
///     ControlFlow::Break(())
/// })
/// .await;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
pub struct PeerAddrs(Arc<Mutex<Addrs>>);

#[derive(Debug, Default)]
struct Addrs {
    open: HashMap<ConnectionId, PeerFacts>,
    /// Connections that have ended since the last tick.
    ended: Vec<ConnectionId>,
    /// Links of sessions that have returned under a new number.
    returned: HashMap<ConnectionId, ConnectionId>,
}

/// Facts about the peer of a link.
#[derive(Clone, Debug)]
pub(crate) struct PeerFacts {
    pub(crate) addr: SocketAddr,
    /// Origin of the page whose script has connected.
    pub(crate) origin: Option<String>,
}

impl PeerAddrs {
    /// Returns the address of a connection. A session that has returned has the address of its present
    /// link.
    pub fn get(&self, connection: ConnectionId) -> Option<SocketAddr> {
        self.facts(connection).map(|facts| facts.addr)
    }

    /// Returns the origin of the page whose script has connected, such as `https://game.example`; `None` for a native
    /// client. A program other than a browser can state any origin.
    ///
    /// ```
    /// use syncvar::join::{Decision, Refusal};
    /// use syncvar::prelude::*;
    /// use syncvar::transport::{Host, TransportOptions};
    ///
    /// let host = Host::<NetworkServer>::new(TransportOptions::default());
    /// let mut server = NetworkServer::new(Prefabs::new());
    /// let peers = host.peer_addrs();
    /// server.set_admission(move |request| match peers.origin(request.connection) {
    ///     Some(origin) if origin != "https://game.example" => Decision::Refuse(Refusal::new("wrong page")),
    ///     _ => Decision::Accept,
    /// });
    /// ```
    pub fn origin(&self, connection: ConnectionId) -> Option<String> {
        self.facts(connection)?.origin
    }

    fn facts(&self, connection: ConnectionId) -> Option<PeerFacts> {
        let addrs = self.lock();
        let link = addrs.returned.get(&connection).unwrap_or(&connection);
        addrs.open.get(link).cloned()
    }

    /// Returns the address of a link, up to one tick after its end.
    pub(crate) fn of_link(&self, link: ConnectionId) -> Option<SocketAddr> {
        self.lock().open.get(&link).map(|facts| facts.addr)
    }

    pub(crate) fn add(&self, connection: ConnectionId, peer: PeerFacts) {
        let mut addrs = self.lock();
        addrs.ended.retain(|ended| *ended != connection);
        addrs.open.insert(connection, peer);
    }

    /// Ends a connection. Its address remains until the next [`sweep`](Self::sweep).
    pub(crate) fn end(&self, connection: ConnectionId) {
        self.lock().ended.push(connection);
    }

    /// Begins a tick: forgets the connections that have ended since the last one.
    pub(crate) fn sweep(&self) {
        let mut addrs = self.lock();
        for connection in std::mem::take(&mut addrs.ended) {
            addrs.open.remove(&connection);
        }
    }

    /// Takes over the links of the sessions that have returned. A link that has ended in this tick keeps
    /// its session.
    pub(crate) fn set_returned(
        &self,
        returned: impl Iterator<Item = (ConnectionId, ConnectionId)>,
    ) {
        let mut addrs = self.lock();
        let Addrs {
            ended,
            returned: known,
            ..
        } = &mut *addrs;
        known.retain(|_, link| ended.contains(link));
        known.extend(returned);
    }

    fn lock(&self) -> MutexGuard<'_, Addrs> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
