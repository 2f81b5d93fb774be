//! Limits of early segments, of places and of accepted connections.

use std::num::NonZeroU32;

use super::super::*;
use super::{NOW, addr, exchange, join, listener, with_options};
use crate::kcp::{KcpConnection, MAX_DATAGRAM};

/// Returns a datagram with a full data segment.
fn segment(cookie: NonZeroU32, number: u32) -> Bytes {
    let mut datagram = vec![1];
    datagram.extend(cookie.get().to_le_bytes());
    // Conversation 0, data, no fragments, a window of 4096.
    datagram.extend([0, 0, 0, 0, 81, 0, 0, 16]);
    for word in [0, number, 1] {
        datagram.extend(u32::to_le_bytes(word));
    }
    let length = MAX_DATAGRAM - datagram.len() - 4;
    datagram.extend(u32::try_from(length).unwrap().to_le_bytes());
    datagram.resize(MAX_DATAGRAM, 3);
    datagram.into()
}

/// 60 connections withhold segment 1, and send the rest of Mirror's window: 284 MB without a limit.
#[test]
fn early_segments_of_sixty_connections_hold_20_mb() {
    let mut listener = listener(1024);
    for number in 0..60 {
        let cookie = join(&mut listener, addr(number)).cookie().unwrap();
        for early in 2..4097 {
            listener.handle_datagram(NOW, addr(number), &segment(cookie, early));
        }
    }
    listener.update(NOW);
    assert!(
        listener.inbox.used <= 60 * 330_000,
        "{}",
        listener.inbox.used
    );
}

#[test]
fn early_segments_of_all_connections_have_one_limit() {
    let mut listener = with_options(&TransportOptions {
        max_connections: 100,
        max_inbox_total: 4 << 20,
        ..TransportOptions::mirror()
    });
    let joined: Vec<_> = (0..100)
        .map(|number| join(&mut listener, addr(number)).cookie().unwrap())
        .collect();
    for (number, &cookie) in (0..).zip(&joined) {
        for early in 2..300 {
            listener.handle_datagram(NOW, addr(number), &segment(cookie, early));
        }
    }
    listener.update(NOW);
    let used = listener.inbox.used;
    assert!((3 << 20..=4 << 20).contains(&used), "{used}");
    // The last connection has its part, and the missing segment.
    let last = listener.by_addr.get_mut(&addr(99)).unwrap();
    assert!(last.connection.kcp().inbox_bytes() > 15_000);
    let refused = last.connection.kcp().refused().0;
    let stats = listener.admission.counters().stats();
    assert!(refused > 200 && stats.refused_segments > refused);
    listener.handle_datagram(NOW, addr(99), &segment(joined[99], 1));
    let last = listener.by_addr.get_mut(&addr(99)).unwrap();
    assert!(last.connection.kcp_mut().poll_message().is_some());
}

#[test]
fn connections_at_half_the_limit_lose_no_segment() {
    let mut listener = with_options(&TransportOptions {
        max_connections: 100,
        max_inbox_total: 4 << 20,
        ..TransportOptions::mirror()
    });
    for number in 0..16 {
        let cookie = join(&mut listener, addr(number)).cookie().unwrap();
        for early in 2..100 {
            listener.handle_datagram(NOW, addr(number), &segment(cookie, early));
        }
    }
    let refused = listener
        .by_addr
        .values()
        .map(|peer| peer.connection.kcp().refused());
    assert!(refused.eq([(0, 0); 16]));
}

/// 2 200 datagrams from one address: 1 100 `Hello`s, and a cookie each.
#[test]
fn one_address_takes_64_places() {
    let mut listener = with_options(&TransportOptions {
        max_hellos_per_address: 1000,
        ..TransportOptions::mirror()
    });
    for port in 1..=1100 {
        let from = ([10, 0, 0, 1], port).into();
        let mut client = KcpConnection::connect(NOW);
        exchange(&mut listener, from, &mut client);
        exchange(&mut listener, from, &mut client);
        assert_eq!(client.is_connected(), port <= 64);
    }
    assert_eq!(listener.by_addr.len(), 64);
    let stats = listener.admission.counters().stats();
    assert_eq!((stats.accepted, stats.refused_address), (64, 1100 - 64));
    join(&mut listener, addr(9));
    assert_eq!(listener.by_addr.len(), 65);
}

#[test]
fn half_the_places_of_an_address_are_free_again_after_the_end() {
    let mut listener = listener(1024);
    for round in 0..4 {
        for port in 1..=32 {
            join(&mut listener, ([10, 0, 0, 1], round * 32 + port).into());
        }
        assert_eq!(listener.by_addr.len(), 32);
        for client in listener.by_addr.values_mut() {
            client.connection.kcp_mut().close(NOW, Duration::ZERO);
            client.stage = ClientStage::Leaving;
        }
        listener.update(NOW);
        assert!(listener.is_idle());
    }
    let stats = listener.admission.counters().stats();
    assert_eq!((stats.accepted, stats.refused_address), (128, 0));
}

#[test]
fn a_burst_of_connections_waits_with_its_cookies() {
    let mut listener = with_options(&TransportOptions {
        max_accepts_per_second: 100,
        ..TransportOptions::mirror()
    });
    let mut clients: Vec<_> = (0..100)
        .map(|number| {
            let mut client = KcpConnection::connect(NOW);
            exchange(&mut listener, addr(number), &mut client);
            client.update(NOW);
            let datagram = client.poll_transmit().unwrap();
            (addr(number), datagram, client)
        })
        .collect();
    for (from, datagram, _) in &clients {
        listener.handle_datagram(NOW, *from, datagram);
    }
    assert_eq!(listener.by_addr.len(), 25);
    assert!(listener.out.is_empty());
    let counters = listener.admission.counters().clone();
    assert_eq!(counters.stats().delayed_accepts, 75);
    // Half the rate: the same datagrams are repeated, and none waits.
    for (step, (from, datagram, _)) in (1..).zip(&mut clients[25..]) {
        let now = Duration::from_millis(500 + step * 20);
        listener.handle_datagram(now, *from, datagram);
    }
    assert_eq!(listener.by_addr.len(), 100);
    assert_eq!(counters.stats().delayed_accepts, 75);
}

#[test]
fn a_port_that_reconnects_all_the_time_meets_the_rate() {
    let mut listener = with_options(&TransportOptions {
        max_accepts_per_second: 100,
        ..TransportOptions::mirror()
    });
    for _ in 0..200 {
        let mut client = KcpConnection::connect(NOW);
        exchange(&mut listener, addr(1), &mut client);
        exchange(&mut listener, addr(1), &mut client);
    }
    assert_eq!((listener.by_addr.len(), listener.replaced.len()), (1, 24));
    assert_eq!(listener.admission.counters().stats().accepted, 1);
}
