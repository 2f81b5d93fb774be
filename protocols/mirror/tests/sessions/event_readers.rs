//! Readers of events on both ends: several consumers, and the events of one behaviour type.

use syncvar::EventReader;
use syncvar::NetworkBehaviour;
use syncvar::mirror::{
    AssetId, MirrorClient, MirrorClientEvent, MirrorPrefab, MirrorPrefabs, MirrorServer,
    MirrorServerEvent,
};
use syncvar::prelude::*;
use syncvar_testing::mirror::MirrorNetwork;

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0.0)]
struct Player {
    #[sync_var]
    health: SyncVar<i32>,
}

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(sync_direction = client_to_server, send_interval = 0.0)]
struct Aim {
    #[sync_var]
    yaw: SyncVar<f32>,
}

fn prefabs() -> MirrorPrefabs {
    MirrorPrefabs::new().register::<(Player, Aim)>(MirrorPrefab::new("player", AssetId(1)))
}

fn joined() -> (MirrorNetwork, ConnectionId, NetId) {
    let mut net = MirrorNetwork::new(
        MirrorServer::new(prefabs()),
        || MirrorClient::new(prefabs()),
    );
    let (connection, player) = net.join((Player::default(), Aim::default()));
    net.frames(2);
    (net, connection, player)
}

#[test]
fn each_reader_of_a_mirror_client_reads_all_events() {
    let (mut net, connection, player) = joined();
    while net.client(connection).poll_event().is_some() {}
    let mut first = net.client(connection).event_reader();
    let mut players = net.client(connection).event_reader();
    let mut aims = net.client(connection).event_reader();
    net.server.get_mut::<Player>(player).unwrap().health.set(5);
    net.frame();
    let other = net.server.spawn((Player::default(), Aim::default()));
    net.frames(2);

    let client = net.client(connection);
    let read: Vec<_> = client.read_events(&mut first).cloned().collect();
    assert!(read.contains(&MirrorClientEvent::Spawned { object: other }));
    assert_eq!(client.read_events(&mut first).count(), 0);
    assert_eq!(objects::<Player>(client, &mut players), [player]);
    assert_eq!(objects::<Aim>(client, &mut aims), [NetId(0); 0]);
    // The events stay for `poll_event`, which was called before.
    let polled: Vec<_> = std::iter::from_fn(|| client.poll_event()).collect();
    assert_eq!(polled, read);

    fn objects<B: NetworkBehaviour>(client: &MirrorClient, reader: &mut EventReader) -> Vec<NetId> {
        client
            .changes_of::<B>(reader)
            .map(|it| it.object())
            .collect()
    }
}

#[test]
fn each_reader_of_a_mirror_server_reads_owner_writes() {
    let (mut net, connection, player) = joined();
    let mut readers = [0; 2].map(|_| net.server.event_reader());
    let mut aim = net.client(connection).get_mut::<Aim>(player).unwrap();
    aim.yaw.set(1.5);
    drop(aim);
    net.frames(2);
    for reader in &mut readers {
        let written: Vec<_> = net.server.changes_of::<Aim>(reader).collect();
        assert_eq!(written.len(), 1);
        assert!(written[0].object() == player && written[0].contains(Aim::YAW));
        assert_eq!(written[0].position(), 1);
        assert_eq!(net.server.read_events(reader).count(), 0);
    }
    let mut late = net.server.event_reader();
    net.server.disconnect(connection);
    let of_connection = |event: &MirrorServerEvent| match event {
        MirrorServerEvent::Disconnected { connection, .. } => Some(*connection),
        _ => None,
    };
    let mut ended = net.server.read_events(&mut late).filter_map(of_connection);
    assert_eq!(ended.next(), Some(connection));
}
