//! `syncvar relay`: a process between an origin and a client.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
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

/// Process that ends with the test.
struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_relay_without_game_code_serves_the_objects_of_an_origin() {
    let config = ServerConfig {
        incarnation: 5,
        ..ServerConfig::default()
    };
    let mut server = NetworkServer::with_config(prefabs(), config);
    let door = server.spawn(Door { open: true.into() });
    let mut origin = Origin::begin(&mut server).unwrap();
    let mut carrier = LinkCarrier::new(NodeId(1), Role::Origin, "").with_key("secret");
    let mut sockets = FleetSockets::new();
    let address = sockets.listen_tcp("127.0.0.1:0").unwrap();

    let mut command = Command::new(env!("CARGO_BIN_EXE_syncvar"));
    command.args(["relay", &format!("tcp://{address}"), "--key", "secret"]);
    command.args(["--listen", "tcp://127.0.0.1:0"]);
    let mut process = Process(command.stdout(Stdio::piped()).spawn().unwrap());
    let mut lines = BufReader::new(process.0.stdout.take().unwrap()).lines();
    let line = lines.next().unwrap().unwrap();
    let address = line
        .strip_prefix("spectators: ")
        .expect("an address")
        .to_owned();

    let mut client = NetworkClient::new(prefabs());
    let mut peer = Peer::tcp(address, &client, TransportOptions::default()).unwrap();
    let started = Instant::now();
    while client
        .get::<Door>(door)
        .is_none_or(|door| door.open == false)
    {
        let now = started.elapsed();
        assert!(now < Duration::from_mins(1), "no door in time");
        sockets.receive(&mut carrier, now);
        server.update(now);
        origin.pump(&mut server, &mut carrier, now);
        sockets.transmit(&mut carrier, now);
        peer.receive(&mut client, now).unwrap();
        client.update(now);
        peer.transmit(&mut client, now);
        std::thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(client.incarnation(), Some(5));
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
