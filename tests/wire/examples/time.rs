//! Section 4: messages without a form in UNet, about the time and about objects without a snapshot.

use std::time::Duration;

use syncvar::NetworkBehaviour;
use syncvar::behaviour::FieldVisitor;
use syncvar::prelude::*;
use syncvar::schema::{BehaviourSchema, FieldSchema};
use syncvar::wire::{NetworkWriter, WriteErrorKind};
use syncvar::{PacketLimits, ServerConfig};

use syncvar_testing::{ClientMessages as _, Pair};

use crate::examples::{Examples, Two, packets};

#[test]
pub(crate) fn pings_are_written_as_documented() -> Examples {
    let mut pair = joined(|| Prefabs::new().register::<Two>("two"));
    pair.client.update(Duration::from_millis(1500));
    let ping = up(&mut pair).pop().expect("a ping");
    pair.server.update(Duration::from_secs(2));
    let answer = packets(&mut pair.server).pop().expect("a pong");
    pair.client.update(Duration::from_millis(1600));
    down(&mut pair, [&answer]);
    let echo = up(&mut pair).pop().expect("an echo");
    Examples::check(vec![
        ("Ping at 1.5 s", ping),
        ("Pong to it at 2 s, 30 ticks a second", answer),
        ("Echo of it", echo),
    ])
}

/// The input clock of the client is in tick 300, and then in tick 303.
#[test]
pub(crate) fn inputs_are_written_as_documented() -> Examples {
    let mut pair = joined(|| Prefabs::new().register::<Two>("two").input::<(u8, u8)>());
    let start = Duration::from_millis(10);
    pair.client.update(start);
    up(&mut pair);
    pair.server.update(Duration::from_millis(9970));
    let pong = packets(&mut pair.server);
    down(&mut pair, &pong);
    // The echo of the answer.
    up(&mut pair);
    let mut next = |input: (u8, u8), after| {
        pair.client.set_input(&input).expect("the type of inputs");
        pair.client.update(start + Duration::from_millis(after));
        up(&mut pair).pop().expect("inputs")
    };
    let [first, second] = [next((1, 2), 0), next((1, 3), 100)];
    pair.server.input::<(u8, u8)>(pair.connection, 300);
    pair.server.update(Duration::from_millis(9980));
    let mut state = packets(&mut pair.server).into_iter();
    let state = state.rfind(|packet| packet.contains("2800"));
    Examples::check(vec![
        ("Inputs up to tick 300: (1, 2)", first),
        (
            "Inputs up to tick 303: (1, 3) three times, after a known (1, 2)",
            second,
        ),
        (
            "InputState of tick 300: least 3, newest input of tick 303, none refused",
            state.expect("the state of the inputs"),
        ),
    ])
}

/// Returns a server that sends each message alone, and a ready client.
fn joined(prefabs: fn() -> Prefabs) -> Pair {
    let config = ServerConfig {
        gather: false,
        ..ServerConfig::default()
    };
    let server = NetworkServer::with_config(prefabs(), config);
    let client = NetworkClient::new(prefabs());
    let mut pair = Pair::connect(server, client, PacketLimits::STREAM);
    for _ in 0..2 {
        up(&mut pair);
        pair.server.update(Duration::from_secs(1));
        let sent = packets(&mut pair.server);
        down(&mut pair, &sent);
    }
    pair
}

/// Delivers messages to the client.
fn down<'a>(pair: &mut Pair, messages: impl IntoIterator<Item = &'a String>) {
    for messages in messages {
        let messages = hex::decode(messages).expect("hexadecimal");
        let handled = pair.client.handle_messages(0, &messages);
        handled.expect("messages of the server");
    }
}

/// Delivers the packets of the client. Returns their messages.
fn up(pair: &mut Pair) -> Vec<String> {
    // Behind the answer to Connect, a packet has a header.
    let has_header = pair.client.is_connected();
    let packets = pair.client_packets();
    for packet in &packets {
        pair.to_server(packet).expect("a packet of the client");
    }
    let messages = packets.iter().map(|packet| {
        if has_header {
            syncvar_testing::messages(0, &packet.bytes)
        } else {
            &packet.bytes[..]
        }
    });
    messages.map(hex::encode).collect()
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

/// The snapshot of an object cannot be written for an observer, and then can.
#[test]
pub(crate) fn an_object_without_a_snapshot_is_written_as_documented() -> Examples {
    let pair = joined(|| Prefabs::new().register::<Kite>("kite"));
    let (mut server, connection) = (pair.server, pair.connection);
    let options = SpawnOptions {
        net_id: Some(NetId(7)),
        hidden: true,
        ..SpawnOptions::default()
    };
    let id = server.try_spawn(Kite::default(), options);
    let id = id.expect("a free id");
    server.update(Duration::from_secs(2));
    let write = |server: &mut NetworkServer, height| {
        let mut kite = server.get_mut::<Kite>(id).expect("a kite");
        kite.height.set(height);
    };
    write(&mut server, -1);
    server.show(id, connection).unwrap();
    server.update(Duration::from_secs(3));
    write(&mut server, 1);
    server.update(Duration::from_secs(4));
    let sent = packets(&mut server);
    let void = sent.into_iter().find(|packet| packet[4..6] == *"1f");
    let void = void.expect("a message before the snapshot");
    Examples::check(vec![("Void #7", void)])
}
