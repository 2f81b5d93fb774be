//! The recorder: storage that is full, slow or wrong, rotation, markers.

use std::io::{self, Cursor, ErrorKind, Write};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use syncvar::log::{LogReader, Player, Recorder, RecorderEvent, RecorderOptions};
use syncvar::prelude::*;

use crate::world::{State, World, prefabs, state};

/// Storage in memory, whose state the test decides.
#[derive(Clone, Default)]
pub(crate) struct Disk(Arc<(Mutex<DiskState>, Condvar)>);

#[derive(Default)]
pub(crate) struct DiskState {
    pub(crate) files: Vec<Vec<u8>>,
    /// Bytes until the disk is full; `None` without a limit.
    free: Option<usize>,
    is_stalled: bool,
}

/// A file on the disk, by its number.
pub(crate) struct DiskFile(Disk, usize);

impl Disk {
    pub(crate) fn set(&self, change: impl FnOnce(&mut DiskState)) {
        change(&mut self.0.0.lock().unwrap());
        self.0.1.notify_all();
    }

    fn create(&self) -> impl FnMut(u32) -> io::Result<DiskFile> + Send + 'static {
        let disk = self.clone();
        move |number| {
            disk.set(|state| state.files.push(Vec::new()));
            Ok(DiskFile(disk.clone(), number as usize))
        }
    }

    pub(crate) fn file(&self, number: usize) -> Vec<u8> {
        let state = self.0.0.lock().unwrap();
        state.files.get(number).cloned().unwrap_or_default()
    }

    /// Returns the number of files.
    pub(crate) fn count(&self) -> usize {
        self.0.0.lock().unwrap().files.len()
    }
}

impl Write for DiskFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let (state, condition) = &*self.0.0;
        let mut state = state.lock().unwrap();
        while state.is_stalled {
            state = condition.wait(state).unwrap();
        }
        let count = bytes.len().min(state.free.unwrap_or(usize::MAX));
        if count == 0 {
            return Err(ErrorKind::StorageFull.into());
        }
        state.free = state.free.map(|free| free - count);
        state.files[self.1].extend_from_slice(&bytes[..count]);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

pub(crate) fn options() -> RecorderOptions {
    RecorderOptions {
        keyframe_interval: Duration::from_secs(1),
        chunk_interval: Duration::from_millis(300),
        retry_interval: Duration::from_millis(1),
        ..RecorderOptions::default()
    }
}

/// A world with a recorder, and the events of the recorder.
pub(crate) struct Session {
    pub(crate) world: World,
    pub(crate) recorder: Recorder,
    events: Vec<RecorderEvent>,
    pub(crate) states: Vec<(Duration, State)>,
    /// Number of the last record, and the number of all records without keyframes.
    last: u64,
    pub(crate) records: usize,
}

impl Session {
    pub(crate) fn new(seed: u64, disk: &Disk, options: RecorderOptions) -> Self {
        let mut world = World::new(seed);
        let recorder = Recorder::with_storage(&mut world.server, options, disk.create());
        Self {
            world,
            recorder: recorder.unwrap(),
            events: Vec::new(),
            states: Vec::new(),
            last: 0,
            records: 0,
        }
    }

    pub(crate) fn run(&mut self, ticks: u32) {
        for _ in 0..ticks {
            self.world.tick();
            self.recorder.update(&mut self.world.server);
            self.states.push((self.world.now, self.world.state()));
            for record in self.world.server.records_after(self.last) {
                self.last = record.seq();
                self.records += usize::from(!record.is_keyframe());
            }
            self.events
                .extend(std::iter::from_fn(|| self.recorder.poll_event()));
        }
    }

    /// Runs until an event.
    fn run_until(&mut self, is_event: impl Fn(&RecorderEvent) -> bool) {
        for _ in 0..10_000 {
            self.run(1);
            if self.events.iter().any(&is_event) {
                return;
            }
            std::thread::sleep(Duration::from_micros(200));
        }
        panic!("{:?}", self.events);
    }

    pub(crate) fn finish(&mut self) -> io::Result<()> {
        let finished = self.recorder.finish();
        self.events
            .extend(std::iter::from_fn(|| self.recorder.poll_event()));
        finished
    }

    /// Returns the state of the server at a time.
    pub(crate) fn at(&self, time: Duration) -> &State {
        let found = self.states.iter().find(|(at, _)| *at == time);
        &found.unwrap().1
    }

    fn dropped(&self) -> Vec<(u64, u64)> {
        let dropped = |event: &RecorderEvent| match event {
            RecorderEvent::Dropped { first, last } => Some((*first, *last)),
            _ => None,
        };
        self.events.iter().filter_map(dropped).collect()
    }

    /// Plays a file, and compares each state with that of the server. Returns the number of played records.
    fn check(&self, file: Vec<u8>) -> usize {
        let mut player = Player::new(LogReader::new(Cursor::new(file)).unwrap());
        let mut client = NetworkClient::new(prefabs());
        let mut count = 1;
        player.update(&mut client, Duration::ZERO).unwrap();
        loop {
            let position = player.position();
            assert_eq!(state(&client), *self.at(position), "{position:?}");
            if !player.step_forward(&mut client).unwrap() {
                return count;
            }
            count += 1;
        }
    }
}

#[test]
fn a_recording_has_each_tick() {
    let disk = Disk::default();
    let mut session = Session::new(1, &disk, options());
    session.run(100);
    session.finish().unwrap();
    assert_eq!(session.dropped(), []);
    // The first keyframe takes the place of a record.
    assert_eq!(session.check(disk.file(0)), session.records + 1);
    let reader = LogReader::new(Cursor::new(disk.file(0))).unwrap();
    assert!(reader.is_whole());
    assert_eq!(reader.keyframes().count(), 4);
}

#[test]
fn a_full_disk_is_an_event_and_the_file_goes_on() {
    let disk = Disk::default();
    disk.set(|state| state.free = Some(1500));
    let options = RecorderOptions {
        max_queue: 4000,
        ..options()
    };
    let mut session = Session::new(2, &disk, options);
    session.run_until(|event| matches!(event, RecorderEvent::StorageFailed(_)));
    session.run(300);
    disk.set(|state| state.free = None);
    session.run_until(|event| matches!(event, RecorderEvent::StorageWorks));
    session.run_until(|event| matches!(event, RecorderEvent::Dropped { .. }));
    for _ in 0..60 {
        session.run(1);
        // A server waits for its next tick: the thread has time for the records of the last one.
        std::thread::sleep(Duration::from_millis(2));
    }
    session.finish().unwrap();
    let dropped = session.dropped();
    assert_eq!(dropped.len(), 1, "{dropped:?}");
    let count = session.check(disk.file(0));
    let missing = dropped[0].1 - dropped[0].0;
    assert!(missing > 100 && count > 60, "{missing} {count}");
}

#[test]
fn a_stalled_disk_drops_records_and_bounds_the_memory() {
    let disk = Disk::default();
    let options = RecorderOptions {
        max_queue: 20_000,
        ..options()
    };
    let mut session = Session::new(3, &disk, options);
    session.run(30);
    disk.set(|state| state.is_stalled = true);
    session.run(2_000);
    disk.set(|state| state.is_stalled = false);
    session.run_until(|event| matches!(event, RecorderEvent::Dropped { .. }));
    session.run(60);
    session.finish().unwrap();
    let dropped = session.dropped();
    assert_eq!(dropped.len(), 1, "{dropped:?}");
    // The queue of 20 KB had room for a part of the records.
    let missing = dropped[0].1 - dropped[0].0;
    assert!((500..2_000).contains(&missing), "{missing}");
    session.check(disk.file(0));
}

#[test]
fn a_disk_that_stays_full_leaves_a_readable_file() {
    let disk = Disk::default();
    let mut session = Session::new(4, &disk, options());
    session.run(60);
    while disk.file(0).len() < 1_500 {
        std::thread::sleep(Duration::from_millis(1));
    }
    disk.set(|state| state.free = Some(100));
    session.run(60);
    let error = session.finish().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::StorageFull);
    let reader = LogReader::new(Cursor::new(disk.file(0))).unwrap();
    assert!(!reader.is_whole());
    assert!(session.check(disk.file(0)) > 5);
}

#[test]
fn files_rotate_by_time_and_each_stands_alone() {
    let disk = Disk::default();
    let options = RecorderOptions {
        max_file_time: Duration::from_secs(2),
        ..options()
    };
    let mut session = Session::new(5, &disk, options);
    session.run(150);
    session.finish().unwrap();
    let ended: Vec<_> = { session.events.iter() }
        .filter_map(|event| match event {
            RecorderEvent::FileEnded { number, length } => Some((*number, *length)),
            _ => None,
        })
        .collect();
    let lengths = (0..3).map(|number| (number, disk.file(number as usize).len() as u64));
    assert_eq!(ended, lengths.collect::<Vec<_>>());
    let counts: Vec<_> = (0..3)
        .map(|number| session.check(disk.file(number)))
        .collect();
    // Each file begins with the keyframe of the last record of the file before.
    assert_eq!(
        counts.iter().sum::<usize>(),
        session.records + 3,
        "{counts:?}"
    );
}

#[test]
fn files_rotate_by_size() {
    let disk = Disk::default();
    let options = RecorderOptions {
        max_file_size: 2_000,
        ..options()
    };
    let mut session = Session::new(6, &disk, options);
    session.run(300);
    session.finish().unwrap();
    let files = disk.count();
    assert!(files > 2);
    for number in 0..files {
        session.check(disk.file(number));
    }
}

#[test]
fn a_marker_has_a_keyframe_and_a_value() {
    let disk = Disk::default();
    let options = RecorderOptions {
        keyframe_interval: Duration::MAX,
        program: [("map".to_owned(), "harbour".to_owned())].into(),
        ..options()
    };
    let mut session = Session::new(7, &disk, options);
    session.run(40);
    let tick = session.world.server.network_time().tick + 1;
    let value = vec![Some("red"), None];
    session
        .recorder
        .mark(&mut session.world.server, "goal", value);
    session.run(40);
    session.finish().unwrap();
    let mut reader = LogReader::new(Cursor::new(disk.file(0))).unwrap();
    assert_eq!(reader.header().program["map"], "harbour");
    let markers = reader.markers().unwrap();
    assert_eq!(markers.len(), 1);
    assert_eq!((&*markers[0].name, markers[0].tick), ("goal", tick));
    assert_eq!(markers[0].value.to_string(), r#"["red",null]"#);
    let keyframes: Vec<_> = reader.keyframes().collect();
    assert_eq!(keyframes[1..], [markers[0].time]);
}

#[test]
fn the_files_of_a_path_have_numbers() {
    let directory = std::env::temp_dir().join(format!("syncvar-rotation-{}", std::process::id()));
    std::fs::create_dir_all(&directory).unwrap();
    let mut world = World::new(8);
    let options = RecorderOptions {
        max_file_time: Duration::from_secs(1),
        ..options()
    };
    let path = directory.join("race.mcap");
    let mut recorder = Recorder::create(&path, &mut world.server, options).unwrap();
    for _ in 0..70 {
        world.tick();
        recorder.update(&mut world.server);
    }
    recorder.finish().unwrap();
    let mut names: Vec<_> = std::fs::read_dir(&directory)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names, ["race-1.mcap", "race-2.mcap", "race.mcap"]);
    std::fs::remove_dir_all(&directory).unwrap();
}
