//! Input of all connections in one tick, shared fairly.

use std::collections::{BTreeMap, VecDeque};

use syncvar_runtime::{ConnectionId, Endpoint};

use crate::TransportOptions;

/// Cost of a packet in one tick, besides its bytes.
pub(crate) const PACKET_COST: usize = 64;

/// Least cost that every connection with input may have in a tick.
const MIN_QUANTUM: usize = 256;

/// Input of one connection.
pub(crate) trait Turn {
    type Fault;

    /// Begins a tick. Returns whether the connection has input.
    fn begin(&mut self, options: &TransportOptions) -> Result<bool, Self::Fault>;

    /// Returns whether the connection has more input for this tick.
    fn has_input(&mut self) -> bool;

    /// Passes the next packet to the server if it costs at most `limit`. Returns the cost.
    fn receive(
        &mut self,
        connection: ConnectionId,
        server: &mut impl Endpoint,
        limit: usize,
    ) -> Result<Option<usize>, Self::Fault>;
}

impl<T: Turn> Turn for &mut T {
    type Fault = T::Fault;

    fn begin(&mut self, options: &TransportOptions) -> Result<bool, T::Fault> {
        T::begin(self, options)
    }

    fn has_input(&mut self) -> bool {
        T::has_input(self)
    }

    fn receive(
        &mut self,
        connection: ConnectionId,
        server: &mut impl Endpoint,
        limit: usize,
    ) -> Result<Option<usize>, T::Fault> {
        T::receive(self, connection, server, limit)
    }
}

/// Passes the input of a tick to the server: up to `max_tick_bytes` in all. Only the `active` connections can have
/// input; their numbers ascend.
///
/// First each connection has the same number of bytes, so that small packets never wait. Connections
/// with longer packets have the rest by turns, one packet each, from `next` on. Returns the connection
/// whose turn is next if input waits for the next tick.
pub(crate) fn take_turns<T: Turn>(
    connections: &mut BTreeMap<ConnectionId, T>,
    (active, next): (&[ConnectionId], ConnectionId),
    server: &mut impl Endpoint,
    options: &TransportOptions,
    faults: &mut Vec<(ConnectionId, T::Fault)>,
) -> Option<ConnectionId> {
    let mut with_input: usize = 0;
    for &id in active {
        match connections.get_mut(&id).map(|it| it.begin(options)) {
            Some(Ok(has_input)) => with_input += usize::from(has_input),
            Some(Err(fault)) => faults.push((id, fault)),
            None => {}
        }
    }
    let mut left = options.max_tick_bytes;
    let quantum = (left / with_input.max(1)).max(MIN_QUANTUM);
    let mut waiting = VecDeque::new();
    for &id in active {
        let Some(connection) = connections.get_mut(&id) else {
            continue;
        };
        if !connection.has_input() {
            continue;
        }
        let mut own = quantum;
        let result = loop {
            match connection.receive(id, server, own) {
                Ok(Some(cost)) => {
                    own -= cost;
                    left = left.saturating_sub(cost);
                }
                Ok(None) => break Ok(connection.has_input()),
                Err(fault) => break Err(fault),
            }
        };
        match result {
            Ok(true) => waiting.push_back(id),
            Ok(false) => {}
            Err(fault) => faults.push((id, fault)),
        }
    }
    let earlier = waiting.partition_point(|id| *id < next);
    waiting.rotate_left(earlier);
    while let Some(id) = waiting.pop_front() {
        if left == 0 {
            return Some(id);
        }
        let Some(connection) = connections.get_mut(&id) else {
            continue;
        };
        match connection.receive(id, server, usize::MAX) {
            Ok(Some(cost)) => {
                left = left.saturating_sub(cost);
                waiting.push_back(id);
            }
            Ok(None) => {}
            Err(fault) => faults.push((id, fault)),
        }
    }
    None
}
