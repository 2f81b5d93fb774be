//! Motion of one connection: its inputs, its views and its viewpoint, below the sessions.

pub(super) mod arrivals;
pub(super) mod connection_inputs;
pub(super) mod input_report;
pub(super) mod input_views;
pub(super) mod shows;

use syncvar_runtime::Vector3;

use crate::server::motion::arrivals::StreamArrivals;
use crate::server::motion::connection_inputs::ConnectionInputs;
use crate::server::motion::shows::Shows;

/// View that a client claims.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ClaimedView {
    /// Tick of the wire, with its fraction: the claim.
    pub(crate) tick: f64,
    /// Tick of the server to which the age of the claim counts: that of its arrival, less the time by which it may be late.
    pub(crate) until: f64,
}

/// Inputs and views of one connection.
#[derive(Debug, Default)]
pub(crate) struct ConnectionMotion {
    /// Inputs by tick; `None` before the first ones.
    pub(crate) inputs: Option<Box<ConnectionInputs>>,
    /// View of the last command or used input, if the client tells it.
    pub(crate) view: Option<ClaimedView>,
    /// Snapshots of objects with a history.
    pub(crate) shows: Shows,
    /// Packets on the stream.
    pub(crate) stream: StreamArrivals,
    /// Point that distances of objects are measured from, for their priority.
    pub(crate) viewpoint: Option<Vector3>,
}
