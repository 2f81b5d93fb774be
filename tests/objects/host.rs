//! Host mode: a server with a client in the same process, which looks at the server's own objects.

mod calls;
mod changes;
mod hooks;
mod kinds;
mod ownership;
mod replay;
mod sight;
mod twins;

use syncvar::NetworkBehaviour;
use syncvar::prelude::*;
use syncvar::{DisconnectReason, LocalClient, NetworkIdentity};
use syncvar_testing::ServerMessages as _;

use syncvar_testing::{Player, prefabs};

/// A network with a local client and this many others, all of them ready.
fn hosted(clients: usize) -> (MemoryNetwork, ConnectionId) {
    let mut net = syncvar_testing::network(clients);
    let local = net.server.connect_local();
    net.settle();
    told(&mut net);
    (net, local)
}

/// What the local client has been told since this was last asked.
fn told(net: &mut MemoryNetwork) -> Vec<ClientEvent> {
    std::iter::from_fn(|| net.server.poll_local_event()).collect()
}

/// The hooks that have run on the server's player since this was last asked. Looking at them is no
/// change.
fn hooks(net: &mut MemoryNetwork, id: NetId) -> Vec<String> {
    std::mem::take(&mut net.server.get_mut::<Player>(id).expect("the player").log)
}

fn local(net: &MemoryNetwork) -> LocalClient<'_> {
    net.server.local_client().expect("the local client")
}

fn spawned(object: NetId) -> ClientEvent {
    ClientEvent::Spawned { object }
}

fn owner_changed(object: NetId, owned: bool) -> ClientEvent {
    ClientEvent::OwnerChanged { object, owned }
}

fn despawned(object: NetId, hidden: bool) -> ClientEvent {
    ClientEvent::Despawned { object, hidden }
}

/// The names of the fields of an event that tells of changes.
fn fields(event: &ClientEvent) -> Vec<&'static str> {
    match event {
        ClientEvent::Changed { fields, .. } => fields.names().collect(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn single_local_client_is_accepted_and_ready_at_once() {
    let mut server = NetworkServer::new(prefabs());
    assert!(server.local_client().is_none() && server.poll_local_event().is_none());
    let local = server.connect_local();
    assert!(server.is_connected(local) && server.is_ready(local) && server.is_local(local));
    assert_eq!(server.connect_local(), local);
    assert_eq!(server.connections().collect::<Vec<_>>(), [local]);
    let other = server.handle_connect();
    assert!(other != local && !server.is_local(other));
    let events: Vec<_> = std::iter::from_fn(|| server.poll_event()).collect();
    let connection = local;
    let expected = [
        ServerEvent::Connected { connection },
        ServerEvent::Ready { connection },
    ];
    assert_eq!(events, expected);
}

#[test]
fn local_client_gets_existing_objects_in_order_and_then_ready() {
    let mut net = syncvar_testing::network(1);
    let first = net.server.spawn(Player::new(1, "a"));
    let second = net.server.spawn(Player::new(2, "b"));
    net.settle();
    let connection = net.server.connect_local();
    net.server.set_owner(second, Some(connection)).unwrap();
    let third = net.server.spawn(Player::new(3, "c"));
    assert_eq!(told(&mut net), [ClientEvent::Connected]);
    assert_eq!(
        local(&net).object_count(),
        0,
        "what it sees follows with the update"
    );
    assert!(local(&net).get::<Player>(first).is_none());
    net.settle();
    let expected = [
        spawned(first),
        spawned(second),
        owner_changed(second, true),
        spawned(third),
        ClientEvent::Ready,
    ];
    assert_eq!(told(&mut net), expected);
    let seen: Vec<_> = local(&net)
        .identities()
        .map(NetworkIdentity::net_id)
        .collect();
    assert_eq!(seen, [first, second, third]);
    assert_eq!(local(&net).connection(), connection);
}

/// M3: the objects are the server's own.
#[test]
fn its_view_is_the_servers_objects() {
    let (mut net, _) = hosted(1);
    let id = net.server.spawn(Player::new(100, "Ann"));
    net.settle();
    let here: *const Player = net.server.get::<Player>(id).unwrap();
    let there: *const Player = local(&net).get::<Player>(id).unwrap();
    assert!(std::ptr::eq(here, there));
    assert!(local(&net).get_at::<Player>(id, 0).is_some());
    net.server.get_mut::<Player>(id).unwrap().health -= 1;
    let player = local(&net).get::<Player>(id).unwrap();
    assert_eq!(player.health, 99, "at once");
}

/// M3: nothing is written for it, be it that it is alone with an object.
#[test]
fn objects_of_the_local_client_are_not_serialized() {
    let mut server = NetworkServer::new(prefabs());
    server.connect_local();
    let stats = server.stats().clone();
    let id = server.spawn(Player::new(100, "Ann"));
    for time in 1..20 {
        server.get_mut::<Player>(id).unwrap().health -= 1;
        server.update(std::time::Duration::from_millis(50 * time));
        assert!(server.poll_transmit().is_none());
        assert_eq!(server.get::<Player>(id).unwrap().sync_var_dirty_bits(), 0);
    }
    server.despawn(id).unwrap();
    server.update(std::time::Duration::from_secs(2));
    assert_eq!(*server.stats(), stats);
    assert!(server.poll_transmit().is_none() && server.is_idle());
}

#[test]
fn local_client_can_leave_and_return() {
    let (mut net, local) = hosted(1);
    let id = net.server.spawn(Player::new(100, "Ann"));
    net.server.set_owner(id, Some(local)).unwrap();
    net.settle();
    while net.server.poll_event().is_some() {}
    for end in [
        |server: &mut NetworkServer, local| server.disconnect(local, "enough"),
        NetworkServer::handle_disconnect,
    ] {
        let local = net.server.connect_local();
        net.server.set_owner(id, Some(local)).unwrap();
        net.settle();
        end(&mut net.server, local);
        assert!(net.server.local_client().is_none() && !net.server.is_local(local));
        assert!(!net.server.is_connected(local) && net.server.owner(id).is_none());
        assert_eq!(net.server.connections().count(), 1);
        assert!(net.server.poll_local_event().is_none());
        net.settle();
        let events: Vec<_> = std::iter::from_fn(|| net.server.poll_event()).collect();
        let last = events.last().expect("it has left");
        let ServerEvent::Disconnected {
            connection,
            reason,
            owned,
        } = last
        else {
            panic!("{last:?}");
        };
        assert_eq!((*connection, &owned[..]), (local, &[id][..]));
        assert_ne!(*reason, DisconnectReason::VersionMismatch);
    }
    let again = net.server.connect_local();
    assert!(again > local, "no number is given twice");
    net.settle();
    assert_eq!(
        told(&mut net),
        [ClientEvent::Connected, spawned(id), ClientEvent::Ready]
    );
}

#[test]
fn remote_only_operations_spare_the_local_client() {
    let (mut net, local) = hosted(1);
    let id = net.server.spawn(Player::new(100, "Ann"));
    net.settle();
    told(&mut net);
    assert!(
        net.server
            .handle_messages(local, 0, &syncvar_testing::frame(36, &[]))
            .is_err()
    );
    net.server
        .set_budget(local, Some(syncvar::Budget::new(1)))
        .unwrap();
    net.server.set_not_ready(local);
    net.server.set_ready(local);
    net.settle();
    assert!(net.server.is_ready(local) && told(&mut net).is_empty());
    syncvar_testing::change(&mut net, id, |player| player.health.set(5));
    net.settle();
    assert_eq!(told(&mut net).len(), 1);
}

#[test]
fn local_events_are_bounded_and_missed_ones_are_counted() {
    let config = ServerConfig {
        max_events: 4,
        ..ServerConfig::default()
    };
    let mut server = NetworkServer::with_config(prefabs(), config);
    let ids: Vec<_> = (0..10).map(|_| server.spawn(Player::new(1, "a"))).collect();
    server.connect_local();
    server.update(std::time::Duration::from_millis(1));
    assert_eq!(
        server.missed_local_events(),
        0,
        "there is room for the first burst"
    );
    for time in 2..10 {
        for id in &ids {
            server.get_mut::<Player>(*id).unwrap().health += 1;
        }
        server.update(std::time::Duration::from_millis(time));
    }
    let missed = server.missed_local_events();
    let kept = std::iter::from_fn(|| server.poll_local_event()).count();
    assert_eq!((kept, missed), (14, 8 * 10 + 12 - 14));
}
