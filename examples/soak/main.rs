//! Churn of all ends for minutes: memory, queues and tables stay flat, and replicas equal the server's objects.
//!
//! ```text
//! cargo run --release --example soak -- --minutes 10
//! ```
//!
//! Four stages take turns, each with one server for the whole run:
//!
//! * **net**: a `NetworkServer` and clients over `MemoryNetwork`;
//! * **mirror**: a `MirrorServer` and `MirrorClient`s in memory;
//! * **kcp**: a `MirrorHost` and `MirrorPeer`s over the loopback interface;
//! * **tcp**: a `TcpServer` and `TcpClient`s over the loopback interface.
//!
//! A round of random operations (spawn, despawn, show, hide, join, leave, owners, collections, calls, parents) ends with a
//! checkpoint: the stage settles, the replicas are compared, the counters must be plausible, and all objects are despawned.
//! The memory that the stage then holds must be about that of the first tenth of the run (20 rounds at least). A failure prints a sentence, and
//! the exit code is 1.

mod kcp;
mod memory;
#[path = "../support/minutes.rs"]
mod minutes;
mod mirror;
mod net;
mod piece;
mod sockets;
mod stage;
mod tcp;
mod unit;

use std::process::ExitCode;
use std::time::{Duration, Instant};

use memory::Held;
use minutes::minutes;
use stage::Stage;

/// Least rounds of the warm-up. The memory of a round varies by a factor of two.
const WARM_UP: u32 = 20;

/// Time between two lines of output.
const LINE: Duration = Duration::from_secs(10);

fn main() -> ExitCode {
    let minutes = match minutes() {
        Ok(minutes) => minutes,
        Err(error) => {
            eprintln!("{error}\nusage: soak [--minutes N]");
            return ExitCode::FAILURE;
        }
    };
    match run(Duration::from_secs_f64(minutes * 60.0)) {
        Ok(()) => {
            println!("memory is flat, and the replicas are equal");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run(time: Duration) -> Result<(), String> {
    let started = Instant::now();
    let mut stages = [
        Held::new(|| Box::new(net::Net::new()) as Box<dyn Stage>),
        Held::new(|| Box::new(mirror::Mirror::new())),
        Held::new(|| Box::new(sockets::Sockets::<tcp::Tcp>::new())),
        Held::new(|| Box::new(sockets::Sockets::<kcp::Kcp>::new())),
    ];
    let mut baseline = None;
    let mut rounds = 0;
    let mut printed = started;
    loop {
        for stage in &mut stages {
            stage.round()?;
        }
        rounds += 1;
        let elapsed = started.elapsed();
        if baseline.is_none() && elapsed >= time / 10 && rounds >= WARM_UP {
            stages.iter_mut().for_each(Held::end_warm_up);
            baseline = Some(memory::resident());
        }
        if let Some(baseline) = baseline {
            memory::check_resident(baseline)?;
        }
        let is_over = elapsed >= time;
        if printed.elapsed() >= LINE || is_over {
            printed = Instant::now();
            print!(
                "{:6.0} s, RSS {:3} MB",
                elapsed.as_secs_f64(),
                memory::resident() >> 20
            );
            for stage in &stages {
                print!(" | {stage}");
            }
            println!();
        }
        if is_over {
            return Ok(());
        }
    }
}
