//! `syncvar relay`: a process between an origin and a client.

use std::io::{BufRead as _, BufReader, Lines, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use syncvar::ServerConfig;
use syncvar::prelude::*;
use syncvar::transport::{Peer, TransportOptions};
use syncvar_fleet::link::LinkCarrier;
use syncvar_fleet::sockets::FleetSockets;
use syncvar_fleet::{NodeId, Origin, Role};

use crate::support;

#[derive(NetworkBehaviour, Default)]
struct Door {
    #[sync_var]
    open: SyncVar<bool>,
}

fn prefabs() -> Prefabs {
    Prefabs::new().register::<Door>("door")
}

/// Process that ends with the test, and its output: without a reader it would end earlier.
struct Process(Child, Lines<BufReader<ChildStdout>>);

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// An origin with one door, in the process of the test.
struct Game {
    server: NetworkServer,
    door: NetId,
    origin: Origin,
    carrier: LinkCarrier,
    sockets: FleetSockets,
    address: String,
    started: Instant,
}

impl Game {
    fn new() -> Self {
        let config = ServerConfig {
            incarnation: 5,
            ..ServerConfig::default()
        };
        let mut server = NetworkServer::with_config(prefabs(), config);
        let door = server.spawn(Door { open: true.into() });
        let mut sockets = FleetSockets::new();
        let address = sockets.listen_tcp("127.0.0.1:0").unwrap();
        Self {
            origin: Origin::begin(&mut server).unwrap(),
            server,
            door,
            carrier: LinkCarrier::new(NodeId(1), Role::Origin, "").with_key("secret"),
            sockets,
            address: format!("tcp://{address}"),
            started: Instant::now(),
        }
    }

    /// Runs a frame of the origin and of a client.
    fn frame(&mut self, client: &mut NetworkClient, peer: &mut Peer) {
        let now = self.started.elapsed();
        assert!(now < Duration::from_mins(1), "not in time");
        self.sockets.receive(&mut self.carrier, now);
        self.server.update(now);
        self.origin.pump(&mut self.server, &mut self.carrier, now);
        self.sockets.transmit(&mut self.carrier, now);
        // A lost link is an error of some frame.
        let _ = peer.receive(client, now);
        client.update(now);
        peer.transmit(client, now);
        std::thread::sleep(Duration::from_millis(5));
    }

    fn sees_the_door(&self, client: &NetworkClient) -> bool {
        { client.get::<Door>(self.door) }.is_some_and(|door| door.open == true)
    }

    /// Runs until the client sees the door open.
    fn until_open(&mut self, client: &mut NetworkClient, peer: &mut Peer) {
        while !self.sees_the_door(client) {
            self.frame(client, peer);
        }
    }
}

/// Starts a relay. Returns the addresses that it prints.
fn start<const N: usize>(command: &mut Command, names: [&str; N]) -> (Process, [String; N]) {
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut process = Process(child, lines);
    let addresses = names.map(|name| {
        let line = process.1.next().unwrap().unwrap();
        let (kind, address) = line.split_once(": ").expect("an address");
        assert_eq!(kind, name);
        address.to_owned()
    });
    (process, addresses)
}

fn program() -> Command {
    Command::new(env!("CARGO_BIN_EXE_syncvar"))
}

#[test]
fn a_relay_without_game_code_serves_the_objects_of_an_origin() {
    let mut game = Game::new();
    let mut command = program();
    command.args(["relay", &game.address, "--key", "secret"]);
    command.args(["--listen", "tcp://127.0.0.1:0"]);
    let (_process, [address]) = start(&mut command, ["spectators"]);
    let mut client = NetworkClient::new(prefabs());
    let mut peer = Peer::tcp(address, &client, TransportOptions::default()).unwrap();
    game.until_open(&mut client, &mut peer);
    assert_eq!(client.incarnation(), Some(5));
}

/// Returns the status of a probe.
fn probe(address: &str, path: &str) -> u16 {
    let mut stream = TcpStream::connect(address).unwrap();
    write!(stream, "GET {path} HTTP/1.1\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let status = answer.split(' ').nth(1).expect("a status");
    status.parse().unwrap()
}

#[cfg(unix)]
#[test]
fn a_drained_relay_hands_its_spectators_to_another_one() {
    let mut game = Game::new();
    let relay = |game: &Game| {
        let mut command = program();
        command.arg("relay").env("SYNCVAR_SOURCES", &game.address);
        command
            .env("SYNCVAR_KEY", "secret")
            .env("SYNCVAR_DRAIN", "4");
        command.env("SYNCVAR_LISTEN", "tcp://127.0.0.1:0");
        command.env("SYNCVAR_HEALTH", "127.0.0.1:0");
        command
    };
    let names = ["spectators", "health"];
    let (_other, [other, _]) = start(&mut relay(&game), names);
    let mut command = relay(&game);
    command.env("SYNCVAR_ALTERNATES", &other);
    let (mut first, [address, health]) = start(&mut command, names);

    let mut client = NetworkClient::new(prefabs());
    let mut peer = Peer::tcp(address, &client, TransportOptions::default()).unwrap();
    game.until_open(&mut client, &mut peer);
    assert_eq!(
        (probe(&health, "/live"), probe(&health, "/ready")),
        (200, 200)
    );
    while client.poll_event().is_some() {}

    let id = first.0.id().to_string();
    assert!(
        Command::new("kill")
            .args(["-TERM", &id])
            .status()
            .unwrap()
            .success()
    );
    while probe(&health, "/ready") == 200 {
        game.frame(&mut client, &mut peer);
    }
    assert_eq!(probe(&health, "/live"), 200);
    while client.is_connected() {
        game.frame(&mut client, &mut peer);
    }
    let status = first.0.wait().unwrap();
    assert!(status.success(), "{status}");
    assert_eq!(client.alternates(), std::slice::from_ref(&other));
    peer = Peer::tcp(other, &client, TransportOptions::default()).unwrap();
    while !client.is_connected() {
        game.frame(&mut client, &mut peer);
    }
    game.until_open(&mut client, &mut peer);
    let gone = |event: &ClientEvent| matches!(event, ClientEvent::Despawned { .. });
    assert!(!std::iter::from_fn(|| client.poll_event()).any(|event| gone(&event)));
}

#[test]
fn an_option_counts_before_its_variable() {
    let mut command = program();
    command.args(["relay", "tcp://127.0.0.1:1", "--listen=nowhere://1"]);
    command.env("SYNCVAR_LISTEN", "elsewhere://1");
    let output = command.output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(error.contains("unknown transport `nowhere`"), "{error}");
}

#[test]
fn missing_addresses_are_named() {
    for (arguments, missing) in [
        (&["relay"][..], "an origin"),
        (&["relay", "tcp://127.0.0.1:7700"], "--listen"),
        (
            &["relay", "127.0.0.1", "--listen", "x"],
            "unknown transport",
        ),
    ] {
        let (code, _, error) = support::run(arguments);
        assert_eq!(code, 2);
        assert!(error.contains(missing), "{error}");
    }
}
