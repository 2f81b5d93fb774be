//! Journals with cut files, new states and a storage that fails.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use syncvar::NetworkIdentity;
use syncvar::interest::Tag;
use syncvar::log::{Journal, JournalError, JournalOptions, JournalSync};
use syncvar::prelude::*;

const CELLS: u32 = 40;

/// All fields of all cells have the number of the tick: a mixture of two ticks is seen.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
struct Cell {
    #[sync_var]
    shown: SyncVar<u64>,
    #[sync_var(read = server)]
    kept: SyncVar<u64>,
    #[sync_var(read = owner)]
    own: SyncVar<u64>,
    #[sync_var]
    last: SyncList<u64>,
}

fn prefabs() -> Prefabs {
    Prefabs::new().register::<Cell>("cell")
}

fn spark(tick: u64) -> NetId {
    NetId(u32::try_from(1_000 + tick).unwrap())
}

fn spawn(server: &mut NetworkServer, id: NetId) {
    let options = SpawnOptions {
        net_id: Some(id),
        ..SpawnOptions::default()
    };
    server.try_spawn(Cell::default(), options).unwrap();
}

/// Makes the world of a tick, from that of the tick before.
pub(crate) fn play(server: &mut NetworkServer, tick: u64) {
    for number in 1..=CELLS {
        let id = NetId(number);
        if server.identity(id).is_none() {
            spawn(server, id);
        }
        let mut cell = server.get_mut::<Cell>(id).unwrap();
        cell.shown.set(tick);
        cell.kept.set(tick);
        cell.own.set(tick);
        cell.last.push(tick);
        if cell.last.len() > 3 {
            cell.last.remove(0);
        }
    }
    spawn(server, spark(tick));
    if tick > 5 {
        server.despawn(spark(tick - 5)).unwrap();
    }
    server.set_group(NetId(1), Some(Tag(tick))).unwrap();
    if tick.is_multiple_of(2) {
        server.hide_from_all(NetId(2)).unwrap();
    } else {
        server.show_to_all(NetId(2)).unwrap();
    }
}

/// Returns the tick of the world, which is that of one tick.
pub(crate) fn check(server: &NetworkServer) -> u64 {
    let Some(first) = server.get::<Cell>(NetId(1)) else {
        return 0;
    };
    let tick = *first.shown;
    for number in 1..=CELLS {
        let cell = server.get::<Cell>(NetId(number)).unwrap();
        assert_eq!((*cell.shown, *cell.kept, *cell.own), (tick, tick, tick));
        let last: Vec<_> = (tick.saturating_sub(2).max(1)..=tick).collect();
        assert_eq!(cell.last.to_vec(), last);
    }
    let sparks = (tick.saturating_sub(4).max(1)..=tick).map(spark);
    let cells = (1..=CELLS).map(NetId);
    let ids = server.identities().map(NetworkIdentity::net_id);
    assert!(ids.eq(cells.chain(sparks)), "tick {tick}");
    assert_eq!(server.group(NetId(1)), Some(Tag(tick)));
    tick
}

pub(crate) fn recover(directory: &Path) -> NetworkServer {
    let mut server = NetworkServer::new(prefabs());
    if let Some(save) = Journal::recover(directory).unwrap() {
        server.load(&save).unwrap();
    }
    server
}

pub(crate) fn directory(name: &str) -> PathBuf {
    let name = format!("syncvar-{name}-{}", std::process::id());
    let directory = std::env::temp_dir().join(name);
    let _ = fs::remove_dir_all(&directory);
    directory
}

/// Returns the only file of a journal with some ticks.
fn file_of_ticks(directory: &Path, ticks: u64) -> PathBuf {
    let mut server = NetworkServer::new(prefabs());
    let mut journal = Journal::open(directory, &mut server, JournalOptions::default()).unwrap();
    for tick in 1..=ticks {
        play(&mut server, tick);
        server.update(Duration::from_millis(33 * tick));
        journal.update(&mut server).unwrap();
    }
    let mut files = fs::read_dir(directory).unwrap();
    let file = files.next().unwrap().unwrap().path();
    assert!(files.next().is_none());
    file
}

#[test]
fn cut_file_has_the_world_of_a_tick() {
    let directory = directory("cut");
    let file = file_of_ticks(&directory, 8);
    let bytes = fs::read(&file).unwrap();
    let mut reached = 0;
    for length in (0..bytes.len()).step_by(7).chain([bytes.len()]) {
        fs::write(&file, &bytes[..length]).unwrap();
        match Journal::recover(&directory) {
            // Within the state.
            Err(error) => assert!(reached == 0, "{length}: {error}"),
            Ok(save) => {
                let mut server = NetworkServer::new(prefabs());
                server.load(&save.unwrap()).unwrap();
                let tick = check(&server);
                assert!(tick == reached || tick == reached + 1, "{length}: {tick}");
                reached = tick;
            }
        }
    }
    assert_eq!(reached, 8);
    fs::remove_dir_all(&directory).unwrap();
}

#[test]
fn new_state_replaces_the_files_before_it() {
    let directory = directory("rotated");
    let mut server = NetworkServer::new(prefabs());
    let options = JournalOptions {
        save_interval: Duration::from_millis(200),
        objects_per_update: 15,
        ..JournalOptions::default()
    };
    let mut journal = Journal::open(&directory, &mut server, options).unwrap();
    for tick in 1..=30 {
        play(&mut server, tick);
        server.update(Duration::from_millis(33 * tick));
        journal.update(&mut server).unwrap();
        assert_eq!(check(&recover(&directory)), tick);
    }
    drop(journal);
    assert!(!directory.join("journal-00000001.mcap").exists());
    assert_eq!(fs::read_dir(&directory).unwrap().count(), 1);
    // A file that was cut within its state: the file before it counts.
    let file = fs::read_dir(&directory)
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .path();
    let bytes = fs::read(&file).unwrap();
    fs::write(
        directory.join("journal-99999999.mcap"),
        &bytes[..bytes.len() / 9],
    )
    .unwrap();
    assert_eq!(check(&recover(&directory)), 30);
    fs::write(&file, b"no log").unwrap();
    let error = Journal::recover(&directory).unwrap_err();
    assert!(matches!(error, JournalError::Log(_)), "{error}");
    fs::remove_dir_all(&directory).unwrap();
    assert!(Journal::recover(&directory).unwrap().is_none());
}

/// Plays ticks until a condition holds, and until the journal works. Returns the last tick, and whether a failure was told.
fn play_until(
    server: &mut NetworkServer,
    journal: &mut Journal,
    mut tick: u64,
    is_over: impl Fn() -> bool,
) -> (u64, bool) {
    let (mut has_failed, last) = (false, tick + 10_000);
    loop {
        tick += 1;
        play(server, tick);
        server.update(Duration::from_millis(33 * tick));
        let updated = journal.update(server);
        has_failed |= matches!(updated, Err(JournalError::Io(_)));
        if updated.is_ok() && is_over() {
            return (tick, has_failed);
        }
        assert!(tick < last, "the journal does not go on");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// A file whose bytes go elsewhere: to a device without space, or to a pipe, which cannot be synced.
#[test]
#[cfg(unix)]
fn state_without_storage_leaves_the_file_before() {
    let options = JournalOptions {
        save_interval: Duration::from_millis(200),
        objects_per_update: 15,
        sync: JournalSync::Every(Duration::from_millis(100)),
        retry_interval: Duration::from_millis(100),
    };
    for is_pipe in [false, true] {
        let directory = directory("elsewhere");
        fs::create_dir_all(&directory).unwrap();
        let mut server = NetworkServer::new(prefabs());
        let mut journal = Journal::open(&directory, &mut server, options).unwrap();
        let draft = directory.join("journal-00000002.mcap.draft");
        let drain = if is_pipe {
            let made = Command::new("mkfifo").arg(&draft).status().unwrap();
            assert!(made.success());
            let path = draft.clone();
            Some(std::thread::spawn(move || fs::read(path).unwrap().len()))
        } else {
            std::os::unix::fs::symlink("/dev/full", &draft).unwrap();
            None
        };
        let is_removed = || !draft.exists() && !draft.is_symlink();
        let (tick, has_failed) = play_until(&mut server, &mut journal, 0, is_removed);
        let (tick, again) = play_until(&mut server, &mut journal, tick, || {
            directory.join("journal-00000003.mcap").exists()
        });
        assert!(has_failed || again, "a failure is told");
        assert!(drain.is_none_or(|drain| drain.join().unwrap() > 100));
        drop(journal);
        assert_eq!(check(&recover(&directory)), tick);
        fs::remove_dir_all(&directory).unwrap();
    }
}

#[test]
fn writes_between_an_update_and_its_journal_are_of_one_tick() {
    let directory = directory("between");
    let options = JournalOptions {
        save_interval: Duration::from_millis(100),
        objects_per_update: 10,
        ..JournalOptions::default()
    };
    let mut server = NetworkServer::new(prefabs());
    let mut journal = Journal::open(&directory, &mut server, options).unwrap();
    play(&mut server, 1);
    for tick in 1..=60 {
        server.update(Duration::from_millis(33 * tick));
        // The next tick begins early: a state has its writes, and the record of the update has them not.
        play(&mut server, tick + 1);
        journal.update(&mut server).unwrap();
        let recovered = check(&recover(&directory));
        assert!(recovered == tick || recovered == tick + 1, "{recovered}");
        std::thread::sleep(Duration::from_millis(1));
    }
    drop(journal);
    assert!(!directory.join("journal-00000001.mcap").exists());
    fs::remove_dir_all(&directory).unwrap();
}
