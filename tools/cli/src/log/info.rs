//! `syncvar info`: the contents of a file, and its bytes by prefab and field.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io;
use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};

use serde_json::json;
use syncvar::NetId;
use syncvar::log::{Marker, first_file, rotated_path};
use syncvar::stats::MessageType;

use super::{Change, Log, Played, at};

/// Number and bytes of equal things.
#[derive(Clone, Copy, Debug, Default)]
struct Cost {
    count: u64,
    bytes: u64,
}

impl Cost {
    fn add(&mut self, bytes: usize) {
        self.count += 1;
        self.bytes += bytes as u64;
    }
}

/// Counts of a file. The bytes of all costs together are those of the records.
#[derive(Debug, Default)]
struct Info {
    keyframes: u64,
    records: u64,
    /// Records that follow a missing record, without effect.
    lost: u64,
    ticks: BTreeSet<u64>,
    objects: BTreeSet<NetId>,
    most_objects: usize,
    /// Bytes of all records.
    bytes: u64,
    /// Deltas of each field: prefab, behaviour, field. The operations of the collections of a delta, and its masks, count for
    /// `+`.
    fields: BTreeMap<[String; 3], Cost>,
    /// Snapshots by prefab.
    snapshots: BTreeMap<String, Cost>,
    /// Calls, messages, heads and the rest.
    rest: BTreeMap<&'static str, Cost>,
}

/// Reads a file. Returns its description, in JSON if asked for.
pub(crate) fn info(path: &Path, is_json: bool) -> Result<String, String> {
    let mut log = Log::open(path)?;
    let mut info = Info::default();
    while let Some(played) = log.next().map_err(|error| at(path, &error))? {
        info.count(&log, &played);
    }
    let markers = log.reader.markers().map_err(|error| at(path, &error))?;
    let size = size(path, &log).map_err(|error| at(path, &error))?;
    Ok(if is_json {
        format!("{:#}\n", info.json(&log, &markers, size))
    } else {
        info.text(&log, &markers, size)
    })
}

/// Returns the length of the files of a recording.
fn size(path: &Path, log: &Log) -> io::Result<u64> {
    let first = first_file(path)?;
    let files = (0..log.reader.file_count()).map(|it| rotated_path(&first, it));
    files
        .map(|file| Ok(std::fs::metadata(file)?.len()))
        .sum::<io::Result<u64>>()
}

impl Info {
    fn count(&mut self, log: &Log, played: &Played) {
        let record = &played.record;
        let length = record.as_bytes().len();
        self.bytes += length as u64;
        self.lost += u64::from(played.is_lost);
        *(if record.is_keyframe() {
            &mut self.keyframes
        } else {
            &mut self.records
        }) += 1;
        self.ticks.insert(record.tick());
        self.most_objects = self.most_objects.max(log.client.object_count());
        let mut deltas = BTreeMap::<NetId, usize>::new();
        let mut messages = 0;
        for part in record
            .items()
            .flat_map(|item| item.parts().collect::<Vec<_>>())
        {
            messages += part.length;
            match (part.message_type, part.object) {
                (Some(MessageType::UpdateBatch), Some(object)) => {
                    *deltas.entry(object).or_default() += part.length;
                }
                (Some(_), Some(object)) => {
                    self.objects.insert(object);
                    let prefab = log.prefab(object).unwrap_or("despawned").to_owned();
                    self.snapshots.entry(prefab).or_default().add(part.length);
                }
                (message_type, _) => {
                    let kind = kind_of(message_type);
                    self.rest.entry(kind).or_default().add(part.length);
                }
            }
        }
        let head = length.saturating_sub(messages);
        self.rest.entry("heads of records").or_default().add(head);
        for (object, length) in deltas {
            let changes = played.changes.iter();
            let changes = changes.filter(|change| change.object == object);
            self.count_delta(log, object, length, changes);
        }
    }

    /// Counts a delta: exact lengths of single values; the rest is that of collections and masks.
    fn count_delta<'a>(
        &mut self,
        log: &Log,
        object: NetId,
        length: usize,
        changes: impl Iterator<Item = &'a Change>,
    ) {
        let prefab = log.prefab(object).unwrap_or("despawned");
        let mut rest = length;
        for change in changes {
            let behaviour = log.client.untyped_behaviours(object).nth(change.behaviour);
            let (Some(behaviour), Some(fields)) = (behaviour, &change.fields) else {
                continue;
            };
            for field in fields {
                let value = behaviour.delta_length(field).unwrap_or_default().min(rest);
                rest -= value;
                let key = [prefab, behaviour.name(), field].map(str::to_owned);
                self.fields.entry(key).or_default().add(value);
            }
        }
        let key = [prefab, "", "+"].map(str::to_owned);
        self.fields.entry(key).or_default().add(rest);
    }

    fn text(&self, log: &Log, markers: &[Marker], size: u64) -> String {
        let (start, end) = log.reader.span();
        let header = log.reader.header();
        let duration = end.saturating_sub(start).as_secs_f64();
        let state = if log.reader.is_whole() {
            "whole"
        } else {
            "cut, or in writing"
        };
        let wall_clock = header.wall_clock.duration_since(UNIX_EPOCH);
        let began = wall_clock.unwrap_or_default() + start;
        let names: Vec<_> = markers.iter().map(|marker| marker.name.as_str()).collect();
        let program: Vec<_> = { header.program.iter() }
            .map(|(key, value)| format!("{key} {value}"))
            .collect();
        let lines = [
            ("file", format!("{state}, {size} bytes")),
            (
                "duration",
                format!("{duration:.3} s, from {} s since 1970", began.as_secs()),
            ),
            (
                "ticks",
                format!(
                    "{} with records, at {} per second",
                    self.ticks.len(),
                    header.tick_rate
                ),
            ),
            (
                "records",
                format!(
                    "{} of {} bytes, {} without effect behind a gap",
                    self.records, self.bytes, self.lost
                ),
            ),
            ("keyframes", self.keyframes.to_string()),
            (
                "objects",
                format!(
                    "{}, at most {} at a time",
                    self.objects.len(),
                    self.most_objects
                ),
            ),
            ("markers", format!("{} {}", markers.len(), names.join(", "))),
            ("program", program.join(", ")),
        ];
        let mut text = String::new();
        for (name, value) in lines {
            let line = format!("{name:<10}{value}");
            let _ = writeln!(text, "{}", line.trim_end());
        }
        text.push_str(&self.table());
        text
    }

    /// Returns the costs as a table.
    fn table(&self) -> String {
        let mut text = String::new();
        let _ = writeln!(
            text,
            "\n{:<48}{:>12}{:>14}{:>8}",
            "bytes of records", "number", "bytes", "%"
        );
        for (name, cost) in self.costs() {
            let Cost { count, bytes } = cost;
            #[expect(clippy::cast_precision_loss, reason = "a percentage")]
            let share = 100.0 * bytes as f64 / self.bytes.max(1) as f64;
            let _ = writeln!(text, "{name:<48}{count:>12}{bytes:>14}{share:>8.1}");
        }
        text
    }

    /// Returns all costs by name, the most bytes first.
    fn costs(&self) -> Vec<(String, Cost)> {
        let fields = self
            .fields
            .iter()
            .map(|([prefab, behaviour, field], cost)| {
                let name = match field.as_str() {
                    "+" => format!("{prefab}: collections and masks"),
                    field => format!("{prefab}: {behaviour}.{field}"),
                };
                (name, *cost)
            });
        let snapshots = self.snapshots.iter();
        let snapshots = snapshots.map(|(prefab, cost)| (format!("{prefab}: snapshots"), *cost));
        let rest = self
            .rest
            .iter()
            .map(|(kind, cost)| ((*kind).to_owned(), *cost));
        let mut costs: Vec<_> = fields.chain(snapshots).chain(rest).collect();
        costs.retain(|(_, cost)| cost.bytes > 0);
        costs.sort_by(|one, next| next.1.bytes.cmp(&one.1.bytes).then(one.0.cmp(&next.0)));
        costs
    }

    fn json(&self, log: &Log, markers: &[Marker], size: u64) -> serde_json::Value {
        let (start, end) = log.reader.span();
        let header = log.reader.header();
        let seconds = |time: Duration| time.as_secs_f64();
        let wall_clock = header.wall_clock.duration_since(UNIX_EPOCH);
        let markers = markers.iter().map(|marker| {
            json!({
                "name": marker.name,
                "tick": marker.tick,
                "time": seconds(marker.time),
                "value": marker.value,
            })
        });
        let costs = self
            .costs()
            .into_iter()
            .map(|(name, cost)| json!({ "name": name, "number": cost.count, "bytes": cost.bytes }));
        json!({
            "whole": log.reader.is_whole(),
            "size": size,
            "start": seconds(start),
            "end": seconds(end),
            "wall_clock": seconds(wall_clock.unwrap_or_default()),
            "tick_rate": header.tick_rate,
            "program": header.program,
            "ticks": self.ticks.len(),
            "records": self.records,
            "lost": self.lost,
            "keyframes": self.keyframes,
            "objects": self.objects.len(),
            "most_objects": self.most_objects,
            "bytes": self.bytes,
            "costs": costs.collect::<Vec<_>>(),
            "markers": markers.collect::<Vec<_>>(),
        })
    }
}

/// Returns the kind of a message, or of the rest of a batch.
fn kind_of(message_type: Option<MessageType>) -> &'static str {
    match message_type {
        None => "messages of the program",
        Some(MessageType::Call | MessageType::Rpc | MessageType::SyncEvent) => "calls",
        Some(MessageType::UpdateBatch | MessageType::SpawnBatch) => "heads of batches",
        Some(MessageType::ObjectDestroy | MessageType::ObjectHide) => "despawns",
        Some(_) => "other messages",
    }
}
