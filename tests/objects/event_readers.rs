//! Readers of events: several consumers, and the events of one behaviour type.

use std::time::Duration;

use syncvar::ServerConfig;
use syncvar::prelude::*;

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
struct Player {
    #[sync_var]
    health: SyncVar<i32>,
    #[sync_var(write = owner)]
    aim: SyncVar<u32>,
}

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
struct Door {
    #[sync_var]
    open: SyncVar<bool>,
}

fn network() -> MemoryNetwork {
    MemoryNetwork::pair(|| {
        Prefabs::new()
            .register::<Player>("player")
            .register::<Door>("door")
    })
}

#[test]
fn each_reader_of_a_client_reads_all_events() {
    let mut net = network();
    let mut first = net.client_mut(0).event_reader();
    let mut second = net.client_mut(0).event_reader();
    let player = net.server.spawn(Player::default());
    let door = net.server.spawn(Door::default());
    net.settle();
    let tick = |event: &&ClientEvent| matches!(event, ClientEvent::Tick { .. });
    let read: Vec<_> = net.client(0).read_events(&mut first).cloned().collect();
    for object in [player, door] {
        assert!(read.contains(&ClientEvent::Spawned { object }));
    }
    net.settle();
    assert!(
        net.client(0)
            .read_events(&mut second)
            .take(read.len())
            .eq(&read)
    );
    assert!(
        net.client(0)
            .read_events(&mut first)
            .all(|event| tick(&event))
    );
}

#[test]
fn changes_of_a_type_leave_out_all_other_events() {
    let mut net = network();
    let player = net.server.spawn(Player::default());
    let door = net.server.spawn(Door::default());
    net.settle();
    let mut players = net.client_mut(0).event_reader();
    let mut doors = net.client_mut(0).event_reader();
    net.server.get_mut::<Player>(player).unwrap().health -= 5;
    net.settle();
    net.server.get_mut::<Door>(door).unwrap().open.set(true);
    net.settle();
    let client = net.client(0);
    let of_players = client.changes_of::<Player>(&mut players);
    let hurt: Vec<_> = of_players
        .filter(|it| it.contains(Player::HEALTH))
        .collect();
    assert_eq!(hurt.len(), 1);
    assert_eq!(hurt[0].object(), player);
    let opened = client.changes_of::<Door>(&mut doors).map(|it| it.object());
    assert!(opened.eq([door]));
}

#[test]
fn poll_event_is_one_more_consumer() {
    let mut net = network();
    while net.client_mut(0).poll_event().is_some() {}
    let mut reader = net.client_mut(0).event_reader();
    let door = net.server.spawn(Door::default());
    net.settle();
    let spawned = ClientEvent::Spawned { object: door };
    assert!(
        net.client(0)
            .read_events(&mut reader)
            .any(|it| *it == spawned)
    );
    net.settle();
    let polled: Vec<_> = syncvar_testing::events(net.client_mut(0)).collect();
    assert!(polled.contains(&spawned));
}

#[test]
fn readers_of_a_server_read_the_writes_of_owners() {
    let mut net = network();
    let connection = net.connection(0);
    let mut first = net.server.event_reader();
    let mut second = net.server.event_reader();
    let owned = SpawnOptions {
        owner: Some(connection),
        ..SpawnOptions::default()
    };
    let player = net.server.try_spawn(Player::default(), owned).unwrap();
    net.settle();
    net.client_mut(0)
        .get_mut::<Player>(player)
        .unwrap()
        .aim
        .set(9);
    net.settle();
    for reader in [&mut first, &mut second] {
        let written: Vec<_> = net.server.changes_of::<Player>(reader).collect();
        assert_eq!(written.len(), 1);
        assert!(written[0].object() == player && written[0].contains(Player::AIM));
    }
}

#[test]
fn full_queue_drops_events_that_a_slow_reader_misses() {
    let config = ClientConfig {
        max_events: 2,
        compare_schemas: false,
        ..ClientConfig::default()
    };
    let mut client = NetworkClient::with_config(Prefabs::new(), config);
    let mut reader = client.event_reader();
    for year in 1..=5 {
        client.update(Duration::from_secs(year * 200 * 365 * 86_400));
    }
    let read = client.read_events(&mut reader).count();
    assert_eq!(read, 2);
    assert_eq!(reader.missed(), client.missed_events());
    assert!(reader.missed() > 0);
}

#[test]
fn each_reader_of_a_local_client_reads_all_events() {
    let mut net = network();
    assert!(net.server.local_event_reader().is_none());
    net.server.connect_local();
    net.settle();
    while net.server.poll_local_event().is_some() {}
    let mut all = net.server.local_event_reader().unwrap();
    let mut players = net.server.local_event_reader().unwrap();
    let player = net.server.spawn(Player::default());
    net.settle();
    net.server.get_mut::<Player>(player).unwrap().health.set(7);
    net.settle();
    let read: Vec<_> = net.server.read_local_events(&mut all).cloned().collect();
    assert!(read.contains(&ClientEvent::Spawned { object: player }));
    let changes = net.server.local_changes_of::<Player>(&mut players);
    let changes: Vec<_> = changes.collect();
    assert_eq!(changes.len(), 1);
    assert!(changes[0].object() == player && changes[0].contains(Player::HEALTH));
    let polled: Vec<_> = std::iter::from_fn(|| net.server.poll_local_event()).collect();
    assert_eq!(polled, read, "`poll_local_event` is one more consumer");
    net.settle();
    assert_eq!(net.server.read_local_events(&mut all).count(), 0);
}

#[test]
fn events_of_a_local_client_leave_memory_once_read() {
    let config = ServerConfig {
        max_events: 4,
        ..ServerConfig::default()
    };
    let mut server = NetworkServer::with_config(Prefabs::new().register::<Door>("door"), config);
    server.connect_local();
    let mut reader = server.local_event_reader().unwrap();
    for tick in 1..=20 {
        let door = server.spawn(Door::default());
        server.update(Duration::from_millis(50 * tick));
        let spawned = ClientEvent::Spawned { object: door };
        assert!(
            server
                .read_local_events(&mut reader)
                .any(|it| *it == spawned)
        );
    }
    assert_eq!((reader.missed(), server.missed_local_events()), (0, 0));
}
