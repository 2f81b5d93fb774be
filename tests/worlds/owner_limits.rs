//! Limits of clients: each is reached by an attacker, and not by an honest program at half of it.

use std::time::Duration;
use syncvar_testing::ServerMessages as _;

use syncvar::limits::{LimitExceeded, Limits};
use syncvar::prelude::*;
use syncvar::stats::RefusedInput;
use syncvar::wire::NetworkWriter;
use syncvar::{ClientConfig, DisconnectReason, Endpoint, ServerConfig, error::PacketError};
use syncvar_testing::{Banner, Door, Score, frame, prefabs_with_scoreboard as prefabs};

const SECOND: Duration = Duration::from_secs(1);

/// Request for the snapshot of an object.
const RESYNC: i16 = 20;

/// Returns a network with changed limits, without clients.
fn network(change: impl FnOnce(&mut Limits)) -> MemoryNetwork {
    let mut config = ServerConfig::default();
    change(&mut config.limits);
    let link = syncvar::testing::Conditions::default();
    let mut net = MemoryNetwork::with_config(prefabs, config, link);
    net.tick = Duration::from_millis(50);
    net
}

/// Connects a client that asks for the objects only when the test does.
fn connect_idle(net: &mut MemoryNetwork) -> usize {
    let config = ClientConfig {
        auto_ready: false,
        ..ClientConfig::default()
    };
    let index = net.connect_client(NetworkClient::with_config(prefabs(), config));
    net.step();
    index
}

fn steps(net: &mut MemoryNetwork, time: Duration) {
    let end = net.now() + time;
    while net.now() < end {
        net.step();
    }
}

/// Returns the connections that the server has closed for a limit, and the limits.
fn closed(net: &mut MemoryNetwork) -> Vec<(ConnectionId, LimitExceeded)> {
    let events = std::iter::from_fn(|| net.server.poll_event());
    let closed = events.filter_map(|event| match event {
        ServerEvent::Disconnected {
            connection,
            reason: DisconnectReason::Limit(limit),
            ..
        }
        | ServerEvent::Refused {
            connection,
            reason: DisconnectReason::Limit(limit),
        } => Some((connection, limit)),
        _ => None,
    });
    closed.collect()
}

/// Returns the text of the client's last disconnect.
fn text(net: &mut MemoryNetwork, client: usize) -> Option<String> {
    let events = syncvar_testing::events(net.client_mut(client));
    let texts = events.filter_map(|event| match event {
        ClientEvent::Disconnected {
            reason: DisconnectReason::Requested(text),
        } => Some(text),
        _ => None,
    });
    texts.last()
}

fn refused(net: &MemoryNetwork) -> RefusedInput {
    net.server.stats().refused
}

#[test]
fn messages_beyond_the_rate_wait_or_are_refused() {
    let mut net = network(|limits| limits.message_rate = 100.0);
    net.server.spawn(Door::default());
    net.connect();
    net.connect();
    net.settle();
    steps(&mut net, 2 * SECOND);
    let [flooder, honest] = [0, 1].map(|index| net.connection(index));
    assert_eq!(flood(&mut net, flooder, 1000), 100);
    let error = net.server.handle_messages(flooder, 0, &frame(RESYNC, &[1]));
    assert_eq!(error, Err(PacketError::TooManyMessages(flooder)));
    assert_eq!(refused(&net).packets, 1);
    assert!(net.server.accepts_packets(honest));
    net.step();
    assert_eq!(flood(&mut net, flooder, 1000), 5, "of 50 ms");
    // Half of the rate.
    for _ in 0..100 {
        assert_eq!(flood(&mut net, honest, 2), 2);
        net.step();
    }
    assert_eq!(refused(&net).packets, 1);
    assert_eq!(closed(&mut net), []);

    /// One request for a snapshot per millisecond and packet.
    fn flood(net: &mut MemoryNetwork, connection: ConnectionId, packets: usize) -> usize {
        let packet = frame(RESYNC, &[1]);
        let accepted = (0..packets).take_while(|_| {
            net.server.accepts_packets(connection)
                && net.server.handle_messages(connection, 0, &packet).is_ok()
        });
        accepted.count()
    }
}

#[test]
fn misbehaviour_beyond_the_limit_ends_the_connection() {
    /// Message without a meaning.
    const UNKNOWN: i16 = 99;

    let mut net = network(|_| {});
    net.connect();
    net.settle();
    let connection = net.connection(0);
    let invalid = frame(UNKNOWN, &[]);
    for _ in 0..100 {
        net.server
            .handle_messages(connection, 0, &invalid)
            .unwrap_err();
    }
    assert_eq!(closed(&mut net), []);
    net.server
        .handle_messages(connection, 0, &invalid)
        .unwrap_err();
    assert_eq!(
        closed(&mut net),
        [(connection, LimitExceeded::Misbehaviour)]
    );
    net.settle();
    let expected = "too many invalid or ignored messages";
    assert_eq!(text(&mut net, 0).as_deref(), Some(expected));
    assert_eq!(
        (refused(&net).malformed, refused(&net).misbehaved),
        (101, 1)
    );
}

/// Requests for despawned objects, as an honest client with a long delay sends them.
#[test]
fn ignored_messages_at_half_the_decay_are_forgiven() {
    let mut net =
        network(|limits| (limits.max_misbehaviour, limits.misbehaviour_decay) = (100, 100.0));
    net.connect();
    net.settle();
    let connection = net.connection(0);
    let late = frame(RESYNC, &[200]);
    for _ in 0..200 {
        for _ in 0..2 {
            net.server.handle_messages(connection, 0, &late).unwrap();
        }
        net.step();
    }
    assert_eq!(closed(&mut net), []);
    for _ in 0..102 {
        net.server.handle_messages(connection, 0, &late).ok();
    }
    assert_eq!(
        closed(&mut net),
        [(connection, LimitExceeded::Misbehaviour)]
    );
}

#[test]
fn connection_that_is_not_ready_in_time_is_closed() {
    let mut net = network(|_| {});
    // The time begins with the first update, however late.
    net.tick = 1000 * SECOND;
    let late = connect_idle(&mut net);
    net.tick = SECOND;
    let punctual = connect_idle(&mut net);
    let mute = net.server.handle_connect();
    steps(&mut net, 30 * SECOND);
    net.client_mut(punctual).ready();
    steps(&mut net, 25 * SECOND);
    assert_eq!(closed(&mut net), []);
    steps(&mut net, 40 * SECOND);
    let late_connection = net.connection(late);
    let expected = [late_connection, mute].map(|connection| (connection, LimitExceeded::JoinTime));
    assert_eq!(closed(&mut net), expected);
    assert_eq!(refused(&net).late_joins, 2);
    net.settle();
    assert_eq!(text(&mut net, late).as_deref(), Some("not ready in time"));
    // A scene change is no join.
    let punctual = net.connection(punctual);
    net.server.set_not_ready(punctual);
    steps(&mut net, 100 * SECOND);
    assert_eq!(closed(&mut net), []);
}

#[test]
fn lobby_without_a_time_limit_holds_connections() {
    let mut net = network(|limits| limits.join_timeout = Duration::MAX);
    let index = connect_idle(&mut net);
    net.tick = 3600 * SECOND;
    steps(&mut net, 360_000 * SECOND);
    assert_eq!(closed(&mut net), []);
    assert!(net.is_connected(index));
}

#[test]
fn last_places_are_for_returning_sessions() {
    let mut net = network(|limits| (limits.max_ready, limits.reserved_places) = (2, 1));
    let [first, second, third] = [(); 3].map(|()| connect_idle(&mut net));
    let ready = |net: &mut MemoryNetwork, index: usize| {
        net.client_mut(index).ready();
        net.step();
        let connection = net.connection(index);
        net.server.is_ready(connection)
    };
    assert!(ready(&mut net, first));
    let returning = net.connection(second);
    net.server.set_returning(returning).unwrap();
    assert!(!ready(&mut net, third));
    assert!(ready(&mut net, second));
    let refused_connection = net.connection(third);
    assert_eq!(
        closed(&mut net),
        [(refused_connection, LimitExceeded::Places)]
    );
    assert_eq!(text(&mut net, third).as_deref(), Some("the server is full"));
    assert_eq!(refused(&net).without_place, 1);
    // A connection that leaves frees its place; one that pauses keeps it.
    let returning = net.connection(second);
    net.server.set_not_ready(returning);
    assert!(ready(&mut net, second));
    net.cut(second);
    net.cut(first);
    let newcomer = connect_idle(&mut net);
    assert!(ready(&mut net, newcomer));
}

/// 64 banners of 30 KB, requested again with each update.
#[test]
fn requested_snapshots_beyond_their_rate_wait() {
    let mut net = network(|_| {});
    let ids: Vec<_> = (0..64).map(|_| spawn(&mut net, 30_000)).collect();
    net.connect();
    net.settle();
    let connection = net.connection(0);
    let mut request = |seconds: u32| {
        let before = net.server.stats().sent.bytes;
        for _ in 0..20 * seconds {
            for id in &ids {
                let mut number = NetworkWriter::new();
                number.write_packed_u32(id.0);
                let packet = frame(RESYNC, number.as_bytes());
                net.server.handle_messages(connection, 0, &packet).unwrap();
            }
            net.step();
        }
        net.server.stats().sent.bytes - before
    };
    let sent = request(5);
    assert!((5 << 20..7 << 20).contains(&sent), "{sent}");
    assert!(refused(&net).delayed_snapshots > 40);
    // All objects of half a second's bytes return at once.
    let mut net = network(|_| {});
    let ids: Vec<_> = (0..20).map(|_| spawn(&mut net, 25_000)).collect();
    net.connect();
    net.settle();
    let connection = net.connection(0);
    for id in &ids {
        let packet = frame(RESYNC, &[u8::try_from(id.0).unwrap()]);
        net.server.handle_messages(connection, 0, &packet).unwrap();
    }
    let before = net.server.stats().sent.bytes;
    net.step();
    assert!(net.server.stats().sent.bytes - before >= 500_000);
    assert_eq!(refused(&net).delayed_snapshots, 0);
}

fn spawn(net: &mut MemoryNetwork, length: usize) -> NetId {
    let mut banner = Banner::default();
    banner.text.set("x".repeat(length));
    net.server.spawn((Score::default(), banner))
}
