//! Playing: speeds, hooks and calls, pauses, other builds.

use std::io::Cursor;
use std::time::Duration;

use syncvar::log::{LogEntry, LogError, LogHeader, LogReader, LogWriter, Player};
use syncvar::prelude::*;

use crate::world::{Car, Recorded, TICK, message, prefabs, state};

/// A file of one car, which gets a lap and honks each tenth of a second.
fn laps(ticks: u32) -> (NetId, Vec<u8>) {
    let mut server = NetworkServer::new(prefabs());
    let car = server.spawn(Car::default());
    server.start_recording();
    let mut writer = LogWriter::new(&LogHeader::of(&server)).unwrap();
    let mut last = 0;
    for tick in 0..ticks {
        if tick % 30 == 0 {
            server.request_keyframe();
        }
        let mut guard = server.get_mut::<Car>(car).unwrap();
        guard.lap.set(tick);
        drop(guard);
        server.calls::<Car>(car).honk().unwrap();
        server.update(Duration::from_secs(1) + tick * Duration::from_millis(100));
        for record in server.records_after(last) {
            writer.push(&LogEntry::from(record)).unwrap();
            last = record.seq();
        }
    }
    (car, writer.finish().unwrap())
}

fn seconds(seconds: f64) -> Duration {
    Duration::from_secs_f64(seconds)
}

fn car(client: &NetworkClient, id: NetId) -> (u32, u32, u32) {
    let car = client.get::<Car>(id).unwrap();
    (*car.lap, car.cheers, car.horns)
}

#[test]
fn hooks_and_calls_run_in_play_and_not_in_a_seek() {
    let (id, file) = laps(100);
    let mut player = Player::new(LogReader::new(Cursor::new(file)).unwrap());
    let mut client = NetworkClient::new(prefabs());
    player.seek(&mut client, seconds(2.0)).unwrap();
    assert_eq!(car(&client, id), (10, 0, 0));
    player.play(1.0);
    player.update(&mut client, seconds(50.0)).unwrap();
    player.update(&mut client, seconds(50.5)).unwrap();
    assert_eq!(car(&client, id), (15, 5, 5));

    // Within the keyframe interval, and over keyframes: the object stays.
    player.seek(&mut client, seconds(3.5)).unwrap();
    assert_eq!(car(&client, id), (25, 5, 5));
    player.seek(&mut client, seconds(9.0)).unwrap();
    assert_eq!(car(&client, id), (80, 5, 5));
    player.step_forward(&mut client).unwrap();
    assert_eq!(car(&client, id), (81, 6, 6));
    player.update(&mut client, seconds(51.0)).unwrap();
    assert_eq!(car(&client, id), (81, 6, 6), "a step pauses");
}

#[test]
fn events_of_a_seek_are_those_of_its_result() {
    let (id, file) = laps(100);
    let mut player = Player::new(LogReader::new(Cursor::new(file)).unwrap());
    let mut client = NetworkClient::new(prefabs());
    let mut events = move |time: f64| {
        player.seek(&mut client, seconds(time)).unwrap();
        let events = std::iter::from_fn(|| client.poll_event());
        let events = events.filter(|event| !matches!(event, ClientEvent::Tick { .. }));
        events.collect::<Vec<_>>()
    };
    let object = id;
    assert!(events(2.0).contains(&ClientEvent::Spawned { object }));
    let forward = events(9.0);
    assert!(forward.contains(&ClientEvent::Restored { object }));
    let respawns = |event: &ClientEvent| {
        matches!(
            event,
            ClientEvent::Spawned { .. } | ClientEvent::Despawned { .. }
        )
    };
    assert!(!forward.iter().any(respawns), "{forward:?}");
    assert_eq!(
        events(5.0).iter().filter(|event| respawns(event)).count(),
        2
    );
}

#[test]
fn the_speed_is_that_of_the_file_for_the_client_too() {
    for (speed, laps_per_second) in [(0.5, 5), (1.0, 10), (4.0, 40), (1000.0, 640)] {
        let (id, file) = laps(700);
        let mut player = Player::new(LogReader::new(Cursor::new(file)).unwrap());
        let mut client = NetworkClient::new(prefabs());
        player.play(speed);
        for frame in 0..=60 {
            player
                .update(&mut client, seconds(7.0) + frame * seconds(1.0) / 60)
                .unwrap();
        }
        let lap = car(&client, id).0;
        assert!(lap.abs_diff(laps_per_second) <= 1, "{speed}: {lap}");
        let now = client.now().as_secs_f64();
        assert!(
            (now - f64::from(laps_per_second) / 10.0).abs() < 0.01,
            "{speed}: {now}"
        );
    }
}

#[test]
fn the_view_is_at_the_position_after_a_jump() {
    #[derive(NetworkBehaviour, Default)]
    #[network_behaviour(send_interval = 0)]
    struct Runner {
        #[sync_var(interpolate = linear)]
        x: SyncVar<f32>,
    }
    let prefabs = || Prefabs::new().register::<Runner>("runner");
    let mut server = NetworkServer::new(prefabs());
    let runner = server.spawn(Runner::default());
    server.start_recording();
    let mut writer = LogWriter::new(&LogHeader::of(&server)).unwrap();
    let mut last = 0;
    for tick in 1..=600_u16 {
        server.get_mut::<Runner>(runner).unwrap().x.set(tick.into());
        if tick % 150 == 0 {
            server.request_keyframe();
        }
        server.update(u32::from(tick) * TICK);
        for record in server.records_after(last) {
            writer.push(&LogEntry::from(record)).unwrap();
            last = record.seq();
        }
    }
    let file = Cursor::new(writer.finish().unwrap());
    let mut player = Player::new(LogReader::new(file).unwrap());
    let mut client = NetworkClient::new(prefabs());
    player.play(1.0);
    let mut frame = 0;
    let mut play = |player: &mut Player<_>, client: &mut NetworkClient| {
        for _ in 0..8 {
            frame += 1;
            player.update(client, frame * seconds(1.0) / 60).unwrap();
        }
        let view = client.view::<Runner>(runner).unwrap();
        let shown = view.get(Runner::X).unwrap();
        let newest = *client.get::<Runner>(runner).unwrap().x;
        assert!(
            (0.0..5.0).contains(&(newest - shown)),
            "{shown} of {newest}"
        );
    };
    play(&mut player, &mut client);
    for ticks in [20, 400, 200, 215, 590] {
        player.seek(&mut client, ticks * TICK).unwrap();
        play(&mut player, &mut client);
    }
}

#[test]
fn the_player_pauses_at_the_end() {
    let (id, file) = laps(40);
    let mut player = Player::new(LogReader::new(Cursor::new(file)).unwrap());
    let mut client = NetworkClient::new(prefabs());
    player.play(64.0);
    player.update(&mut client, seconds(1.0)).unwrap();
    player.update(&mut client, seconds(2.0)).unwrap();
    assert_eq!((player.position(), player.speed()), (player.end(), None));
    assert_eq!(car(&client, id).0, 39);
}

mod renamed {
    use syncvar::prelude::*;

    #[derive(NetworkBehaviour, Default)]
    #[network_behaviour(was = "Car", send_interval = 0)]
    pub(super) struct Vehicle {
        #[sync_var(was = "lap")]
        pub(super) round: SyncVar<u64>,
        #[sync_var]
        pub(super) new: SyncVar<bool>,
    }

    pub(super) fn prefabs() -> Prefabs {
        Prefabs::new().register::<Vehicle>("car")
    }
}

#[test]
fn another_build_plays_the_file() {
    let (id, file) = laps(50);
    let mut player = Player::new(LogReader::new(Cursor::new(file)).unwrap());
    let mut client = NetworkClient::new(renamed::prefabs());
    for time in [4, 2, 5_u64] {
        player.seek(&mut client, Duration::from_secs(time)).unwrap();
        let vehicle = client.get::<renamed::Vehicle>(id).unwrap();
        assert_eq!((*vehicle.round, *vehicle.new), (time * 10 - 10, false));
    }
}

#[test]
fn a_build_that_cannot_read_the_file_is_told_why() {
    #[derive(NetworkBehaviour, Default)]
    #[network_behaviour(was = "Car")]
    struct Wrong {
        #[sync_var]
        lap: SyncVar<String>,
    }
    let (_, file) = laps(10);
    let mut player = Player::new(LogReader::new(Cursor::new(file)).unwrap());
    let mut client = NetworkClient::new(Prefabs::new().register::<Wrong>("car"));
    let sought = player.seek(&mut client, seconds(1.5));
    assert!(matches!(sought, Err(LogError::Build(_))), "{sought:?}");
    assert!(message(sought).contains("lap"));
}

#[test]
fn a_growing_file_is_followed() {
    let recorded = Recorded::new(30, 90, 30);
    let path = std::env::temp_dir().join(format!("syncvar-growing-{}.mcap", std::process::id()));
    let mut client = NetworkClient::new(prefabs());
    let mut player: Option<Player> = None;
    for length in (0..=recorded.file.len()).step_by(97) {
        std::fs::write(&path, &recorded.file[..length]).unwrap();
        if let Some(player) = &mut player {
            player.refresh().unwrap();
            let end = player.end();
            player.seek(&mut client, end).unwrap();
            assert_eq!(state(&client), *recorded.at(end));
        } else {
            player = Player::open(&path).ok();
        }
    }
    let end = player.unwrap().end();
    let last = recorded.states.last().unwrap().0;
    assert!(last < end + TICK, "{end:?} of {last:?}");
    std::fs::remove_file(&path).unwrap();
}
