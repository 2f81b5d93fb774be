//! The bench `connections` of the main workspace with bevy_replicon over renet: same objects, same table.
//!
//! ```text
//! cargo connections                  250, 500 and 1 000 connections, about 3 minutes
//! cargo connections 700              a number of connections
//! cargo connections --seconds 20     longer measurements
//! cargo connections --write          also to benches/RESULTS.md and benches/connections-of-peers.svg
//! ```
//!
//! renet's limit is 1 024 connections, that of lightyear's netcode 256.

mod app;
mod bots;
#[path = "../../../../support/chart.rs"]
mod chart;
#[path = "../../../../connections/game.rs"]
mod game;
#[path = "../../../../connections/histogram.rs"]
mod histogram;
#[path = "../../../../connections/plan.rs"]
mod plan;
#[path = "../../../../support/process.rs"]
mod process;
#[path = "../../../../connections/progress.rs"]
mod progress;
mod server;
#[path = "../../../../connections/world.rs"]
mod world;

use std::error::Error;

/// Name of the table in the results, and of the plot.
const NAME: &str = "connections-of-peers";

/// Folder of the results.
const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// Connections of a run without numbers.
const COUNTS: [u32; 3] = [250, 500, 1000];

/// Library and transport of the connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Transport {
    Renet,
}

/// Result of a role.
type Outcome = Result<(), Box<dyn Error>>;

impl Transport {
    pub(crate) const ALL: [Self; 1] = [Self::Renet];

    /// Returns the word on the command line.
    pub(crate) fn word(self) -> &'static str {
        "renet"
    }

    pub(crate) fn name(self) -> &'static str {
        "bevy_replicon"
    }

    pub(crate) fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.word() == word)
    }
}

fn main() -> Outcome {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["serve", _] => server::serve(),
        ["play", _, count, stalled, address] => {
            let crowd = bots::Crowd {
                count: count.parse()?,
                stalled: stalled.parse()?,
                address: address.parse()?,
            };
            crowd.play()
        }
        _ => {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()?;
            runtime.block_on(plan::run(&words))
        }
    }
}
