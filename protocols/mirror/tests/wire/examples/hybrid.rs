//! Section 5: what travels unreliably, as a server and a client send it.

use std::time::Duration;

use syncvar::Channel;
use syncvar::mirror::batch::Unbatcher;
use syncvar::mirror::message::Message;
use syncvar::mirror::*;
use syncvar::prelude::*;

use crate::examples::Examples;

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0, sync_method = hybrid)]
struct Part {
    #[sync_var]
    value: SyncVar<i32>,
}

/// A server and its client, which learn of each other at once.
struct Pair {
    server: MirrorServer,
    client: MirrorClient,
    connection: ConnectionId,
    object: NetId,
    /// The messages about states that were sent last, by the server and by the client.
    sent: [Vec<String>; 2],
}

impl Pair {
    fn new(direction: SyncDirection) -> Self {
        let component = Component::new().sync_direction(direction);
        let prefabs = || {
            let prefab = MirrorPrefab::new("part", 1.into()).component(0, component);
            MirrorPrefabs::new().register::<Part>(prefab)
        };
        let config = MirrorServerConfig {
            spawn_policy: SpawnPolicy::WhenReady,
            ..MirrorServerConfig::default()
        };
        let mut server = MirrorServer::with_config(prefabs(), config);
        let connection = server.handle_connect(Limits::KCP);
        let config = MirrorClientConfig {
            auto_add_player: false,
            ..MirrorClientConfig::default()
        };
        let mut client = MirrorClient::with_config(prefabs(), config);
        client.handle_connect(Limits::KCP);
        let object = server.spawn(Part::default());
        let mut pair = Self {
            server,
            client,
            connection,
            object,
            sent: [const { Vec::new() }; 2],
        };
        pair.update(1);
        pair
    }

    /// One frame, at so many hundredths of a second.
    fn update(&mut self, time: u64) {
        let now = Duration::from_millis(time * 10);
        self.sent = [const { Vec::new() }; 2];
        let [by_server, by_client] = &mut self.sent;
        self.client.update(now);
        while let Some(packet) = self.client.poll_transmit() {
            let (channel, bytes) = (packet.channel, packet.bytes);
            note(by_client, channel, &bytes);
            let taken = self.server.handle_packet(self.connection, channel, &bytes);
            taken.expect("a batch");
        }
        self.server.update(now);
        while let Some(transmit) = self.server.poll_transmit() {
            note(by_server, transmit.channel, &transmit.to_bytes());
            if transmit.connection == self.connection {
                let taken =
                    { &mut self.client }.handle_packet(transmit.channel, &transmit.to_bytes());
                taken.expect("a batch");
            }
        }
    }

    fn write(&mut self, value: i32) {
        let part = self.server.get_mut::<Part>(self.object);
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
    let mut pair = Pair::new(SyncDirection::ServerToClient);
    pair.update(20);
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
        pair.write(value);
        pair.update(changed[0]);
        let change = one(&pair.sent[0], false);
        pair.update(changed[1]);
        assert_eq!(change, one(&pair.sent[0], false));
        pair.update(baseline);
        examples.push((names[0], change));
        examples.push((names[1], one(&pair.sent[0], true)));
        pair.update(baseline + 1);
        assert_eq!(pair.sent[0], [""; 0]);
    }
    examples.extend(owned());
    examples
}

/// What an owner writes, after two baselines of the server's.
fn owned() -> Examples {
    let mut pair = Pair::new(SyncDirection::ClientToServer);
    let other = pair.server.handle_connect(Limits::KCP);
    let ready = [&[0; 8][..], &[2, 0xbc, 0xaa]].concat();
    let taken = pair.server.handle_packet(other, Channel::Reliable, &ready);
    taken.expect("a batch");
    for (value, time) in [(1, 100), (2, 200)] {
        pair.write(value);
        pair.update(time);
    }
    pair.server
        .set_owner(pair.object, Some(pair.connection))
        .unwrap();
    pair.update(220);
    let part = pair.client.get_mut::<Part>(pair.object);
    part.expect("it is there").value.set(-1);
    pair.update(230);
    let [by_server, by_client] = &pair.sent;
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
    pair.update(300);
    examples.push(("the owner's baseline", one(&pair.sent[1], true)));
    examples
}
