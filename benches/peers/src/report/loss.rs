//! Table of the case with packets that get lost.

use std::fmt::Write as _;

use super::{COLUMNS, header, time, times};
use crate::rows::{LossRow, Row};

/// Unreliable state that converges, with acknowledgements.
pub(super) fn table(text: &mut String, rows: &[Row]) {
    let losses: Vec<&LossRow> = rows.iter().filter_map(Row::loss).collect();
    text.push_str(
        "10 000 objects, 100 clients, one field of 10 % changed in each tick, in packets that may be lost. \
         \"Server\" is the time for the packets of all clients and for the acknowledgements of all clients. \
         Memory is that of the server.\n\n",
    );
    header(
        text,
        &[
            "",
            "loss",
            "server per tick",
            "of it packets",
            "of it acknowledgements",
            "bytes per changed object",
            "memory per connection",
            "memory per object",
        ],
    );
    for row in &losses {
        let is_same = |other: &&&LossRow| other.loss_per_thousand == row.loss_per_thousand;
        let mut same = losses.iter().filter(is_same);
        let syncvar = same.find(|other| other.peer == "syncvar").unwrap_or(&row);
        let ratio = row.server_nanoseconds as f64 / syncvar.server_nanoseconds as f64;
        let name = COLUMNS.iter().find(|(peer, _)| *peer == row.peer);
        let name = name.map_or(&*row.peer, |(_, name)| name);
        let bytes = |count: Option<i64>| count.map_or("-".into(), |count| count.to_string());
        writeln!(
            text,
            "| {name} | {:.0} % | {} ({}) | {} | {} | {:.1} | {} | {} |",
            f64::from(row.loss_per_thousand) / 10.0,
            time(row.server_nanoseconds),
            times(ratio),
            time(row.send_nanoseconds),
            time(row.acknowledge_nanoseconds),
            row.bytes / 1_000.0,
            bytes(row.bytes_per_connection),
            bytes(row.bytes_per_object),
        )
        .expect("a string takes everything");
    }
}
