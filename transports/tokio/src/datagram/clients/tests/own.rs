//! Clients with this crate's own datagrams.

use syncvar_runtime::{Channel, ConnectionId, Transmit};

use super::super::super::Own;
use super::super::*;
use super::{NOW, addr};
use crate::{PeerAddrs, TransportCounters};

fn listener() -> Clients<Own> {
    let options = TransportOptions::mirror();
    let (counters, peers) = (TransportCounters::default(), PeerAddrs::default());
    Clients::new(&options, &Admission::new(&options, counters, peers))
}

/// Moves all datagrams in both directions.
fn exchange(listener: &mut Clients<Own>, from: SocketAddr, client: &mut Own) {
    client.update(NOW);
    while let Some(datagram) = client.poll_transmit() {
        listener.handle_datagram(NOW, from, &datagram);
    }
    listener.update(NOW);
    while let Some((_, datagram)) = listener.out.pop_front() {
        client.handle_datagram(NOW, &datagram, usize::MAX);
    }
}

fn join(listener: &mut Clients<Own>, from: SocketAddr) -> Own {
    let mut client = Own::connect(NOW, &TransportOptions::mirror());
    exchange(listener, from, &mut client);
    assert!(listener.is_idle() && !client.kcp().is_connected());
    exchange(listener, from, &mut client);
    assert!(client.kcp().is_connected());
    client
}

#[test]
fn full_socket_loses_datagrams_and_keeps_the_stream() {
    let mut listener = listener();
    let _client = join(&mut listener, addr(1));
    let connection = &mut listener.by_addr.get_mut(&addr(1)).unwrap().connection;
    for delivery in [Channel::Unreliable, Channel::Reliable, Channel::Unreliable] {
        let chunks = [Bytes::from_static(b"state")];
        let packet = Transmit::new(ConnectionId(1), 0, delivery, &chunks);
        connection.send(&packet).unwrap();
    }
    listener.update(NOW);
    assert_eq!(listener.out.len(), 3);
    listener.lose_datagrams();
    assert_eq!(listener.out.len(), 1);
    assert!(!Own::is_lost_when_full(&listener.out[0].1));
    let stats = listener.admission.counters().stats();
    assert_eq!(stats.unsent_datagrams, 2);
}

#[test]
fn datagrams_of_a_former_server_are_answered_with_its_number() {
    let mut former = listener();
    let mut client = join(&mut former, addr(1));
    let mut listener = listener();
    client.kcp_mut().ping();
    client.update(NOW);
    let datagram = client.poll_transmit().unwrap();
    // Another address gains nothing by it.
    for from in [addr(2), addr(1)] {
        listener.handle_datagram(NOW, from, &datagram);
        let (to, answer) = listener.out.pop_front().unwrap();
        assert!(to == from && answer.len() < datagram.len());
        client.handle_datagram(NOW, &answer, usize::MAX);
    }
    assert_eq!(
        client.kcp().closed(),
        Some(crate::kcp::KcpError::UnknownConnection)
    );
    assert!(listener.is_idle());
    // A goodbye has no answer, so that two servers cannot answer each other.
    let goodbye = Own::refusal(client.cookie().unwrap(), Refused::Unknown).unwrap();
    listener.handle_datagram(NOW, addr(1), &goodbye);
    assert!(listener.out.is_empty());
}

#[test]
fn new_connection_of_a_port_replaces_the_former_one() {
    let mut listener = listener();
    let former = join(&mut listener, addr(1));
    let next = join_again(&mut listener, addr(1));
    assert_ne!(former.cookie(), next.cookie());
    assert_eq!((listener.by_addr.len(), listener.replaced.len()), (1, 1));
    let mut former = former;
    former.kcp_mut().ping();
    exchange(&mut listener, addr(1), &mut former);
    let closed = former.kcp().closed();
    assert_eq!(closed, Some(crate::kcp::KcpError::UnknownConnection));
    assert!(next.kcp().is_connected());

    fn join_again(listener: &mut Clients<Own>, from: SocketAddr) -> Own {
        let mut client = Own::connect(NOW, &TransportOptions::mirror());
        exchange(listener, from, &mut client);
        exchange(listener, from, &mut client);
        assert!(client.kcp().is_connected());
        client
    }
}
