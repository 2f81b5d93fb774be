//! `Journal`: the state of a server in files, tick by tick, and its recovery behind a crash.
//!
//! A journal is a directory of log files. A file begins with the whole state of the server, and its records continue the
//! state. A new file replaces the files before it:
//!
//! ```text
//! tick                                              thread
//! file 7: record │ record, and a slice of the state of file 8
//! file 7: record │ record, and the last slice
//!                                      -------->    writes a draft of file 8, and syncs it
//! file 7: record │ record, kept for 8
//! draft 8: the kept records            -------->    syncs the draft, gives it its name, removes file 7
//! file 7, file 8: record │ record
//! file 8: record │ record
//! ```
//!
//! So the file with the highest number has all records at any moment. Each update appends one chunk with its records, and the
//! loss of the process costs no tick whose update has returned. Whether the loss of the machine costs ticks is the choice of
//! [`JournalSync`].
//!
//! The tick gathers records and slices of states, compresses its records, and writes them to the cache of the system. It waits
//! for the storage at no time, unless the system makes a write wait.

mod options;
mod segment;

use std::io;
use std::iter::from_fn;
use std::path::Path;
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, SystemTime};

use syncvar_net::{NetworkServer, PendingSave, Save};

use crate::{JournalError, LogEntry, LogHeader, LogKind, LogReader};
pub use options::{JournalOptions, JournalSync};
use segment::{Directory, Segment};

/// Most bytes of records that are kept for the file of a new state.
const MAX_KEPT: usize = 64 << 20;

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
    directory: Directory,
    options: JournalOptions,
    wall_clock: SystemTime,
    /// Number of the last draft.
    number: u32,
    /// The file; `None` behind a failure.
    segment: Option<Segment>,
    /// The file of a new state.
    draft: Option<Draft>,
    /// Time of the server of the next state.
    due: Duration,
    /// Time of the server of the last sync.
    synced: Duration,
    sync: Option<Work<()>>,
}

/// Work of a thread.
type Work<T> = JoinHandle<io::Result<T>>;

/// File of a new state, before it takes the place of the files before it.
#[derive(Debug)]
enum Draft {
    /// The server gathers the state.
    Gathered(PendingSave),
    /// A thread writes the state.
    Written {
        work: Work<Segment>,
        /// Records behind the state, and their bytes.
        kept: Vec<LogEntry>,
        bytes: usize,
    },
    /// The draft has all records. A thread publishes it.
    Published { work: Work<()>, segment: Segment },
}

impl Journal {
    /// Begins a journal in a directory, with the state of the server. It makes the directory, and waits for the storage. The
    /// earlier files go once the state is on the storage: [`recover`](Self::recover) and load them before.
    ///
    /// # Errors
    ///
    /// For a failure of the storage, and for a state that cannot be saved.
    pub fn open(
        directory: impl AsRef<Path>,
        server: &mut NetworkServer,
        options: JournalOptions,
    ) -> Result<Self, JournalError> {
        let directory = Directory::open(directory.as_ref())?;
        let now = server.now();
        let clock = SystemTime::now();
        let mut journal = Self {
            number: directory.last_number()?.saturating_add(1),
            directory,
            options,
            wall_clock: clock.checked_sub(now).unwrap_or(clock),
            segment: None,
            draft: None,
            due: now.saturating_add(options.save_interval),
            synced: now,
            sync: None,
        };
        let save = server.start_journal()?;
        let (header, state) = (journal.header(server), LogEntry::from(save.keyframe()));
        let segment = Segment::create(&journal.directory, journal.number, &header, &state)?;
        { &journal.directory }.publish(journal.number, &segment.file()?)?;
        journal.segment = Some(segment);
        Ok(journal)
    }

    /// Appends the records of the last update. When it has returned, the loss of the process does not cost the tick.
    ///
    /// Behind a failure of the storage the journal drops the records ([`JournalError::Interrupted`]). After
    /// [`retry_interval`](JournalOptions::retry_interval) it gathers the state for a new file. Until then a crash returns to the last tick before the failure. If
    /// the file of a new state fails, the journal goes on in the file before: the error alone is new.
    ///
    /// # Errors
    ///
    /// For a failure of the storage, until the next attempt, and for a state that cannot be saved. The server can go on.
    pub fn update(&mut self, server: &mut NetworkServer) -> Result<(), JournalError> {
        let now = server.now();
        let entries = take_records(server);
        let appended = self.append(&entries).map_err(JournalError::Io);
        let advanced = self.advance(server, &entries);
        let synced = self.sync(now).map_err(JournalError::Io);
        if let Err(error) = appended.and(advanced).and(synced) {
            self.due = now.saturating_add(self.options.retry_interval);
            return Err(error);
        }
        // A save of the program goes first.
        if now >= self.due
            && self.draft.is_none()
            && let Ok(pending) = server.begin_save(self.options.objects_per_update)
        {
            self.draft = Some(Draft::Gathered(pending));
            self.due = now.saturating_add(self.options.save_interval);
        }
        if self.segment.is_none() {
            return Err(JournalError::Interrupted);
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
        for (_, path) in Directory::files(directory)?.iter().rev() {
            match read(path) {
                Ok(save) => return Ok(Some(save)),
                // The file was cut within its state: the file before is still there.
                Err(error) => last = last.or(Some(error)),
            }
        }
        last.map_or(Ok(None), Err)
    }

    fn header(&self, server: &NetworkServer) -> LogHeader {
        let mut header = LogHeader::of(server);
        header.kind = LogKind::Journal;
        header.wall_clock = self.wall_clock;
        header
    }

    /// Begins the thread that writes a state. The records of the update may go beyond it.
    fn write_state(
        &mut self,
        server: &NetworkServer,
        save: &Save,
        entries: &[LogEntry],
    ) -> io::Result<()> {
        self.number = self.number.saturating_add(1);
        let (header, state) = (self.header(server), LogEntry::from(save.keyframe()));
        let behind = entries.iter().filter(|entry| entry.seq > state.seq);
        let kept: Vec<_> = behind.cloned().collect();
        let (directory, number) = (self.directory.clone(), self.number);
        let work = spawn(move || Segment::create(&directory, number, &header, &state))?;
        self.draft = Some(Draft::Written {
            work,
            bytes: kept.iter().map(|entry| entry.bytes.len()).sum(),
            kept,
        });
        Ok(())
    }

    /// Appends records to the file, and to the draft.
    fn append(&mut self, entries: &[LogEntry]) -> io::Result<()> {
        let mut appended = Ok(());
        if let Some(segment) = &mut self.segment {
            appended = segment.append(entries);
        }
        if appended.is_err() {
            self.segment = None;
        }
        let drafted = match &mut self.draft {
            None | Some(Draft::Gathered(_)) => Ok(()),
            Some(Draft::Published { segment, .. }) => segment.append(entries),
            Some(Draft::Written { kept, bytes, .. }) => {
                kept.extend_from_slice(entries);
                *bytes += entries.iter().map(|it| it.bytes.len()).sum::<usize>();
                let is_late = *bytes > MAX_KEPT;
                let error =
                    || io::Error::new(io::ErrorKind::TimedOut, "a new state takes too long");
                if is_late { Err(error()) } else { Ok(()) }
            }
        };
        if drafted.is_err() {
            // Its thread ends by itself, and the next file removes it.
            self.draft = None;
        }
        appended.and(drafted)
    }

    /// Takes the state of the server, or the results of the threads, for the draft.
    fn advance(
        &mut self,
        server: &NetworkServer,
        entries: &[LogEntry],
    ) -> Result<(), JournalError> {
        match self.draft.take() {
            Some(Draft::Gathered(pending)) => match pending.poll() {
                None => self.draft = Some(Draft::Gathered(pending)),
                Some(save) => self.write_state(server, &save?, entries)?,
            },
            Some(Draft::Written { work, kept, .. }) if work.is_finished() => {
                let mut segment = join(work)?;
                segment.append(&kept)?;
                let (directory, number) = (self.directory.clone(), segment.number());
                let file = segment.file()?;
                let work = spawn(move || directory.publish(number, &file))?;
                self.draft = Some(Draft::Published { work, segment });
            }
            Some(Draft::Published { work, segment }) if work.is_finished() => {
                join(work)?;
                self.segment = Some(segment);
            }
            other => self.draft = other,
        }
        Ok(())
    }

    /// Syncs the file, if it is due.
    fn sync(&mut self, now: Duration) -> io::Result<()> {
        if let Some(work) = self.sync.take_if(|work| work.is_finished())
            && let Err(error) = join(work)
        {
            // The system may have dropped the bytes.
            self.segment = None;
            return Err(error);
        }
        let (JournalSync::Every(interval), Some(segment)) = (self.options.sync, &self.segment)
        else {
            return Ok(());
        };
        if self.sync.is_none() && now.saturating_sub(self.synced) >= interval {
            let file = segment.file()?;
            self.sync = Some(spawn(move || file.sync_data())?);
            self.synced = now;
        }
        Ok(())
    }
}

impl Drop for Journal {
    /// Waits for the threads, so that a later journal of the directory is alone.
    fn drop(&mut self) {
        let _ = self.sync.take().map(join);
        // The file before has the records, unless it has failed.
        let _ = match self.draft.take() {
            None | Some(Draft::Gathered(_)) => Ok(()),
            Some(Draft::Published { work, .. }) => join(work),
            Some(Draft::Written { work, kept, .. }) => join(work).and_then(|mut segment| {
                segment.append(&kept)?;
                { &self.directory }.publish(segment.number(), &segment.file()?)
            }),
        };
    }
}

/// Takes the records that the server has for its journal.
fn take_records(server: &mut NetworkServer) -> Vec<LogEntry> {
    let records = from_fn(|| server.poll_journal());
    records.map(|record| LogEntry::from(&record)).collect()
}

fn spawn<T: Send + 'static>(
    work: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> io::Result<Work<T>> {
    Builder::new().name("syncvar-journal".into()).spawn(work)
}

fn join<T>(work: Work<T>) -> io::Result<T> {
    let panicked = |_| Err(io::Error::other("a thread of the journal has panicked"));
    work.join().unwrap_or_else(panicked)
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
