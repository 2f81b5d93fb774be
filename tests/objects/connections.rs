//! Connections: what they may before and after they are in, and the events that tell of them.

use std::time::Duration;
use syncvar_testing::ServerMessages as _;

use syncvar::prelude::*;
use syncvar::{DisconnectReason, error::PacketError};
use syncvar_testing::{Player, drain, frame, network};

#[test]
fn unpolled_events_are_bounded() {
    let config = ServerConfig {
        max_events: 6,
        ..ServerConfig::default()
    };
    let mut server = NetworkServer::with_config(syncvar_testing::prefabs(), config);
    let connection = server.handle_connect();
    for _ in 0..100 {
        assert!(server.handle_messages(connection, 0, &[9]).is_err());
    }
    assert_eq!(server.missed_events(), 97);
    assert_eq!(std::iter::from_fn(|| server.poll_event()).count(), 3);
}

#[test]
fn a_stranger_cannot_drive_the_events_of_others_out() {
    let config = ServerConfig {
        compare_schemas: false,
        max_events: 10,
        ..ServerConfig::default()
    };
    let mut server = NetworkServer::with_config(syncvar_testing::prefabs(), config);
    let honest = server.handle_connect();
    let stranger = server.handle_connect();
    let nonsense: Vec<u8> = (0..1000).flat_map(|_| frame(99, &[])).collect();
    for _ in 0..20 {
        assert!(server.handle_messages(stranger, 0, &nonsense).is_err());
    }
    server.handle_disconnect(honest);
    let events: Vec<_> = std::iter::from_fn(|| server.poll_event()).collect();
    let of_the_honest = |event: &&ServerEvent| match event {
        ServerEvent::Connected { connection } | ServerEvent::Disconnected { connection, .. } => {
            *connection == honest
        }
        _ => false,
    };
    assert_eq!(events.iter().filter(of_the_honest).count(), 2);
    assert!(events.len() <= 10, "one report for a packet: {events:?}");
}

#[test]
fn burst_announces_all_objects_despite_the_event_limit() {
    let config = ClientConfig {
        compare_schemas: false,
        max_events: 2,
        ..ClientConfig::default()
    };
    let mut client = NetworkClient::with_config(syncvar_testing::prefabs(), config);
    client.handle_connect();
    let config = ServerConfig {
        compare_schemas: false,
        ..ServerConfig::default()
    };
    let mut server = NetworkServer::with_config(syncvar_testing::prefabs(), config);
    for _ in 0..50 {
        server.spawn(Player::new(1, "Ann"));
    }
    let connection = server.handle_connect();
    server.set_ready(connection);
    server.update(Duration::ZERO);
    while let Some(transmit) = server.poll_transmit() {
        let (channel, packet) = (transmit.channel, transmit.to_bytes());
        client.handle_packet(channel, &packet).unwrap();
    }
    let spawned = syncvar_testing::events(&mut client)
        .filter(|event| matches!(event, ClientEvent::Spawned { .. }));
    assert_eq!(spawned.count(), 50);
}

#[test]
fn connection_without_a_proven_schema_has_no_rights() {
    let mut server = NetworkServer::new(syncvar_testing::prefabs());
    server.spawn(Player::new(1, "Ann"));
    let connection = server.handle_connect();
    assert!(
        server
            .handle_messages(connection, 0, &frame(35, &[]))
            .is_err(),
        "ready"
    );
    assert!(
        server
            .handle_messages(connection, 0, &frame(20, &[1]))
            .is_err(),
        "resync"
    );
    server.set_ready(connection);
    server.update(Duration::from_secs(1));
    assert!(server.poll_transmit().is_none());
    assert!(!server.is_ready(connection));
}

#[test]
fn client_that_left_is_no_longer_heard() {
    let mut net = network(1);
    let connection = net.connection(0);
    net.client_mut(0).disconnect("enough");
    net.settle();
    let events: Vec<_> = std::iter::from_fn(|| net.server.poll_event()).collect();
    let reason = DisconnectReason::Requested("enough".into());
    let expected = ServerEvent::Disconnected {
        connection,
        reason,
        owned: vec![],
    };
    assert_eq!(events.last(), Some(&expected));
    assert_eq!(net.server.connections().count(), 0);
    let error = net
        .server
        .handle_messages(connection, 0, &frame(35, &[]))
        .unwrap_err();
    assert_eq!(error, PacketError::UnknownConnection(connection));
}

#[test]
fn disconnected_client_learns_the_reason() {
    let mut net = network(1);
    let connection = net.connection(0);
    net.server.disconnect(connection, "the server closes");
    net.settle();
    let reason = DisconnectReason::Requested("the server closes".into());
    assert_eq!(drain(&mut net, 0), [ClientEvent::Disconnected { reason }]);
    assert!(!net.client(0).is_connected());
}

#[test]
fn a_server_goes_on_when_its_clock_starts_again() {
    let config = ServerConfig {
        compare_schemas: false,
        ..ServerConfig::default()
    };
    let mut server = NetworkServer::with_config(syncvar_testing::prefabs(), config);
    let connection = server.handle_connect();
    server.set_ready(connection);
    let id = server.spawn(Player::new(1, "Ann"));
    let hour = Duration::from_hours(1);
    server.update(hour);
    server.get_mut::<Player>(id).unwrap().health.set(2);
    server.update(hour * 2);
    for (tick, health) in (0..5).zip(10..) {
        while server.poll_transmit().is_some() {}
        server.get_mut::<Player>(id).unwrap().health.set(health);
        server.update(Duration::from_millis(tick * 50));
        let sent = server.poll_transmit().is_some();
        assert_eq!(sent, tick > 0, "time stands still for one update");
    }
}

#[test]
fn a_goodbye_of_any_length_arrives() {
    let mut net = network(1);
    let connection = net.connection(0);
    net.server.disconnect(connection, &"é".repeat(40_000));
    net.settle();
    assert_eq!(net.client(0).state(), syncvar::ClientState::Disconnected);
    let reason = syncvar_testing::events(net.client_mut(0)).last();
    let Some(ClientEvent::Disconnected {
        reason: DisconnectReason::Requested(text),
    }) = reason
    else {
        panic!("{reason:?}")
    };
    assert_eq!(text, "é".repeat(32_767 / 2));
}

#[test]
fn closing_connection_receives_no_objects() {
    let mut server = NetworkServer::new(syncvar_testing::prefabs());
    let id = server.spawn(Player::new(1, "Ann"));
    let (kicked, refused) = (server.handle_connect(), server.handle_connect());
    assert!(
        server.set_owner(id, Some(refused)).is_ok(),
        "it may still get in"
    );
    let other_schema = [1].into_iter().chain([0; 8]).collect::<Vec<u8>>();
    server
        .handle_messages(refused, 0, &frame(32, &other_schema))
        .unwrap();
    assert_eq!(server.owner(id), None, "what it owned is free");
    server.disconnect(kicked, "bye");
    for connection in [kicked, refused] {
        assert!(server.set_owner(id, Some(connection)).is_err());
        assert!(server.hide(id, connection).is_err());
    }
    assert_eq!(server.owner(id), None);
}
