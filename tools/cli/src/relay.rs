//! `syncvar relay`: serves the objects of an origin to spectators, without game code.

mod health;
mod listen;
mod shutdown;

use std::fmt::Write as _;
use std::hash::{BuildHasher as _, Hasher as _};
use std::io::Write as _;
use std::time::{Duration, Instant};

use ring::rand::{SecureRandom as _, SystemRandom};
use syncvar::prelude::*;
use syncvar::transport::{Host, TransportOptions};
use syncvar::{Endpoint, ServerConfig};
use syncvar_fleet::link::LinkCarrier;
use syncvar_fleet::sockets::FleetSockets;
use syncvar_fleet::{NodeId, Relay, RelayConfig, Role};

use crate::source::{Access, Address};
use health::{Health, HealthPort};
use listen::Listener;
use shutdown::{Shutdown, Stage};

/// Pause between two frames: a record waits as long.
const PAUSE: Duration = Duration::from_millis(1);

/// Time for a spectator without a link to return.
const GRACE: Duration = Duration::from_secs(30);

/// Longest time from SIGTERM to the end, unless the arguments name one.
const DRAIN: Duration = Duration::from_secs(10);

/// Time between two counts of the spectators: a count visits every connection.
const COUNT: Duration = Duration::from_millis(50);

/// Most spectators of a relay.
const MAX_SPECTATORS: usize = 20_000;

/// Settings of a relay.
#[derive(Debug, Default)]
pub(crate) struct RelayArguments {
    /// Sources, the preferred first.
    pub(crate) sources: Vec<Address>,
    /// Addresses for spectators.
    pub(crate) listen: Vec<String>,
    /// Address for further relays.
    pub(crate) nodes: Option<String>,
    pub(crate) delay: Duration,
    pub(crate) forwarded: Vec<String>,
    pub(crate) alternates: Vec<String>,
    pub(crate) key: String,
    /// Address of the health port.
    pub(crate) health: Option<String>,
    /// Longest time from SIGTERM to the end, 10 s by default.
    pub(crate) drain: Option<Duration>,
}

/// Follows a source and serves spectators, until the process ends.
pub(crate) fn relay(arguments: &RelayArguments, access: &Access) -> Result<String, String> {
    let address = arguments.listen.first().map_or("", String::as_str);
    let mut carrier =
        LinkCarrier::new(NodeId(random_id()), Role::Relay, address).with_key(&arguments.key);
    let mut nodes = FleetSockets::new();
    for source in &arguments.sources {
        let peer = source.peer(access, FleetSockets::options());
        let peer = peer.map_err(|error| format!("{source}: {error}"))?;
        nodes.dial(&mut carrier, peer);
    }
    let options = TransportOptions {
        max_connections: MAX_SPECTATORS,
        max_connections_per_address: MAX_SPECTATORS,
        ..TransportOptions::default()
    };
    let mut spectators = Host::new(options);
    for text in &arguments.listen {
        let listener = Listener::parse(text)?;
        listener
            .open(&mut spectators)
            .map_err(|error| format!("{text}: {error}"))?;
    }
    let mut lines = String::new();
    for address in spectators
        .local_addrs()
        .map_err(|error| error.to_string())?
    {
        let _ = writeln!(lines, "spectators: {address}");
    }
    if let Some(address) = &arguments.nodes {
        let place = address.strip_prefix("tcp://").unwrap_or(address);
        let address = nodes.listen_tcp(place);
        let address = address.map_err(|error| format!("{place}: {error}"))?;
        let _ = writeln!(lines, "relays: {address}");
    }
    let health = arguments.health.as_deref().map(HealthPort::open);
    let health = health.transpose();
    let health = health.map_err(|error| format!("the health port: {error}"))?;
    if let Some((_, address)) = &health {
        let _ = writeln!(lines, "health: {address}");
    }
    let shutdown = Shutdown::on_signals(arguments.drain.unwrap_or(DRAIN));
    let shutdown = shutdown.map_err(|error| format!("the signals of the system: {error}"))?;
    print(&lines)?;
    let program = Program {
        relay: Relay::new(carrier, config(arguments)),
        nodes,
        spectators,
        health: health.map(|(port, _)| port),
        shutdown,
    };
    program.run()
}

fn config(arguments: &RelayArguments) -> RelayConfig {
    let defaults = RelayConfig::default();
    RelayConfig {
        delay: arguments.delay,
        forwarded: arguments.forwarded.clone(),
        alternates: arguments.alternates.clone(),
        server: ServerConfig {
            reconnect_grace: GRACE,
            session_tokens: Some(token),
            ..defaults.server
        },
        ..defaults
    }
}

/// A running relay.
struct Program {
    relay: Relay<LinkCarrier>,
    nodes: FleetSockets,
    spectators: Host<Relay<LinkCarrier>>,
    health: Option<HealthPort>,
    shutdown: Shutdown,
}

impl Program {
    /// Runs the loop of the relay, until it has drained.
    fn run(mut self) -> Result<String, String> {
        let (started, mut worlds) = (Instant::now(), 0);
        let (mut spectators, mut next_count) = (0, Duration::ZERO);
        loop {
            let now = started.elapsed();
            self.nodes.receive(self.relay.carrier_mut(), now);
            self.spectators.receive(&mut self.relay, now);
            self.relay.update(now);
            let stage = self.shutdown.stage(now);
            self.report(stage, spectators);
            if now >= next_count {
                next_count = now + COUNT;
                spectators = self.relay.server().map_or(0, count);
                match stage {
                    Stage::Serve | Stage::Notice => {}
                    Stage::Release if spectators > 0 => self.relay.release(),
                    Stage::Release | Stage::End => return Ok(String::new()),
                }
            }
            self.spectators.transmit(&mut self.relay, now);
            self.nodes.transmit(self.relay.carrier_mut(), now);
            while self.relay.poll_event().is_some() {}
            if self.relay.stats().worlds != worlds {
                worlds = self.relay.stats().worlds;
                let objects = self.relay.server().map_or(0, NetworkServer::object_count);
                print(&format!("origin {worlds}: {objects} objects\n"))?;
            }
            std::thread::sleep(PAUSE);
        }
    }

    fn report(&self, stage: Stage, spectators: usize) {
        if let Some(port) = &self.health {
            port.report(Health {
                follows: self.relay.server().is_some(),
                drains: stage != Stage::Serve,
                spectators,
                stats: self.relay.stats(),
            });
        }
    }
}

/// Returns the number of the spectators with a link.
fn count(server: &NetworkServer) -> usize {
    let all = server.connections();
    all.filter(|it| !Endpoint::is_away(server, *it)).count()
}

fn print(text: &str) -> Result<(), String> {
    let mut output = std::io::stdout().lock();
    let written = output
        .write_all(text.as_bytes())
        .and_then(|()| output.flush());
    written.map_err(|error| format!("the standard output: {error}"))
}

/// Returns the number of this process among the nodes.
fn random_id() -> u64 {
    let mut bytes = [0; 8];
    match SystemRandom::new().fill(&mut bytes) {
        Ok(()) => u64::from_le_bytes(bytes),
        Err(_) => std::hash::RandomState::new().build_hasher().finish(),
    }
}

/// Returns the token of a session.
fn token() -> [u8; 16] {
    let mut token = [0; 16];
    // A system without random numbers has no TLS either.
    if SystemRandom::new().fill(&mut token).is_err() {
        eprintln!("syncvar: the system has no random numbers");
        std::process::exit(2);
    }
    token
}
