//! Relays over real sockets, in one loop.

use std::time::{Duration, Instant};

use syncvar::ServerConfig;
use syncvar::prelude::*;
use syncvar::transport::{Host, Peer, TransportOptions};
use syncvar_fleet::link::LinkCarrier;
use syncvar_fleet::sockets::FleetSockets;
use syncvar_fleet::{NodeId, Origin, Relay, Role};

use crate::stage::{Unit, prefabs, relay_config};

/// A relay with its sockets.
struct Node {
    relay: Relay<LinkCarrier>,
    links: FleetSockets,
    spectators: Host<Relay<LinkCarrier>>,
}

impl Node {
    fn new(id: u64, source: std::net::SocketAddr) -> Self {
        let mut carrier = LinkCarrier::new(NodeId(id), Role::Relay, "tcp://127.0.0.1:17777");
        let mut links = FleetSockets::new();
        links.dial_tcp(&mut carrier, source).unwrap();
        let mut spectators = Host::new(TransportOptions::default());
        spectators.listen_tcp("127.0.0.1:0").unwrap();
        Self {
            relay: Relay::new(carrier, relay_config()),
            links,
            spectators,
        }
    }

    fn run(&mut self, now: Duration) {
        self.links.receive(self.relay.carrier_mut(), now);
        self.spectators.receive(&mut self.relay, now);
        self.relay.update(now);
        self.spectators.transmit(&mut self.relay, now);
        self.links.transmit(self.relay.carrier_mut(), now);
    }
}

/// An origin with a unit and its sockets.
struct OriginNode {
    server: NetworkServer,
    unit: NetId,
    origin: Origin,
    carrier: LinkCarrier,
    sockets: FleetSockets,
}

impl OriginNode {
    /// Listens at an address. Returns it with its port.
    fn listen(address: &str) -> (Self, std::net::SocketAddr) {
        let config = ServerConfig {
            incarnation: 3,
            ..ServerConfig::default()
        };
        let mut server = NetworkServer::with_config(prefabs(), config);
        let unit = server.spawn(Unit::default());
        let origin = Origin::begin(&mut server).unwrap();
        let carrier = LinkCarrier::new(NodeId(1), Role::Origin, "");
        let mut sockets = FleetSockets::new();
        let address = sockets.listen_tcp(address).unwrap();
        let source = Self {
            server,
            unit,
            origin,
            carrier,
            sockets,
        };
        (source, address)
    }

    fn set_hp(&mut self, hp: i32) {
        let unit = self.server.get_mut::<Unit>(self.unit);
        unit.unwrap().hp.set(hp);
    }

    fn run(&mut self, now: Duration) {
        self.sockets.receive(&mut self.carrier, now);
        self.server.update(now);
        self.origin.pump(&mut self.server, &mut self.carrier, now);
        self.sockets.transmit(&mut self.carrier, now);
    }
}

#[test]
fn spectators_of_two_levels_see_the_world_over_tcp() {
    let (mut source, address) = OriginNode::listen("127.0.0.1:0");
    let unit = source.unit;
    let mut first = Node::new(2, address);
    let below = first.links.listen_tcp("127.0.0.1:0").unwrap();
    let mut second = Node::new(3, below);
    let mut spectators = Vec::new();
    for (node, typed) in [(&first, true), (&second, true), (&second, false)] {
        let client = if typed {
            NetworkClient::new(prefabs())
        } else {
            NetworkClient::learning()
        };
        let address = node.spectators.local_addrs().unwrap()[0];
        let peer = Peer::tcp(address, &client, TransportOptions::default()).unwrap();
        spectators.push((peer, client));
    }
    let started = Instant::now();
    let sees = |(_, client): &(Peer, NetworkClient), hp: i32| {
        let typed = client.get::<Unit>(unit).map(|unit| *unit.hp == hp);
        let untyped = client.value(unit, "Unit", "hp");
        typed.unwrap_or(untyped == Some(&hp.into()))
    };
    for hp in [5, 6] {
        source.set_hp(hp);
        while !spectators.iter().all(|it| sees(it, hp)) {
            let now = started.elapsed();
            assert!(now < Duration::from_mins(1), "no spectator sees {hp}");
            source.run(now);
            first.run(now);
            second.run(now);
            for (peer, client) in &mut spectators {
                peer.receive(client, now).unwrap();
                client.update(now);
                peer.transmit(client, now);
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

/// Runs an origin and a relay, each in turn stopped for 4 s, and returns whether the relay follows again each time.
fn follows_after_stops(stopped: usize) -> bool {
    let (mut source, address) = OriginNode::listen("127.0.0.1:0");
    let unit = source.unit;
    let mut relay = Node::new(2, address);
    let mut now = Duration::ZERO;
    for hp in 1..4 {
        source.set_hp(hp);
        let until = Instant::now() + Duration::from_secs(10);
        let stop = now + Duration::from_secs(4);
        let mut sees = false;
        while now < stop || !sees {
            now += Duration::from_millis(10);
            if hp == 1 || stopped != 0 || now >= stop {
                source.run(now);
            }
            if hp == 1 || stopped != 1 || now >= stop {
                relay.run(now);
            }
            std::thread::sleep(Duration::from_millis(1));
            let server = relay.relay.server();
            sees = server.is_some_and(|it| it.value(unit, "Unit", "hp") == Some(&hp.into()));
            if Instant::now() > until {
                return false;
            }
        }
    }
    true
}

#[test]
fn a_relay_follows_again_after_each_end_was_stopped() {
    for (stopped, name) in ["origin", "relay"].into_iter().enumerate() {
        assert!(follows_after_stops(stopped), "{name}");
    }
}

#[test]
fn a_relay_that_starts_before_its_origin_follows_it() {
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = free.local_addr().unwrap();
    drop(free);
    let mut relay = Node::new(2, address);
    let started = Instant::now();
    let mut attempts = || {
        let now = started.elapsed();
        relay.run(now);
        std::thread::sleep(Duration::from_millis(1));
        let is_late = now > Duration::from_secs(20);
        assert!(!is_late, "no relay follows");
        relay.relay.server().is_some()
    };
    while started.elapsed() < Duration::from_millis(300) {
        assert!(!attempts());
    }
    let (mut source, _) = OriginNode::listen(&address.to_string());
    while !attempts() {
        source.run(started.elapsed());
    }
}
