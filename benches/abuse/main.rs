//! Attacks on a server over loopback, and their cost for the server and five healthy clients.
//!
//! ```text
//! cargo bench --bench abuse                     all scenarios, about 5 minutes
//! cargo bench --bench abuse -- 'flood 200'      scenarios whose names contain a text
//! cargo bench --bench abuse -- --seconds 20     longer measurements
//! cargo bench --bench abuse -- --list           names of the scenarios
//! cargo bench --bench abuse -- --packets        CPU time of malicious packets, by name as well
//! ```
//!
//! The program starts itself twice more: as a server with 1 000 objects and 20 ticks a second, and as
//! an attacker. Linux only: CPU time and memory of the server come from `/proc`.

mod attack;
mod healthy;
mod packets;
mod plan;
#[path = "../support/process.rs"]
mod process;
mod server;
mod table;
mod world;

use std::error::Error;

/// Transport of a server, with its protocol.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Transport {
    Tcp,
    WebSocket,
    Quic,
    Udp,
    /// Mirror's protocol.
    Kcp,
}

/// Result of a role.
type Outcome = Result<(), Box<dyn Error>>;

fn main() -> Outcome {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        match words.as_slice() {
            ["serve", "tcp"] => Box::pin(server::serve(Transport::Tcp)).await,
            ["serve", "websocket"] => Box::pin(server::serve(Transport::WebSocket)).await,
            ["serve", "quic"] => Box::pin(server::serve(Transport::Quic)).await,
            ["serve", "udp"] => Box::pin(server::serve(Transport::Udp)).await,
            ["serve", _] => Box::pin(server::serve(Transport::Kcp)).await,
            ["attack", kind, count, address] => {
                attack::run(kind.parse()?, count.parse()?, address.parse()?).await
            }
            _ => plan::run(&words).await,
        }
    })
}
