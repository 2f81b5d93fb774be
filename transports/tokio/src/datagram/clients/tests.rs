//! Accepted and refused clients.

mod limits;
#[cfg(feature = "udp")]
mod own;

use syncvar_runtime::Channel;

use super::super::Mirror;
use super::*;
use crate::TransportCounters;
use crate::kcp::{KcpConnection, KcpError};

const NOW: Duration = Duration::ZERO;

fn addr(number: u32) -> SocketAddr {
    let [a, b, c, d] = number.to_be_bytes();
    ([a, b, c, d], 7000).into()
}

fn listener(max_connections: usize) -> Clients<Mirror> {
    with_options(&TransportOptions {
        max_connections,
        ..TransportOptions::mirror()
    })
}

fn with_options(options: &TransportOptions) -> Clients<Mirror> {
    let admission = Admission::new(
        options,
        TransportCounters::default(),
        crate::PeerAddrs::default(),
    );
    Clients::new(options, &admission)
}

fn answers(listener: &mut Clients<Mirror>, to: SocketAddr) -> Vec<Bytes> {
    let out = std::mem::take(&mut listener.out).into_iter();
    out.filter_map(|(addr, datagram)| (addr == to).then_some(datagram))
        .collect()
}

/// Moves all datagrams in both directions.
fn exchange(listener: &mut Clients<Mirror>, from: SocketAddr, client: &mut KcpConnection) {
    client.update(NOW);
    while let Some(datagram) = client.poll_transmit() {
        listener.handle_datagram(NOW, from, &datagram);
    }
    listener.update(NOW);
    for datagram in answers(listener, from) {
        client.handle_datagram(NOW, &datagram);
    }
}

fn join(listener: &mut Clients<Mirror>, from: SocketAddr) -> KcpConnection {
    let mut client = KcpConnection::connect(NOW);
    exchange(listener, from, &mut client);
    assert!(client.is_connected());
    exchange(listener, from, &mut client);
    client
}

fn hello() -> Bytes {
    let mut client = KcpConnection::connect(NOW);
    client.update(NOW);
    client.poll_transmit().unwrap()
}

#[test]
fn a_client_is_accepted_with_its_cookie() {
    let mut listener = listener(10);
    let mut client = KcpConnection::connect(NOW);
    exchange(&mut listener, addr(1), &mut client);
    assert!(client.is_connected());
    assert!(listener.is_idle());
    exchange(&mut listener, addr(1), &mut client);
    assert_eq!(listener.by_addr[&addr(1)].stage, ClientStage::New);
}

#[test]
fn hellos_from_false_addresses_take_no_room() {
    let mut listener = listener(10);
    let hello = hello();
    let mut client = KcpConnection::connect(NOW);
    exchange(&mut listener, addr(u32::MAX), &mut client);
    for number in 0..50_000 {
        listener.handle_datagram(NOW, addr(number), &hello);
    }
    assert!(listener.is_idle());
    assert!(listener.out.len() <= MAX_OUT);
    assert_eq!(answers(&mut listener, addr(9_999)).len(), 1);
    // They do not keep out other clients, not even one with a valid cookie.
    exchange(&mut listener, addr(u32::MAX), &mut client);
    assert_eq!(listener.by_addr.len(), 1);
}

#[test]
fn one_hello_has_one_answer_per_address() {
    let mut listener = listener(10);
    let hello = hello();
    let mut said = Vec::new();
    for _ in 0..3 {
        listener.handle_datagram(NOW, addr(1), &hello);
        said.extend(answers(&mut listener, addr(1)));
    }
    assert_eq!(said.len(), 3);
    assert!(said.iter().all(|answer| answer[1..5] == said[0][1..5]));
    listener.handle_datagram(NOW, addr(2), &hello);
    let other = answers(&mut listener, addr(2)).remove(0);
    assert_ne!(other[1..5], said[0][1..5]);
}

#[test]
fn hellos_of_one_address_have_128_answers_at_once() {
    let mut listener = listener(10);
    let hello = hello();
    let port = |port| SocketAddr::from(([10, 0, 0, 1], port));
    for number in 0..1000 {
        listener.handle_datagram(NOW, port(number), &hello);
    }
    assert_eq!(listener.out.len(), 128);
    assert_eq!(listener.admission.counters().stats().refused_hellos, 872);
    // Another address has its answer, the first one half a second later.
    listener.handle_datagram(NOW, addr(7), &hello);
    assert_eq!(answers(&mut listener, addr(7)).len(), 1);
    let later = Duration::from_millis(500);
    listener.handle_datagram(later, port(999), &hello);
    assert_eq!(answers(&mut listener, port(999)).len(), 1);
}

#[test]
fn sixty_four_clients_behind_one_router_reconnect_at_once() {
    let mut listener = listener(100);
    for round in 0..4 {
        let now = Duration::from_secs(2 * round);
        for port in 0..64 {
            listener.handle_datagram(now, ([10, 0, 0, 1], port).into(), &hello());
        }
    }
    assert_eq!(listener.out.len(), 4 * 64);
    assert_eq!(listener.admission.counters().stats().refused_hellos, 0);
}

#[test]
fn a_hello_of_30_bytes_has_one_answer_of_54() {
    let mut listener = listener(10);
    let hello = hello();
    listener.handle_datagram(NOW, addr(1), &hello);
    let answers = answers(&mut listener, addr(1));
    assert_eq!((hello.len(), answers.len(), answers[0].len()), (30, 1, 54));
}

#[test]
fn guessed_cookie_is_refused() {
    let mut listener = listener(10);
    listener.handle_datagram(NOW, addr(1), &hello());
    let answer = answers(&mut listener, addr(1)).remove(0);
    let mut guess = [&[2][..], &answer[1..5], &[4, 1]].concat();
    guess[1] ^= 1;
    listener.handle_datagram(NOW, addr(1), &guess);
    guess[1] ^= 1;
    listener.handle_datagram(NOW, addr(2), &guess);
    listener.handle_datagram(Duration::from_secs(20), addr(1), &guess);
    assert!(listener.is_idle());
    listener.handle_datagram(NOW, addr(1), &guess);
    assert_eq!(listener.by_addr.len(), 1);
}

#[test]
fn restarted_client_replaces_its_old_connection() {
    let mut listener = listener(1);
    let mut before = join(&mut listener, addr(1));
    before
        .send(Channel::Reliable, &[Bytes::from_static(b"before")])
        .unwrap();
    exchange(&mut listener, addr(1), &mut before);
    // A `Hello` does not end the connection: its sender address can be false.
    listener.handle_datagram(NOW, addr(1), &hello());
    assert!(listener.replaced.is_empty());
    listener.out.clear();

    let mut after = join(&mut listener, addr(1));
    assert_eq!((listener.by_addr.len(), listener.replaced.len()), (1, 1));
    let message = listener.replaced[0].connection.kcp_mut().poll_message();
    assert_eq!(message, Some((Channel::Reliable, "before".into())));
    after
        .send(Channel::Reliable, &[Bytes::from_static(b"after")])
        .unwrap();
    exchange(&mut listener, addr(1), &mut after);
    let peer = listener.by_addr.get_mut(&addr(1)).unwrap();
    let message = peer.connection.kcp_mut().poll_message();
    assert_eq!(message, Some((Channel::Reliable, "after".into())));
}

#[test]
fn two_clients_at_one_address_are_two() {
    let mut listener = listener(2);
    let ports: Vec<SocketAddr> = [1, 2].map(|port| ([1, 2, 3, 4], port).into()).into();
    let mut clients: Vec<_> = ports.iter().map(|&at| join(&mut listener, at)).collect();
    assert_ne!(clients[0].cookie(), clients[1].cookie());
    for (client, said) in clients.iter_mut().zip(["a", "b"]) {
        client.send(Channel::Reliable, &[said.into()]).unwrap();
    }
    for (client, &port) in clients.iter_mut().zip(&ports) {
        exchange(&mut listener, port, client);
    }
    for (port, said) in ports.iter().zip(["a", "b"]) {
        let peer = listener.by_addr.get_mut(port).unwrap();
        let message = peer.connection.kcp_mut().poll_message();
        assert_eq!(message, Some((Channel::Reliable, said.into())));
    }
}

#[test]
fn a_client_can_reconnect_at_once_from_the_same_port() {
    let mut listener = listener(1);
    for _ in 0..20 {
        let mut client = join(&mut listener, addr(1));
        client.close(NOW, Duration::ZERO);
        client.update(NOW);
        let goodbyes: Vec<_> = std::iter::from_fn(|| client.poll_transmit()).collect();
        listener.handle_datagram(NOW, addr(1), goodbyes.last().unwrap());
        let peer = &listener.by_addr[&addr(1)];
        assert_eq!(peer.connection.kcp().closed(), Some(KcpError::ClosedByPeer));

        let mut again = join(&mut listener, addr(1));
        // A late datagram of the old connection is ignored.
        for late in goodbyes {
            listener.handle_datagram(NOW, addr(1), &late);
        }
        exchange(&mut listener, addr(1), &mut again);
        assert!(again.is_connected());
        assert_eq!(listener.by_addr[&addr(1)].connection.kcp().closed(), None);
    }
}

#[test]
fn a_client_of_a_server_that_was_there_before_is_not_heard() {
    let mut before = listener(1);
    let mut client = join(&mut before, addr(1));
    let mut after = listener(1);
    client
        .send(Channel::Reliable, &[Bytes::from_static(b"x")])
        .unwrap();
    exchange(&mut after, addr(1), &mut client);
    assert!(after.is_idle() && after.out.is_empty());
    join(&mut after, addr(1));
    assert_eq!(after.by_addr.len(), 1);
}

#[test]
fn clients_survive_a_long_tick() {
    let second = Duration::from_secs(1);
    let mut listener = listener(2);
    join(&mut listener, addr(1));
    let mut client = join(&mut listener, addr(2));
    // A tick of one minute; the input waits in the socket.
    listener.update(60 * second);
    client
        .send(Channel::Reliable, &[Bytes::from_static(b"here")])
        .unwrap();
    client.update(NOW);
    while let Some(datagram) = client.poll_transmit() {
        listener.handle_datagram(60 * second, addr(2), &datagram);
    }
    for tick in 0..999 {
        listener.update(60 * second + tick * second / 100);
        assert!(
            listener
                .by_addr
                .values()
                .all(|peer| peer.connection.kcp().closed().is_none())
        );
    }
    // A client that has left meanwhile times out later.
    listener.update(70 * second);
    let closed = |number| listener.by_addr[&addr(number)].connection.kcp().closed();
    assert_eq!(closed(1), Some(KcpError::Timeout));
    assert_eq!(closed(2), Some(KcpError::Timeout));
}

#[test]
fn client_beyond_the_limit_gets_a_disconnect() {
    let mut listener = listener(1);
    join(&mut listener, addr(1));
    let late = join(&mut listener, addr(2));
    assert_eq!(late.closed(), Some(KcpError::ClosedByPeer));
    assert_eq!(listener.by_addr.len(), 1);
}

#[test]
fn a_client_is_refused_while_the_server_shuts_down() {
    let mut listener = listener(10);
    let mut client = join(&mut listener, addr(1));
    let last = [Bytes::from_static(b"last words")];
    let peer = listener.by_addr.get_mut(&addr(1)).unwrap();
    peer.connection
        .kcp_mut()
        .send(Channel::Reliable, &last)
        .unwrap();
    listener.shut_down(NOW, Duration::from_secs(5));
    for datagram in answers(&mut listener, addr(1)) {
        client.handle_datagram(NOW, &datagram);
    }
    let late = join(&mut listener, addr(2));
    assert_eq!(late.closed(), Some(KcpError::ClosedByPeer));
    assert_eq!(listener.by_addr.len(), 1);
    exchange(&mut listener, addr(1), &mut client);
    assert_eq!(client.closed(), Some(KcpError::ClosedByPeer));
    let again = join(&mut listener, addr(1));
    assert_eq!(again.closed(), Some(KcpError::ClosedByPeer));
    assert!(listener.is_idle());
}

#[test]
fn ended_connection_leaves_no_state() {
    let mut listener = listener(1);
    let mut client = join(&mut listener, addr(1));
    let peer = listener.by_addr.get_mut(&addr(1)).unwrap();
    peer.stage = ClientStage::Leaving;
    peer.connection.kcp_mut().close(NOW, Duration::ZERO);
    exchange(&mut listener, addr(1), &mut client);
    assert_eq!(client.closed(), Some(KcpError::ClosedByPeer));
    assert!(listener.is_idle());
    // A late datagram does not restore the connection.
    let late = [
        &[2][..],
        &client.cookie().unwrap().get().to_le_bytes(),
        &[4, 1],
    ]
    .concat();
    listener.handle_datagram(NOW, addr(1), &late);
    assert!(listener.is_idle());
}
