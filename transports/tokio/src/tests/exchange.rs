//! Traffic between hosts and peers.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::ops::ControlFlow;

use bytes::Bytes;
use syncvar_runtime::{Channel, Endpoint};

use super::support::*;
use crate::datagram::{DatagramListener, Mirror};
use crate::{Host, TransportOptions};

#[tokio::test]
async fn messages_arrive_as_they_were_sent_neither_cut_nor_joined() {
    for (kind, longest) in [(Kind::Telepathy, 16_384), (Kind::Kcp, 297_433)] {
        let server = Running::of(kind);
        let mut client = server.join(kind).await;
        let messages: Vec<Bytes> = [1, 2, 3, 1170, 1171, 5000, longest, 1, 1, longest, 7]
            .iter()
            .zip(1_u8..)
            .map(|(&length, byte)| Bytes::from(vec![byte; length]))
            .collect();
        for message in &messages {
            say(&mut client, Channel::Reliable, message.clone());
        }
        for message in messages {
            let echo = Seen::Message(Channel::Reliable, message);
            assert!(next(&mut client).await == echo, "{kind:?}");
        }
    }
}

#[test]
fn the_first_of_many_clients_does_not_wait_for_the_last() {
    let mut options = TransportOptions::mirror();
    options.max_connections_per_address = 200;
    let mut host = Host::new(options);
    host.listen_telepathy("127.0.0.1:0").unwrap();
    let address = host.local_addrs().unwrap()[0];
    let mut server = Echo::default();
    let mut clients = Vec::new();
    for joined in 1..=200 {
        let client = std::net::TcpStream::connect(address).unwrap();
        let patience = std::time::Duration::from_secs(30);
        client.set_read_timeout(Some(patience)).unwrap();
        clients.push(client);
        while server.connections.len() < joined {
            host.receive(&mut server, std::time::Duration::ZERO);
            std::thread::yield_now();
        }
    }
    for connection in server.connections.clone() {
        server.send(connection, Channel::Reliable, "tick");
    }
    server.first = Some(clients.swap_remove(0));
    host.transmit(&mut server, std::time::Duration::ZERO);
    assert!(
        server.first.is_none(),
        "it had its packet before the last one"
    );
}

#[tokio::test]
async fn unreliable_messages_are_reliable_by_telepathy_only() {
    for (kind, channel) in [
        (Kind::Kcp, Channel::Unreliable),
        (Kind::Telepathy, Channel::Reliable),
    ] {
        let server = Running::of(kind);
        let mut client = server.join(kind).await;
        let message = Bytes::from(vec![8; 1194]);
        // Repeated, because a datagram can be lost.
        let echo = soon(async {
            loop {
                say(&mut client, Channel::Unreliable, message.clone());
                let wait = std::time::Duration::from_millis(500);
                if let Ok(event) = tokio::time::timeout(wait, client.next_event()).await {
                    return event;
                }
            }
        })
        .await;
        assert_eq!(echo, Some(Seen::Message(channel, message)));
        let received = server.ask(|server| server.received[0].1).await;
        assert_eq!(received, channel);
    }
}

#[tokio::test]
async fn one_server_takes_both_kinds_of_clients() {
    let server = Running::start(&BOTH, TransportOptions::mirror());
    let mut clients = Vec::new();
    for (kind, addr) in BOTH.into_iter().zip(&server.addrs) {
        let mut client = soon(join(kind, *addr)).await.unwrap();
        exchange(&mut client, format!("{kind:?}")).await;
        clients.push(client);
    }
    server
        .ask(|server| {
            for connection in server.connections.clone() {
                server.send(connection, Channel::Reliable, "to all");
            }
        })
        .await;
    for client in &mut clients {
        let message = Seen::Message(Channel::Reliable, "to all".into());
        assert_eq!(next(client).await, message);
    }
}

#[tokio::test]
async fn a_client_can_leave_and_come_back() {
    for kind in BOTH {
        let server = Running::of(kind);
        for turn in 1..=3_u32 {
            let mut client = server.join(kind).await;
            exchange(&mut client, "hello").await;
            let last = server.ask(|server| server.last).await;
            assert_eq!(last, turn);
            let mut bot = soon(client.disconnect()).await;
            assert_eq!(bot.poll_event(), Some(Seen::Disconnected));
            server.wait_for_connections(0).await;
        }
    }
}

#[tokio::test]
async fn last_message_of_a_client_arrives() {
    for kind in BOTH {
        let server = Running::of(kind);
        let mut client = server.join(kind).await;
        exchange(&mut client, "first").await;
        say(&mut client, Channel::Reliable, vec![4; 10_000]);
        soon(client.disconnect()).await;
        server.wait_for_connections(0).await;
        let echo = server.stopped().await;
        assert_eq!(echo.received.last().unwrap().2, vec![4; 10_000]);
    }
}

#[tokio::test]
async fn a_client_is_updated_and_heard_while_it_waits() {
    for kind in BOTH {
        let server = Running::of(kind);
        let mut client = server.join(kind).await;
        exchange(&mut client, "one").await;
        let before = client.client().updates;
        let wait = tokio::time::timeout(std::time::Duration::from_millis(200), client.next_event());
        assert!(wait.await.is_err());
        assert!(client.client().updates > before);
    }
}

#[tokio::test]
async fn a_tick_receives_then_plays_then_updates_then_sends() {
    for kind in BOTH {
        let mut host = Host::new(TransportOptions::mirror());
        listen(&mut host, kind);
        let addr = host.local_addrs().unwrap()[0];
        let running = tokio::spawn(run(host, |server, _| {
            server.log.push("game");
            if server.received.is_empty() {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        }));
        let mut client = soon(join(kind, addr)).await.unwrap();
        exchange(&mut client, "hello").await;
        drop(client);
        let log = soon(running).await.unwrap().log;
        assert!(
            log.ends_with(&["packet", "game", "update", "transmit"]),
            "{log:?}"
        );
    }
}

#[tokio::test]
async fn a_host_at_all_addresses_of_ipv6_hears_ipv4_too() {
    let mut host = Host::new(TransportOptions::mirror());
    let anywhere = [
        (Ipv6Addr::UNSPECIFIED, 0).into(),
        (Ipv4Addr::UNSPECIFIED, 0).into(),
    ];
    // The second on systems without IPv6.
    host.add(DatagramListener::<Mirror>::bind(&anywhere).unwrap());
    let at: SocketAddr = host.local_addrs().unwrap()[0];
    let running = tokio::spawn(run(host, |_, _| ControlFlow::Continue(())));
    let mut homes: Vec<IpAddr> = vec![Ipv4Addr::LOCALHOST.into()];
    if at.is_ipv6() {
        homes.push(Ipv6Addr::LOCALHOST.into());
    }
    for home in homes {
        let mut client = soon(join(Kind::Kcp, (home, at.port()).into()))
            .await
            .unwrap();
        exchange(&mut client, "hello").await;
    }
    running.abort();
}
