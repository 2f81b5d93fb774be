//! Clients that run no frames for a while: a sleeping tab, a stopped process.

use std::time::Duration;

use syncvar::ServerConfig;
use syncvar::prelude::*;
use syncvar::tcp::{Reconnect, TransportOptions};

use crate::running::{Board, Running, soon};
use crate::way::Way;

pub(crate) async fn a_sleeping_client_keeps_its_session(way: Way) {
    let config = ServerConfig {
        reconnect_grace: Duration::from_mins(1),
        session_tokens: Some(|| [7; 16]),
        ..Running::config()
    };
    let options = TransportOptions {
        idle_timeout: Duration::from_secs(1),
        ..TransportOptions::default()
    };
    let mut server = Running::with(way, (config, options), |server, board, _| {
        server.get_mut::<Board>(board).unwrap().count += 1;
    });
    let reconnect = Reconnect {
        first_delay: Duration::from_millis(10),
        ..Reconnect::default()
    };
    let options = TransportOptions {
        reconnect: Some(reconnect),
        ..TransportOptions::default()
    };
    let mut client = server.join_by(server.addr, options).await;
    let away = |event: &ServerEvent| matches!(event, ServerEvent::Away { .. });
    server.event(away).await;
    assert_eq!(server.stats().idle_timeouts, 1);
    soon(async {
        let returned = |event: &ClientEvent| matches!(event, ClientEvent::Returned { .. });
        while !returned(&client.next_event().await.expect("it connects again")) {}
    })
    .await;
    server.see_counts(&mut client, 10).await;
    assert!(!server.has_disconnected());
}
