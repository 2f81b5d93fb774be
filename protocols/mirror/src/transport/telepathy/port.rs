//! A server's listening TCP socket.

use std::collections::BTreeMap;
use std::io;
use std::net::SocketAddr;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use syncvar_runtime::ConnectionId;
use tokio::net::{TcpListener, TcpStream, ToSocketAddrs};
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::Instant;

use super::link::{Fault, Link};
use crate::transport::TransportOptions;
use crate::transport::game::{Game, Outgoing};
use crate::transport::host::{self, Sent};

#[derive(Debug)]
pub(crate) struct Port {
    listener: TcpListener,
    /// Whether to accept connections; not after an error, until the next tick.
    accepting: bool,
    options: TransportOptions,
    /// Connections that the server does not know yet.
    new: Vec<(SocketAddr, Link)>,
    links: BTreeMap<ConnectionId, Link>,
    /// Connections that the server has done with, and that still send what waits for them.
    closing: Vec<Closing>,
    /// The tasks of all connections, of those that are closing too.
    tasks: JoinSet<()>,
}

#[derive(Debug)]
struct Closing {
    deadline: Option<Instant>,
    task: AbortHandle,
}

impl Port {
    pub(crate) async fn bind(addr: impl ToSocketAddrs) -> io::Result<Self> {
        Ok(Self {
            listener: TcpListener::bind(addr).await?,
            accepting: true,
            options: TransportOptions::default(),
            new: Vec::new(),
            links: BTreeMap::new(),
            closing: Vec::new(),
            tasks: JoinSet::new(),
        })
    }

    fn accept(&mut self, stream: TcpStream, peer: SocketAddr) {
        if self.tasks.len() >= self.options.max_connections {
            tracing::info!(%peer, "closed: there are as many connections as the limit allows");
        } else if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%peer, %error, "lost");
        } else {
            let link = Link::open(stream, &self.options, &mut self.tasks);
            self.new.push((peer, link));
        }
    }

    fn let_go(&mut self, connection: ConnectionId, linger: Duration) -> bool {
        let Some(link) = self.links.remove(&connection) else {
            return false;
        };
        let task = link.close();
        if linger.is_zero() {
            task.abort();
        }
        let deadline = Instant::now().checked_add(linger);
        self.closing.push(Closing { deadline, task });
        true
    }
}

impl<S: Game> host::Port<S> for Port {
    fn set_options(&mut self, options: &TransportOptions) {
        self.options = options.clone();
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        if !self.accepting {
            return Poll::Pending;
        }
        match ready!(self.listener.poll_accept(cx)) {
            Ok((stream, peer)) => self.accept(stream, peer),
            Err(error) => {
                // When the process is out of sockets, the same error comes back at once.
                self.accepting = false;
                tracing::warn!(%error, "could not accept a connection");
            }
        }
        Poll::Ready(())
    }

    fn receive(&mut self, server: &mut S) {
        self.accepting = true;
        for (peer, link) in self.new.drain(..) {
            let connection = server.handle_connect(super::limits(&self.options));
            tracing::debug!(%connection, %peer, "connected by Telepathy");
            self.links.insert(connection, link);
        }
        let share = self.options.max_queued_packets;
        let mut over = Vec::new();
        for (&connection, link) in &mut self.links {
            if let Err(fault) = link.receive(connection, server, share) {
                over.push((connection, fault));
            }
        }
        for (connection, fault) in over {
            tracing::info!(%connection, %fault, "disconnected");
            // To one that has sent nonsense, what waits is sent yet.
            let linger = match fault {
                Fault::Lost => Duration::ZERO,
                Fault::Frame(_) => self.options.close_timeout,
            };
            self.let_go(connection, linger);
            server.handle_disconnect(connection);
        }
    }

    fn send(&mut self, message: &Outgoing<'_>) -> Sent {
        match self.links.get_mut(&message.connection) {
            Some(link) => link.send(message, &self.options),
            None => Sent::NotHere,
        }
    }

    fn close(&mut self, connection: ConnectionId, linger: Duration) -> bool {
        self.let_go(connection, linger)
    }

    fn unknown(&self, server: &S) -> Vec<ConnectionId> {
        let links = self.links.keys().copied();
        links.filter(|link| !server.is_connected(*link)).collect()
    }

    fn update(&mut self) {
        for link in self.links.values_mut() {
            link.flush();
        }
        let now = Instant::now();
        self.closing.retain(|closing| {
            if closing.deadline.is_some_and(|deadline| deadline <= now) {
                closing.task.abort();
            }
            !closing.task.is_finished()
        });
        while self.tasks.try_join_next().is_some() {}
    }

    fn shut_down(&mut self, linger: Duration) {
        self.new.clear();
        let connections: Vec<ConnectionId> = self.links.keys().copied().collect();
        for connection in connections {
            self.let_go(connection, linger);
        }
    }

    fn poll_shut_down(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        while ready!(self.tasks.poll_join_next(cx)).is_some() {}
        Poll::Ready(())
    }
}
