//! Clients that run no frames for a while: a sleeping tab, a stopped process.

use std::time::Duration;

use syncvar::prelude::*;
use syncvar::tcp::{Reconnect, TransportOptions};
use syncvar_testing::sockets::{Settings, counting, soon};

use crate::way::Way;

pub(crate) async fn a_sleeping_client_keeps_its_session(way: Way) {
    let mut settings = Settings::default();
    settings.config.reconnect_grace = Duration::from_mins(1);
    settings.config.session_tokens = Some(|| [7; 16]);
    settings.options.idle_timeout = Duration::from_secs(1);
    let mut server = way.start(settings, counting);
    let reconnect = Reconnect {
        first_delay: Duration::from_millis(10),
        ..Reconnect::default()
    };
    let options = TransportOptions {
        reconnect: Some(reconnect),
        ..TransportOptions::default()
    };
    let mut client = server.join_by(server.addr, options).await;
    let is_away = |event| matches!(event, ServerEvent::Away { .. }).then_some(());
    server.event(is_away).await;
    assert_eq!(server.stats().idle_timeouts, 1);
    soon(async {
        let returned = |event: &ClientEvent| matches!(event, ClientEvent::Returned { .. });
        while !returned(&client.next_event().await.expect("it connects again")) {}
    })
    .await;
    server.see_counts(&mut client, 10).await;
    assert!(!server.has_disconnected());
}
