//! Ends of connections.

use std::time::Duration;

use bytes::Bytes;
use syncvar_runtime::{Channel, ConnectionId};

use super::support::*;
use crate::{TransportError, TransportOptions};

#[tokio::test]
async fn the_last_messages_of_a_stopped_server_arrive() {
    for kind in BOTH {
        let server = Running::of(kind);
        let mut client = server.join(kind).await;
        exchange(&mut client, "first").await;
        let last = Bytes::from(vec![6; 16_000]);
        let farewell = last.clone();
        server
            .ask(move |server| {
                for connection in server.connections.clone() {
                    server.send(connection, Channel::Reliable, farewell.clone());
                }
            })
            .await;
        server.stop();
        assert_eq!(
            next(&mut client).await,
            Seen::Message(Channel::Reliable, last)
        );
        assert_eq!(next(&mut client).await, Seen::Disconnected);
        assert_eq!(soon(client.next_event()).await, None);
        assert!(matches!(
            client.receive().await,
            Err(TransportError::Closed)
        ));
        drop(client);
        server.stopped().await;
    }
}

#[tokio::test]
async fn a_server_that_is_dropped_cuts_its_connections() {
    for kind in BOTH {
        let server = Running::of(kind);
        let mut client = server.join(kind).await;
        exchange(&mut client, "first").await;
        server.cut().await;
        assert_eq!(next(&mut client).await, Seen::Disconnected);
    }
}

#[tokio::test]
async fn disconnected_client_receives_earlier_messages() {
    for kind in BOTH {
        let server = Running::of(kind);
        let mut client = server.join(kind).await;
        let mut other = server.join(kind).await;
        exchange(&mut client, "first").await;
        exchange(&mut other, "second").await;
        server
            .ask(|server| {
                let connection = server.received[0].0;
                server.send(connection, Channel::Reliable, "you are banned");
                server.kick(connection);
            })
            .await;
        let message = Seen::Message(Channel::Reliable, "you are banned".into());
        assert_eq!(next(&mut client).await, message);
        assert_eq!(next(&mut client).await, Seen::Disconnected);
        assert_eq!(soon(client.next_event()).await, None);
        exchange(&mut other, "still here").await;
    }
}

/// The new server gives the same number to its first connection: the old one must not close it.
#[tokio::test]
async fn replacing_the_server_closes_its_connections() {
    for kind in BOTH {
        let server = Running::of(kind);
        let mut client = server.join(kind).await;
        exchange(&mut client, "first").await;
        server
            .ask(|server| {
                server.kick(server.connections[0]);
                *server = Echo::default();
            })
            .await;
        assert_eq!(next(&mut client).await, Seen::Disconnected);
        let mut client = server.join(kind).await;
        exchange(&mut client, "second").await;
        let received = server.ask(|server| server.received.clone()).await;
        assert_eq!(received.len(), 1);
        assert_eq!(received[0].0, ConnectionId(1));
    }
}

#[tokio::test]
async fn a_malformed_message_ends_its_connection_alone() {
    for kind in BOTH {
        let server = Running::of(kind);
        let mut client = server.join(kind).await;
        let mut other = server.join(kind).await;
        exchange(&mut other, "first").await;
        say(&mut client, Channel::Reliable, "!");
        say(&mut client, Channel::Reliable, "never heard");
        assert_eq!(next(&mut client).await, Seen::Disconnected);
        exchange(&mut other, "second").await;
        drop(other);
        let echo = server.stopped().await;
        assert!(
            echo.received
                .iter()
                .all(|(_, _, said)| said != "never heard")
        );
    }
}

#[tokio::test]
async fn client_disconnects_on_a_malformed_message() {
    for kind in BOTH {
        let server = Running::of(kind);
        let mut client = server.join(kind).await;
        exchange(&mut client, "first").await;
        server
            .ask(|server| server.send(server.connections[0], Channel::Reliable, "!!"))
            .await;
        let received = soon(client.receive()).await;
        assert!(matches!(received, Err(TransportError::Malformed(_))));
        assert_eq!(next(&mut client).await, Seen::Disconnected);
        assert_eq!(soon(client.next_event()).await, None);
        server.wait_for_connections(0).await;
    }
}

#[tokio::test]
async fn a_client_that_is_dropped_leaves() {
    for kind in BOTH {
        let server = Running::of(kind);
        let mut client = server.join(kind).await;
        exchange(&mut client, "first").await;
        drop(client);
        server.wait_for_connections(0).await;
    }
}

#[tokio::test]
async fn a_client_that_vanishes_without_a_word_is_noticed() {
    let options = TransportOptions {
        silence_timeout: Duration::from_millis(200),
        idle_timeout: Duration::from_millis(200),
        ..TransportOptions::mirror()
    };
    for kind in BOTH {
        let server = Running::start(&[kind], options.clone());
        let _silent = idle(kind, &server).await;
        server.wait_for_connections(1).await;
        server.wait_for_connections(0).await;
    }
}

#[tokio::test]
async fn connect_fails_without_a_listener() {
    for kind in BOTH {
        let server = Running::of(kind);
        let addr = server.addrs[0];
        server.stopped().await;
        assert!(soon(join(kind, addr)).await.is_err());
    }
}
