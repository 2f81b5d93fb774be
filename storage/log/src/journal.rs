//! `Journal`: the state of a server in files, tick by tick, and its recovery behind a crash.
//!
//! A journal is a directory of log files. A file begins with the whole state of the server, and its records continue the
//! state. A new file replaces the files before it, as soon as its state is on the storage:
//!
//! ```text
//! journal-00000007.mcap   state │ record │ record │ record │ …           interval over: a new state
//! journal-00000008.mcap   state │ sync │ file 7 is deleted │ record │ …
//! ```
//!
//! Each update appends one chunk with its records, so that the loss of the process costs no tick whose update has returned.
//! Whether the loss of the machine costs ticks is the choice of [`JournalSync`].

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use syncvar_net::{NetworkServer, Save};

use crate::{JournalError, LogEntry, LogHeader, LogKind, LogReader, LogWriter};

/// Begin of the names of files.
const PREFIX: &str = "journal-";

/// End of the names of files.
const SUFFIX: &str = ".mcap";

/// Moments at which the journal waits until the storage has the bytes. The loss of the process alone costs nothing in any
/// case: the system has the bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum JournalSync {
    /// At each new state of the server.
    #[default]
    States,
    /// At each new state, and at the first update this time after the last sync.
    Every(Duration),
}

/// Settings of a [`Journal`].
///
/// ```
/// use std::time::Duration;
/// use syncvar::log::{JournalOptions, JournalSync};
///
/// let options = JournalOptions {
///     sync: JournalSync::Every(Duration::from_secs(1)),
///     ..JournalOptions::default()
/// };
/// assert_eq!(options.save_interval, Duration::from_secs(60));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JournalOptions {
    /// Time between two states of the server, each of which begins a file; 60 s by default. A state costs as much as a client
    /// that joins.
    pub save_interval: Duration,
    /// Moments at which the journal waits for the storage; [`JournalSync::States`] by default.
    pub sync: JournalSync,
    /// Time of the server between a failure of the storage and the next attempt; 1 s by default.
    pub retry_interval: Duration,
}

impl Default for JournalOptions {
    fn default() -> Self {
        Self {
            save_interval: Duration::from_mins(1),
            sync: JournalSync::default(),
            retry_interval: Duration::from_secs(1),
        }
    }
}

/// Journal of a server in a directory.
///
/// The program calls [`update`](Self::update) after each update of the server and before it sends the packets of the update. After a
/// crash [`recover`](Self::recover) returns the state of the last tick in the files, and the clients of the server return to
/// it.
///
/// ```
/// use std::time::Duration;
/// use syncvar::log::{Journal, JournalOptions};
/// use syncvar::prelude::*;
///
/// #[derive(NetworkBehaviour, Default)]
/// struct Door {
///     #[sync_var]
///     open: SyncVar<bool>,
/// }
///
/// let directory = std::env::temp_dir().join(format!("syncvar-journal-{}", std::process::id()));
/// let prefabs = || Prefabs::new().register::<Door>("door");
///
/// let mut server = NetworkServer::new(prefabs());
/// let door = server.spawn(Door { open: true.into() });
/// let mut journal = Journal::open(&directory, &mut server, JournalOptions::default())?;
/// server.update(Duration::from_secs(1));
/// journal.update(&mut server)?;
/// drop((journal, server)); // the process ends without a goodbye
///
/// let mut server = NetworkServer::new(prefabs());
/// if let Some(save) = Journal::recover(&directory)? {
///     server.load(&save)?;
/// }
/// let mut journal = Journal::open(&directory, &mut server, JournalOptions::default())?;
/// assert_eq!(server.get::<Door>(door).unwrap().open, true);
/// # drop(journal);
/// # std::fs::remove_dir_all(&directory)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Journal {
    directory: PathBuf,
    options: JournalOptions,
    wall_clock: SystemTime,
    /// Number of the last file.
    number: u32,
    /// The file; `None` behind a failure.
    segment: Option<Segment>,
    /// Time of the server of the last state, or of the last failure.
    last_state: Duration,
}

/// File of a journal that is being written.
#[derive(Debug)]
struct Segment {
    file: File,
    writer: LogWriter,
    /// Time of the server of the last sync.
    synced: Duration,
}

impl Journal {
    /// Begins a journal in a directory, with the state of the server. It makes the directory. The earlier files go once the state
    /// is on the storage: [`recover`](Self::recover) and load them before.
    ///
    /// # Errors
    ///
    /// For a failure of the storage, and for a state that cannot be saved.
    pub fn open(
        directory: impl AsRef<Path>,
        server: &mut NetworkServer,
        options: JournalOptions,
    ) -> Result<Self, JournalError> {
        let directory = directory.as_ref().to_owned();
        fs::create_dir_all(&directory)?;
        let number = segments(&directory)?
            .last()
            .map_or(0, |(number, _)| *number);
        let now = SystemTime::now();
        let mut journal = Self {
            directory,
            options,
            wall_clock: now.checked_sub(server.now()).unwrap_or(now),
            number,
            segment: None,
            last_state: server.now(),
        };
        journal.begin_segment(server)?;
        Ok(journal)
    }

    /// Appends the records of the last update. When it has returned, the loss of the process does not cost the tick.
    ///
    /// Behind a failure of the storage the journal drops the records ([`JournalError::Interrupted`]), and begins a new file with the whole state after
    /// [`retry_interval`](JournalOptions::retry_interval). Until then a crash returns to the last tick before the failure.
    ///
    /// # Errors
    ///
    /// For a failure of the storage, until the next attempt, and for a state that cannot be saved. The server can go on.
    pub fn update(&mut self, server: &mut NetworkServer) -> Result<(), JournalError> {
        let now = server.now();
        let waited = now.saturating_sub(self.last_state);
        let Some(segment) = &mut self.segment else {
            while server.poll_journal().is_some() {}
            if waited < self.options.retry_interval {
                return Err(JournalError::Interrupted);
            }
            return self.begin_segment(server);
        };
        if let Err(error) = segment.append(server, self.options.sync) {
            self.segment = None;
            self.last_state = now;
            return Err(error.into());
        }
        if waited >= self.options.save_interval {
            self.begin_segment(server)?;
        }
        Ok(())
    }

    /// Returns the state of the last tick in a directory. `None` without a journal. Records behind a cut or damaged chunk are left
    /// out.
    ///
    /// The loaded server continues at the time that the server of the journal would have now, by the clock of the machine.
    ///
    /// # Errors
    ///
    /// For a failure of the storage, and if no file has a whole state.
    pub fn recover(directory: impl AsRef<Path>) -> Result<Option<Save>, JournalError> {
        let directory = directory.as_ref();
        if !directory.exists() {
            return Ok(None);
        }
        let mut last = None;
        for (_, path) in segments(directory)?.iter().rev() {
            match read(path) {
                Ok(save) => return Ok(Some(save)),
                // The file was cut within its state: the file before is still there.
                Err(error) => last = last.or(Some(error)),
            }
        }
        last.map_or(Ok(None), Err)
    }

    /// Begins a file with the state of the server. A failure leaves the files before.
    fn begin_segment(&mut self, server: &mut NetworkServer) -> Result<(), JournalError> {
        self.last_state = server.now();
        self.segment = None;
        let save = server.start_journal()?;
        let number = self.number.saturating_add(1);
        let path = self.directory.join(format!("{PREFIX}{number:08}{SUFFIX}"));
        match self.write_state(&path, server, &save) {
            Ok(segment) => self.segment = Some(segment),
            Err(error) => {
                // The space is free again.
                let _ = fs::remove_file(&path);
                return Err(error.into());
            }
        }
        self.number = number;
        for (_, former) in segments(&self.directory)?
            .iter()
            .filter(|(it, _)| *it < number)
        {
            fs::remove_file(former)?;
        }
        Ok(())
    }

    fn write_state(&self, path: &Path, server: &NetworkServer, save: &Save) -> io::Result<Segment> {
        let mut header = LogHeader::of(server);
        header.kind = LogKind::Journal;
        header.wall_clock = self.wall_clock;
        let mut writer = LogWriter::new(&header)?;
        writer.push(&LogEntry::from(save.keyframe()))?;
        writer.end_chunk()?;
        let mut file = File::create(path)?;
        file.write_all(&writer.take_bytes())?;
        file.sync_all()?;
        // The name of the file.
        File::open(&self.directory)?.sync_all()?;
        let synced = server.now();
        Ok(Segment {
            file,
            writer,
            synced,
        })
    }
}

impl Segment {
    /// Appends the records of an update in a chunk.
    fn append(&mut self, server: &mut NetworkServer, sync: JournalSync) -> io::Result<()> {
        while let Some(record) = server.poll_journal() {
            self.writer.push(&LogEntry::from(&record))?;
        }
        self.writer.end_chunk()?;
        self.file.write_all(&self.writer.take_bytes())?;
        let now = server.now();
        if let JournalSync::Every(interval) = sync
            && now.saturating_sub(self.synced) >= interval
        {
            self.file.sync_data()?;
            self.synced = now;
        }
        Ok(())
    }
}

/// Reads the state and the records of a file.
fn read(path: &Path) -> Result<Save, JournalError> {
    let mut reader = LogReader::open(path)?;
    let header = reader.header().clone();
    let state = reader.next_entry()?.ok_or(JournalError::NoState)?;
    let mut save = Save::new(&header.schema.to_string(), state.record()?)?;
    let mut last = state.time;
    // Behind the first gap or damage nothing continues the state.
    while let Ok(Some(entry)) = reader.next_entry() {
        let Ok(record) = entry.record() else {
            break;
        };
        if save.push(record).is_err() {
            break;
        }
        last = entry.time;
    }
    let ended = header.wall_clock.checked_add(last);
    let pause = ended.and_then(|ended| SystemTime::now().duration_since(ended).ok());
    Ok(save.after(pause.unwrap_or_default()))
}

/// Returns the files of a directory, by number.
fn segments(directory: &Path) -> io::Result<Vec<(u32, PathBuf)>> {
    let mut segments = Vec::new();
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        let name = path.file_name().and_then(|name| name.to_str());
        let number = name.and_then(|name| name.strip_prefix(PREFIX)?.strip_suffix(SUFFIX));
        if let Some(number) = number.and_then(|number| number.parse().ok()) {
            segments.push((number, path));
        }
    }
    segments.sort_unstable();
    Ok(segments)
}
