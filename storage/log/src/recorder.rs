//! `Recorder`: a recording into files, by a thread of its own.
//!
//! ```text
//! tick                          thread
//! server.update(now)
//! recorder.update(&mut server)
//!   records, markers   -------> encoder: chunks of MCAP
//!   a full queue: drops,          -> output: file after file; a failed write is tried again
//!   asks for a keyframe <------ room in the queue
//! ```
//!
//! The tick never waits: it hands over records that the server shares, or drops them. The records from the first dropped
//! one to the next keyframe cannot be played, so all of them are dropped. The thread keeps the bytes of a failed write and
//! takes no further record meanwhile, so a failing storage fills the queue, and the queue bounds the memory.

mod encoder;
mod output;
mod thread;

use std::collections::{BTreeMap, VecDeque};
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::time::{Duration, SystemTime};

use syncvar_net::{NetworkServer, TickRecord};
use syncvar_runtime::untyped::Value;

use crate::{LogHeader, Marker, rotated_path, to_json};
use encoder::{Encoder, Task};
use output::Output;
use thread::{Queue, Worker};

/// Most markers that wait for a keyframe.
const MAX_MARKERS: usize = 1024;

/// Settings of a [`Recorder`].
///
/// ```
/// use std::time::Duration;
/// use syncvar::log::RecorderOptions;
///
/// let options = RecorderOptions {
///     keyframe_interval: Duration::from_secs(2),
///     max_file_size: 100 << 20,
///     ..RecorderOptions::default()
/// };
/// assert_eq!(options.max_queue, 64 << 20);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecorderOptions {
    /// Time of the server between keyframes; 5 s by default. A seek plays up to so many records, and a keyframe costs the server
    /// as much as a client that joins.
    pub keyframe_interval: Duration,
    /// Time of the server after which a chunk ends; 2 s by default. A crash loses so much at most.
    pub chunk_interval: Duration,
    /// Bytes of records that wait for the thread; 64 MiB by default. Further records are dropped. A longer record is
    /// accepted by an empty queue.
    pub max_queue: usize,
    /// Bytes of a file after which the next keyframe begins another file; `u64::MAX` by default.
    pub max_file_size: u64,
    /// Time of the server after which the next keyframe begins another file; `Duration::MAX` by default.
    pub max_file_time: Duration,
    /// Time between attempts after a failed write; 1 s by default.
    pub retry_interval: Duration,
    /// Wall clock at the time 0 of the server; by default that of the system, less the time of the server.
    pub wall_clock: Option<SystemTime>,
    /// Pairs of the program.
    pub program: BTreeMap<String, String>,
}

impl Default for RecorderOptions {
    fn default() -> Self {
        Self {
            keyframe_interval: Duration::from_secs(5),
            chunk_interval: Duration::from_secs(2),
            max_queue: 64 << 20,
            max_file_size: u64::MAX,
            max_file_time: Duration::MAX,
            retry_interval: Duration::from_secs(1),
            wall_clock: None,
            program: BTreeMap::new(),
        }
    }
}

/// Event of a [`Recorder`].
#[derive(Debug)]
#[non_exhaustive]
pub enum RecorderEvent {
    /// A write or the creation of a file has failed. The thread tries again.
    StorageFailed(io::Error),
    /// The storage works again after a failure.
    StorageWorks,
    /// A file is complete.
    FileEnded {
        /// Number of the file, from 0.
        number: u32,
        /// Length in bytes.
        length: u64,
    },
    /// Records are missing in the file, because the queue was full. The next record is a keyframe.
    Dropped {
        /// [Number](TickRecord::seq) of the first missing record.
        first: u64,
        /// Number of the last missing record.
        last: u64,
    },
    /// A marker is missing: too many of them waited for a keyframe.
    MarkerDropped {
        /// Name of the marker.
        name: String,
    },
}

/// Recording of a server into files.
///
/// ```
/// use syncvar::NetworkTime;
/// use syncvar::log::{LogReader, Recorder, RecorderOptions};
/// use syncvar::prelude::*;
///
/// #[derive(NetworkBehaviour, Default)]
/// struct Car {
///     #[sync_var]
///     lap: SyncVar<u32>,
/// }
///
/// # let directory = std::env::temp_dir().join(format!("syncvar-recorder-{}", std::process::id()));
/// # std::fs::create_dir_all(&directory)?;
/// let path = directory.join("race.mcap");
/// let mut server = NetworkServer::new(Prefabs::new().register::<Car>("car"));
/// let car = server.spawn(Car::default());
/// let mut recorder = Recorder::create(&path, &mut server, RecorderOptions::default())?;
/// for tick in 1..=90_u32 {
///     server.get_mut::<Car>(car).unwrap().lap.set(tick / 30);
///     if tick == 60 {
///         recorder.mark(&mut server, "fastest lap", 41.5);
///     }
///     server.update(NetworkTime::of_tick(tick.into(), 30).time);
///     recorder.update(&mut server);
/// }
/// recorder.finish()?;
///
/// let mut reader = LogReader::open(&path)?;
/// assert_eq!(reader.markers()?[0].name, "fastest lap");
/// assert_eq!(reader.keyframes().count(), 2);
/// # std::fs::remove_dir_all(&directory)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Recorder {
    queue: Queue,
    keyframe_interval: Duration,
    /// Number of the last record of the server.
    last: u64,
    /// Number of the first dropped record, until a keyframe ends the gap.
    gap: Option<u64>,
    /// Time and length of the last keyframe.
    keyframe: Option<(Duration, usize)>,
    /// Markers that wait for a keyframe.
    markers: Vec<WaitingMarker>,
    events: VecDeque<RecorderEvent>,
}

/// Marker that waits for a keyframe.
#[derive(Debug)]
struct WaitingMarker {
    name: String,
    value: serde_json::Value,
    /// Tick of the first record behind the call; `None` before the record.
    tick: Option<u64>,
}

impl Recorder {
    /// Begins to record into a file, and starts the recording of the server. With a rotation, the later files have a
    /// number behind the name: [`rotated_path`].
    ///
    /// # Errors
    ///
    /// If the first file cannot be created, or the thread cannot start.
    pub fn create(
        path: impl AsRef<Path>,
        server: &mut NetworkServer,
        options: RecorderOptions,
    ) -> io::Result<Self> {
        let path = path.as_ref().to_owned();
        let mut first = Some(File::create(&path)?);
        Self::with_storage(server, options, move |number| match first.take() {
            Some(file) => Ok(file),
            None => File::create(rotated_path(&path, number)),
        })
    }

    /// Like [`create`](Self::create), with the files of a function: their numbers count from 0. The thread calls the
    /// function and writes to the files; it flushes a file behind each chunk.
    ///
    /// # Errors
    ///
    /// If the thread cannot start.
    pub fn with_storage<W: Write + Send + 'static>(
        server: &mut NetworkServer,
        options: RecorderOptions,
        create: impl FnMut(u32) -> io::Result<W> + Send + 'static,
    ) -> io::Result<Self> {
        let mut header = LogHeader::of(server);
        header.wall_clock = options.wall_clock.unwrap_or_else(|| {
            let now = SystemTime::now();
            now.checked_sub(server.now()).unwrap_or(now)
        });
        header.program.clone_from(&options.program);
        let keyframe_interval = options.keyframe_interval;
        let queue = Queue::start(options.max_queue, move |channel| Worker {
            retry_interval: options.retry_interval,
            encoder: Encoder::new(header, options),
            output: Output::new(Box::new(create)),
            channel,
        })?;
        server.start_recording();
        server.request_keyframe();
        Ok(Self {
            queue,
            keyframe_interval,
            last: 0,
            gap: None,
            keyframe: None,
            markers: Vec::new(),
            events: VecDeque::new(),
        })
    }

    /// Marks the next update of the server: a name and a value, such as a goal and its team. The update writes a
    /// keyframe.
    pub fn mark(&mut self, server: &mut NetworkServer, name: &str, value: impl Into<Value>) {
        let name = name.to_owned();
        if self.markers.len() >= MAX_MARKERS {
            let event = RecorderEvent::MarkerDropped { name };
            self.events.push_back(event);
            return;
        }
        self.markers.push(WaitingMarker {
            name,
            value: to_json(&value.into()),
            tick: None,
        });
        server.request_keyframe();
    }

    /// Hands the records of the last update to the thread. Call it behind each [`NetworkServer::update`]. It does not
    /// wait.
    pub fn update(&mut self, server: &mut NetworkServer) {
        self.events.extend(self.queue.events());
        for record in server.records_after(self.last) {
            self.take(record);
        }
        let is_due = match (self.keyframe, self.gap) {
            (None, _) => true,
            // The next update writes the keyframe.
            (Some((last, _)), None) => {
                let tick = Duration::from_secs(1) / server.config().tick_rate.max(1);
                (server.now() + tick).saturating_sub(last) >= self.keyframe_interval
            }
            // A keyframe ends the gap, if it fits.
            (Some((_, length)), Some(_)) => self.queue.has_room(length),
        };
        if is_due {
            server.request_keyframe();
        }
    }

    /// Returns the next event.
    pub fn poll_event(&mut self) -> Option<RecorderEvent> {
        self.events.pop_front()
    }

    /// Ends the file: waits for the thread, which writes the records of the queue and the summary. A drop does the same.
    /// The server goes on with its recording until [`NetworkServer::stop_recording`]; later updates of the recorder drop
    /// the records.
    ///
    /// # Errors
    ///
    /// If the storage fails: the file is readable up to its last whole chunk.
    pub fn finish(&mut self) -> io::Result<()> {
        let finished = self.queue.finish();
        self.events.extend(self.queue.events());
        if let Some(first) = self.gap.take() {
            let last = self.last;
            self.events
                .push_back(RecorderEvent::Dropped { first, last });
        }
        finished
    }

    /// Takes a record of the server, or drops it.
    fn take(&mut self, record: &TickRecord) {
        let (seq, length) = (record.seq(), record.as_bytes().len());
        for marker in &mut self.markers {
            marker.tick.get_or_insert(record.tick());
        }
        let is_first = self.keyframe.is_none();
        let expected = self.last.saturating_add(1);
        self.last = seq;
        if record.is_keyframe() {
            self.keyframe = Some((record.time(), length));
            // The records go on without a keyframe that does not fit.
            if self.queue.has_room(length) {
                self.begin_chunk(record);
            }
        } else if !is_first {
            if seq > expected {
                // The server has dropped records, for a lack of updates of the recorder.
                self.gap.get_or_insert(expected);
            }
            if self.gap.is_none() && self.queue.has_room(length) {
                self.queue.push(length, Task::Write(record.into()));
            } else {
                self.gap.get_or_insert(seq);
            }
        }
    }

    /// Hands a keyframe over, with the markers before it. It ends a gap.
    fn begin_chunk(&mut self, keyframe: &TickRecord) {
        if let Some(first) = self.gap.take() {
            let last = keyframe.seq();
            self.events
                .push_back(RecorderEvent::Dropped { first, last });
        }
        let markers = self.markers.drain(..).map(|marker| {
            let tick = marker.tick.unwrap_or(keyframe.tick());
            Marker::new(keyframe.time(), tick, &marker.name, marker.value)
        });
        self.queue.push(0, Task::Mark(markers.collect()));
        let length = keyframe.as_bytes().len();
        self.queue.push(length, Task::Write(keyframe.into()));
    }
}
