//! Many connections over loopback: 1 000 objects, 100 of them changed 20 times a second, 50 seen by each client.
//!
//! ```text
//! cargo bench --all-features --bench connections                       1 000, 5 000 and 10 000 by each transport, about 10 minutes
//! cargo bench --all-features --bench connections -- quic 2000          a transport, and a number of connections
//! cargo bench --all-features --bench connections -- --seconds 20       longer measurements
//! cargo bench --all-features --bench connections -- --write            also to benches/RESULTS.md and benches/connections.svg
//! ```
//!
//! The program starts itself twice more: as a server, whose game has a thread beside those of the sockets, and as bots
//! with a real client for each connection. Linux only: CPU time and memory come from `/proc`.

mod bots;
#[path = "../support/chart.rs"]
mod chart;
mod game;
mod histogram;
mod plan;
#[path = "../support/process.rs"]
mod process;
mod progress;
mod server;
mod unit;
mod world;

use std::error::Error;

/// Name of the table in the results, and of the plot.
const NAME: &str = "connections";

/// Folder of the results.
const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/benches");

/// Connections of a run without numbers.
const COUNTS: [u32; 3] = [1000, 5000, 10_000];

/// Transport of the connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Transport {
    Tcp,
    WebSocket,
    Quic,
}

/// Result of a role.
type Outcome = Result<(), Box<dyn Error>>;

impl Transport {
    pub(crate) const ALL: [Self; 3] = [Self::Tcp, Self::WebSocket, Self::Quic];

    /// Returns the word on the command line.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Tcp => "tcp",
            Self::WebSocket => "websocket",
            Self::Quic => "quic",
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Tcp => "TCP",
            Self::WebSocket => "WebSocket",
            Self::Quic => "QUIC",
        }
    }

    pub(crate) fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.word() == word)
    }
}

fn main() -> Outcome {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    match words.as_slice() {
        ["serve", transport] => {
            let transport = Transport::of(transport).ok_or("unknown transport")?;
            server::serve(transport, &runtime)
        }
        ["play", transport, count, stalled, address] => {
            let transport = Transport::of(transport).ok_or("unknown transport")?;
            let crowd = bots::Crowd {
                transport,
                count: count.parse()?,
                stalled: stalled.parse()?,
                address: address.parse()?,
            };
            runtime.block_on(crowd.play())
        }
        _ => runtime.block_on(plan::run(&words)),
    }
}
