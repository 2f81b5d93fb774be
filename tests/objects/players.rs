//! Players: objects of a connection by number, as in UNet.

use std::time::Duration;
use syncvar_testing::ServerMessages as _;

use syncvar::error::ObjectError;
use syncvar::join::Payload;
use syncvar::prelude::*;
use syncvar::testing::Conditions;
use syncvar::{Framing, ServerConfig};
use syncvar_testing::Player;

fn network(compare_schemas: bool, framing: Framing) -> MemoryNetwork {
    let config = ServerConfig {
        compare_schemas,
        framing,
        ..ServerConfig::default()
    };
    let mut net =
        MemoryNetwork::with_config(syncvar_testing::prefabs, config, Conditions::default());
    net.connect();
    net.connect();
    net.settle();
    net
}

#[test]
fn client_receives_its_players_by_number() {
    for (compared, framing) in [
        (true, Framing::Compact),
        (true, Framing::Unet),
        (false, Framing::Unet),
    ] {
        let mut net = network(compared, framing);
        for number in [0, -1] {
            net.client_mut(0).add_player(number, &Payload::default());
        }
        serve(&mut net);
        let players = [0, -1].map(|number| net.client(0).player(number).unwrap());
        for (player, health) in players.into_iter().zip([0, -1]) {
            assert!(net.client(0).is_owner(player) && !net.client(1).is_owner(player));
            assert_eq!(net.client(0).get::<Player>(player).unwrap().health, health);
        }
        assert_eq!(net.client(1).player(0), None);
        let connection = net.connection(0);
        assert_eq!(net.server.player(connection, -1), Some(players[1]));
        assert_eq!(reported(&mut net, 0), [(0, players[0]), (-1, players[1])]);
        net.client_mut(0).remove_player(0);
        serve(&mut net);
        assert_eq!(net.client(0).player(0), None);
        assert!(net.client(0).identity(players[0]).is_none());
        assert_eq!(net.client(0).player(-1), Some(players[1]));
    }

    /// Answers each request by a new object, and despawns the returned ones.
    fn serve(net: &mut MemoryNetwork) {
        net.settle();
        while let Some(event) = net.server.poll_event() {
            match event {
                ServerEvent::AddPlayer {
                    connection, number, ..
                } => {
                    let player = net.server.spawn(Player::new(number.into(), "Ann"));
                    net.server
                        .set_player(connection, number, Some(player))
                        .unwrap();
                }
                ServerEvent::RemovePlayer { object, .. } => {
                    net.server.despawn(object.unwrap()).unwrap();
                }
                _ => {}
            }
        }
        net.settle();
    }

    fn reported(net: &mut MemoryNetwork, client: usize) -> Vec<(i16, NetId)> {
        let events = syncvar_testing::events(net.client_mut(client));
        let players = events.filter_map(|event| match event {
            ClientEvent::Player { number, object } => Some((number, object)),
            _ => None,
        });
        players.collect()
    }
}

#[test]
fn replaced_player_keeps_its_owner() {
    let mut net = network(true, Framing::Compact);
    let connection = net.connection(0);
    let [first, second] = [1, 2].map(|health| net.server.spawn(Player::new(health, "Ann")));
    net.settle();
    for player in [first, second] {
        net.server.set_player(connection, 0, Some(player)).unwrap();
        net.settle();
        assert_eq!(net.client(0).player(0), Some(player));
    }
    assert_eq!(net.server.owner(first), Some(connection));
    net.server.set_player(connection, 7, Some(first)).unwrap();
    net.settle();
    assert_eq!(net.client(0).player(7), Some(first));
    net.server.set_owner(second, None).unwrap();
    net.settle();
    assert_eq!(net.client(0).player(0), None);
    assert_eq!(net.server.player(connection, 0), None);
}

#[test]
fn player_of_a_client_that_joins_again_keeps_its_number() {
    let mut net = network(true, Framing::Compact);
    let connection = net.connection(0);
    let player = net.server.spawn(Player::new(1, "Ann"));
    net.server.set_player(connection, 3, Some(player)).unwrap();
    net.settle();
    net.server.set_not_ready(connection);
    net.settle();
    net.client_mut(0).ready();
    net.settle();
    assert_eq!(net.client(0).player(3), Some(player));
}

#[test]
fn unknown_players_and_connections_are_errors() {
    let mut net = network(true, Framing::Compact);
    let (connection, nobody) = (net.connection(0), ConnectionId(99));
    let player = net.server.spawn(Player::new(1, "Ann"));
    let error = net.server.set_player(nobody, 0, Some(player));
    assert_eq!(error, Err(ObjectError::NotConnected(nobody)));
    let error = net.server.set_player(connection, 0, Some(NetId(99)));
    assert_eq!(error, Err(ObjectError::NoSuchObject(NetId(99))));
    net.server.set_player(connection, 0, None).unwrap();
}

#[test]
fn requests_for_players_are_limited() {
    let mut net = network(true, Framing::Compact);
    for _ in 0..1000 {
        net.client_mut(0).add_player(0, &Payload::default());
    }
    net.settle();
    let events = std::iter::from_fn(|| net.server.poll_event());
    let requests = events.filter(|event| matches!(event, ServerEvent::AddPlayer { .. }));
    assert!(requests.count() <= 200);
    assert!(net.server.stats().refused.program_messages >= 800);
    let connection = net.connection(0);
    for malformed in [&[1, 0, 37, 0, 0][..], &[3, 0, 38, 0, 0, 0, 0]] {
        assert!(
            net.server
                .handle_messages(connection, 0, malformed)
                .is_err()
        );
    }
    net.server.update(Duration::from_secs(9));
    assert!(net.server.is_connected(connection));
}
