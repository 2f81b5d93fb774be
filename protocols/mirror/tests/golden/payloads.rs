//! `identity.json`: what clients write, and payloads that are not as they should be.

use std::time::Duration;

use serde_json::{Value, json};
use syncvar::mirror::batch::Batcher;
use syncvar::mirror::message::{Message, NetworkMessage, SpawnFlags, SpawnMessage};
use syncvar::mirror::{
    Component, Limits, MirrorClient, MirrorClientConfig, MirrorClientEvent, MirrorServer,
    MirrorSpawnOptions, SceneId,
};
use syncvar::prelude::*;
use syncvar::{
    Channel,
    values::{Quaternion, Vector3},
};

use super::batches::messages;
use super::differences::Rule;
use super::identity::{ASSET, Parts, about, ready, sent};
use super::json::Json;
use super::{classes, world};
use crate::Verdict;
use syncvar_testing::golden::same;

/// A server with one object of `DocData` and `Health`, and a client of it.
fn joined(
    parts: &Parts,
    owned: bool,
) -> Result<(MirrorServer, ConnectionId, MirrorClient, NetId), String> {
    let mut server = parts.server();
    let connection = server.handle_connect(Limits::KCP);
    let options = MirrorSpawnOptions {
        owner: owned.then_some(connection),
        ..MirrorSpawnOptions::default()
    };
    let id = server.try_spawn(parts.list(), options);
    let id = id.map_err(|error| error.to_string())?;
    let config = MirrorClientConfig {
        auto_add_player: false,
        time_snapshots: false,
        ping_interval: Duration::ZERO,
        ..MirrorClientConfig::default()
    };
    let mut client = MirrorClient::with_config(parts.prefabs(), config);
    client.handle_connect(Limits::KCP);
    ready(&mut server, connection)?;
    server.update(Duration::from_secs(1));
    while let Some(transmit) = server.poll_transmit() {
        let handled = client.handle_packet(transmit.channel, &transmit.to_bytes());
        handled.map_err(|error| error.to_string())?;
    }
    client.update(Duration::from_secs(1));
    while client.poll_transmit().is_some() {}
    Ok((server, connection, client, id))
}

pub(crate) fn client_to_server(case: &Value) -> Result<(), String> {
    let parts = Parts::doc_and_health([case.at("comp0"), case.at("comp1")]);
    let (.., mut client, id) = joined(&parts, case.at("owned").truth())?;
    for (index, (field, value)) in [("int1", 9), ("health", 7)].into_iter().enumerate() {
        let (class, _) = parts.0[index];
        let is_there = class
            .reach
            .on_client(&mut client, (id, index), &mut |subject| {
                subject.set_all(&json!([[field, value]]));
            });
        same("a component is there", &is_there, &true)?;
    }
    client.update(Duration::from_secs(2));
    let mut payload = String::new();
    while let Some(packet) = client.poll_transmit() {
        for (_, message) in messages(&packet.bytes) {
            if let Ok(Message::EntityState(state)) = Message::decode(&message) {
                payload += &hex::encode(state.payload.unwrap_or_default());
            }
        }
    }
    same(
        "sent",
        &payload.as_str(),
        &case.at("client_serialize").text(),
    )
}

pub(crate) fn server_deserialize(case: &Value) -> Result<Verdict, String> {
    let said = case.at("syncDirection");
    let parts = Parts::doc_and_health([said, &json!("ServerToClient")]);
    let (mut server, connection, _, id) = joined(&parts, true)?;
    let watcher = server.handle_connect(Limits::KCP);
    ready(&mut server, watcher)?;
    server.update(Duration::from_secs(2));
    sent(&mut server);
    let payload = case.at("bytes").hex();
    let mut message = vec![0x33, 0x30, u8::try_from(id.0).expect("small")];
    message.push(u8::try_from(payload.len() + 1).expect("short"));
    message.extend(&payload);
    let mut batch = vec![0; 8];
    batch.push(u8::try_from(message.len()).expect("short"));
    batch.extend(&message);
    let handled = server.handle_packet(connection, Channel::Reliable, &batch);
    let accepted = case.at("result") == "True";
    same("accepted", &handled.is_ok(), &accepted)?;
    let recorded: i64 = case.at("int1_after").number();
    if !accepted {
        // The client is disconnected, and what it owned goes with it, whatever had been read.
        same("the object is gone", &server.identity(id).is_none(), &true)?;
        return Ok(match recorded {
            66 => Verdict::Matched,
            _ => Verdict::Ruled(Rule::StrictReading),
        });
    }
    let value = world::on_server(&mut server, "DocData", (id, 0), |subject| {
        subject
            .member_json("int1")
            .expect("a field")
            .number::<i64>()
    });
    same("int1", &value, &recorded)?;
    server.update(Duration::from_secs(3));
    let (_, changes) = about(&sent(&mut server), watcher);
    let everything = case.at("syncvar_dirty_after").number::<u64>() == u64::MAX;
    let sent_on = changes
        .iter()
        .any(|change| change.contains("ffffffffffffffffff"));
    same("everything is sent on", &sent_on, &everything)?;
    Ok(Verdict::Matched)
}

/// A component that reads another number of bytes than its safety byte says: what follows is read where
/// that says that it begins.
pub(crate) fn error_correction(case: &Value) -> Result<(), String> {
    let [read, safety, corrected]: [usize; 3] =
        ["read_size", "safety", "corrected_size"].map(|key| case.at(key).number());
    let first = if read == 0 { "EmptyNB" } else { "OneText" };
    let find = |name| classes::find(name).expect("known");
    let parts = Parts(vec![
        (find(first), Component::new()),
        (find("Game.Net.Health+Inner"), Component::new()),
    ]);
    // The text fills what the component reads; then, or within it, the next component stands.
    let mut bytes = vec![b'a'; read.max(corrected) + 2];
    if read > 0 {
        let length = u16::try_from(read - 2 + 1).expect("short");
        bytes[..2].copy_from_slice(&length.to_le_bytes());
    }
    if corrected >= 2 || read == 0 {
        bytes[corrected..corrected + 2].copy_from_slice(&[1, 10]);
    }
    let expected = i64::from(bytes[corrected + 1]) / 2;
    let mut payload = vec![3, u8::try_from(safety).expect("a byte")];
    payload.extend(&bytes);
    let (_, _, mut client, _) = joined(&parts, false)?;
    let fields = SpawnMessage {
        net_id: NetId(77),
        flags: SpawnFlags::NONE,
        scene_id: SceneId::NONE,
        asset_id: ASSET,
        position: Vector3::default(),
        rotation: Quaternion::IDENTITY,
        scale: Vector3::new(1.0, 1.0, 1.0),
        payload: Some(&payload),
    };
    let message = fields.to_bytes().map_err(|error| error.to_string())?;
    let mut batcher = Batcher::new(16_384);
    batcher.add(&message, 0.0);
    let batch = batcher.next_batch().ok_or("no batch")?;
    while client.poll_event().is_some() {}
    let handled = client.handle_packet(Channel::Reliable, &batch);
    handled.map_err(|error| error.to_string())?;
    let mut mismatches = Vec::new();
    while let Some(event) = client.poll_event() {
        if let MirrorClientEvent::Mismatch(mismatch) = event {
            mismatches.push((mismatch.component, mismatch.read));
        }
    }
    same(
        "the first component is reported",
        &mismatches.first(),
        &Some(&(0, read)),
    )?;
    let mut found = None;
    find("Game.Net.Health+Inner")
        .reach
        .on_client(&mut client, (NetId(77), 1), &mut |subject| {
            found = subject.member_json("z").map(|z| z.number());
        });
    same("the second component", &found, &Some(expected))
}
