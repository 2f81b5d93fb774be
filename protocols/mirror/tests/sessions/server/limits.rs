//! Limits of clients: each is reached by an attacker, and not by an honest program at half of it.

use std::time::Duration;

use syncvar::limits::{LimitExceeded, Limits};
use syncvar::mirror::{
    MirrorClient, MirrorError, MirrorPrefab, MirrorPrefabs, MirrorServer, MirrorServerConfig,
    MirrorServerEvent, MirrorSpawnOptions, SceneId, SpawnPolicy,
};
use syncvar::prelude::*;
use syncvar::{DisconnectReason, Endpoint};
use syncvar_testing::mirror::{FRAME, MirrorNetwork, Refusals};

use super::net::{Net, aim, prefabs};

/// Mirror's `ReadyMessage`.
const READY: [u8; 2] = [0xbc, 0xaa];

fn network(change: impl FnOnce(&mut Limits)) -> Net {
    let mut config = MirrorServerConfig::default();
    change(&mut config.limits);
    Net::of(MirrorServer::with_config(prefabs(), config))
}

/// Returns the connections that the server has closed for a limit, and the limits.
fn closed(net: &mut Net) -> Vec<(ConnectionId, LimitExceeded)> {
    let events = net.events().into_iter();
    let closed = events.filter_map(|event| match event {
        MirrorServerEvent::Disconnected {
            connection,
            reason: DisconnectReason::Limit(limit),
            ..
        } => Some((connection, limit)),
        _ => None,
    });
    closed.collect()
}

#[test]
fn messages_beyond_the_rate_wait_or_disconnect() {
    let mut net = network(|limits| limits.message_rate = 100.0);
    let (connection, _) = net.join();
    net.advance(Duration::from_secs(2));
    net.step();
    // Half of the rate, in packets of one message.
    for _ in 0..100 {
        assert!(net.server.accepts_packets(connection));
        net.say(connection, &[&READY]).unwrap();
        net.step();
    }
    net.say(connection, &[&READY[..]; 100]).unwrap();
    assert!(!net.server.accepts_packets(connection));
    let error = net.say(connection, &[&READY]).unwrap_err();
    assert_eq!(error, MirrorError::TooManyMessages);
    assert!(!net.server.is_connected(connection));
    assert_eq!(net.server.stats().refused.packets, 1);
}

#[test]
fn refused_writes_beyond_the_limit_end_the_connection() {
    let mut net =
        network(|limits| (limits.max_misbehaviour, limits.misbehaviour_decay) = (100, 100.0));
    let (connection, _) = net.join();
    let late = aim(NetId(99), 1);
    for _ in 0..100 {
        net.say(connection, &[&late]).unwrap();
        net.step();
    }
    assert_eq!(closed(&mut net), []);
    net.say(connection, &vec![&late[..]; 102]).unwrap();
    assert_eq!(
        closed(&mut net),
        [(connection, LimitExceeded::Misbehaviour)]
    );
    assert_eq!(net.server.stats().refused.misbehaved, 1);
    assert_eq!(net.server.poll_close(), Some(connection));
}

#[test]
fn connection_that_is_not_ready_in_time_is_closed() {
    let mut net = network(|limits| limits.join_timeout = Duration::from_secs(10));
    let (player, _) = net.join();
    let mute = net
        .server
        .handle_connect(syncvar::mirror::Limits::TELEPATHY);
    let half = 5_000 / u64::try_from(FRAME.as_millis()).unwrap();
    net.frames(half);
    assert_eq!(closed(&mut net), []);
    net.frames(half + 2);
    assert_eq!(closed(&mut net), [(mute, LimitExceeded::JoinTime)]);
    assert!(net.server.is_connected(player));
    assert_eq!(net.server.stats().refused.late_joins, 1);
}

#[test]
fn last_places_are_for_returning_sessions() {
    let mut net = network(|limits| (limits.max_ready, limits.reserved_places) = (2, 1));
    let connections = [(); 3].map(|()| {
        net.server
            .handle_connect(syncvar::mirror::Limits::TELEPATHY)
    });
    net.server.set_returning(connections[2]).unwrap();
    for connection in connections {
        net.say(connection, &[&READY]).unwrap();
    }
    assert_eq!(closed(&mut net), [(connections[1], LimitExceeded::Places)]);
    assert!(net.server.is_ready(connections[0]) && net.server.is_ready(connections[2]));
    assert_eq!(net.server.stats().refused.without_place, 1);
}

#[test]
fn write_beyond_a_limit_changes_no_field() {
    /// Object of a scene: it outlives the connection of its owner.
    #[derive(NetworkBehaviour, Default)]
    #[network_behaviour(send_interval = 0, sync_direction = client_to_server)]
    struct Map {
        #[sync_var(hook = on_zoom)]
        zoom: SyncVar<i32>,
        #[sync_var]
        marks: SyncList<u32>,
        #[sync_var]
        names: SyncDictionary<u32, String>,
        zooms: Vec<i32>,
    }

    impl Map {
        fn on_zoom(&mut self, previous: i32) {
            self.zooms.push(previous);
        }
    }

    const SCENE: SceneId = SceneId(7);

    let mut config = MirrorServerConfig::default();
    config.limits.max_elements = 10;
    config.spawn_policy = SpawnPolicy::WhenReady;
    let server = MirrorServer::with_config(map_prefabs(), config);
    let mut net = MirrorNetwork::new(server, || {
        let mut client = MirrorClient::new(map_prefabs());
        client.add_scene_object(SCENE, Map::default()).unwrap();
        client
    });
    net.refusals = Refusals::Allowed;
    let [owner, other] = [(); 2].map(|()| net.connect());
    net.frame();
    let map = net
        .server
        .spawn_scene_object(SCENE, Map::default(), MirrorSpawnOptions::default());
    let map = map.unwrap();
    net.frames(3);
    net.server.set_owner(map, Some(owner)).unwrap();
    net.frames(3);
    let mut own = net.client(owner).get_mut::<Map>(map).unwrap();
    own.zoom.set(1);
    own.marks.extend([1, 2, 3]);
    own.names.insert(1, "a".into());
    drop(own);
    net.frames(3);
    assert_eq!(net.seen::<Map>(other, map).marks[..], [1, 2, 3]);

    let mut own = net.client(owner).get_mut::<Map>(map).unwrap();
    own.zoom.set(2);
    own.names.insert(2, "b".into());
    own.marks.extend(4..=11);
    drop(own);
    net.frames(3);
    assert!(!net.server.is_connected(owner));
    assert_eq!(net.server.stats().refused.elements, 1);
    let server = net.server.get::<Map>(map).unwrap();
    let seen = net.seen::<Map>(other, map);
    for map in [server, seen] {
        assert_eq!((*map.zoom, &map.marks[..]), (1, &[1, 2, 3][..]));
        assert_eq!((map.names.len(), &map.zooms[..]), (1, &[0][..]));
    }
    // The next write of the server arrives.
    net.server.get_mut::<Map>(map).unwrap().marks.push(4);
    net.frames(3);
    assert_eq!(net.seen::<Map>(other, map).marks[..], [1, 2, 3, 4]);

    fn map_prefabs() -> MirrorPrefabs {
        MirrorPrefabs::new().register::<Map>(MirrorPrefab::scene("map"))
    }
}
