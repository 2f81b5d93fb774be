//! Listening socket of a server, and the tasks of its connections.

use std::collections::BTreeMap;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::task::{Context, Poll, Waker, ready};
use std::time::Duration;

use syncvar_runtime::{ConnectionId, Endpoint, Transmit};
use tokio::sync::mpsc;
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::Instant;
use tracing::Instrument;

use super::Acceptor;
use super::connection::Connection;
use super::door::{Door, Opened};
use super::fault::Fault;
use super::inbox::{InboxRoom, Ready};
use super::outbox::MAX_ASLEEP;
use super::serving::{end, with_deadline};
use crate::admission::{Admission, Place};
use crate::gate::Gate;
use crate::listener::{Listener, Sent};
use crate::turn::Turns;
use crate::{PeerAddrs, TransportCounters, TransportOptions};

/// Longest time between two searches for silent connections.
const MAX_SEARCH: Duration = Duration::from_millis(250);

#[derive(Debug)]
pub(crate) struct TaskListener<A> {
    acceptor: A,
    /// Paused after an error or a burst, until the next tick.
    accepting: bool,
    options: Arc<TransportOptions>,
    admission: Arc<Admission>,
    /// Tasks of connections whose doors are closed, by number.
    handshakes: BTreeMap<u64, AbortHandle>,
    next_number: u64,
    doors: Doors,
    clients: OpenConnections,
    /// Tasks with new packets, still asleep.
    woken: Vec<Waker>,
    /// Connections that the server has ended, as long as their queues are not sent.
    closing: Vec<Closing>,
    /// Tasks of all connections, including closing connections.
    tasks: JoinSet<()>,
}

/// Connections whose doors have opened.
#[derive(Debug)]
struct Doors {
    opened: mpsc::UnboundedReceiver<Opened>,
    open: mpsc::UnboundedSender<Opened>,
    /// Way of the inboxes to the list of those with input.
    ready: Ready,
    /// Connections since the last tick, unknown to the server.
    new: Vec<Opened>,
}

/// Connections of the server.
#[derive(Debug)]
struct OpenConnections {
    connections: BTreeMap<ConnectionId, Connection>,
    /// Inboxes with new input.
    ready: mpsc::UnboundedReceiver<Arc<InboxRoom>>,
    /// Connections with input.
    active: Vec<ConnectionId>,
    /// Connection whose turn is next.
    next_turn: ConnectionId,
    /// Time of the last tick.
    now: Option<Duration>,
    /// Time of the last search for silent connections.
    searched: Option<Duration>,
}

#[derive(Debug)]
struct Closing {
    deadline: Option<Duration>,
    task: AbortHandle,
}

impl<A: Acceptor> TaskListener<A> {
    pub(crate) fn new(acceptor: A) -> Self {
        let options = TransportOptions::mirror();
        let (counters, peers) = (TransportCounters::default(), PeerAddrs::default());
        let (open, opened) = mpsc::unbounded_channel();
        let (listed, ready) = mpsc::unbounded_channel();
        Self {
            acceptor,
            accepting: true,
            admission: Admission::new(&options, counters, peers),
            options: Arc::new(options),
            handshakes: BTreeMap::new(),
            next_number: 0,
            doors: Doors {
                opened,
                open,
                ready: listed,
                new: Vec::new(),
            },
            clients: OpenConnections {
                connections: BTreeMap::new(),
                ready,
                active: Vec::new(),
                next_turn: ConnectionId(0),
                now: None,
                searched: None,
            },
            woken: Vec::new(),
            closing: Vec::new(),
            tasks: JoinSet::new(),
        }
    }

    fn accept(&mut self, socket: A::Socket, peer: SocketAddr, now: Instant) {
        let place = match self.admission.admit(peer.ip()) {
            Ok(place) => {
                self.admission.spend(now);
                place
            }
            Err(refusal) => {
                self.admission.spend_refused(now);
                tracing::info!(%peer, %refusal, "closed at once");
                return;
            }
        };
        let number = self.next_number;
        self.next_number = number.wrapping_add(1);
        let (open, ready) = (self.doors.open.clone(), self.doors.ready.clone());
        let mut door = Door::new(&self.options, &self.admission, open, ready).with_peer(peer);
        let is_open = door.number(number);
        // In a box: the task would have room for it twice.
        let mut serving = Box::pin(self.acceptor.serve(socket, door));
        let (limit, counters) = (
            self.options.handshake_timeout,
            self.admission.counters().clone(),
        );
        let span = tracing::debug_span!("connection", %peer);
        let task = async move {
            let result = with_deadline(serving.as_mut(), limit, &is_open).await;
            end(&result, &is_open, &counters);
            // The place is free when the socket is.
            drop::<Place>(place);
        };
        let task = self.tasks.spawn(task.instrument(span));
        self.handshakes.insert(number, task);
    }

    /// Tells the server of the connections since the last tick.
    fn enter(&mut self, server: &mut impl Endpoint) {
        while let Ok(opened) = self.doors.opened.try_recv() {
            self.doors.new.push(opened);
        }
        for opened in self.doors.new.drain(..) {
            let Some(task) = self.handshakes.remove(&opened.number) else {
                continue;
            };
            let connection = server.handle_connect(opened.limits);
            if let Some(peer) = opened.peer {
                tracing::debug!(%connection, peer = %peer.addr, "connected");
                self.admission.peers().add(connection, peer);
            }
            let share = if self.acceptor.has_goodbye() {
                self.options.max_packet
            } else {
                usize::MAX
            };
            opened.inbox.set_connection(connection);
            // Its packets may be older than its number.
            self.clients.active.push(connection);
            let client = Connection::new(opened.inbox, opened.post, share, task);
            self.clients.connections.insert(connection, client);
        }
    }

    /// Wakes the tasks with new packets, `least` or more at once and on a thread of the runtime: each wake from outside costs the game a
    /// call of the system.
    fn wake_tasks(&mut self, least: usize) {
        if self.woken.len() >= least {
            let tasks = std::mem::take(&mut self.woken);
            tokio::spawn(async move { tasks.into_iter().for_each(Waker::wake) });
        }
    }

    fn drop_connection(&mut self, id: ConnectionId, linger: Duration) -> bool {
        let Some(connection) = self.clients.connections.remove(&id) else {
            return false;
        };
        let task = connection.close();
        if linger.is_zero() {
            task.abort();
        }
        self.admission.peers().end(id);
        let deadline = self.clients.now.unwrap_or_default().checked_add(linger);
        self.closing.push(Closing { deadline, task });
        true
    }

    /// Ends a connection because of its client.
    fn end(&mut self, connection: ConnectionId, fault: &Fault, server: &mut impl Endpoint) {
        tracing::info!(%connection, %fault, "disconnected");
        if let Some(counter) = fault.counter() {
            self.admission.counters().count(counter);
        }
        match fault {
            Fault::Lost => {
                self.drop_connection(connection, Duration::ZERO);
                server.handle_disconnect(connection);
            }
            Fault::Left => {
                self.drop_connection(connection, Duration::ZERO);
                server.handle_leave(connection);
            }
            // `Host::transmit` closes it, after the goodbye.
            Fault::Idle if self.acceptor.has_goodbye() => {
                server.handle_silence(connection, &fault.to_string());
            }
            fault if self.acceptor.has_goodbye() => {
                server.disconnect(connection, &fault.to_string());
            }
            _ => {
                self.drop_connection(connection, self.options.close_timeout);
                server.handle_disconnect(connection);
            }
        }
    }
}

impl OpenConnections {
    /// Passes the input of a tick to the server. Returns whether input waits because the tick is full.
    fn take_turns(
        &mut self,
        server: &mut impl Endpoint,
        options: &TransportOptions,
        faults: &mut Vec<(ConnectionId, Fault)>,
    ) -> bool {
        while let Ok(room) = self.ready.try_recv() {
            self.active.extend(room.unlist());
        }
        self.active.sort_unstable();
        self.active.dedup();
        let turns = Turns {
            connections: &mut self.connections,
            active: &self.active,
            next: self.next_turn,
        };
        let next = turns.take(server, options, faults);
        self.next_turn = next.unwrap_or(self.next_turn);
        self.active.retain(|id| {
            let connection = self.connections.get(id);
            connection.is_some_and(|connection| next.is_some() || connection.has_more())
        });
        next.is_some()
    }

    /// Finds the silent connections, a few times in their time limit.
    fn find_silent(
        &mut self,
        now: Duration,
        server: &impl Endpoint,
        options: &TransportOptions,
        faults: &mut Vec<(ConnectionId, Fault)>,
    ) {
        self.now = Some(now);
        let limit = options.idle_timeout.min(options.handshake_timeout);
        let elapsed = now.saturating_sub(*self.searched.get_or_insert(now));
        if elapsed < MAX_SEARCH.min(limit / 8) {
            return;
        }
        self.searched = Some(now);
        for (&id, connection) in &mut self.connections {
            if let Err(fault) = connection.end(id, server, elapsed, options) {
                faults.push((id, fault));
            }
        }
    }
}

impl Doors {
    /// Ready when a door has opened.
    fn poll_opened(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        // The listener has a sender, too: the queue does not end.
        let Some(opened) = ready!(self.opened.poll_recv(cx)) else {
            return Poll::Pending;
        };
        self.new.push(opened);
        Poll::Ready(())
    }
}

impl<E: Endpoint, A: Acceptor> Listener<E> for TaskListener<A> {
    fn set_options(&mut self, options: &TransportOptions, admission: &Arc<Admission>) {
        self.options = Arc::new(options.clone());
        self.admission = Arc::clone(admission);
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.acceptor.local_addr()
    }

    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        self.wake_tasks(1);
        let opened = self.doors.poll_opened(cx);
        if !self.accepting {
            return opened;
        }
        let now = Instant::now();
        if !self.admission.is_open(now) {
            self.accepting = false;
            let counters = self.admission.counters();
            counters.count(|stats| &mut stats.delayed_accepts);
            return opened;
        }
        match self.acceptor.poll_accept(cx) {
            Poll::Ready(Ok((peer, socket))) => self.accept(socket, peer, now),
            Poll::Ready(Err(error)) => {
                // A process without free sockets gets the same error at once again.
                self.accepting = false;
                tracing::warn!(%error, "could not accept a connection");
            }
            Poll::Pending => return opened,
        }
        Poll::Ready(())
    }

    fn receive(&mut self, server: &mut Gate<'_, E>, now: Duration) {
        self.accepting = true;
        self.enter(server);
        let mut faults = Vec::new();
        if self.clients.take_turns(server, &self.options, &mut faults) {
            let counters = self.admission.counters();
            counters.count(|stats| &mut stats.tick_full);
        }
        self.clients
            .find_silent(now, server, &self.options, &mut faults);
        // Of two faults of a connection, the first is the reason.
        faults.sort_by_key(|(connection, _)| *connection);
        faults.dedup_by_key(|(connection, _)| *connection);
        for (connection, fault) in faults {
            self.end(connection, &fault, server);
        }
    }

    fn send(&mut self, packet: &Transmit<'_>) -> Sent {
        self.wake_tasks(MAX_ASLEEP);
        match self.clients.connections.get(&packet.connection) {
            Some(connection) => connection.send(packet, |task| self.woken.push(task)),
            None => Sent::NotHere,
        }
    }

    fn has_caught_up(&self, connection: ConnectionId) -> bool {
        let connection = self.clients.connections.get(&connection);
        connection.is_none_or(Connection::has_caught_up)
    }

    fn connections(&self) -> Vec<ConnectionId> {
        self.clients.connections.keys().copied().collect()
    }

    fn close(&mut self, connection: ConnectionId, linger: Duration) -> bool {
        self.drop_connection(connection, linger)
    }

    fn flush(&mut self, now: Duration) {
        self.closing.retain(|closing| {
            if closing.deadline.is_some_and(|deadline| deadline <= now) {
                if !closing.task.is_finished() {
                    let counters = self.admission.counters();
                    counters.count(|stats| &mut stats.linger_cuts);
                }
                closing.task.abort();
            }
            !closing.task.is_finished()
        });
        while self.tasks.try_join_next().is_some() {}
        // A task that has opened its door is there until `receive`, even if it has ended.
        if self.doors.new.is_empty() && self.doors.opened.is_empty() {
            self.handshakes.retain(|_, task| !task.is_finished());
        }
    }

    fn shut_down(&mut self, linger: Duration) {
        for task in std::mem::take(&mut self.handshakes).into_values() {
            task.abort();
        }
        self.doors.new.clear();
        for connection in self.clients.connections.keys().copied().collect::<Vec<_>>() {
            self.drop_connection(connection, linger);
        }
    }

    fn poll_shut_down(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        while ready!(self.tasks.poll_join_next(cx)).is_some() {}
        self.acceptor.poll_shut_down(cx)
    }
}
