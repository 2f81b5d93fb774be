//! The end of a server: queues are sent first.

use std::ops::ControlFlow;
use std::time::Duration;

use syncvar::prelude::*;
use syncvar::tcp::TransportOptions;
use syncvar_testing::sockets::{Board, filling, idle, soon};

use crate::puppet::Puppet;
use crate::way::Way;

pub(crate) async fn the_last_state_arrives_before_the_end(way: Way) {
    let server = way.start(TransportOptions::default(), idle);
    let mut client = server.join().await;
    let board = server.board;
    server.command(move |server| {
        let last = "x".repeat(30_000);
        server.get_mut::<Board>(board).unwrap().text.set(last);
        ControlFlow::Break(())
    });
    let mut events = Vec::new();
    soon(async {
        while let Some(event) = client.next_event().await {
            events.push(event);
        }
    })
    .await;
    server.stopped().await;
    let has_text = |event: &ClientEvent| format!("{event:?}").contains("shutting down");
    assert!(events.iter().any(has_text), "{events:?}");
    let changed = |event: &ClientEvent| matches!(event, ClientEvent::Changed { .. });
    assert!(events.iter().any(changed), "{events:?}");
}

pub(crate) async fn a_server_stops_while_a_client_does_not_read(way: Way) {
    let options = TransportOptions {
        close_timeout: Duration::from_millis(100),
        ..TransportOptions::default()
    };
    let server = way.start(options, filling);
    let _stuck = Puppet::join(&server).await;
    let _mute = Puppet::connect(&server).await;
    server.stop().await;
}
