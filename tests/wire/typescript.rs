//! Vectors for the client in TypeScript: the packets of sessions, and the replicas of a client in Rust beside them.
//!
//! `clients/typescript/tests` replays them. After a deliberate change of the wire write them anew:
//! `SYNCVAR_VECTORS=write cargo test --test wire typescript::`.

mod classes;
mod duel;
mod resolution;

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};
use syncvar::interest::Tag;
use syncvar::prelude::*;
use syncvar::{ClientConfig, ServerConfig};

use classes::{Badge, Chat, Custom, Mover, Odd, Tank, Team, buff, everything, prefabs, view};

/// Group of the tank.
const CREW: Tag = Tag(1);

/// Object of the sessions.
const TANK: NetId = NetId(5);

/// Recording of one connection.
struct Session {
    server: NetworkServer,
    client: NetworkClient,
    connection: ConnectionId,
    in_group: bool,
    now: Duration,
    steps: Vec<Value>,
}

impl Session {
    /// Connects, and learns the schema like a client without types.
    fn begin(fill: impl FnOnce(&mut NetworkServer, ConnectionId)) -> Self {
        let config = ServerConfig {
            incarnation: 255,
            ..ServerConfig::default()
        };
        let mut server = NetworkServer::with_config(prefabs(), config);
        let connection = server.handle_connect();
        fill(&mut server, connection);
        let config = ClientConfig {
            ping_interval: Duration::ZERO,
            ..ClientConfig::default()
        };
        let mut client = NetworkClient::with_config(prefabs(), config);
        client.handle_connect();
        let mut session = Self {
            server,
            client,
            connection,
            in_group: false,
            now: Duration::from_secs(1),
            steps: Vec::new(),
        };
        // Of a client without compiled types, in the framing Compact.
        let request = [&[20, 0, 32, 0, 7][..], &[0; 8], &[1], &[0; 8], &[0, 0]].concat();
        session
            .steps
            .push(json!({ "client": hex::encode(&request) }));
        let described = session.server.handle_packet(connection, 0, &request);
        described.expect("a client without types");
        let described = session.packets();
        session.steps.push(json!({ "server": described }));
        session.upload();
        session.deliver();
        session.upload();
        session.update();
        session
    }

    /// Takes the packets of the server. The client receives those after the descriptions.
    fn packets(&mut self) -> Vec<Value> {
        let mut packets = Vec::new();
        while let Some(packet) = self.server.poll_transmit() {
            let bytes = [packet.header, &packet.chunks.concat()].concat();
            packets.push((packet.channel, bytes));
        }
        for (channel, bytes) in &packets {
            // The descriptions are not for a client with types.
            if self.steps.len() > 1 {
                let read = self.client.handle_packet(*channel, bytes);
                read.expect("a packet of the server");
            }
        }
        let packets = packets.into_iter();
        packets
            .map(|(channel, bytes)| json!([channel, hex::encode(bytes)]))
            .collect()
    }

    /// Delivers the packets of the server. Records them.
    fn deliver(&mut self) {
        let packets = self.packets();
        self.client.update(self.now);
        self.steps.push(json!({ "server": packets }));
    }

    /// Runs an update of the server. Records its packets.
    fn advance(&mut self) {
        self.now += Duration::from_millis(100);
        self.server.update(self.now);
        self.deliver();
    }

    /// Runs an update of the server. Records its packets and the replicas.
    fn update(&mut self) {
        self.advance();
        let objects = view(&self.client, self.in_group);
        self.steps.push(json!({ "objects": objects }));
    }

    /// Sends the packets of the client. Records their messages.
    fn upload(&mut self) {
        self.client.update(self.now);
        while let Some(packet) = self.client.poll_transmit() {
            let is_connected = self.client.is_connected();
            let header = if is_connected {
                1 + usize::from(packet.bytes[0] & 1)
            } else {
                0
            };
            let mut messages = packet.bytes[header..].to_vec();
            if let [_, _, 32, 0, 7, connect @ ..] = &mut messages[..] {
                // Behind the hash of the connection and the framing: a client without compiled types has no schema.
                connect[9..17].fill(0);
            }
            self.steps.push(json!({ "client": hex::encode(&messages) }));
            let read = self
                .server
                .handle_packet(self.connection, packet.channel, &packet.bytes);
            read.expect("a packet of the client");
        }
    }

    /// Runs a change of the server, and an update.
    fn change(&mut self, change: impl FnOnce(&mut NetworkServer)) {
        change(&mut self.server);
        self.update();
    }

    /// Records an action of the client, which has the same effect in Rust.
    fn act(&mut self, action: &Value, act: impl FnOnce(&mut NetworkClient)) {
        self.steps.push(json!({ "act": action }));
        act(&mut self.client);
        self.upload();
    }

    /// Records what the client hears.
    fn hears(&mut self, event: &Value) {
        self.steps.push(json!({ "hears": event }));
    }

    fn tank<R>(&mut self, change: impl FnOnce(&mut Tank) -> R) {
        self.change(|server| {
            change(&mut server.get_mut::<Tank>(TANK).expect("a tank"));
        });
    }

    fn team<R>(&mut self, change: impl FnOnce(&mut Team) -> R) {
        self.change(|server| {
            change(&mut server.get_mut::<Team>(TANK).expect("a team"));
        });
    }
}

fn options(id: NetId, owner: Option<ConnectionId>) -> SpawnOptions {
    SpawnOptions {
        net_id: Some(id),
        owner,
        ..SpawnOptions::default()
    }
}

fn spawn_tank(server: &mut NetworkServer) {
    let badge = Badge {
        number: 1.into(),
        secret: 42.into(),
    };
    let tank = Tank {
        badge,
        ammunition: 40.into(),
        rumour: 3.into(),
        ..Tank::default()
    };
    server
        .try_spawn((tank, Team::default()), options(TANK, None))
        .expect("a free id");
}

/// All types of fields, in both directions.
fn types() -> Vec<Value> {
    let mut session = Session::begin(|server, connection| {
        let object = everything();
        let options = options(NetId(1), Some(connection));
        server.try_spawn(object, options).expect("a free id");
    });
    session.act(&json!({ "rewrite": 1 }), |client| {
        let mut object = client
            .get_mut::<classes::Everything>(NetId(1))
            .expect("an object");
        classes::touch(&mut object);
    });
    session.steps
}

/// Fields by reader, owners, groups, calls and messages.
fn readers() -> Vec<Value> {
    let mut session = Session::begin(|server, _| spawn_tank(server));
    let connection = session.connection;
    session.tank(|tank| tank.heading.set(-7));
    session.tank(|tank| {
        tank.badge.number.set(2);
        tank.rumour.set(4);
        tank.ammunition.set(39);
    });
    session.in_group = true;
    session.change(|server| {
        server.set_group(TANK, Some(CREW)).expect("a tank");
        server.join_group(connection, CREW).expect("a connection");
    });
    session.tank(|tank| tank.ammunition.set(38));
    session.in_group = false;
    session.change(|server| server.leave_group(connection, CREW).expect("a member"));
    session.change(|server| server.set_owner(TANK, Some(connection)).expect("a tank"));
    session.tank(|tank| tank.badge.secret.set(43));
    let write = json!({ "write": [5, "Tank", "aim", -300] });
    session.act(&write, |client| {
        client.get_mut::<Tank>(TANK).expect("a tank").aim.set(-300);
    });
    session.update();
    session.tank(|tank| tank.aim.set(12));
    let call = json!({ "call": [5, "Tank", "fire", -4, "abc"] });
    session.act(&call, |client| {
        client
            .calls::<Tank>(TANK)
            .fire(-4, "abc".into())
            .expect("a command");
    });
    session.change(|server| {
        server.calls::<Tank>(TANK).explode().expect("observers");
        server.calls::<Tank>(TANK).reload(7).expect("observers");
        server
            .calls::<Tank>(TANK)
            .burst(buff(9))
            .expect("observers");
    });
    session.hears(&json!(["Tank.reload", 7]));
    session.hears(&json!(["Tank.burst", { "id": 9, "name": "buff" }]));
    session.hears(&json!(["Tank.explode"]));
    let text = || Chat {
        text: "hello".into(),
    };
    session.act(
        &json!({ "send": ["chat", { "text": "hello" }] }),
        |client| {
            client.send(&text()).expect("a message");
        },
    );
    session.change(|server| server.send_to_ready(&text()).expect("a message"));
    session.hears(&json!(["message", "chat", { "text": "hello" }]));
    session.change(|server| server.set_owner(TANK, None).expect("a tank"));
    session.change(|server| server.despawn(TANK).expect("a tank"));
    session.steps
}

/// Collections, a parent, an unknown type, a long message.
fn collections() -> Vec<Value> {
    let mut session = Session::begin(|server, _| spawn_tank(server));
    session.team(|team| team.list.extend(1..=20));
    session.team(|team| {
        team.list.push(7);
        team.list.insert(1, -7);
        team.list.remove(3);
        team.list.set(0, 99);
    });
    session.team(|team| drop(team.list.splice(2..4, [5, 6, 7])));
    session.team(|team| team.list.retain(|element| element % 2 == 1));
    session.team(|team| team.list.clear());
    session.team(|team| {
        team.scores.insert("a".into(), 1);
        team.scores.insert("b".into(), 2);
        team.buffs.insert(buff(1));
        team.buffs.insert(buff(2));
        team.order.insert(9);
        team.order.insert(3);
    });
    session.team(|team| {
        team.scores.insert("a".into(), 5);
        team.scores.remove("b");
        team.buffs.remove(&buff(1));
        team.order.remove(&9);
    });
    session.change(|server| {
        let odd = Odd {
            before: 1.into(),
            custom: Custom(2).into(),
            behind: 3.into(),
        };
        server
            .try_spawn(odd, options(NetId(6), None))
            .expect("a free id");
    });
    session.change(|server| {
        let mut odd = server.get_mut::<Odd>(NetId(6)).expect("an object");
        odd.before.set(4);
        odd.custom.set(Custom(5));
        odd.behind.set(6);
    });
    // A message in the long form.
    session
        .server
        .get_mut::<Team>(TANK)
        .expect("a team")
        .list
        .extend(std::iter::repeat_n(i32::MIN, 13_200));
    session.advance();
    session.team(|team| team.list.clear());
    session.steps
}

/// State on an unreliable channel, by a transport without datagrams. The client's tests put it into datagrams.
fn movers() -> Vec<Value> {
    let mut session = Session::begin(|server, connection| {
        let options = options(NetId(1), Some(connection));
        server
            .try_spawn(Mover::default(), options)
            .expect("a free id");
    });
    for step in 1..=4 {
        session.change(|server| {
            let mut mover = server.get_mut::<Mover>(NetId(1)).expect("an object");
            mover.x.set(step);
            // The second step changes one field alone.
            mover.y.set(step - step % 2);
        });
    }
    session.steps
}

/// Returns the sessions as JSON, one step on each line.
fn recorded() -> String {
    let sessions = [
        ("types", types()),
        ("readers", readers()),
        ("collections", collections()),
        ("movers", movers()),
    ];
    let sessions = sessions.map(|(name, steps)| {
        let steps: Vec<String> = steps.iter().map(ToString::to_string).collect();
        format!("\"{name}\": [\n{}\n]", steps.join(",\n"))
    });
    format!("{{\n{}\n}}\n", sessions.join(",\n"))
}

#[test]
fn vectors_are_those_of_the_client_in_typescript() {
    assert_stored("vectors.json", &recorded());
}

/// Compares vectors with those of a file, or writes the file.
fn assert_stored(name: &str, recorded: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("clients/typescript/tests");
    let path = folder.join(name);
    if std::env::var_os("SYNCVAR_VECTORS").is_some_and(|mode| mode == "write") {
        std::fs::write(&path, recorded).expect("the vectors are written");
    }
    let stored = std::fs::read_to_string(&path).expect("the vectors");
    assert!(
        stored == recorded,
        "the bytes differ from {}",
        path.display()
    );
}
