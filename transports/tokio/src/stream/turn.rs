//! Input of all connections in one tick, shared fairly.

use std::collections::{BTreeMap, VecDeque};

use syncvar_runtime::{ConnectionId, Endpoint};

use super::connection::{Connection, Fault};
use crate::TransportOptions;

/// Least cost that every connection with input may have in a tick.
const MIN_QUANTUM: usize = 256;

/// Passes the input of a tick to the server: up to `max_tick_bytes` in all.
///
/// First each connection has the same number of bytes, so that small packets never wait. Connections
/// with longer packets have the rest by turns, one packet each, from `next` on. Returns the connection
/// whose turn is next if input waits for the next tick.
pub(super) fn take_turns(
    connections: &mut BTreeMap<ConnectionId, Connection>,
    next: ConnectionId,
    server: &mut impl Endpoint,
    options: &TransportOptions,
    faults: &mut Vec<(ConnectionId, Fault)>,
) -> Option<ConnectionId> {
    let mut active: usize = 0;
    for (&id, connection) in connections.iter_mut() {
        match connection.begin(options) {
            Ok(has_input) => active += usize::from(has_input),
            Err(fault) => faults.push((id, fault)),
        }
    }
    let mut left = options.max_tick_bytes;
    let quantum = (left / active.max(1)).max(MIN_QUANTUM);
    let mut waiting = VecDeque::new();
    for (&id, connection) in connections.iter_mut() {
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
