//! Section 4: the messages that only two sides of ours send, about the time and about objects that a
//! client has not been given.

use std::time::Duration;

use syncvar::NetworkBehaviour;
use syncvar::ServerConfig;
use syncvar::behaviour::FieldVisitor;
use syncvar::prelude::*;
use syncvar::schema::{BehaviourSchema, FieldSchema};
use syncvar::wire::{NetworkWriter, WriteErrorKind};

use syncvar_testing::ClientMessages as _;

use crate::examples::{Two, packets};

pub(crate) fn examples() -> Vec<(&'static str, String)> {
    let mut pair = Pair::new();
    pair.client.update(Duration::from_millis(1500));
    let ping = pair.up().pop().expect("a ping");
    pair.server.update(Duration::from_secs(2));
    let answer = packets(&mut pair.server).pop().expect("a pong");
    pair.client.update(Duration::from_millis(1600));
    let packet = hex::decode(&answer).expect("hexadecimal");
    pair.client.handle_messages(0, &packet).expect("a pong");
    pair.client.update(Duration::from_secs(2));
    let later = pair.up().pop().expect("a second ping");
    let mut examples = vec![
        ("Ping at 1.5 s", ping),
        (
            "Ping at 2 s, after a round trip of 0.1 s with a deviation of 0.05 s",
            later,
        ),
        ("Pong to it at 2 s, 30 ticks a second", answer),
        ("Void #7", void_example()),
    ];
    examples.extend(inputs());
    examples
}

/// Inputs of a client whose input clock is in tick 300, and then in tick 303.
fn inputs() -> [(&'static str, String); 3] {
    let mut pair = Pair::of(|| Prefabs::new().register::<Two>("two").input::<(u8, u8)>());
    let start = Duration::from_millis(10);
    pair.client.update(start);
    pair.up();
    pair.server.update(Duration::from_millis(9970));
    for packet in packets(&mut pair.server) {
        let packet = hex::decode(packet).expect("hexadecimal");
        pair.client.handle_messages(0, &packet).expect("a pong");
    }
    let mut next = |input: (u8, u8), after| {
        pair.client.set_input(&input).expect("the type of inputs");
        pair.client.update(start + Duration::from_millis(after));
        pair.up().pop().expect("inputs")
    };
    let [first, second] = [next((1, 2), 0), next((1, 3), 100)];
    pair.server.input::<(u8, u8)>(pair.connection, 300);
    pair.server.update(Duration::from_millis(9980));
    let mut state = packets(&mut pair.server).into_iter();
    let state = state.rfind(|packet| packet.contains("2800"));
    [
        ("Inputs up to tick 300: (1, 2)", first),
        (
            "Inputs up to tick 303: (1, 3) three times, after a known (1, 2)",
            second,
        ),
        (
            "InputState of tick 300: least 3, newest input of tick 303, none refused",
            state.expect("the state of the inputs"),
        ),
    ]
}

/// A server that sends each message for itself, and a client that is ready.
struct Pair {
    server: NetworkServer,
    client: NetworkClient,
    connection: ConnectionId,
}

impl Pair {
    fn new() -> Self {
        Self::of(|| Prefabs::new().register::<Two>("two"))
    }

    fn of(prefabs: fn() -> Prefabs) -> Self {
        let config = ServerConfig {
            gather: false,
            ..ServerConfig::default()
        };
        let mut server = NetworkServer::with_config(prefabs(), config);
        let mut client = NetworkClient::new(prefabs());
        client.handle_connect();
        let connection = server.handle_connect();
        let mut pair = Self {
            server,
            client,
            connection,
        };
        for _ in 0..2 {
            pair.up();
            pair.server.update(Duration::from_secs(1));
            for packet in packets(&mut pair.server) {
                let packet = hex::decode(packet).expect("hexadecimal");
                let handled = pair.client.handle_messages(0, &packet);
                handled.expect("a server's packets make sense");
            }
        }
        pair
    }

    /// What the client has to say arrives; returns it.
    fn up(&mut self) -> Vec<String> {
        let mut sent = Vec::new();
        // Behind the answer to Connect, a packet has a header.
        let has_header = self.client.is_connected();
        while let Some(packet) = self.client.poll_transmit() {
            let handled = self
                .server
                .handle_packet(self.connection, packet.channel, &packet.bytes);
            handled.expect("a client's packets make sense");
            let bytes = &packet.bytes[..];
            let messages = if has_header {
                syncvar_testing::messages(0, bytes)
            } else {
                bytes
            };
            sent.push(hex::encode(messages));
        }
        sent
    }
}

/// A behaviour by hand that refuses to write a height below the ground.
#[derive(Default)]
struct Kite {
    height: SyncVar<i32>,
}

impl NetworkBehaviour for Kite {
    type Previous = ();
    const SCHEMA: BehaviourSchema = BehaviourSchema {
        name: "Kite",
        base: None,
        fields: &[FieldSchema::of::<SyncVar<i32>>("height")],
    };

    fn sync_var_dirty_bits(&self) -> u64 {
        self.height.is_dirty().into()
    }

    fn visit(&mut self, (): &mut (), visitor: &mut impl FieldVisitor) {
        visitor.field(1, "Kite.height", &mut self.height);
    }

    fn on_serialize(&mut self, writer: &mut NetworkWriter, initial_state: bool) -> bool {
        if *self.height < 0 {
            writer.fail(WriteErrorKind::Custom("a kite below the ground"));
        }
        writer.at("Kite.height").write(&*self.height);
        initial_state || self.height.is_dirty()
    }
}

/// An object whose snapshot cannot be written for an observer, and then can.
fn void_example() -> String {
    let Pair {
        mut server,
        connection,
        ..
    } = Pair::of(|| Prefabs::new().register::<Kite>("kite"));
    let options = SpawnOptions {
        net_id: Some(NetId(7)),
        hidden: true,
        ..SpawnOptions::default()
    };
    let id = server
        .try_spawn(Kite::default(), options)
        .expect("a free id");
    server.update(Duration::from_secs(2));
    let write = |server: &mut NetworkServer, height| {
        let mut kite = server.get_mut::<Kite>(id).expect("it is there");
        kite.height.set(height);
    };
    write(&mut server, -1);
    server.show(id, connection).unwrap();
    server.update(Duration::from_secs(3));
    write(&mut server, 1);
    server.update(Duration::from_secs(4));
    let sent = packets(&mut server);
    let void = sent.into_iter().find(|packet| packet[4..6] == *"1f");
    void.expect("it comes before the full state")
}
