//! Half-open connections: one end vanishes, and no packet says so.

use std::time::Duration;

use syncvar::DisconnectReason;
use syncvar::prelude::*;
use syncvar::tcp::TransportOptions;
use syncvar_testing::sockets::{counting, soon};

use crate::line::Line;
use crate::puppet::Puppet;
use crate::way::Way;

/// Shortest limit that TCP's probes keep.
const LIMIT: Duration = Duration::from_secs(1);

fn options() -> TransportOptions {
    TransportOptions {
        handshake_timeout: Duration::MAX,
        idle_timeout: LIMIT,
        ..TransportOptions::default()
    }
}

pub(crate) async fn a_vanished_client_is_noticed(way: Way) {
    let mut server = way.start(options(), counting);
    let line = Line::to(way, server.addr).await;
    let _client = server.join_by(line.addr, TransportOptions::default()).await;
    if let Some(_ends) = line.cut().await {
        server.disconnected().await;
        let both =
            |stats: &syncvar::transport::TransportStats| stats.vanished + stats.idle_timeouts;
        server.reaches(both, 1).await;
    }
}

/// The system, or QUIC, alone can notice it: nobody expects a packet.
pub(crate) async fn a_client_that_vanishes_without_a_packet_is_noticed(way: Way) {
    let server = way.start(options(), counting);
    let line = Line::to(way, server.addr).await;
    let _client = Puppet::connect_by(way, line.addr).await;
    if let Some(_ends) = line.cut().await {
        server.reaches(|stats| stats.vanished, 1).await;
    }
}

pub(crate) async fn a_vanished_server_is_noticed(way: Way) {
    let server = way.start(TransportOptions::default(), counting);
    let line = Line::to(way, server.addr).await;
    let mut client = server.join_by(line.addr, options()).await;
    if let Some(_ends) = line.cut().await {
        let end = async {
            loop {
                let event = client.next_event().await.expect("the end has a reason");
                if let ClientEvent::Disconnected { reason } = event {
                    return reason;
                }
            }
        };
        assert_eq!(soon(end).await, DisconnectReason::ConnectionLost);
    }
}
