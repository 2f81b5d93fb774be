//! Pings, and what time it is on the server.

use std::time::Duration;

use syncvar::Channel;
use syncvar::mirror::message::{
    Message, NetworkPingMessage, NetworkPongMessage, TimeSnapshotMessage,
};

use crate::client::server::{World, message, sent};

#[test]
fn client_pings_ten_times_a_second_and_sends_a_time_each_frame() {
    let mut world = World::joined();
    let (mut pings, mut times) = (0, 0);
    for _ in 0..100 {
        world.now += Duration::from_millis(20);
        world.client.update(world.now);
        for message in sent(&mut world.client).into_iter().flat_map(|(_, it)| it) {
            match Message::decode(&message).unwrap() {
                Message::Ping(_) => pings += 1,
                Message::TimeSnapshot(_) => times += 1,
                other => panic!("{other:?}"),
            }
        }
    }
    assert_eq!((pings, times), (20, 100));
}

#[test]
fn the_servers_ping_is_answered_with_its_own_time() {
    let mut world = World::joined();
    world.give(&[message(&NetworkPingMessage {
        local_time: 1.25,
        predicted_time_adjusted: 1.5,
    })]);
    world.client.update(world.now);
    let pong = message(&NetworkPongMessage {
        local_time: 1.25,
        prediction_error_unadjusted: 0.0,
        prediction_error_adjusted: 0.0,
    });
    let sent = sent(&mut world.client);
    assert!(sent.iter().any(|(channel, messages)| {
        *channel == Channel::Unreliable && messages.contains(&pong.to_vec())
    }));
}

#[test]
fn the_way_there_and_back_is_measured_by_pongs() {
    let mut world = World::joined();
    assert_eq!(world.client.rtt(), Duration::ZERO);
    let sent_at = world.now.as_secs_f64();
    world.frame();
    world.give(&[message(&NetworkPongMessage {
        local_time: sent_at,
        prediction_error_unadjusted: 7.0,
        prediction_error_adjusted: 0.0,
    })]);
    assert_eq!(world.client.rtt().as_millis(), 100);
    world.now += Duration::from_secs(1);
    world.client.update(world.now);
    let predicted = sent(&mut world.client)
        .into_iter()
        .flat_map(|(_, it)| it)
        .find_map(|it| match Message::decode(&it) {
            Ok(Message::Ping(ping)) => Some(ping.predicted_time_adjusted - ping.local_time),
            _ => None,
        });
    assert!((predicted.unwrap() - 7.0).abs() < 1e-9);
}

#[test]
fn the_servers_time_comes_with_its_snapshots() {
    let mut world = World::joined();
    assert_eq!(world.client.network_time(), None);
    for step in 0..20 {
        let time = 500.0 + 0.1 * f64::from(step);
        let snapshot = message(&TimeSnapshotMessage { scaled_time: time });
        let batch = crate::client::server::batch(time, &[snapshot]);
        world
            .client
            .handle_packet(Channel::Unreliable, &batch)
            .unwrap();
        world.frame();
    }
    let shown = world.client.network_time().unwrap().as_secs_f64();
    // 0.1 s after the last one, and two intervals behind.
    assert!((shown - 501.8).abs() < 0.01, "{shown}");
}
