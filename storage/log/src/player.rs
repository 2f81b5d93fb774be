//! `Player`: a client along the time of a file.

use std::fs::File;
use std::io::{Read, Seek};
use std::path::Path;
use std::time::Duration;

use syncvar_net::{NetworkClient, TickRecord};
use syncvar_runtime::Prefabs;

use crate::{LogError, LogHeader, LogReader, Marker};

/// Slowest and fastest speed.
const SPEEDS: (f64, f64) = (0.1, 64.0);

/// Player of a log file: it moves a [`NetworkClient`] along the time of the file.
///
/// All times are those of the server: [`Marker::time`] and [`TickRecord::time`] fit. The player has no clock of its own:
/// [`update`](Self::update) advances it. Each call takes the client, which may have the prefabs of the server, those of
/// [another build](NetworkClient::resolve_records), or the [schema](Self::untyped_client) of the file.
///
/// Hooks, calls and messages run in [`update`](Self::update) and [`step_forward`](Self::step_forward). A
/// [`seek`](Self::seek) and a [`step_back`](Self::step_back) are [jumps](NetworkClient::seek_records) without them.
///
/// ```
/// # use std::io::Cursor;
/// use std::time::Duration;
/// use syncvar::log::{LogReader, Player};
/// # use syncvar::log::{LogEntry, LogHeader, LogWriter};
/// use syncvar::prelude::*;
///
/// #[derive(NetworkBehaviour, Default)]
/// struct Car {
///     #[sync_var]
///     lap: SyncVar<u32>,
/// }
/// let prefabs = || Prefabs::new().register::<Car>("car");
/// # let mut server = NetworkServer::new(prefabs());
/// # let car = server.spawn(Car::default());
/// # server.start_recording();
/// # let mut writer = LogWriter::new(&LogHeader::of(&server))?;
/// # let mut last = 0;
/// # for lap in 1..=9_u32 {
/// #     server.get_mut::<Car>(car).unwrap().lap.set(lap);
/// #     server.update(lap * Duration::from_secs(1));
/// #     for record in server.records_after(last) {
/// #         writer.push(&LogEntry::from(record))?;
/// #         last = record.seq();
/// #     }
/// # }
/// # let file = Cursor::new(writer.finish()?);
/// let mut client = NetworkClient::new(prefabs());
/// let mut player = Player::new(LogReader::new(file)?); // or `Player::open(path)?`
/// player.seek(&mut client, Duration::from_secs(5))?;
/// assert_eq!(client.get::<Car>(car).unwrap().lap, 5);
/// player.step_back(&mut client)?;
/// assert_eq!(client.get::<Car>(car).unwrap().lap, 4);
///
/// player.play(2.0);
/// player.update(&mut client, Duration::from_millis(100))?; // of the program's clock
/// player.update(&mut client, Duration::from_millis(1100))?;
/// assert_eq!(client.get::<Car>(car).unwrap().lap, 6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Player<R = File> {
    reader: LogReader<R>,
    /// Next record, which is read but not played.
    next: Option<TickRecord>,
    /// Last record that was played: its number, tick and time.
    last: Option<Played>,
    /// Time of the file that the client shows.
    position: Duration,
    /// Speed; `None` in a pause.
    speed: Option<f64>,
    /// Time of the last update.
    now: Option<Duration>,
    /// Own time of the client, which runs at the speed of the player.
    client_now: Duration,
}

/// Record that was played.
#[derive(Clone, Copy, Debug)]
struct Played {
    seq: u64,
    tick: u64,
    time: Duration,
}

impl Player<File> {
    /// Opens a file, at its begin and in a pause.
    ///
    /// # Errors
    ///
    /// As [`LogReader::new`].
    pub fn open(path: impl AsRef<Path>) -> Result<Self, LogError> {
        LogReader::open(path).map(Self::new)
    }
}

impl<R: Read + Seek> Player<R> {
    /// Returns a player at the begin of a file, in a pause.
    pub fn new(reader: LogReader<R>) -> Self {
        Self {
            position: reader.span().0,
            reader,
            next: None,
            last: None,
            speed: None,
            now: None,
            client_now: Duration::ZERO,
        }
    }

    /// Returns the facts about the file.
    pub fn header(&self) -> &LogHeader {
        self.reader.header()
    }

    /// Returns a client without compiled types, by the schema of the file.
    ///
    /// # Errors
    ///
    /// For a schema beyond the limits of [`Prefabs::from_schema`].
    pub fn untyped_client(&self) -> Result<NetworkClient, LogError> {
        let prefabs = Prefabs::from_schema(&self.header().schema);
        prefabs.map(NetworkClient::new).map_err(LogError::Untyped)
    }

    /// Returns the time of the first record.
    pub fn start(&self) -> Duration {
        self.reader.span().0
    }

    /// Returns the time of the last record.
    pub fn end(&self) -> Duration {
        self.reader.span().1
    }

    /// Returns the time from the first to the last record.
    pub fn duration(&self) -> Duration {
        self.end().saturating_sub(self.start())
    }

    /// Returns the time that the client shows.
    pub fn position(&self) -> Duration {
        self.position
    }

    /// Returns the tick of the last record that was played.
    pub fn tick(&self) -> Option<u64> {
        self.last.map(|last| last.tick)
    }

    /// Returns the times of the keyframes.
    pub fn keyframes(&self) -> impl Iterator<Item = Duration> {
        self.reader.keyframes()
    }

    /// Reads all markers.
    ///
    /// # Errors
    ///
    /// As [`LogReader::markers`].
    pub fn markers(&mut self) -> Result<Vec<Marker>, LogError> {
        self.reader.markers()
    }

    /// Finds records that were written since the file was opened. Returns whether there are any.
    ///
    /// # Errors
    ///
    /// As [`LogReader::refresh`].
    pub fn refresh(&mut self) -> Result<bool, LogError> {
        self.reader.refresh()
    }

    /// Plays at a speed of 0.1 to 64; other speeds are limited. [`update`](Self::update) advances the position.
    pub fn play(&mut self, speed: f64) {
        self.speed = Some(speed.clamp(SPEEDS.0, SPEEDS.1));
    }

    /// Pauses.
    pub fn pause(&mut self) {
        self.speed = None;
    }

    /// Returns the speed; `None` in a pause, and at the end of the file.
    pub fn speed(&self) -> Option<f64> {
        self.speed
    }

    /// Advances to a time of the program's clock, such as that of its frame: plays the records that have become due, and
    /// updates the client, whose own time runs at the speed of the player. The first update plays the first keyframe.
    ///
    /// # Errors
    ///
    /// For a damaged file, and for a record that the client refuses. The player pauses before the damage; a
    /// [`seek`](Self::seek) goes on behind it.
    pub fn update(&mut self, client: &mut NetworkClient, now: Duration) -> Result<(), LogError> {
        let since = now.saturating_sub(self.now.unwrap_or(now));
        self.now = Some(now);
        let played = self.advance(client, since);
        if played.is_err() {
            self.pause();
        }
        client.update(self.client_now);
        played
    }

    fn advance(&mut self, client: &mut NetworkClient, since: Duration) -> Result<(), LogError> {
        self.begin(client)?;
        let Some(speed) = self.speed else {
            return Ok(());
        };
        let since = since.mul_f64(speed);
        self.client_now = self.client_now.saturating_add(since);
        let due = self.position.saturating_add(since).min(self.end());
        while let Some(record) = self.take_until(due)? {
            play(client, &record)?;
            self.position = self.position.max(record.time());
        }
        self.position = due;
        if due == self.end() {
            self.pause();
        }
        Ok(())
    }

    /// Jumps to a time: the client gets the state of the last record up to it. Times beyond the file are limited. The
    /// player goes on playing, if it does.
    ///
    /// # Errors
    ///
    /// For a damaged file, another build that cannot [resolve](NetworkClient::resolve_records) the schema, and for a record that
    /// the client refuses.
    pub fn seek(&mut self, client: &mut NetworkClient, time: Duration) -> Result<(), LogError> {
        let time = time.clamp(self.start(), self.end());
        if !self.leads_to(client, time) {
            if !client.is_connected() {
                let schema = &self.reader.header().schema;
                let resolved = client.resolve_records(schema);
                resolved.map_err(LogError::Build)?;
            }
            self.reader.seek(time)?;
            (self.next, self.last) = (None, None);
        }
        let mut error = None;
        let records = std::iter::from_fn(|| {
            self.take_until(time).unwrap_or_else(|damage| {
                error = Some(damage);
                None
            })
        });
        let played = client.seek_records(records);
        self.position = time;
        if let Some(error) = error {
            return Err(error);
        }
        let seq = self.last.map_or(0, |last| last.seq);
        played.map_err(|error| LogError::Record { seq, error })
    }

    /// Plays the next record, and the further records of its tick, and pauses. Returns whether there was one.
    ///
    /// # Errors
    ///
    /// As [`seek`](Self::seek).
    pub fn step_forward(&mut self, client: &mut NetworkClient) -> Result<bool, LogError> {
        self.pause();
        self.begin(client)?;
        let Some(first) = self.take_until(Duration::MAX)? else {
            return Ok(false);
        };
        let mut next = Some(first.clone());
        while let Some(record) = next {
            play(client, &record)?;
            self.position = record.time();
            next = match self.peek()? {
                Some(next) if next.tick() == first.tick() => self.take_until(Duration::MAX)?,
                _ => None,
            };
        }
        Ok(true)
    }

    /// Jumps to the record before the last played tick, and pauses. Returns whether there was one.
    ///
    /// # Errors
    ///
    /// As [`seek`](Self::seek).
    pub fn step_back(&mut self, client: &mut NetworkClient) -> Result<bool, LogError> {
        self.pause();
        self.begin(client)?;
        let current = self.last.map_or(self.position, |last| last.time);
        let before = current.saturating_sub(Duration::from_nanos(1));
        if before < self.start() {
            return Ok(false);
        }
        self.seek(client, before)?;
        if let Some(last) = self.last {
            self.position = last.time;
        }
        Ok(true)
    }

    /// Shows the position, if the client has no state of the file.
    fn begin(&mut self, client: &mut NetworkClient) -> Result<(), LogError> {
        if self.last.is_some() && client.is_connected() {
            return Ok(());
        }
        self.seek(client, self.position)
    }

    /// Returns whether the records behind the last one are the shortest way to a time.
    fn leads_to(&self, client: &NetworkClient, time: Duration) -> bool {
        let Some(last) = self.last.filter(|_| client.is_connected()) else {
            return false;
        };
        let mut keyframes = self.reader.keyframes();
        last.time <= time && !keyframes.any(|keyframe| last.time < keyframe && keyframe <= time)
    }

    /// Reads the next record, unless it is read. Skips the records between a missing record and the next keyframe, and
    /// keyframes that the played records have led to.
    fn peek(&mut self) -> Result<Option<&TickRecord>, LogError> {
        while self.next.is_none() {
            let Some(entry) = self.reader.next_entry()? else {
                break;
            };
            let record = entry.record()?;
            let seq = self.last.map(|last| last.seq);
            let is_next = if record.is_keyframe() {
                seq.is_none_or(|last| record.seq() > last)
            } else {
                seq.and_then(|last| last.checked_add(1)) == Some(record.seq())
            };
            self.next = is_next.then_some(record);
        }
        Ok(self.next.as_ref())
    }

    /// Takes the next record, if its time is not above a limit.
    fn take_until(&mut self, limit: Duration) -> Result<Option<TickRecord>, LogError> {
        if self.peek()?.is_none_or(|record| record.time() > limit) {
            return Ok(None);
        }
        let record = self.next.take();
        self.last = record.as_ref().map(|record| Played {
            seq: record.seq(),
            tick: record.tick(),
            time: record.time(),
        });
        Ok(record)
    }
}

fn play(client: &mut NetworkClient, record: &TickRecord) -> Result<(), LogError> {
    let seq = record.seq();
    let played = client.handle_record(record);
    played.map_err(|error| LogError::Record { seq, error })
}
