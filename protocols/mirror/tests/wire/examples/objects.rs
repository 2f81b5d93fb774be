//! Section 4: the payload of an object, as a server and a client send it.

use syncvar::mirror::message::Message;
use syncvar::mirror::{
    Component, Limits, MirrorPrefab, MirrorPrefabs, MirrorServerConfig, MirrorSpawnOptions,
    SyncDirection, SyncMode,
};
use syncvar::prelude::*;
use syncvar_testing::mirror::MirrorNetwork;
use syncvar_testing::mirror::messages::messages;

use crate::examples::Examples;

/// A component with one value.
#[derive(NetworkBehaviour, Default)]
struct Part {
    #[sync_var]
    value: SyncVar<i32>,
}

/// The same, of another class.
#[derive(NetworkBehaviour, Default)]
struct Text {
    #[sync_var]
    text: SyncVar<String>,
}

fn part(value: i32) -> Part {
    let value = value.into();
    Part { value }
}

fn prefabs() -> MirrorPrefabs {
    let owners = Component::new().sync_mode(SyncMode::Owner);
    let written = Component::new().sync_direction(SyncDirection::ClientToServer);
    let three = MirrorPrefab::new("three", 1.into());
    let three = three.component(1, owners).component(2, written);
    MirrorPrefabs::new()
        .register::<(Part, Part, Part)>(three)
        .register::<Text>(MirrorPrefab::new("text", 2.into()))
}

/// A payload of a frame: the client of the link, whether the client is the sender, and the bytes.
type Sent = (ConnectionId, bool, String);

/// Runs a frame. Returns the payloads of objects.
fn frame(net: &mut MirrorNetwork) -> Vec<Sent> {
    net.frame();
    let mut sent = Vec::new();
    for packet in net.take_packets() {
        for message in messages(&packet.bytes) {
            let payload = match Message::decode(&message).expect("a message") {
                Message::Spawn(spawn) => spawn.payload,
                Message::EntityState(state) => state.payload,
                _ => continue,
            };
            let payload = payload.map_or(String::new(), hex::encode);
            sent.push((packet.connection, packet.from_client, payload));
        }
    }
    sent
}

/// The one payload that a connection has been sent in a frame.
#[track_caller]
fn to(sent: &[Sent], connection: ConnectionId) -> String {
    let is_to = |(to, from_client, _): &&Sent| *to == connection && !from_client;
    let mut payloads = sent.iter().filter(is_to);
    let (Some((.., payload)), None) = (payloads.next(), payloads.next()) else {
        panic!("{connection} has not been sent one payload: {sent:?}");
    };
    payload.clone()
}

fn write(net: &mut MirrorNetwork, object: NetId, index: usize, value: i32) {
    let part = net.server.get_mut_at::<Part>(object, index);
    part.expect("it is there").value.set(value);
}

pub(crate) fn examples() -> Examples {
    let mut net = MirrorNetwork::of_observers(prefabs, MirrorServerConfig::default());
    net.limits = Limits::TELEPATHY;
    let [owner, other] = [(); 2].map(|()| net.connect());
    net.frames(2);
    net.take_packets();
    let options = MirrorSpawnOptions {
        owner: Some(owner),
        ..MirrorSpawnOptions::default()
    };
    let three = (part(5), part(7), part(9));
    let object = net.server.try_spawn(three, options);
    let object = object.expect("it is registered");
    let sent = frame(&mut net);
    let mut examples = vec![
        (
            "A, B, C of 5, 7, 9: full state for the owner",
            to(&sent, owner),
        ),
        ("for another observer", to(&sent, other)),
    ];

    write(&mut net, object, 0, 6);
    let sent = frame(&mut net);
    assert_eq!(to(&sent, owner), to(&sent, other));
    examples.push(("A is 6: the change for both", to(&sent, other)));
    write(&mut net, object, 0, 7);
    write(&mut net, object, 1, 8);
    let sent = frame(&mut net);
    examples.push((
        "A is 7 and B is 8: the change for the owner",
        to(&sent, owner),
    ));
    examples.push(("the same change for another observer", to(&sent, other)));

    let written = net.client(owner).get_mut_at::<Part>(object, 2);
    written.expect("it is there").value.set(-1);
    let sent = frame(&mut net);
    let own = sent.iter().filter(|(_, from_client, _)| *from_client);
    let own: String = own.map(|(.., payload)| payload.as_str()).collect();
    examples.push(("the owner has written -1 to C: its change", own));
    assert!(
        sent.iter()
            .all(|(to, from_client, _)| *to != owner || *from_client)
    );
    examples.push((
        "what the server makes of that for another observer",
        to(&sent, other),
    ));
    net.server.set_owner(object, Some(other)).unwrap();
    let sent = frame(&mut net);
    examples.push((
        "what the new owner is sent behind `ChangeOwnerMessage`",
        to(&sent, other),
    ));

    let text = Text {
        text: "x".repeat(298).into(),
    };
    net.server.spawn(text);
    let sent = frame(&mut net);
    let text = to(&sent, other);
    let (head, rest) = text.split_at(8);
    assert_eq!(rest, "78".repeat(298));
    examples.push((
        "another object, with one component of 300 bytes, a text: how it begins",
        head.into(),
    ));
    examples
}
