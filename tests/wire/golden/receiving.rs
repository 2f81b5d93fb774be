//! The sections `receive_errors` and `receive_on_server`: messages that are short, malformed or
//! late, given to a client and to a server of ours.

use std::collections::BTreeMap;

use syncvar::{
    ClientEvent, NetId, NetworkServer, Prefabs, ServerConfig,
    values::NetworkHash128,
    wire::{NetworkWriter, ReadError, ReadErrorKind},
};

use super::Check;
use super::Report;
use super::calls;
use super::frame::Frame;
use super::judge::Judgement;
use super::replica::Replica;
use super::rule::Rule;
use super::scenario::fragments;
use super::spawn::SpawnMessage;
use syncvar_testing::golden::{Json, Node};

pub(crate) fn run_client(items: &Json, report: &mut Report) -> usize {
    let mut replica = Replica::new(&assets(items));
    for (number, item) in items.items().iter().enumerate() {
        let text = item.get("deliver_to_client").map(Json::text);
        let state = item
            .entries()
            .iter()
            .find(|(key, _)| key.starts_with("client_state"));
        let name = text
            .or(state.map(|(key, _)| key.as_str()))
            .unwrap_or_default();
        report.vector(format!("receive_errors: #{number} {name}"), |check| {
            if let Some(bytes) = item.get("hex") {
                deliver(&mut replica, item, &bytes.hex(), check);
            } else if let Some((_, object)) = state {
                let id = NetId(object.at("netId").number());
                replica.compare_object(id, object, check);
            } else {
                deliver_whole(&mut replica, item, check);
            }
        });
    }
    items.items().len()
}

/// The classes of each asset, which stand in the descriptions: `(One ch0 = 50, OnCh1 ch1 = 60)`.
fn assets(items: &Json) -> BTreeMap<NetworkHash128, Vec<String>> {
    let assets = items.items().iter().filter_map(|item| {
        let bytes = item.get("hex")?.hex();
        let frames = Frame::split(0, 0, &bytes);
        let asset_id = SpawnMessage::of(frames.first()?)?.asset_id;
        let (_, description) = item.at("deliver_to_client").text().split_once('(')?;
        let (classes, _) = description.split_once(')')?;
        let classes = classes
            .split(',')
            .filter_map(|class| class.split_whitespace().next());
        Some((asset_id, classes.map(String::from).collect()))
    });
    assets.collect()
}

/// What became of a packet.
#[derive(Debug, PartialEq)]
enum Outcome {
    Applied,
    UnknownObject,
    /// Refused as a whole or from some message on.
    Refused,
}

fn deliver(replica: &mut Replica, item: &Json, packet: &[u8], check: &mut Check) {
    let frames = Frame::split(0, 0, packet);
    let channel = item.at("channel").number();
    let judgement = replica.judge(channel, &frames);
    let unknown_before = replica.unknown_objects();
    let result = replica.deliver(channel, packet);
    let events = replica.events();
    if let Some(ClientEvent::Poisoned { object, .. }) = events
        .iter()
        .find(|event| matches!(event, ClientEvent::Poisoned { .. }))
    {
        let judgement = judgement.filter(|judgement| judgement.object == *object);
        return match judgement.filter(|judgement| judgement.is_malformed) {
            Some(judgement) => heal(replica, &judgement, item, check),
            None => check.fault("update", "one that can be read", hex::encode(packet)),
        };
    }
    let spawn_failed = events
        .iter()
        .any(|event| matches!(event, ClientEvent::SpawnFailed { .. }));
    let ours = match result {
        Ok(()) if spawn_failed => Outcome::Refused,
        Ok(()) if replica.unknown_objects() > unknown_before => Outcome::UnknownObject,
        Ok(()) => Outcome::Applied,
        Err(_) => Outcome::Refused,
    };
    let theirs = match item.at("log").items() {
        [] => Outcome::Applied,
        [line, ..]
            if line.text().starts_with("warn: Did not find target")
                || line.text().starts_with("warn: Could not find target") =>
        {
            Outcome::UnknownObject
        }
        _ => Outcome::Refused,
    };
    check.equal("outcome", format!("{theirs:?}"), format!("{ours:?}"));
    if let Some((key, recorded)) = state_after(item) {
        replica.compare_behaviours(object_of(key), recorded, check);
    }
}

/// `netId_7_after`, where it is recorded.
fn state_after(item: &Json) -> Option<&(String, Json)> {
    item.entries()
        .iter()
        .find(|(key, _)| key.starts_with("netId_"))
}

fn object_of(key: &str) -> NetId {
    let number = key.trim_start_matches("netId_").trim_end_matches("_after");
    NetId(number.parse().expect("an object's number"))
}

/// An object that could not be read is asked for again; it is given what UNet has.
fn heal(replica: &mut Replica, judgement: &Judgement, item: &Json, check: &mut Check) {
    check.under(Rule::PoisonedObject);
    let object = judgement.object;
    let is_exception = |line: &Json| line.text().starts_with("EXCEPTION");
    let log = item.at("log").list();
    check.equal("lines of UNet's log", judgement.throws.into(), log.len());
    check.equal(
        "whether UNet throws",
        judgement.throws,
        log.iter().any(is_exception),
    );
    let mut payload = NetworkWriter::new();
    payload.write(&object);
    let is_request =
        |frame: &Frame| frame.message_type() == 20 && frame.payload() == payload.as_bytes();
    let asked = replica.sent().iter().any(is_request);
    check.equal("whether the object is asked for", true, asked);
    let Some((key, recorded)) = state_after(item) else {
        return check.fault("state", "one to restore", "none");
    };
    check.equal("object", object_of(key), object);
    let values = replica.show(object, recorded);
    let (values, expected) = (format!("{values:?}"), format!("{:?}", judgement.values));
    check.equal("what UNet has applied", expected, values);
    let spawn = replica.spawn_from_json(object, recorded);
    if let Err(error) = replica.deliver(0, &spawn) {
        check.fault("restoring", "no error", error);
    }
    let restored = replica.events().contains(&ClientEvent::Restored { object });
    check.equal("whether the object is restored", true, restored);
    replica.compare_behaviours(object, recorded, check);
}

/// An update with a long string, which UNet gets in pieces and ours whole.
fn deliver_whole(replica: &mut Replica, item: &Json, check: &mut Check) {
    let length: usize = item.at("w_length_on_client").number();
    let mut writer = NetworkWriter::new();
    let start = writer.start_message(8);
    writer.write(&NetId(7));
    writer.write_dirty_bits(0);
    writer.write_dirty_bits(1);
    writer.write_string(&"w".repeat(length));
    writer.finish_message(start);
    let recorded = item
        .at("packet_lengths")
        .items()
        .iter()
        .map(Json::number::<usize>);
    let pieces = fragments(writer.as_bytes());
    let pieces: Vec<_> = pieces.iter().map(Vec::len).collect();
    let recorded: Vec<_> = recorded.collect();
    check.equal(
        "lengths of fragments",
        format!("{recorded:?}"),
        format!("{pieces:?}"),
    );
    let result = replica.deliver(0, writer.as_bytes());
    let changed = |event: &ClientEvent| matches!(event, ClientEvent::Changed { fields, .. } if fields.names().any(|it| it == "w"));
    let changed = result.is_ok() && replica.events().iter().any(changed);
    check.equal("whether the string has arrived", true, changed);
    check.under(Rule::WholeMessages);
}

pub(crate) fn run_server(items: &Json, report: &mut Report) -> usize {
    for (number, item) in items.items().iter().enumerate() {
        let name = item.at("deliver_to_server").text();
        report.vector(format!("receive_on_server: #{number} {name}"), |check| {
            let bytes = item.at("hex").hex();
            let message_type = Frame::split(0, 0, &bytes)[0].message_type();
            if message_type == 5 {
                return calls::receive(item, &bytes, check);
            }
            let unknown = give_to_server(&bytes)
                .is_err_and(|error| error.kind() == ReadErrorKind::UnknownMessage(message_type));
            check.equal("whether the message is unknown", true, unknown);
        });
    }
    items.items().len()
}

fn give_to_server(packet: &[u8]) -> Result<(), ReadError> {
    let config = ServerConfig {
        compare_schemas: false,
        ..ServerConfig::default()
    };
    let mut server = NetworkServer::with_config(Prefabs::new(), config);
    let connection = server.handle_connect();
    match server.handle_packet(connection, 0, packet) {
        Ok(()) => Ok(()),
        Err(syncvar::error::PacketError::Malformed(error)) => Err(error),
        Err(other) => panic!("{other}"),
    }
}
