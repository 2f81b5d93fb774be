//! Loop of the game, and its report.

use std::io::{BufRead, Write};
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::time::{Duration, Instant};

use crate::Outcome;
use crate::world::TICK_RATE;

/// Server with its game.
pub(crate) trait Game {
    /// Reads the sockets, changes the objects, and writes to the sockets.
    fn tick(&mut self, now: Duration);

    /// Returns the number of connections.
    fn connections(&mut self) -> usize;
}

/// Ticks since the last report.
#[derive(Debug, Default)]
struct Ticks {
    /// Times on the game thread, from the first read to the last write.
    times: Vec<Duration>,
    /// Ticks that began more than a tick late.
    late: u32,
}

/// Plays until the input is closed. Each line of the input asks for a report.
pub(crate) fn run(game: &mut impl Game) -> Outcome {
    let asks = lines();
    let tick = Duration::from_secs(1) / TICK_RATE;
    let started = Instant::now();
    let (mut due, mut ticks) = (Duration::ZERO, Ticks::default());
    loop {
        let now = started.elapsed();
        std::thread::sleep(due.saturating_sub(now));
        if now > due + tick {
            ticks.late += 1;
            due = now;
        }
        let begun = Instant::now();
        game.tick(due);
        ticks.times.push(begun.elapsed());
        due += tick;
        match asks.try_recv() {
            Ok(()) => std::mem::take(&mut ticks).report(game.connections())?,
            Err(TryRecvError::Empty) => {}
            Err(TryRecvError::Disconnected) => return Ok(()),
        }
    }
}

impl Ticks {
    /// Prints the number of ticks, the median and greatest time in microseconds, the late ticks and the connections.
    fn report(mut self, connections: usize) -> std::io::Result<()> {
        self.times.sort_unstable();
        let micros = |time: Option<&Duration>| time.map_or(0, Duration::as_micros);
        let (count, middle) = (self.times.len(), self.times.get(self.times.len() / 2));
        say(&format!(
            "{count} {} {} {} {connections}",
            micros(middle),
            micros(self.times.last()),
            self.late,
        ))
    }
}

/// Returns the lines of the input.
fn lines() -> Receiver<()> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        for _ in std::io::stdin().lock().lines() {
            if sender.send(()).is_err() {
                return;
            }
        }
    });
    receiver
}

pub(crate) fn say(line: &str) -> std::io::Result<()> {
    println!("{line}");
    std::io::stdout().flush()
}
