//! Input of a tick, shared fairly among the connections.

use std::collections::{BTreeMap, VecDeque};

use syncvar_runtime::{ConnectionId, Endpoint};

use crate::TransportOptions;

/// Cost of a packet in one tick, besides its bytes.
pub(crate) const PACKET_COST: usize = 64;

/// Least cost that every connection with input may have in a tick.
const MIN_QUANTUM: usize = 256;

/// Input of a connection.
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

/// Connections that can have input in a tick.
pub(crate) struct Turns<'a, T> {
    pub(crate) connections: &'a mut BTreeMap<ConnectionId, T>,
    /// Numbers of the connections, ascending.
    pub(crate) active: &'a [ConnectionId],
    /// First connection by turns.
    pub(crate) next: ConnectionId,
}

impl<T: Turn> Turns<'_, T> {
    /// Passes the input of a tick to the server: up to `max_tick_bytes` in all.
    ///
    /// First each connection has the same number of bytes, so that small packets never wait. Connections
    /// with longer packets have the rest by turns, one packet each. Returns the connection
    /// whose turn is next if input waits for the next tick.
    pub(crate) fn take(
        mut self,
        server: &mut impl Endpoint,
        options: &TransportOptions,
        faults: &mut Vec<(ConnectionId, T::Fault)>,
    ) -> Option<ConnectionId> {
        let with_input = self.begin(options, faults);
        let mut left = options.max_tick_bytes;
        let quantum = (left / with_input.max(1)).max(MIN_QUANTUM);
        let mut waiting = self.share(quantum, &mut left, server, faults);
        let earlier = waiting.partition_point(|id| *id < self.next);
        waiting.rotate_left(earlier);
        while let Some(id) = waiting.pop_front() {
            if left == 0 {
                return Some(id);
            }
            let Some(connection) = self.connections.get_mut(&id) else {
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

    /// Begins the tick of the active connections. Returns the number of connections with input.
    fn begin(
        &mut self,
        options: &TransportOptions,
        faults: &mut Vec<(ConnectionId, T::Fault)>,
    ) -> usize {
        let mut with_input = 0;
        for &id in self.active {
            let connection = self.connections.get_mut(&id);
            match connection.map(|connection| connection.begin(options)) {
                Some(Ok(has_input)) => with_input += usize::from(has_input),
                Some(Err(fault)) => faults.push((id, fault)),
                None => {}
            }
        }
        with_input
    }

    /// Passes up to `quantum` bytes of every active connection. Returns the connections with more input.
    fn share(
        &mut self,
        quantum: usize,
        left: &mut usize,
        server: &mut impl Endpoint,
        faults: &mut Vec<(ConnectionId, T::Fault)>,
    ) -> VecDeque<ConnectionId> {
        let mut waiting = VecDeque::new();
        for &id in self.active {
            let Some(connection) = self.connections.get_mut(&id) else {
                continue;
            };
            if !connection.has_input() {
                continue;
            }
            let mut quantum = quantum;
            let result = loop {
                match connection.receive(id, server, quantum) {
                    Ok(Some(cost)) => {
                        quantum -= cost;
                        *left = left.saturating_sub(cost);
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
        waiting
    }
}
