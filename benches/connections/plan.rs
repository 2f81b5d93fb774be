//! The measurements, one after another.

use std::fs;
use std::net::SocketAddr;
use std::time::Duration;

use tokio::time::{Instant, sleep};

use crate::chart::{Chart, Series};
use crate::process::Role;
use crate::{COUNTS, FOLDER, NAME, Outcome, Transport};

/// Time in which connections settle before a measurement.
const SETTLE: Duration = Duration::from_secs(3);

const HEADER: &str = "\
| transport | connections | joined in s | game thread per tick ms: CPU / median / max | ticks/s | server CPU % | bots CPU % | KB per connection | `set` to hook ms: p50 / p99 / p99.9 | changes/s for each client | note |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
";

/// What to measure.
#[derive(Debug)]
struct Plan {
    transports: Vec<Transport>,
    counts: Vec<u32>,
    time: Duration,
    writes: bool,
}

/// One measurement.
#[derive(Clone, Copy, Debug)]
struct Case {
    transport: Transport,
    count: u32,
    stalled: u32,
}

/// Result of a measurement.
#[derive(Debug)]
struct Row {
    case: Case,
    text: String,
    /// Time of the game thread for a tick, in milliseconds.
    tick: f64,
}

impl Plan {
    fn of(words: &[&str]) -> Result<Self, Box<dyn std::error::Error>> {
        let mut plan = Self {
            transports: Vec::new(),
            counts: Vec::new(),
            time: Duration::from_secs(10),
            writes: false,
        };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            match *word {
                "--seconds" => {
                    let seconds = words.next().unwrap_or(&"10").parse()?;
                    plan.time = Duration::from_secs(seconds);
                }
                "--write" => plan.writes = true,
                // Cargo passes `--bench`.
                option if option.starts_with("--") => {}
                word => match Transport::of(word) {
                    Some(transport) => plan.transports.push(transport),
                    None => plan.counts.push(word.parse()?),
                },
            }
        }
        if plan.transports.is_empty() {
            plan.transports.extend(Transport::ALL);
        }
        if plan.counts.is_empty() {
            plan.counts.extend(COUNTS);
        }
        Ok(plan)
    }

    /// Returns the measurements: each number of connections, and the smallest once more with a stalled tenth.
    fn cases(&self) -> Vec<Case> {
        let mut cases = Vec::new();
        for transport in self.transports.iter().copied() {
            let counts = self.counts.iter().map(|count| (*count, 0));
            let least = self.counts.iter().min().copied().unwrap_or(0);
            cases.extend(
                counts
                    .chain([(least, least / 10)])
                    .map(|(count, stalled)| Case {
                        transport,
                        count,
                        stalled,
                    }),
            );
        }
        cases
    }
}

/// Runs the measurements that the arguments select, and prints the table.
pub(crate) async fn run(words: &[&str]) -> Outcome {
    let plan = Plan::of(words)?;
    print!("{HEADER}");
    let mut rows = Vec::new();
    for case in plan.cases() {
        let row = case.measure(plan.time).await?;
        println!("{}", row.text);
        rows.push(row);
    }
    if plan.writes {
        write(&rows)?;
    }
    Ok(())
}

impl Case {
    async fn measure(self, time: Duration) -> Result<Row, Box<dyn std::error::Error>> {
        let word = self.transport.word();
        let mut server = Role::start(&["serve", word])?;
        let address: SocketAddr = server.line().await?.parse()?;
        sleep(Duration::from_millis(500)).await;
        let empty = server.usage()?;
        let begun = Instant::now();
        let (count, stalled) = (self.count.to_string(), self.stalled.to_string());
        let mut bots = Role::start(&["play", word, &count, &stalled, &address.to_string()])?;
        let joined: u32 = bots.line().await?.parse()?;
        let joining = begun.elapsed();
        sleep(SETTLE).await;

        server.ask("").await?;
        bots.ask("").await?;
        let (started, before, bots_before) = (Instant::now(), server.usage()?, bots.usage()?);
        sleep(time).await;
        let ticks = server.ask("").await?;
        let delays = bots.ask("").await?;
        let (elapsed, after, bots_after) = (started.elapsed(), server.usage()?, bots.usage()?);
        bots.stop().await?;
        server.stop().await?;

        let [ticks, middle, most, late, connected] = numbers(&ticks)?;
        let [changes, half, nearly, nearest, lost] = numbers(&delays)?;
        let seconds = elapsed.as_secs_f64();
        let share = |after: Duration, before: Duration| {
            after.saturating_sub(before).as_secs_f64() / seconds * 100.0
        };
        let first = after.first_thread.saturating_sub(before.first_thread);
        let tick = first.as_secs_f64() * 1e3 / ticks.max(1.0);
        let memory = after.resident.saturating_sub(empty.resident);
        let memory = f64::from(u32::try_from(memory)?) / connected.max(1.0);
        let playing = f64::from(joined.saturating_sub(self.stalled).max(1));
        let mut notes = Vec::new();
        if self.stalled > 0 {
            notes.push(format!("{} of them read nothing", self.stalled));
        }
        if joined < self.count {
            notes.push(format!("{} could not join", self.count - joined));
        }
        if lost > 0.0 {
            notes.push(format!("{lost} lost"));
        }
        if late > 0.0 {
            notes.push(format!("{late} late ticks"));
        }
        let text = format!(
            "| {} | {} | {:.1} | {tick:.2} / {:.2} / {:.2} | {:.1} | {:.0} | {:.0} | {memory:.1} | {:.1} / {:.1} / {:.1} | {:.0} | {} |",
            self.transport.name(),
            self.count,
            joining.as_secs_f64(),
            middle / 1e3,
            most / 1e3,
            ticks / seconds,
            share(after.cpu, before.cpu),
            share(bots_after.cpu, bots_before.cpu),
            half / 1e3,
            nearly / 1e3,
            nearest / 1e3,
            changes / playing / seconds,
            notes.join(", "),
        );
        Ok(Row {
            case: self,
            text,
            tick,
        })
    }
}

/// Returns the numbers of a line.
fn numbers(line: &str) -> Result<[f64; 5], Box<dyn std::error::Error>> {
    let numbers: Result<Vec<f64>, _> = line.split_whitespace().map(str::parse).collect();
    let numbers = numbers?.try_into();
    numbers.map_err(|_| format!("a report without five numbers: `{line}`").into())
}

/// Writes the table between its marks, and the plot.
fn write(rows: &[Row]) -> Outcome {
    let file = format!("{FOLDER}/RESULTS.md");
    let results = fs::read_to_string(&file)?;
    let (begin, end) = (
        format!("<!-- {NAME}: begin -->\n"),
        format!("<!-- {NAME}: end -->"),
    );
    let marks = results.split_once(&begin).zip(results.split_once(&end));
    let ((before, _), (_, after)) = marks.ok_or("no place for the table in RESULTS.md")?;
    let lines: Vec<&str> = rows.iter().map(|row| &*row.text).collect();
    let lines = lines.join("\n");
    let table = format!("{before}{begin}{HEADER}{lines}\n{end}{after}");
    fs::write(file, table)?;
    let series = Transport::ALL.into_iter().map(|transport| {
        let of_transport = rows.iter().filter(|row| row.case.transport == transport);
        let whole = of_transport.filter(|row| row.case.stalled == 0);
        Series {
            name: transport.name(),
            points: whole
                .map(|row| (f64::from(row.case.count), row.tick))
                .collect(),
        }
    });
    let chart = Chart {
        title: "CPU time of the game thread for a tick",
        x_label: "connections",
        y_label: "milliseconds",
        series: series.collect(),
    };
    fs::write(format!("{FOLDER}/{NAME}.svg"), chart.to_svg())?;
    Ok(())
}
