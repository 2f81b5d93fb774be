//! Leaps of the caller's clock.

use std::time::Duration;

use syncvar::prelude::*;
use syncvar_testing::{Door, prefabs};

/// Carries the packets of one update each, and returns whether the door is open on the client.
fn is_open_after(
    (server, client): (&mut NetworkServer, &mut NetworkClient),
    connection: ConnectionId,
    door: NetId,
    now: Duration,
) -> bool {
    client.update(now);
    while let Some(packet) = client.poll_transmit() {
        let handled = server.handle_packet(connection, packet.channel, &packet.bytes);
        handled.expect("a valid packet");
    }
    server.update(now);
    while let Some(packet) = server.poll_transmit() {
        let handled = client.handle_packet(packet.channel, &packet.to_bytes());
        handled.expect("a valid packet");
    }
    client.get::<Door>(door).is_some_and(|door| *door.open)
}

#[test]
fn changes_are_sent_after_a_leap_of_the_clock() {
    let leaps = [
        vec![Duration::MAX],
        vec![Duration::from_hours(1), Duration::from_secs(1)],
        vec![Duration::MAX, Duration::ZERO, Duration::MAX],
    ];
    for leaps in leaps {
        let mut server = NetworkServer::new(prefabs());
        let mut client = NetworkClient::new(prefabs());
        client.handle_connect();
        let connection = server.handle_connect();
        let door = server.spawn(Door::default());
        let ends = (&mut server, &mut client);
        for second in 1..4 {
            is_open_after(
                (ends.0, ends.1),
                connection,
                door,
                Duration::from_secs(second),
            );
        }
        let expected = leaps.iter().filter(|leap| **leap == Duration::MAX).count();
        for leap in leaps {
            is_open_after((ends.0, ends.1), connection, door, leap);
        }
        ends.0
            .get_mut::<Door>(door)
            .expect("the door")
            .open
            .set(true);
        let times = (1..4).map(|second| Duration::from_secs(4000 + second));
        let mut seen = times.map(|now| is_open_after((ends.0, ends.1), connection, door, now));
        assert!(seen.any(|open| open));
        drop(seen);
        let leaped = std::iter::from_fn(|| server.poll_event())
            .filter(|event| matches!(event, ServerEvent::ClockLeap { .. }));
        assert_eq!(leaped.count(), expected);
        let leaped = syncvar_testing::events(&mut client)
            .filter(|event| matches!(event, ClientEvent::ClockLeap { .. }));
        assert_eq!(leaped.count(), expected);
    }
}
