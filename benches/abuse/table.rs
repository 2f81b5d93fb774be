//! Result of a scenario: a row of the table.

use std::fmt;
use std::time::Duration;

use crate::healthy::Samples;

/// Header of the table.
pub(crate) const HEADER: &str = "\
| scenario | p50 / p99 / max ms | round trip p50 / p99 ms | changes/s | longest silence ms | server CPU % | peak MB | note |
| --- | --- | --- | --- | --- | --- | --- | --- |";

/// Row of the table.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) scenario: String,
    pub(crate) samples: Samples,
    pub(crate) clients: u32,
    pub(crate) time: Duration,
    pub(crate) cpu: Duration,
    /// Largest resident memory of the server, in KiB.
    pub(crate) peak: u64,
    pub(crate) note: String,
}

impl Row {
    /// Formats the row, and sorts the samples.
    pub(crate) fn finish(mut self) -> String {
        let latencies = [50, 99, 100]
            .map(|percent| Samples::percentile(&mut self.samples.latencies, percent))
            .map(Millis);
        let round_trips = [50, 99]
            .map(|percent| Samples::percentile(&mut self.samples.round_trips, percent))
            .map(Millis);
        let lost = match self.samples.lost {
            0 => String::new(),
            lost => format!("; {lost} healthy clients lost"),
        };
        let seconds = self.time.as_secs_f64();
        let changes = u32::try_from(self.samples.latencies.len()).unwrap_or(u32::MAX);
        format!(
            "| {} | {} / {} / {} | {} / {} | {:.1} | {} | {:.0} | {:.1} | {}{lost} |",
            self.scenario,
            latencies[0],
            latencies[1],
            latencies[2],
            round_trips[0],
            round_trips[1],
            f64::from(changes) / f64::from(self.clients) / seconds,
            self.samples.silence / 1000,
            self.cpu.as_secs_f64() / seconds * 100.0,
            f64::from(u32::try_from(self.peak).unwrap_or(u32::MAX)) / 1024.0,
            self.note,
        )
    }
}

/// Milliseconds with two significant digits.
struct Millis(f64);

impl fmt::Display for Millis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            ms if ms.is_infinite() => f.write_str("none"),
            ms if ms < 10.0 => write!(f, "{ms:.1}"),
            ms => write!(f, "{ms:.0}"),
        }
    }
}
