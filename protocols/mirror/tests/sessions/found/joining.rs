//! Those who join in another way than in one go.

use syncvar::mirror::message::{AddPlayerMessage, NetworkMessage};
use syncvar::mirror::*;
use syncvar::prelude::*;

use syncvar_testing::mirror::MirrorNetwork;

use super::net::{Body, FoundNetwork, Whole, network, network_of};

#[test]
fn second_player_request_before_the_answer_is_ignored() {
    let mut net = network();
    let connection = net.enter();
    let add = AddPlayerMessage.to_bytes().unwrap();
    while net.server.poll_event().is_some() {}
    net.say(connection, &[&add, &add, &add]).unwrap();
    net.say(connection, &[&add]).unwrap();
    // What every game does.
    while let Some(event) = net.server.poll_event() {
        if let MirrorServerEvent::AddPlayerRequested { connection } = event {
            net.server.add_player(connection, Whole::default()).unwrap();
        }
    }
    assert_eq!(net.server.object_count(), 1);
}

#[test]
fn refused_player_request_can_be_repeated() {
    let mut net = network();
    let connection = net.enter();
    let add = AddPlayerMessage.to_bytes().unwrap();
    let asked = |net: &mut MirrorNetwork| {
        let events = std::iter::from_fn(|| net.server.poll_event());
        events
            .filter(|event| matches!(event, MirrorServerEvent::AddPlayerRequested { .. }))
            .count()
    };
    asked(&mut net);
    for _ in 0..2 {
        net.say(connection, &[&add]).unwrap();
        assert_eq!(asked(&mut net), 1);
    }
    // So may one whose request nobody has seen.
    let config = MirrorServerConfig {
        max_events: 4,
        ..MirrorServerConfig::default()
    };
    let server = MirrorServer::with_config(super::net::prefabs(), config);
    let mut net = network_of(server, super::net::prefabs);
    let connection = net.server.handle_connect(Limits::TELEPATHY);
    net.say(connection, &[&add]).unwrap();
    for _ in 0..4 {
        net.server.handle_connect(Limits::TELEPATHY);
    }
    assert_eq!(asked(&mut net), 0);
    net.say(connection, &[&add]).unwrap();
    assert_eq!(asked(&mut net), 1);
}

#[test]
fn changes_while_a_player_is_pending_are_kept() {
    let mut net = network();
    let choosing = net.enter();
    // Nothing of this can be applied by a client that has not been shown everything.
    let changed = net.server.spawn(Whole::default());
    let gone = net.server.spawn(Whole::default());
    net.frame();
    net.body(changed).health.set(7);
    net.body(changed).effects.push(8);
    net.server.despawn(gone).unwrap();
    net.frame();
    net.server.add_player(choosing, Whole::default()).unwrap();
    net.frames(3);
    let body: &Body = net.seen(choosing, changed);
    assert_eq!((*body.health, &body.effects[..]), (7, &[8][..]));
    assert_eq!(net.clients[&choosing].object_count(), 2);
    assert_eq!(net.clients[&choosing].stats().unknown_objects, 0);
}

#[test]
fn ready_again_with_a_new_player_spawns_all_objects() {
    let mut net = network();
    let (connection, player) = net.join_whole();
    let other = net.server.spawn(Whole::default());
    net.frames(3);
    net.server.set_not_ready(connection);
    net.server.despawn(player).unwrap();
    net.body(other).health.set(7);
    net.frame();
    net.client(connection).ready();
    net.frame();
    assert!(net.server.is_ready(connection));
    net.body(other).effects.push(8);
    net.frame();
    net.server.add_player(connection, Whole::default()).unwrap();
    net.frames(3);
    let body: &Body = net.seen(connection, other);
    assert_eq!((*body.health, &body.effects[..]), (7, &[8][..]));
}

#[test]
fn replaced_collection_reaches_a_client_that_joined_before() {
    let mut net = network();
    net.join_whole();
    let (late, later) = (net.enter(), net.enter());
    let id = net.server.spawn(Whole::default());
    net.frames(3);
    for effect in 1..=3 {
        net.body(id).effects.push(effect);
    }
    net.body(id).tags.insert(1);
    // It is told of three operations that it has in its list already, and of one in its set.
    net.server.add_player(late, Whole::default()).unwrap();
    net.body(id).effects = [4, 5].into_iter().collect();
    net.body(id).tags = [6].into_iter().collect();
    net.server.add_player(later, Whole::default()).unwrap();
    net.body(id).effects = SyncList::new();
    net.body(id).effects.push(7);
    net.body(id).tags.insert(8);
    net.frames(3);
    let clients: Vec<_> = net.clients.keys().copied().collect();
    assert_eq!(clients.len(), 3);
    for client in clients {
        let body: &Body = net.seen(client, id);
        assert_eq!(body.effects[..], [7]);
        assert_eq!(body.tags.iter().sum::<i32>(), 6 + 8);
        assert_eq!(body.tags.len(), 2);
    }
}
