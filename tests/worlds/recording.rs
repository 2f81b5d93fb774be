//! Recordings: the order of records, their numbers, and playback.

mod contents;
mod feed;
mod hostile;

use std::time::Duration;

use syncvar::join::Payload;
use syncvar::prelude::*;
use syncvar::records::{RecordError, TickRecord};
use syncvar::{ClientConfig, ClientState, ServerConfig};
use syncvar_testing::{Door, Player, prefabs};

/// One tick at 30 ticks a second.
const TICK: Duration = Duration::from_nanos(33_333_334);

/// A server with a recording, and its records.
struct Recording {
    server: NetworkServer,
    now: Duration,
    last: u64,
}

impl Recording {
    fn new(config: ServerConfig) -> Self {
        let mut server = NetworkServer::with_config(prefabs(), config);
        server.start_recording();
        let (now, last) = (Duration::from_secs(10), 0);
        Self { server, now, last }
    }

    fn of_incarnation(incarnation: u64) -> Self {
        Self::new(ServerConfig {
            incarnation,
            ..ServerConfig::default()
        })
    }

    /// Runs an update, and returns its records.
    fn update(&mut self) -> Vec<TickRecord> {
        self.now += TICK;
        self.update_again()
    }

    /// Runs an update at the time of the last one.
    fn update_again(&mut self) -> Vec<TickRecord> {
        self.server.update(self.now);
        let mut records: Vec<_> = self.server.records_after(self.last).cloned().collect();
        self.last = records.last().map_or(self.last, TickRecord::seq);
        records.retain(|record| !record.is_keyframe());
        records
    }

    /// Runs an update with a keyframe.
    fn keyframe(&mut self) -> (Vec<TickRecord>, TickRecord) {
        self.server.request_keyframe();
        let records = self.update();
        (records, self.server.keyframe().unwrap().clone())
    }

    fn set_health(&mut self, id: NetId, health: i32) {
        let mut player = self.server.get_mut::<Player>(id).unwrap();
        player.health.set(health);
    }
}

fn client() -> NetworkClient {
    NetworkClient::new(prefabs())
}

fn health(client: &NetworkClient, id: NetId) -> i32 {
    *client.get::<Player>(id).unwrap().health
}

fn events(client: &mut NetworkClient) -> Vec<ClientEvent> {
    std::iter::from_fn(|| client.poll_event()).collect()
}

#[test]
fn playback_reports_the_same_as_a_connection() {
    let mut recording = Recording::of_incarnation(7);
    let id = recording.server.spawn(Player::new(1, "a"));
    let (_, keyframe) = recording.keyframe();
    let mut client = client();
    client.handle_record(&keyframe).unwrap();
    assert_eq!(client.state(), ClientState::Connected);
    assert_eq!((client.incarnation(), client.tick()), (Some(7), Some(301)));
    let tick = |tick| ClientEvent::Tick {
        tick,
        complete: true,
        after_gap: false,
    };
    let spawned = ClientEvent::Spawned { object: id };
    let begin = [ClientEvent::Connected, spawned, ClientEvent::Ready];
    assert_eq!(events(&mut client)[..3], begin);

    recording.set_health(id, 5);
    let records = recording.update();
    client.handle_record(&records[0]).unwrap();
    let player = client.get::<Player>(id).unwrap();
    assert_eq!(player.log, ["health 1 -> 5 (a, 0)"]);
    let reported = events(&mut client);
    let [ClientEvent::Changed { object, .. }, last] = &reported[..] else {
        panic!("{reported:?}");
    };
    assert_eq!((*object, last), (id, &tick(302)));

    recording.server.despawn(id).unwrap();
    client.handle_record(&recording.update()[0]).unwrap();
    let (object, hidden) = (id, false);
    let despawned = ClientEvent::Despawned { object, hidden };
    assert_eq!(events(&mut client), [despawned, tick(303)]);
}

#[test]
fn records_behind_a_missing_one_wait_for_it() {
    let mut recording = Recording::of_incarnation(7);
    let id = recording.server.spawn(Player::new(1, "a"));
    let (_, keyframe) = recording.keyframe();
    let mut records = Vec::new();
    for health in 2..6 {
        recording.set_health(id, health);
        records.extend(recording.update());
    }
    let mut client = client();
    client.handle_record(&keyframe).unwrap();
    client.handle_record(&records[0]).unwrap();
    let missing = RecordError::Missing {
        expected: records[1].seq(),
        found: records[2].seq(),
    };
    for record in [&records[3], &records[2], &records[3]] {
        let refused = client.handle_record(record).unwrap_err();
        assert!(matches!(refused, RecordError::Missing { .. }), "{refused}");
        assert_eq!(health(&client, id), 2, "it was not applied");
    }
    assert_eq!(client.handle_record(&records[2]), Err(missing));
    client.handle_record(&records[1]).unwrap();
    assert_eq!(health(&client, id), 5);
    let player = client.get::<Player>(id).unwrap();
    let changes = ["1 -> 2", "2 -> 3", "3 -> 4", "4 -> 5"];
    assert_eq!(player.log, changes.map(|it| format!("health {it} (a, 0)")));
}

#[test]
fn keyframe_passes_the_records_that_wait() {
    let mut recording = Recording::of_incarnation(7);
    let id = recording.server.spawn(Player::new(1, "a"));
    let (_, first) = recording.keyframe();
    let mut records = Vec::new();
    for health in 2..5 {
        recording.set_health(id, health);
        records.extend(recording.update());
    }
    recording.set_health(id, 5);
    let (_, second) = recording.keyframe();
    recording.set_health(id, 6);
    let last = recording.update().remove(0);
    let mut client = client();
    client.handle_record(&first).unwrap();
    client.handle_record(&records[1]).unwrap_err();
    client.handle_record(&last).unwrap_err();
    client.handle_record(&second).unwrap();
    assert_eq!(
        health(&client, id),
        6,
        "the record behind the keyframe was kept"
    );
    client.handle_record(&records[0]).unwrap();
    assert_eq!(health(&client, id), 6, "an earlier record is skipped");
}

#[test]
fn records_that_wait_have_limits() {
    let mut recording = Recording::of_incarnation(7);
    let id = recording.server.spawn(Player::new(0, "a"));
    let (_, keyframe) = recording.keyframe();
    let mut records = Vec::new();
    for health in 1..=20 {
        recording.set_health(id, health);
        records.extend(recording.update());
    }
    let bytes = records[1].as_bytes().len();
    for (most, most_bytes) in [(5, usize::MAX), (usize::MAX, 5 * bytes), (0, 0)] {
        let mut client = NetworkClient::with_config(
            prefabs(),
            ClientConfig {
                max_early_messages: most,
                max_early_bytes: most_bytes,
                ..ClientConfig::default()
            },
        );
        client.handle_record(&keyframe).unwrap();
        for record in records[1..].iter().rev() {
            client.handle_record(record).unwrap_err();
        }
        client.handle_record(&records[0]).unwrap();
        let kept = if most == 0 { 0 } else { 5 };
        assert_eq!(health(&client, id), 1 + kept, "the first ones were kept");
    }
}

#[test]
fn keyframe_after_a_gap_updates_and_removes_objects() {
    let mut recording = Recording::of_incarnation(7);
    let [first, second] = [1, 2].map(|health| recording.server.spawn(Player::new(health, "a")));
    let (_, keyframe) = recording.keyframe();
    let mut client = client();
    client.handle_record(&keyframe).unwrap();
    recording.server.despawn(first).unwrap();
    let third = recording.server.spawn(Door::default());
    recording.set_health(second, 7);
    recording.update();
    let (_, keyframe) = recording.keyframe();
    events(&mut client);
    client.handle_record(&keyframe).unwrap();
    let player = client.get::<Player>(second).unwrap();
    assert_eq!(player.log, ["health 2 -> 7 (a, 0)"], "its hooks have run");
    assert!(client.identity(first).is_none() && client.identity(third).is_some());
    let left = |event: &ClientEvent| matches!(event, ClientEvent::Disconnected { .. });
    assert!(!events(&mut client).iter().any(left));
}

#[test]
fn earlier_keyframe_begins_the_playback_again() {
    let mut recording = Recording::of_incarnation(7);
    let id = recording.server.spawn(Player::new(1, "a"));
    let (_, keyframe) = recording.keyframe();
    recording.set_health(id, 2);
    let records = recording.update();
    let mut client = client();
    for _ in 0..2 {
        client.handle_record(&keyframe).unwrap();
        assert_eq!((health(&client, id), client.tick()), (1, Some(301)));
        client.handle_record(&records[0]).unwrap();
        assert_eq!((health(&client, id), client.tick()), (2, Some(302)));
    }
}

#[test]
fn another_incarnation_ends_the_playback_until_its_keyframe() {
    let mut recording = Recording::of_incarnation(7);
    recording.server.spawn(Player::new(1, "a"));
    let (_, keyframe) = recording.keyframe();
    let mut client = client();
    client.handle_record(&keyframe).unwrap();
    events(&mut client);

    let mut later = Recording::of_incarnation(8);
    let door = later.server.spawn(Door::default());
    let (_, keyframe) = later.keyframe();
    later.server.get_mut::<Door>(door).unwrap().open.set(true);
    let record = later.update().remove(0);
    let refused = client.handle_record(&record);
    assert_eq!(refused, Err(RecordError::NeedsKeyframe));
    assert_eq!(
        (client.state(), client.object_count()),
        (ClientState::Disconnected, 0)
    );
    let reported = events(&mut client);
    assert!(matches!(reported[0], ClientEvent::Disconnected { .. }));

    client.handle_record(&keyframe).unwrap();
    client.handle_record(&record).unwrap();
    assert_eq!(client.incarnation(), Some(8));
    assert!(*client.get::<Door>(door).unwrap().open);
}

#[test]
fn recordings_of_one_server_have_a_gap_between_them() {
    let mut recording = Recording::of_incarnation(7);
    let (_, keyframe) = recording.keyframe();
    let mut client = client();
    client.handle_record(&keyframe).unwrap();
    recording.server.stop_recording();
    assert!(!recording.server.is_recording() && recording.server.keyframe().is_none());
    assert_eq!(recording.server.records_after(0).count(), 0);
    let id = recording.server.spawn(Player::new(1, "a"));
    recording.update();
    recording.server.start_recording();
    recording.update();
    recording.set_health(id, 4);
    let record = recording.update().remove(0);
    let refused = client.handle_record(&record).unwrap_err();
    assert!(matches!(refused, RecordError::Missing { .. }), "{refused}");
    let keyframe = recording.server.keyframe().unwrap();
    client.handle_record(keyframe).unwrap();
    client.handle_record(&record).unwrap();
    assert_eq!(health(&client, id), 4);
}

#[test]
fn silent_ticks_have_a_record_every_100_ms() {
    let mut recording = Recording::of_incarnation(7);
    recording.update();
    let mut records = Vec::new();
    for _ in 0..30 {
        records.extend(recording.update());
    }
    let longest = Duration::from_millis(134);
    let is_near = |pair: &[TickRecord]| pair[1].time() < pair[0].time() + longest;
    assert!(records.windows(2).all(is_near));
    assert!((7..=10).contains(&records.len()), "{}", records.len());
    assert!(records.iter().all(|record| record.items().count() == 0));
}

#[test]
fn updates_within_one_tick_have_a_record_each() {
    let mut recording = Recording::of_incarnation(7);
    let id = recording.server.spawn(Player::new(1, "a"));
    let (_, keyframe) = recording.keyframe();
    recording.set_health(id, 2);
    let first = recording.update().remove(0);
    let door = recording.server.spawn(Door::default());
    let second = recording.update_again().remove(0);
    assert_eq!(
        (first.tick(), second.seq()),
        (second.tick(), first.seq() + 1)
    );
    assert_eq!(recording.server.record(first.tick()), Some(&first));
    let mut client = client();
    for record in [&keyframe, &first, &second] {
        client.handle_record(record).unwrap();
    }
    assert_eq!(health(&client, id), 2);
    assert!(client.identity(door).is_some());
}

#[test]
fn server_keeps_the_last_records() {
    let mut recording = Recording::new(ServerConfig {
        max_records: 3,
        ..ServerConfig::default()
    });
    let id = recording.server.spawn(Player::new(1, "a"));
    recording.update();
    for health in 0..10 {
        recording.set_health(id, health);
        recording.update();
    }
    let kept: Vec<_> = recording.server.records_after(0).collect();
    let numbers: Vec<_> = kept.iter().map(|record| record.seq()).collect();
    assert_eq!(numbers, [9, 10, 11]);
    let tick = recording.server.network_time().tick;
    assert_eq!(recording.server.record(tick), Some(kept[2]));
    assert_eq!(recording.server.record(tick - 3), None);
    assert_eq!(recording.server.records_after(10).count(), 1);
}

#[test]
fn connected_client_refuses_records() {
    let mut recording = Recording::of_incarnation(7);
    let (_, keyframe) = recording.keyframe();
    let mut net = MemoryNetwork::pair(prefabs);
    for _ in 0..2 {
        let refused = net.client_mut(0).handle_record(&keyframe);
        assert_eq!(refused, Err(RecordError::Connected));
        net.settle();
    }
    assert!(net.client(0).is_connected());
    net.client_mut(0).disconnect("a replay");
    net.client_mut(0).handle_record(&keyframe).unwrap();
    assert_eq!(net.client(0).incarnation(), Some(7));
}

#[test]
fn client_of_another_schema_refuses_records() {
    let mut recording = Recording::of_incarnation(7);
    let (_, keyframe) = recording.keyframe();
    let other = Prefabs::new().register::<Door>("another");
    let expected = RecordError::OtherSchema {
        record: keyframe.schema_hash().unwrap(),
        client: other.schema_hash(),
    };
    let mut client = NetworkClient::new(other);
    assert_eq!(client.handle_record(&keyframe), Err(expected));
    assert_eq!(client.state(), ClientState::Disconnected);
}

#[test]
fn playing_client_sends_nothing_and_can_connect_later() {
    let mut recording = Recording::of_incarnation(7);
    let id = recording.server.spawn(Player::new(1, "a"));
    let (_, keyframe) = recording.keyframe();
    let mut client = client();
    client.handle_record(&keyframe).unwrap();
    client.add_player(0, &Payload::default());
    client.ready();
    // A write that the client may not do asks a server for the values.
    client.get_mut::<Player>(id).unwrap().health.set(9);
    for second in 1..100 {
        client.update(Duration::from_secs(second));
    }
    assert!(client.poll_transmit().is_none());
    client.disconnect("the end");
    assert!(client.poll_transmit().is_none());
    assert_eq!(client.state(), ClientState::Disconnected);

    let mut net = MemoryNetwork::new(prefabs);
    let door = net.server.spawn(Door::default());
    let index = net.connect_client(client);
    net.settle();
    let client = net.client_mut(index);
    assert_eq!(client.object_count(), 1);
    assert!(client.get::<Door>(door).is_some());
}

#[test]
fn damaged_record_is_refused_at_each_byte() {
    let mut recording = Recording::of_incarnation(7);
    let id = recording.server.spawn(Player::new(1, "a"));
    let (_, keyframe) = recording.keyframe();
    recording.set_health(id, 2);
    let record = recording.update().remove(0);
    for record in [keyframe, record] {
        let bytes = record.as_bytes();
        assert_eq!(TickRecord::from_bytes(bytes), Ok(record.clone()));
        for position in 0..bytes.len() {
            assert!(TickRecord::from_bytes(&bytes[..position]).is_err());
            for bit in 0..8 {
                let mut damaged = bytes.to_vec();
                damaged[position] ^= 1 << bit;
                let error = TickRecord::from_bytes(&damaged).unwrap_err();
                assert!(matches!(error, RecordError::Checksum { .. }), "{error}");
            }
        }
        let spliced = [bytes, &[0]].concat();
        assert!(TickRecord::from_bytes(&spliced).is_err());
    }
}
