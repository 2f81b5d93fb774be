//! Section 5: what travels unreliably, as a server and a client send it.

use std::time::Duration;

use syncvar::Channel;
use syncvar::mirror::batch::Unbatcher;
use syncvar::mirror::message::Message;
use syncvar::mirror::*;
use syncvar::prelude::*;
use syncvar_testing::mirror::MirrorNetwork;

use crate::examples::Examples;

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0, sync_method = hybrid)]
struct Part {
    #[sync_var]
    value: SyncVar<i32>,
}

/// A server and its client with one object.
struct Parts {
    net: MirrorNetwork,
    connection: ConnectionId,
    object: NetId,
    /// State messages of the last frame, by the server and by the client.
    sent: [Vec<String>; 2],
}

impl Parts {
    fn new(direction: SyncDirection) -> Self {
        let component = Component::new().sync_direction(direction);
        let prefabs = move || {
            let prefab = MirrorPrefab::new("part", 1.into()).component(0, component);
            MirrorPrefabs::new().register::<Part>(prefab)
        };
        let mut net = MirrorNetwork::of_observers(prefabs, MirrorServerConfig::default());
        let connection = net.connect();
        let object = net.server.spawn(Part::default());
        let mut parts = Self {
            net,
            connection,
            object,
            sent: [const { Vec::new() }; 2],
        };
        parts.update(1);
        parts
    }

    /// Runs a frame at a time in hundredths of a second.
    fn update(&mut self, time: u64) {
        let passed = Duration::from_millis(time * 10).checked_sub(self.net.now);
        self.net.advance(passed.expect("times in order"));
        self.net.send_all();
        self.net.server.update(self.net.now);
        self.net.deliver();
        self.sent = [const { Vec::new() }; 2];
        let [by_server, by_client] = &mut self.sent;
        for packet in self.net.take_packets() {
            let sent = if packet.from_client {
                &mut *by_client
            } else {
                &mut *by_server
            };
            note(sent, packet.channel, &packet.bytes);
        }
    }

    fn write(&mut self, value: i32) {
        let part = self.net.server.get_mut::<Part>(self.object);
        part.expect("it is there").value.set(value);
    }
}

/// Notes the messages about states in a batch: each on its channel.
fn note(sent: &mut Vec<String>, channel: Channel, batch: &[u8]) {
    for message in Unbatcher::new(batch).expect("a batch") {
        let message = message.expect("a message");
        let expected = match Message::decode(message).expect("a message") {
            Message::UnreliableDelta(_) => Channel::Unreliable,
            Message::UnreliableBaseline(_) => Channel::Reliable,
            Message::EntityState(_) => panic!("it is hybrid"),
            _ => continue,
        };
        assert_eq!(channel, expected);
        sent.push(hex::encode(message));
    }
}

/// The one message about states that is a baseline, or is none.
#[track_caller]
fn one(sent: &[String], is_baseline: bool) -> String {
    let mut of = sent
        .iter()
        .filter(|it| it.starts_with("6347") == is_baseline);
    let one = of.next().expect("it is there").clone();
    assert!(of.all(|it| *it == one), "{sent:?}");
    one
}

pub(crate) fn examples() -> Examples {
    let mut parts = Parts::new(SyncDirection::ServerToClient);
    parts.update(20);
    let mut examples = Vec::new();
    for (value, changed, baseline, names) in [
        (
            6,
            [30, 31],
            100,
            [
                "the value is 6: its change, in each frame",
                "its first baseline",
            ],
        ),
        (
            7,
            [130, 131],
            200,
            ["then the value is 7", "its second baseline"],
        ),
    ] {
        parts.write(value);
        parts.update(changed[0]);
        let change = one(&parts.sent[0], false);
        parts.update(changed[1]);
        assert_eq!(change, one(&parts.sent[0], false));
        parts.update(baseline);
        examples.push((names[0], change));
        examples.push((names[1], one(&parts.sent[0], true)));
        parts.update(baseline + 1);
        assert_eq!(parts.sent[0], [""; 0]);
    }
    examples.extend(owned());
    examples
}

/// What an owner writes, after two baselines of the server's.
fn owned() -> Examples {
    let mut parts = Parts::new(SyncDirection::ClientToServer);
    let other = parts.net.server.handle_connect(Limits::KCP);
    let ready = [&[0; 8][..], &[2, 0xbc, 0xaa]].concat();
    let taken = parts
        .net
        .server
        .handle_packet(other, Channel::Reliable, &ready);
    taken.expect("a batch");
    for (value, time) in [(1, 100), (2, 200)] {
        parts.write(value);
        parts.update(time);
    }
    parts
        .net
        .server
        .set_owner(parts.object, Some(parts.connection))
        .unwrap();
    parts.update(220);
    let part = parts
        .net
        .client(parts.connection)
        .get_mut::<Part>(parts.object);
    part.expect("it is there").value.set(-1);
    parts.update(230);
    let [by_server, by_client] = &parts.sent;
    let mut examples = vec![
        (
            "an owner has written -1: its change, to the server",
            one(by_client, false),
        ),
        (
            "what the server makes of that for another observer, in each frame",
            one(by_server, false),
        ),
    ];
    parts.update(300);
    examples.push(("the owner's baseline", one(&parts.sent[1], true)));
    examples
}
