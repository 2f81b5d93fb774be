//! Prediction over real sockets with stalls of both loops, losses and lost links: nobody is thrown out, and the input clock has its
//! lead a second after each of them.
//!
//! ```text
//! cargo run --release --example predicted -- --minutes 10
//! ```
//!
//! For each of TCP, UDP, QUIC and WebSocket a server and a client run at 60 ticks a second, with 35 to 45 ms each way and 5 % loss. Every 5 s one of the loops
//! sleeps for 0.1 to 3 s, or the link ends and the client returns to its session. The table counts the corrections behind these
//! and others, inputs that were late while all was calm, and the longest lead then. The exit code is 1 after a misbehaviour, an end of a session, or a
//! lead that does not come back.

mod ends;
#[path = "../support/minutes.rs"]
mod minutes;
mod world;

use std::process::ExitCode;
use std::sync::atomic::Ordering;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use ends::{Played, Way, play, serve};
use minutes::minutes;
use world::Counts;

/// Longest lead of a calm second in ticks: the way, and the margin for losses on a stream.
const MAX_AHEAD: u64 = 48;

fn main() -> ExitCode {
    let minutes = match minutes() {
        Ok(minutes) => minutes,
        Err(error) => {
            eprintln!("{error}\nusage: predicted [--minutes N]");
            return ExitCode::FAILURE;
        }
    };
    let time = Duration::from_secs_f64(minutes * 60.0);
    println!(
        "| transport | kicks | returns | corrections near | far | late inputs | refused, told | longest lead |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- |");
    let ways = [Way::Tcp, Way::Udp, Way::Quic, Way::WebSocket];
    let runs = ways.map(|way| std::thread::spawn(move || pair(way, time)));
    let results = runs.map(|run| run.join().expect("a run without a panic"));
    let is_good = results.iter().all(|result| match result {
        Ok(is_good) => *is_good,
        Err(error) => {
            eprintln!("{error}");
            false
        }
    });
    if is_good {
        println!("nobody was thrown out, and the leads came back");
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// Runs both ends of a transport. Returns whether all went well.
fn pair(way: Way, time: Duration) -> std::io::Result<bool> {
    let counts = Counts::default();
    let clock = (Instant::now(), time);
    let (address, listening) = mpsc::channel();
    let listening_at = |addr| {
        // The other end of the channel outlives the server.
        let _ = address.send(addr);
    };
    let played = std::thread::scope(|scope| {
        let server = scope.spawn(|| serve(way, &counts, clock, listening_at));
        let addr = listening.recv().map_err(std::io::Error::other)?;
        let played = play(way, &counts, clock, addr);
        server.join().expect("a server without a panic")?;
        played
    })?;
    Ok(report(way, &counts, &played))
}

fn report(way: Way, counts: &Counts, played: &Played) -> bool {
    let Played {
        returns,
        near,
        far,
        ahead,
        told,
    } = played;
    let kicks = counts.kicks.load(Ordering::Relaxed);
    let (late, known) = (
        counts.late.load(Ordering::Relaxed),
        counts.known.load(Ordering::Relaxed),
    );
    let refused = counts.refused.load(Ordering::Relaxed);
    println!(
        "| {way:?} | {kicks} | {returns} | {near} | {far} | {late} of {} | {refused}, {told} | {ahead} ticks |",
        late + known
    );
    kicks == 0 && *ahead <= MAX_AHEAD && known > late
}
