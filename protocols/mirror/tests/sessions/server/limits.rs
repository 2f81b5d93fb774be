//! Limits of clients: each is reached by an attacker, and not by an honest program at half of it.

use std::time::Duration;

use syncvar::limits::{LimitExceeded, Limits};
use syncvar::mirror::{MirrorError, MirrorServer, MirrorServerConfig, MirrorServerEvent};
use syncvar::{ConnectionId, DisconnectReason, Endpoint, NetId};
use syncvar_testing::mirror::FRAME;

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
