//! Packets on simulated links.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use syncvar_runtime::conditions::{Conditions, Pipe};
use syncvar_runtime::{Channel, ConnectionId, Transmit};
use tokio::time::{Instant, Sleep};

use crate::LinkConditions;
use crate::conditions::Both;
use crate::link::Arrival;

/// Simulated links of a host or a peer, in both directions.
#[derive(Debug)]
pub(crate) struct Shaping {
    conditions: LinkConditions,
    version: u64,
    state: Option<ShapedLinks>,
}

/// Links with conditions, or with packets from the time before.
#[derive(Debug)]
struct ShapedLinks {
    both: Both,
    incoming: Pipes,
    outgoing: Pipes,
    started: Instant,
    /// Wakes the task for the next packet.
    timer: Option<Pin<Box<Sleep>>>,
}

/// Links of a direction.
#[derive(Debug, Default)]
struct Pipes(BTreeMap<ConnectionId, Pipe>);

/// Directions of the packets that wake a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wakes {
    Outgoing,
    Both,
}

/// Packet of the endpoint that has left its link.
#[derive(Debug)]
pub(crate) struct Due {
    connection: ConnectionId,
    delivery: Channel,
    channel: u8,
    packet: [Bytes; 1],
}

impl Due {
    fn new(connection: ConnectionId, arrival: Arrival) -> Self {
        Self {
            connection,
            delivery: arrival.carrier,
            channel: arrival.channel,
            packet: [arrival.packet],
        }
    }

    pub(crate) fn transmit(&self) -> Transmit<'_> {
        Transmit::new(self.connection, self.channel, self.delivery, &self.packet)
    }
}

impl Shaping {
    pub(crate) fn new(conditions: LinkConditions) -> Self {
        Self {
            conditions,
            version: 0,
            state: None,
        }
    }

    pub(crate) fn conditions(&self) -> &LinkConditions {
        &self.conditions
    }

    /// Takes over changed conditions.
    pub(crate) fn update(&mut self) {
        if let Some(both) = self.conditions.changed(&mut self.version) {
            let state = self.state.get_or_insert_with(ShapedLinks::new);
            state.incoming.set_conditions(&both.incoming);
            state.outgoing.set_conditions(&both.outgoing);
            state.both = both;
        }
        // Packets on the way stay ahead of later packets.
        self.state.take_if(|state| state.is_idle());
    }

    /// Returns whether packets take simulated links.
    pub(crate) fn has_links(&self) -> bool {
        self.state.is_some()
    }

    /// Puts a packet of the endpoint on its link. Returns whether it has one.
    pub(crate) fn send(&mut self, packet: &Transmit<'_>) -> bool {
        let Some(state) = &mut self.state else {
            return false;
        };
        let place = (packet.delivery, packet.channel);
        let now = state.started.elapsed();
        let conditions = &state.both.outgoing;
        let pipe = state.outgoing.pipe(packet.connection, conditions);
        pipe.send(now, place, packet.to_bytes());
        true
    }

    /// Puts a packet of the peer on the link of its connection. Returns whether that exists.
    pub(crate) fn receive(&mut self, connection: ConnectionId, arrival: Arrival) -> bool {
        let Some(state) = &mut self.state else {
            return false;
        };
        let place = (arrival.carrier, arrival.channel);
        let now = state.started.elapsed();
        let pipe = state.incoming.pipe(connection, &state.both.incoming);
        pipe.send(now, place, arrival.packet);
        true
    }

    /// Returns the next packet that leaves its link for a socket.
    pub(crate) fn next_sent(&mut self) -> Option<Due> {
        let state = self.state.as_mut()?;
        let now = state.started.elapsed();
        let (connection, arrival) = state.outgoing.next_arrived(now)?;
        Some(Due::new(connection, arrival))
    }

    /// Returns the next packet that leaves its link for the endpoint.
    pub(crate) fn next_received(&mut self) -> Option<(ConnectionId, Arrival)> {
        let state = self.state.as_mut()?;
        let now = state.started.elapsed();
        state.incoming.next_arrived(now)
    }

    /// Returns the bytes of a connection on the way to the socket, and to the endpoint.
    pub(crate) fn queued_bytes(&self, connection: ConnectionId) -> (usize, usize) {
        let state = self.state.as_ref();
        state.map_or((0, 0), |state| {
            let bytes = |pipes: &Pipes| pipes.0.get(&connection).map_or(0, Pipe::queued_bytes);
            (bytes(&state.outgoing), bytes(&state.incoming))
        })
    }

    /// Removes the link to the socket, and returns its packets in their order.
    pub(crate) fn end_sending(&mut self, connection: ConnectionId) -> Vec<Due> {
        let state = self.state.as_mut();
        let pipe = state.and_then(|state| state.outgoing.0.remove(&connection));
        let packets = all(pipe).into_iter();
        packets.map(|packet| Due::new(connection, packet)).collect()
    }

    /// Removes the link to the endpoint, and returns its packets in their order.
    pub(crate) fn end_receiving(&mut self, connection: ConnectionId) -> Vec<Arrival> {
        let state = self.state.as_mut();
        let pipe = state.and_then(|state| state.incoming.0.remove(&connection));
        all(pipe)
    }

    /// Ready when a packet leaves its link. Otherwise a timer wakes the task.
    pub(crate) fn poll_due(&mut self, wakes: Wakes, cx: &mut Context<'_>) -> Poll<()> {
        let Some(state) = &mut self.state else {
            return Poll::Pending;
        };
        let incoming = match wakes {
            Wakes::Outgoing => None,
            Wakes::Both => state.incoming.next_arrival(),
        };
        let due = incoming.into_iter().chain(state.outgoing.next_arrival());
        let due = due.min().and_then(|due| state.started.checked_add(due));
        let Some(due) = due else {
            return Poll::Pending;
        };
        if due <= Instant::now() {
            return Poll::Ready(());
        }
        let timer = state
            .timer
            .get_or_insert_with(|| Box::pin(tokio::time::sleep_until(due)));
        timer.as_mut().reset(due);
        timer.as_mut().poll(cx)
    }
}

impl ShapedLinks {
    fn new() -> Self {
        Self {
            both: Both::default(),
            incoming: Pipes::default(),
            outgoing: Pipes::default(),
            started: Instant::now(),
            timer: None,
        }
    }

    fn is_idle(&self) -> bool {
        let is_empty = |pipes: &Pipes| pipes.0.values().all(Pipe::is_empty);
        self.both == Both::default() && is_empty(&self.incoming) && is_empty(&self.outgoing)
    }
}

impl Pipes {
    fn set_conditions(&mut self, conditions: &Conditions) {
        for pipe in self.0.values_mut() {
            pipe.set_conditions(conditions.clone());
        }
    }

    fn pipe(&mut self, connection: ConnectionId, conditions: &Conditions) -> &mut Pipe {
        let new = || Pipe::new(conditions, connection.0.into());
        self.0.entry(connection).or_insert_with(new)
    }

    fn next_arrival(&self) -> Option<Duration> {
        self.0.values().filter_map(Pipe::next_arrival).min()
    }

    fn next_arrived(&mut self, now: Duration) -> Option<(ConnectionId, Arrival)> {
        self.0
            .iter_mut()
            .find_map(|(&connection, pipe)| Some((connection, next_arrived(pipe, now)?)))
    }
}

/// Returns all packets of a link, in the order of their arrival.
fn all(pipe: Option<Pipe>) -> Vec<Arrival> {
    let mut pipe = pipe;
    let next = || next_arrived(pipe.as_mut()?, Duration::MAX);
    std::iter::from_fn(next).collect()
}

fn next_arrived(pipe: &mut Pipe, now: Duration) -> Option<Arrival> {
    let (carrier, channel, packet) = pipe.next_arrived(now)?;
    Some(Arrival {
        carrier,
        channel,
        packet,
    })
}
