//! Two ends over a bad link, in virtual time.

use std::num::NonZeroU32;
use std::slice::from_ref;

use bytes::Bytes;
use syncvar_runtime::Channel;

use super::datagrams::RELIABLE;
use super::*;

mod inbox;
mod link;
mod recorded;

const COOKIE: NonZeroU32 = NonZeroU32::new(0x6001_51ca).unwrap();

fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// A client and a server, connected.
fn pair() -> (KcpConnection, KcpConnection) {
    let mut client = KcpConnection::connect(ms(0));
    client.update(ms(0));
    let hello = Hello::read(&client.poll_transmit().unwrap()).unwrap();
    client.handle_datagram(ms(0), &hello.answer(COOKIE, ms(0)));
    assert!(client.is_connected());
    let mut server = KcpConnection::accept(COOKIE, ms(0));
    server.set_max_inbox(inbox::LIMIT);
    (client, server)
}

fn messages(connection: &mut KcpConnection, wanted: Channel) -> Vec<Bytes> {
    std::iter::from_fn(|| connection.poll_message())
        .filter_map(|(channel, message)| (channel == wanted).then_some(message))
        .collect()
}

fn said_by(connection: &mut KcpConnection) -> Vec<Bytes> {
    std::iter::from_fn(|| connection.poll_transmit()).collect()
}

/// Moves all datagrams from one end to the other.
fn pass(now: Duration, from: &mut KcpConnection, to: &mut KcpConnection) {
    from.update(now);
    for datagram in said_by(from) {
        to.handle_datagram(now, &datagram);
    }
}

#[test]
fn the_largest_messages_arrive_and_larger_ones_fail() {
    let (mut client, mut server) = pair();
    assert_eq!((MAX_UNRELIABLE, MAX_RELIABLE), (1194, 297_433));
    let limits = syncvar_mirror::Limits::KCP;
    assert_eq!(limits.max_unreliable, MAX_UNRELIABLE);
    assert_eq!(limits.max_reliable, MAX_RELIABLE);
    let reliable = Bytes::from(vec![1; MAX_RELIABLE]);
    let unreliable = Bytes::from(vec![2; MAX_UNRELIABLE]);
    for (channel, message) in [
        (Channel::Reliable, &reliable),
        (Channel::Unreliable, &unreliable),
    ] {
        let longer = [message.clone(), Bytes::from_static(b"x")];
        assert_eq!(client.send(channel, &longer), Err(KcpError::TooLong));
        assert_eq!(client.send(channel, &[]), Err(KcpError::TooLong));
        client.send(channel, from_ref(message)).unwrap();
    }
    for step in 0..10 {
        pass(ms(step * 10), &mut client, &mut server);
        pass(ms(step * 10), &mut server, &mut client);
    }
    assert_eq!(
        server.poll_message(),
        Some((Channel::Unreliable, unreliable))
    );
    assert_eq!(server.poll_message(), Some((Channel::Reliable, reliable)));
    assert_eq!(client.queued_bytes(), 0);
}

#[test]
fn no_datagram_is_longer_than_the_limit() {
    let (mut client, mut server) = pair();
    client
        .send(Channel::Reliable, &[Bytes::from(vec![0; 100_000])])
        .unwrap();
    client.update(ms(0));
    for datagram in said_by(&mut client) {
        assert!(datagram.len() <= MAX_DATAGRAM);
        server.handle_datagram(ms(0), &datagram);
    }
    server.update(ms(0));
    // 86 acks, 49 of which fit one.
    assert_eq!(said_by(&mut server).len(), 2);
}

#[test]
fn datagrams_of_another_cookie_or_none_at_all_are_ignored() {
    let (mut client, mut server) = pair();
    client
        .send(Channel::Unreliable, &[Bytes::from_static(b"batch")])
        .unwrap();
    let datagram = said_by(&mut client).remove(0);
    for wrong in [1, 2, 3, 4] {
        let mut other = datagram.to_vec();
        other[wrong] ^= 1;
        server.handle_datagram(ms(0), &other);
    }
    for length in 0..=5 {
        server.handle_datagram(ms(0), &datagram[..length]);
    }
    server.handle_datagram(ms(0), &[&datagram[..], &[0; 1200]].concat());
    assert_eq!(server.poll_message(), None);
    server.handle_datagram(ms(0), &datagram);
    assert_eq!(messages(&mut server, Channel::Unreliable), ["batch"]);
}

#[test]
fn a_malformed_datagram_ends_both_sides() {
    let head = [&[RELIABLE][..], &COOKIE.get().to_le_bytes()].concat();
    let unreliable = [&[2][..], &COOKIE.get().to_le_bytes()].concat();
    // The ack of the example in WIRE.md, an unknown command, and another conversation.
    let ack = hex::decode("00000000520000103e0000000000000001000000 00000000".replace(' ', ""));
    let ack = ack.unwrap();
    let (mut command, mut conversation) = (ack.clone(), ack.clone());
    command[4] = 80;
    conversation[0] = 1;
    for datagram in [
        [&head[..], &ack[..23]].concat(),
        [&head[..], &command].concat(),
        [&head[..], &conversation].concat(),
        [&unreliable[..], &[6]].concat(),
    ] {
        let (mut client, mut server) = pair();
        server.handle_datagram(ms(0), &datagram);
        assert_eq!(server.closed(), Some(KcpError::Malformed));
        for datagram in said_by(&mut server) {
            client.handle_datagram(ms(0), &datagram);
        }
        assert_eq!(client.closed(), Some(KcpError::ClosedByPeer));
    }
    let (_, mut server) = pair();
    server.handle_datagram(ms(0), &[&head[..], &ack].concat());
    assert_eq!(server.closed(), None);
}

#[test]
fn an_unknown_reliable_message_ends_the_connection() {
    for message in [&[HELLO][..], &[DATA], &[], &[9, 9]] {
        let (mut client, mut server) = pair();
        client.arq_mut().send(&Bytes::copy_from_slice(message));
        pass(ms(0), &mut client, &mut server);
        assert_eq!(server.poll_message(), None);
        assert_eq!(server.closed(), Some(KcpError::Malformed));
    }
}

#[test]
fn both_sides_ping_and_silence_ends_after_ten_seconds() {
    let (mut client, mut server) = pair();
    for time in (0..60_000).step_by(10) {
        pass(ms(time), &mut client, &mut server);
        pass(ms(time), &mut server, &mut client);
        assert_eq!(server.poll_message(), None);
        assert_eq!(client.poll_message(), None);
    }
    assert!(client.is_connected() && server.is_connected());
    // The last ping arrived at 59 s.
    client.update(ms(68_990));
    assert!(client.is_connected());
    client.update(ms(70_000));
    assert_eq!(client.closed(), Some(KcpError::Timeout));
}

#[test]
fn client_times_out_without_an_answer() {
    let mut client = KcpConnection::connect(ms(0));
    let mut hellos = 0;
    for time in (0..10_000).step_by(10) {
        client.update(ms(time));
        for datagram in said_by(&mut client) {
            assert!(Hello::read(&datagram).is_some());
            hellos += 1;
        }
    }
    assert!(hellos > 3 && hellos < 20, "{hellos}");
    client.update(ms(10_000));
    assert_eq!(client.closed(), Some(KcpError::Timeout));
    assert_eq!(
        client.send(Channel::Reliable, &[Bytes::from_static(b"x")]),
        Err(KcpError::NotConnected)
    );
}

/// A full Mirror server refuses a connected client at once, before its own `Hello` leaves.
#[test]
fn a_client_that_is_sent_away_at_once_hears_it() {
    let mut client = KcpConnection::connect(ms(0));
    client.update(ms(0));
    let goodbye = datagrams::unreliable(COOKIE.get(), DISCONNECT, &[]);
    client.handle_datagram(ms(1), &goodbye);
    assert_eq!(client.closed(), Some(KcpError::ClosedByPeer));
}

#[test]
fn messages_before_a_disconnect_arrive_first() {
    let (mut client, mut server) = pair();
    let last = Bytes::from(vec![5; 5000]);
    server.send(Channel::Reliable, from_ref(&last)).unwrap();
    server.close(ms(0), ms(1000));
    server.update(ms(0));
    // The first flight is lost.
    assert_eq!(said_by(&mut server).len(), 5);
    for time in (0..500).step_by(10) {
        pass(ms(time), &mut server, &mut client);
        pass(ms(time), &mut client, &mut server);
    }
    assert_eq!(server.closed(), Some(KcpError::Closed));
    assert_eq!(client.closed(), Some(KcpError::ClosedByPeer));
    assert_eq!(messages(&mut client, Channel::Reliable), [last]);
}

#[test]
fn peer_that_reads_nothing_is_disconnected() {
    let (_, mut server) = pair();
    server
        .send(Channel::Reliable, &[Bytes::from_static(b"x")])
        .unwrap();
    server.close(ms(0), ms(1000));
    server.update(ms(990));
    assert_eq!(server.closed(), None);
    server.update(ms(1000));
    assert_eq!(server.closed(), Some(KcpError::Closed));
    let goodbye = [&[2][..], &COOKIE.get().to_le_bytes(), &[DISCONNECT]].concat();
    let goodbyes = said_by(&mut server);
    assert_eq!(goodbyes.iter().filter(|out| **out == goodbye).count(), 5);
}

#[test]
fn a_client_that_does_not_poll_closes_its_window() {
    let (mut client, mut server) = pair();
    let message = Bytes::from(vec![3; 1000]);
    for _ in 0..6000 {
        server.send(Channel::Reliable, from_ref(&message)).unwrap();
    }
    let mut time = 0;
    let mut step = |client: &mut KcpConnection, server: &mut KcpConnection| {
        time += 10;
        pass(ms(time), server, client);
        pass(ms(time), client, server);
    };
    for _ in 0..90 {
        step(&mut client, &mut server);
    }
    // The window is full: 4096 messages of one segment.
    assert_eq!(server.queued_bytes(), (6000 - 4096) * 1001);
    assert_eq!(messages(&mut client, Channel::Reliable).len(), 4096);
    for _ in 0..10 {
        step(&mut client, &mut server);
    }
    assert_eq!(server.queued_bytes(), 0);
    assert_eq!(messages(&mut client, Channel::Reliable).len(), 6000 - 4096);
}

#[test]
fn an_opened_window_is_found_although_its_message_was_lost() {
    let (mut client, mut server) = pair();
    for _ in 0..5000 {
        server
            .send(Channel::Reliable, &[Bytes::from_static(b"x")])
            .unwrap();
    }
    for time in (0..100).step_by(10) {
        pass(ms(time), &mut server, &mut client);
        pass(ms(time), &mut client, &mut server);
    }
    assert_eq!(messages(&mut client, Channel::Reliable).len(), 4096);
    client.update(ms(100));
    drop(said_by(&mut client));
    let mut rest = 0;
    for time in (110..12_000).step_by(10) {
        // Pings carry the window, too; the link drops them.
        server.update(ms(time));
        for datagram in said_by(&mut server) {
            client.handle_datagram(ms(time), &datagram);
        }
        client.update(ms(time));
        for datagram in said_by(&mut client) {
            let command = datagram[9];
            if command == 84 || rest > 0 {
                server.handle_datagram(ms(time), &datagram);
            }
        }
        rest += messages(&mut client, Channel::Reliable).len();
        if server.closed().is_some() || client.closed().is_some() {
            break;
        }
    }
    assert_eq!(rest, 5000 - 4096);
}

#[test]
fn unpolled_unreliable_messages_are_bounded() {
    let (mut client, mut server) = pair();
    server.set_max_unreliable(2);
    for message in [&b"1"[..], b"2", b"3"] {
        let message = Bytes::from_static(message);
        client.send(Channel::Unreliable, &[message]).unwrap();
    }
    pass(ms(0), &mut client, &mut server);
    assert_eq!(messages(&mut server, Channel::Unreliable), ["2", "3"]);
}
