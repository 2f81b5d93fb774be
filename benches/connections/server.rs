//! Role of the server.

use std::time::Duration;

use syncvar::interest::{Everyone, GroupTags, Tag};
use syncvar::prelude::*;
use syncvar::quic::QuicPort;
use syncvar::tcp::TransportOptions;
use syncvar::tls::Identity;
use syncvar::transport::Host;
use syncvar::websocket::WebPort;
use syncvar::{ServerConfig, ServerEvent};
use tokio::runtime::Runtime;

use crate::game::{self, Game, say};
use crate::unit::{Unit, prefabs};
use crate::world::{CHANGES, GROUPS, OBJECTS, TICK_RATE, micros};
use crate::{Outcome, Transport};

/// Server over one transport.
struct Served {
    server: NetworkServer,
    host: Host<NetworkServer>,
    /// Object that changed last.
    last: u32,
}

/// Prints the address, and plays until the input is closed.
pub(crate) fn serve(transport: Transport, runtime: &Runtime) -> Outcome {
    let most = 20_000;
    let options = TransportOptions {
        max_connections: most,
        max_connections_per_address: most,
        max_accepts_per_second: 2000,
        // The bots of this machine stand still while all of them join.
        idle_timeout: Duration::from_mins(5),
        handshake_timeout: Duration::from_mins(1),
        ..TransportOptions::default()
    };
    let mut host = Host::new(options);
    // The sockets have the threads of this runtime.
    let context = runtime.enter();
    match transport {
        Transport::Tcp => host.listen_tcp("127.0.0.1:0")?,
        Transport::WebSocket => host.listen("127.0.0.1:0", WebPort::new())?,
        Transport::Quic => {
            let identity = Identity::generated(&["localhost"])?;
            host.listen("127.0.0.1:0", QuicPort::new(&identity))?;
        }
    }
    drop(context);
    say(&host.local_addrs()?[0].to_string())?;
    let mut served = Served {
        server: world(),
        host,
        last: 0,
    };
    game::run(&mut served)?;
    served.host.shut_down_blocking(&mut served.server);
    Ok(())
}

/// Returns a server with all objects, in groups.
fn world() -> NetworkServer {
    let config = ServerConfig {
        tick_rate: TICK_RATE,
        ..ServerConfig::default()
    };
    let tags = GroupTags::new(Everyone);
    let mut server = NetworkServer::with_interest(prefabs(), config, tags);
    for number in 0..OBJECTS {
        let id = server.spawn(Unit::default());
        let tag = Tag(u64::from(number % GROUPS));
        let tagged = server.interest_mut::<GroupTags<Everyone>>();
        let tagged = tagged.map(|tags| tags.tag(id, Some(tag)));
        assert!(matches!(tagged, Ok(Ok(()))), "a new object");
    }
    server
}

impl Game for Served {
    fn tick(&mut self, now: Duration) {
        let Self { server, host, last } = self;
        host.receive(server, now);
        join_groups(server);
        for _ in 0..CHANGES {
            *last = *last % OBJECTS + 1;
            if let Ok(mut unit) = server.get_mut::<Unit>(NetId(*last)) {
                unit.stamp.set(micros());
            }
        }
        server.update(now);
        host.transmit(server, now);
    }

    fn connections(&mut self) -> usize {
        self.server.connections().count()
    }
}

/// Lets new connections see their group.
fn join_groups(server: &mut NetworkServer) {
    while let Some(event) = server.poll_event() {
        if let ServerEvent::Connected { connection } = event
            && let Ok(tags) = server.interest_mut::<GroupTags<Everyone>>()
        {
            let group = Tag(u64::from(connection.0 % GROUPS));
            // One that has left again has no group.
            let _ = tags.join(connection, group);
        }
    }
}
