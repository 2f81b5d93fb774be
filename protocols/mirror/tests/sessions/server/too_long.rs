//! Texts above the limit of Mirror's strings, and messages above the limit of a transport.

use syncvar::mirror::*;
use syncvar::prelude::*;
use syncvar_testing::mirror::MirrorNetwork;

/// Limit of a string, in bytes.
const LIMIT: usize = 65_534;

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0.0)]
struct Sign {
    #[sync_var]
    lines: SyncList<String>,
    #[sync_var]
    number: SyncVar<i32>,
    #[sync_var]
    text: SyncVar<String>,
}

fn prefabs() -> MirrorPrefabs {
    MirrorPrefabs::new()
        .register::<(Sign, Sign)>(MirrorPrefab::new("sign", AssetId(7)))
        .register::<Sign>(MirrorPrefab::new("player", AssetId(8)))
}

fn network() -> (MirrorNetwork, ConnectionId) {
    let server = MirrorServer::new(prefabs());
    let mut net = MirrorNetwork::new(server, || MirrorClient::new(prefabs()));
    let (connection, _) = net.join(Sign::default());
    (net, connection)
}

fn long() -> String {
    "n".repeat(LIMIT + 1)
}

/// Changes the first component of a sign.
fn change<R>(net: &mut MirrorNetwork, id: NetId, change: impl FnOnce(&mut Sign) -> R) {
    change_at(net, id, 0, change);
}

fn change_at<R>(
    net: &mut MirrorNetwork,
    id: NetId,
    index: usize,
    change: impl FnOnce(&mut Sign) -> R,
) {
    change(&mut net.server.get_mut_at::<Sign>(id, index).unwrap());
    net.frames(2);
}

/// Number and text of a replica.
fn seen(net: &MirrorNetwork, connection: ConnectionId, id: NetId) -> (i32, &str) {
    let sign: &Sign = net.seen(connection, id);
    (*sign.number, &sign.text)
}

/// Fields that could not be sent, and the fields of too long messages.
fn failures(net: &mut MirrorNetwork) -> Vec<String> {
    let events = net.events().into_iter();
    let failures = events.filter_map(|event| match event {
        MirrorServerEvent::SerializeFailed { field, .. } => Some(field?.into()),
        MirrorServerEvent::TooLong { field, .. } => Some(format!("message: {}", field?)),
        _ => None,
    });
    failures.collect()
}

#[test]
fn a_long_text_keeps_its_last_sent_value() {
    let (mut net, first) = network();
    let id = net.server.spawn((Sign::default(), Sign::default()));
    change(&mut net, id, |sign| sign.text.set("short".into()));
    failures(&mut net);
    change(&mut net, id, |sign| {
        sign.text.set(long());
        sign.number.set(1);
        sign.lines.push("line".into());
    });
    change(&mut net, id, |sign| sign.number.set(2));
    assert_eq!(seen(&net, first, id), (2, "short"));
    assert_eq!(net.seen::<Sign>(first, id).lines.to_vec(), ["line"]);
    assert_eq!(failures(&mut net), ["Sign.text"], "reported once");
    change(&mut net, id, |sign| sign.text.truncate(3));
    assert_eq!(seen(&net, first, id), (2, "nnn"));
}

#[test]
fn a_spawn_contains_the_prefab_in_place_of_a_long_text() {
    let (mut net, first) = network();
    let sign = Sign {
        text: long().into(),
        number: 3.into(),
        ..Sign::default()
    };
    let id = net.server.spawn((sign, Sign::default()));
    // Its operation is pending when the next client joins.
    net.server
        .get_mut::<Sign>(id)
        .unwrap()
        .lines
        .push("a".into());
    let (late, _) = net.join(Sign::default());
    net.frames(2);
    for connection in [first, late] {
        assert_eq!(seen(&net, connection, id), (3, ""));
        assert_eq!(net.seen::<Sign>(connection, id).lines.to_vec(), ["a"]);
    }
    assert!(failures(&mut net).iter().all(|field| field == "Sign.text"));
    change(&mut net, id, |sign| sign.text.set("fits".into()));
    for connection in [first, late] {
        assert_eq!(seen(&net, connection, id), (3, "fits"));
    }
}

/// The client skips the operations that its snapshot announced, so that none of them can be left out.
#[test]
fn a_long_element_of_a_list_stops_its_object() {
    let (mut net, first) = network();
    let id = net.server.spawn((Sign::default(), Sign::default()));
    let other = net.server.spawn((Sign::default(), Sign::default()));
    net.frames(2);
    failures(&mut net);
    change(&mut net, id, |sign| {
        sign.lines.push(long());
        sign.number.set(4);
    });
    change(&mut net, other, |sign| sign.number.set(5));
    assert_eq!(seen(&net, first, id), (0, ""));
    assert_eq!(seen(&net, first, other), (5, ""));
    assert_eq!(failures(&mut net), ["Sign.lines"]);
}

#[test]
fn a_message_above_the_limit_of_a_transport_names_its_longest_field() {
    let (mut net, first) = network();
    let id = net.server.spawn((Sign::default(), Sign::default()));
    net.frames(2);
    failures(&mut net);
    change_at(&mut net, id, 1, |sign| {
        sign.text.set("y".repeat(20_000));
        sign.number.set(6);
    });
    assert_eq!(seen(&net, first, id), (0, ""));
    assert_eq!(failures(&mut net), ["message: text"]);
    change_at(&mut net, id, 1, |sign| sign.text.truncate(100));
    let sign = net.clients[&first].get_at::<Sign>(id, 1).unwrap();
    assert_eq!((*sign.number, sign.text.len()), (6, 100));
}
