//! The files of a rotation: one recording, also while it is written.

use std::fs::{create_dir_all, remove_dir_all, write};
use std::io::{self, Read, Seek, SeekFrom};
use std::time::{Duration, UNIX_EPOCH};

use syncvar::log::{LogReader, Player, RecorderOptions, first_file, rotated_path};
use syncvar::prelude::*;
use syncvar::testing::Random;

use crate::recording::{Disk, Session, options};
use crate::world::{Car, message, prefabs, state, untyped_state};

/// A file on the disk that is read while it is written.
struct OpenFile {
    disk: Disk,
    number: usize,
    at: u64,
}

impl Read for OpenFile {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let file = self.disk.file(self.number);
        let rest = file.get(usize::try_from(self.at).unwrap()..);
        let count = rest.unwrap_or_default().read(bytes)?;
        self.at += count as u64;
        Ok(count)
    }
}

impl Seek for OpenFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let length = self.disk.file(self.number).len() as u64;
        self.at = match to {
            SeekFrom::Start(at) => at,
            SeekFrom::End(by) => length.checked_add_signed(by).unwrap(),
            SeekFrom::Current(by) => self.at.checked_add_signed(by).unwrap(),
        };
        Ok(self.at)
    }
}

fn reader(disk: &Disk) -> LogReader<OpenFile> {
    let disk = disk.clone();
    let reader = LogReader::with_files(move |number| {
        let number = number as usize;
        let disk = disk.clone();
        let is_there = number < disk.count();
        Ok(is_there.then_some(OpenFile {
            disk,
            number,
            at: 0,
        }))
    });
    reader.unwrap()
}

fn rotating(seed: u64, disk: &Disk) -> Session {
    let options = RecorderOptions {
        max_file_time: Duration::from_secs(2),
        wall_clock: Some(UNIX_EPOCH + Duration::from_secs(seed)),
        ..options()
    };
    Session::new(seed, disk, options)
}

/// Returns a rotated recording, with markers.
fn recorded(seed: u64, disk: &Disk) -> Session {
    let mut session = rotating(seed, disk);
    for mark in 0..4 {
        session.run(70);
        let server = &mut session.world.server;
        session.recorder.mark(server, "goal", mark);
    }
    session.run(20);
    session.finish().unwrap();
    session
}

#[test]
fn the_files_play_as_one_recording() {
    let disk = Disk::default();
    let session = recorded(30, &disk);
    assert!(disk.count() >= 4, "{} files", disk.count());
    let reader = reader(&disk);
    assert!(reader.is_whole());
    let mut player = Player::new(reader);
    let marks = player.markers().unwrap();
    let marks: Vec<_> = marks.iter().map(|it| it.value.to_string()).collect();
    assert_eq!(marks, ["0", "1", "2", "3"]);
    let mut client = NetworkClient::new(prefabs());
    player.update(&mut client, Duration::ZERO).unwrap();
    let (mut laps, mut hooks, mut records) = (0, 0, 1);
    loop {
        assert_eq!(state(&client), *session.at(player.position()));
        let cars = session.world.ids().filter_map(|id| client.get::<Car>(id));
        let now: (u32, u32) = cars.fold((0, 0), |(laps, cheers), car| {
            (laps + *car.lap, cheers + car.cheers)
        });
        laps = laps.max(now.0);
        hooks = hooks.max(now.1);
        if !player.step_forward(&mut client).unwrap() {
            break;
        }
        records += 1;
    }
    assert_eq!(records, session.records + 1, "each record once");
    assert!(
        laps > 100 && hooks > 0 && hooks <= laps,
        "{hooks} of {laps}"
    );
}

#[test]
fn seeks_lead_into_each_file() {
    let disk = Disk::default();
    let session = recorded(31, &disk);
    let mut player = Player::new(reader(&disk));
    let mut clients = [
        (NetworkClient::new(prefabs()), state as fn(&_) -> _),
        (player.untyped_client().unwrap(), untyped_state),
    ];
    let mut random = Random::new(31);
    for (client, state) in &mut clients {
        let mut player = Player::new(reader(&disk));
        for _ in 0..100 {
            let index = random.below(u32::try_from(session.states.len()).unwrap());
            let (time, expected) = &session.states[index as usize];
            player.seek(client, *time).unwrap();
            assert_eq!(state(client), *expected, "{time:?}");
        }
    }
    player.seek(&mut clients[0].0, Duration::MAX).unwrap();
    assert_eq!(player.position(), player.end());
    assert_eq!(state(&clients[0].0), *session.at(player.end()));
}

#[test]
fn a_player_follows_from_file_to_file() {
    let disk = Disk::default();
    let mut session = rotating(32, &disk);
    session.run(20);
    while disk.file(0).len() < 2_000 {
        session.run(1);
        std::thread::yield_now();
    }
    let mut player = Player::new(reader(&disk));
    let mut client = NetworkClient::new(prefabs());
    player.update(&mut client, Duration::ZERO).unwrap();
    let mut records = 1;
    for round in 0..=60 {
        if round < 60 {
            session.run(5);
        } else {
            session.finish().unwrap();
        }
        player.refresh().unwrap();
        while player.step_forward(&mut client).unwrap() {
            assert_eq!(state(&client), *session.at(player.position()));
            records += 1;
        }
    }
    assert!(disk.count() >= 4);
    assert_eq!(records, session.records + 1, "each record once");
    assert!(!player.refresh().unwrap());
}

#[test]
fn a_recording_without_its_next_file_is_not_whole() {
    let disk = Disk::default();
    let session = recorded(33, &disk);
    let last = Player::new(reader(&disk)).end();
    let files: Vec<_> = (0..disk.count()).map(|number| disk.file(number)).collect();
    // The second file is missing, empty, cut, or of an earlier recording with the same names.
    let earlier = Disk::default();
    recorded(34, &earlier);
    let cut = files[1][..100].to_vec();
    for second in [vec![], vec![Vec::new()], vec![cut], vec![earlier.file(1)]] {
        let part = Disk::default();
        part.set(|state| state.files = vec![files[0].clone()]);
        part.set(|state| state.files.extend(second.clone()));
        let mut player = Player::new(reader(&part));
        assert!(player.end() < last);
        assert!(!player.refresh().unwrap());
        part.set(|state| state.files.clone_from(&files));
        assert!(player.refresh().unwrap());
        assert_eq!(player.end(), last);
        let mut client = NetworkClient::new(prefabs());
        player.seek(&mut client, Duration::MAX).unwrap();
        assert_eq!(state(&client), *session.at(last));
    }
}

#[test]
fn damage_names_the_file() {
    let disk = Disk::default();
    let session = recorded(35, &disk);
    disk.set(|state| {
        let file = &mut state.files[1];
        file[1_000] ^= 0x40;
    });
    let mut player = Player::new(reader(&disk));
    let mut client = NetworkClient::new(prefabs());
    let mut refused = 0;
    for (time, expected) in &session.states {
        match player.seek(&mut client, *time) {
            Ok(()) => assert_eq!(state(&client), *expected),
            Err(error) => {
                let error = error.to_string();
                assert!(error.contains("file 1 of the recording"), "{error}");
                refused += 1;
            }
        }
    }
    assert!(refused > 0 && refused < 70, "{refused}");
}

#[test]
fn a_folder_has_one_recording() {
    let folder = std::env::temp_dir().join(format!("syncvar-folder-{}", std::process::id()));
    create_dir_all(&folder).unwrap();
    let error = |result| message::<std::path::PathBuf, io::Error>(result);
    assert_eq!(error(first_file(&folder)), "the folder has no file *.mcap");
    let first = folder.join("race-2026.mcap");
    for number in [0, 1, 2, 10] {
        write(rotated_path(&first, number), "").unwrap();
    }
    write(folder.join("notes.txt"), "").unwrap();
    assert_eq!(first_file(&folder).unwrap(), first);
    assert_eq!(first_file(&first).unwrap(), first);
    write(folder.join("other.mcap"), "").unwrap();
    let two = error(first_file(&folder));
    assert!(
        two.contains("other.mcap and") && two.contains("race-2026.mcap"),
        "{two}"
    );
    remove_dir_all(&folder).unwrap();
}
