//! What a measurement says; a process prints a row per line, as JSON.

use serde::{Deserialize, Serialize};

use crate::grid::{Load, Size};

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Row {
    Tick(TickRow),
    Join(JoinRow),
    Sight(SightRow),
    Codec(CodecRow),
    Loss(LossRow),
}

/// One cell of the grid: medians of times, means of the rest.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct TickRow {
    pub(crate) peer: String,
    pub(crate) size: Size,
    pub(crate) load: Load,
    /// The server, from "changes done" to "the bytes of every client at hand".
    pub(crate) send_nanoseconds: u64,
    /// One client, from "bytes at hand" to "applied".
    pub(crate) apply_nanoseconds: u64,
    /// Sent to one client in a tick.
    pub(crate) bytes: f64,
    pub(crate) packets: f64,
    /// Of the server in a tick.
    pub(crate) allocations: f64,
    /// How many ticks were measured.
    pub(crate) ticks: usize,
}

/// One more client gets everything: medians of times, the rest of one join.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct JoinRow {
    pub(crate) peer: String,
    pub(crate) size: Size,
    pub(crate) send_nanoseconds: u64,
    pub(crate) apply_nanoseconds: u64,
    pub(crate) bytes: usize,
    pub(crate) packets: usize,
}

/// A tick with a grid, where each client sees a part of the objects.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct SightRow {
    /// How fine the grid is.
    pub(crate) cells: String,
    /// How many objects the real client sees.
    pub(crate) seen: usize,
    pub(crate) tick: TickRow,
}

/// One object of eight fields to bytes and back.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct CodecRow {
    pub(crate) codec: String,
    pub(crate) encode_nanoseconds: f64,
    pub(crate) decode_nanoseconds: f64,
    pub(crate) bytes: f64,
    pub(crate) note: String,
}

/// A tick over links that lose packets: medians of times, means of the rest.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct LossRow {
    pub(crate) peer: String,
    pub(crate) loss_per_thousand: u32,
    /// The server: packets of all clients, and their acknowledgements.
    pub(crate) server_nanoseconds: u64,
    pub(crate) send_nanoseconds: u64,
    pub(crate) acknowledge_nanoseconds: u64,
    /// Sent to one client in a tick, lost ones too.
    pub(crate) bytes: f64,
    pub(crate) packets: f64,
    /// Memory of the server, if it was counted.
    pub(crate) bytes_per_object: Option<i64>,
    pub(crate) bytes_per_connection: Option<i64>,
}

impl Row {
    /// Prints the row for the process that reads it.
    pub(crate) fn print(&self) {
        println!(
            "{}",
            serde_json::to_string(self).expect("a row has a form in JSON")
        );
    }
}
