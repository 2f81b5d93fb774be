//! `LogHeader`: the facts that hold for a whole file. WIRE.md, section 10.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use syncvar_net::NetworkServer;
use syncvar_runtime::schema::Schema;

use crate::LogError;

/// Profile of the file, name and encoding of its schema, and encoding of its records.
pub(crate) const SYNCVAR: &str = "syncvar";

/// Encoding of records whose changes are differences.
pub(crate) const DIFFERENCES: &str = "syncvar.differences";

/// Name of the metadata at the end of a file that a further file continues.
pub(crate) const CONTINUED: &str = "continued";

/// Version of the format.
pub(crate) const VERSION: &str = "1";

/// Name of the metadata of the program.
pub(crate) const PROGRAM: &str = "program";

/// Name of the schema of markers.
pub(crate) const MARKER: &str = "syncvar.Marker";

/// Topic of markers.
pub(crate) const MARKERS: &str = "/syncvar/markers";

/// Contents of the records of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LogKind {
    /// Records of [`NetworkServer::start_recording`]: the view of an observer of all objects.
    #[default]
    Recording,
    /// Records of all fields of all objects.
    Journal,
}

impl LogKind {
    /// Returns the topic of keyframes.
    pub fn keyframes(self) -> &'static str {
        match self {
            Self::Recording => "/syncvar/keyframes",
            Self::Journal => "/syncvar/journal/keyframes",
        }
    }

    /// Returns the topic of the other records.
    pub fn records(self) -> &'static str {
        match self {
            Self::Recording => "/syncvar/records",
            Self::Journal => "/syncvar/journal/records",
        }
    }
}

/// Facts about a whole log file.
///
/// ```
/// use syncvar::log::LogHeader;
/// use syncvar::prelude::*;
///
/// let server = NetworkServer::new(Prefabs::new());
/// let mut header = LogHeader::of(&server);
/// header.program.insert("map".into(), "harbour".into());
/// assert_eq!(header.tick_rate, 30);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LogHeader {
    /// Contents of the records.
    pub kind: LogKind,
    /// Schema of the server.
    pub schema: Schema,
    /// Ticks of the server per second.
    pub tick_rate: u32,
    /// Wall clock at the time 0 of the server.
    pub wall_clock: SystemTime,
    /// Pairs of the program.
    pub program: BTreeMap<String, String>,
}

impl LogHeader {
    /// Returns the header of recordings of a server. The wall clock at the time 0 of the server is 1970.
    pub fn of(server: &NetworkServer) -> Self {
        Self {
            kind: LogKind::Recording,
            schema: server.prefabs().schema(),
            tick_rate: server.config().tick_rate,
            wall_clock: UNIX_EPOCH,
            program: BTreeMap::new(),
        }
    }

    /// Returns the metadata `syncvar`.
    pub(crate) fn facts(&self) -> BTreeMap<String, String> {
        let since = self.wall_clock.duration_since(UNIX_EPOCH);
        let nanos = nanos(since.unwrap_or_default());
        [
            ("tick_rate", self.tick_rate.to_string()),
            ("version", VERSION.to_owned()),
            ("wall_clock", nanos.to_string()),
        ]
        .map(|(key, value)| (key.to_owned(), value))
        .into()
    }

    /// Reads the metadata `syncvar` and `program` of a file with a schema.
    pub(crate) fn from_facts(
        kind: LogKind,
        schema: Schema,
        facts: &BTreeMap<String, String>,
        program: BTreeMap<String, String>,
    ) -> Result<Self, LogError> {
        let wall_clock = Duration::from_nanos(number(facts, "wall_clock")?);
        Ok(Self {
            kind,
            schema,
            tick_rate: number(facts, "tick_rate")?,
            wall_clock: UNIX_EPOCH + wall_clock,
            program,
        })
    }
}

/// Reads a number of the metadata.
fn number<N: std::str::FromStr>(
    facts: &BTreeMap<String, String>,
    key: &str,
) -> Result<N, LogError> {
    let text = facts.get(key).map_or("", String::as_str);
    let number = text.parse();
    number.map_err(|_| LogError::Foreign(format!("{key} is {text:?} in its metadata")))
}

/// Returns a time in nanoseconds; at most 584 years.
pub(crate) fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}
