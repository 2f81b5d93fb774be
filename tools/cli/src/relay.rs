//! `syncvar relay`: serves the objects of an origin to spectators, without game code.

mod listen;

use std::fmt::Write as _;
use std::hash::{BuildHasher as _, Hasher as _};
use std::io::Write as _;
use std::time::{Duration, Instant};

use ring::rand::{SecureRandom as _, SystemRandom};
use syncvar::ServerConfig;
use syncvar::prelude::*;
use syncvar::transport::{Host, TransportOptions};
use syncvar_fleet::link::LinkCarrier;
use syncvar_fleet::sockets::FleetSockets;
use syncvar_fleet::{NodeId, Relay, RelayConfig, Role};

use crate::source::{Access, Address};
use listen::Listener;

/// Pause between two frames: a record waits as long.
const PAUSE: Duration = Duration::from_millis(1);

/// Time for a spectator without a link to return.
const GRACE: Duration = Duration::from_secs(30);

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
    print(&lines)?;
    run(Relay::new(carrier, config(arguments)), nodes, spectators)
}

fn config(arguments: &RelayArguments) -> RelayConfig {
    RelayConfig {
        delay: arguments.delay,
        forwarded: arguments.forwarded.clone(),
        alternates: arguments.alternates.clone(),
        server: ServerConfig {
            reconnect_grace: GRACE,
            session_tokens: Some(token),
            ..ServerConfig::default()
        },
        ..RelayConfig::default()
    }
}

/// Runs the loop of the relay.
fn run(
    mut relay: Relay<LinkCarrier>,
    mut nodes: FleetSockets,
    mut spectators: Host<Relay<LinkCarrier>>,
) -> Result<String, String> {
    let (started, mut worlds) = (Instant::now(), 0);
    loop {
        let now = started.elapsed();
        nodes.receive(relay.carrier_mut(), now);
        spectators.receive(&mut relay, now);
        relay.update(now);
        spectators.transmit(&mut relay, now);
        nodes.transmit(relay.carrier_mut(), now);
        while relay.poll_event().is_some() {}
        if relay.stats().worlds != worlds {
            worlds = relay.stats().worlds;
            let objects = relay.server().map_or(0, NetworkServer::object_count);
            print(&format!("origin {worlds}: {objects} objects\n"))?;
        }
        std::thread::sleep(PAUSE);
    }
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
