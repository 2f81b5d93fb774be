//! `messages.json`: the ids of messages, and messages with their bytes.

use serde_json::Value;
use syncvar::mirror::message::{
    AddPlayerMessage, ChangeOwnerMessage, CommandMessage, EntityStateMessage,
    EntityStateMessageUnreliableBaseline, EntityStateMessageUnreliableDelta, Message,
    NetworkMessage, NetworkPingMessage, NetworkPongMessage, NotReadyMessage, ObjectDestroyMessage,
    ObjectHideMessage, ObjectSpawnFinishedMessage, ObjectSpawnStartedMessage, ReadyMessage,
    RpcMessage, SceneMessage, SceneOperation, SpawnFlags, SpawnMessage, TimeSnapshotMessage,
};
use syncvar::mirror::{AssetId, MirrorMessage, SceneId, fnv1a32, hash16};
use syncvar::prelude::*;
use syncvar::wire::{Encoding, NetworkReader, NetworkWriter};

use super::classes::structs::Item;
use super::json::Json;
use super::value::{Recorded, Text};
use crate::Report;
use syncvar_testing::golden::{same, same_bytes};

#[derive(SyncValue, Clone, Debug, PartialEq)]
struct GlobalMsg {
    a: i32,
    item: Item,
}

#[derive(SyncValue, Clone, Debug, PartialEq)]
struct EmptyMsg {}

#[derive(SyncValue, Clone, Debug, PartialEq)]
struct ChatMessage {
    text: Text,
    channel: i32,
    blob: Option<Vec<u8>>,
}

#[derive(SyncValue, Clone, Debug, PartialEq)]
struct Deep {
    id: u64,
}

impl MirrorMessage for GlobalMsg {
    const NAME: &'static str = "GlobalMsg";
}

impl MirrorMessage for EmptyMsg {
    const NAME: &'static str = "EmptyMsg";
}

impl MirrorMessage for ChatMessage {
    const NAME: &'static str = "Game.Net.ChatMessage";
}

impl MirrorMessage for Deep {
    const NAME: &'static str = "Game.Net.NestedIds+Deep";
}

pub(crate) fn run(recording: &Value, report: &mut Report) {
    for id in recording.at("ids").list() {
        let name = id.at("type").text();
        report.check("ids", name, || {
            let hash: u16 = id.at("id").number();
            same("id", &hash16(name), &hash)?;
            same_bytes("id", &hash.to_le_bytes(), &id.at("id_bytes_le").hex())?;
            same("hash", &fnv1a32(name), &hash32(id.at("stable_hash32")))
        });
    }
    for sample in recording.at("stable_hash_samples").list() {
        let text = sample.at("text").text();
        report.check("hashes", text, || {
            same("hash", &fnv1a32(text), &hash32(sample.at("hash32")))?;
            same("hash16", &hash16(text), &sample.at("hash16").number())
        });
    }
    for case in recording.at("cases").list() {
        let (name, kind) = (case.at("name").text(), case.at("message").text());
        report.check(kind, name, || {
            let packed = case.at("packed").hex();
            same_bytes("payload", &packed[2..], &case.at("payload").hex())?;
            let id = u16::from_le_bytes([packed[0], packed[1]]);
            same("id", &id, &case.at("id").number())?;
            let fields = case.at("fields");
            if kind.starts_with("Mirror.") {
                own(kind, fields, &packed)
            } else {
                users(kind, fields, &packed)
            }
        });
    }
}

fn hash32(json: &Value) -> u32 {
    u32::from_str_radix(json.text(), 16).expect("a hash")
}

/// The bytes of a recorded list of numbers, or none.
fn segment(json: &Value) -> Option<Vec<u8>> {
    let bytes = json.as_array()?.iter().map(Json::number);
    Some(bytes.collect())
}

/// One of Mirror's own messages.
fn own(kind: &str, fields: &Value, packed: &[u8]) -> Result<(), String> {
    match kind {
        ReadyMessage::NAME => is(ReadyMessage, Message::Ready, packed),
        NotReadyMessage::NAME => is(NotReadyMessage, Message::NotReady, packed),
        AddPlayerMessage::NAME => is(AddPlayerMessage, Message::AddPlayer, packed),
        ObjectSpawnStartedMessage::NAME => is(
            ObjectSpawnStartedMessage,
            Message::ObjectSpawnStarted,
            packed,
        ),
        ObjectSpawnFinishedMessage::NAME => is(
            ObjectSpawnFinishedMessage,
            Message::ObjectSpawnFinished,
            packed,
        ),
        SceneMessage::NAME => is(scene(fields), Message::Scene, packed),
        TimeSnapshotMessage::NAME | NetworkPingMessage::NAME | NetworkPongMessage::NAME => {
            time(kind, fields, packed)
        }
        CommandMessage::NAME | RpcMessage::NAME => call(kind, fields, packed),
        _ => object(kind, fields, packed),
    }
}

/// One about the time.
fn time(kind: &str, fields: &Value, packed: &[u8]) -> Result<(), String> {
    let float = |key| f64::from_json(fields.at(key));
    match kind {
        TimeSnapshotMessage::NAME => {
            let scaled_time = float("scaledTime");
            let snapshot = TimeSnapshotMessage { scaled_time };
            is(snapshot, Message::TimeSnapshot, packed)
        }
        NetworkPingMessage::NAME => {
            let ping = NetworkPingMessage {
                local_time: float("localTime"),
                predicted_time_adjusted: float("predictedTimeAdjusted"),
            };
            is(ping, Message::Ping, packed)
        }
        _ => {
            let pong = NetworkPongMessage {
                local_time: float("localTime"),
                prediction_error_unadjusted: float("predictionErrorUnadjusted"),
                prediction_error_adjusted: float("predictionErrorAdjusted"),
            };
            is(pong, Message::Pong, packed)
        }
    }
}

/// A remote call.
fn call(kind: &str, fields: &Value, packed: &[u8]) -> Result<(), String> {
    let net_id = NetId(fields.at("netId").number());
    let component_index = fields.at("componentIndex").number();
    let function_hash = fields.at("functionHash").number();
    let payload = segment(fields.at("payload"));
    let payload = payload.as_deref();
    if kind == CommandMessage::NAME {
        let command = CommandMessage {
            net_id,
            component_index,
            function_hash,
            payload,
        };
        return is(command, Message::Command, packed);
    }
    let rpc = RpcMessage {
        net_id,
        component_index,
        function_hash,
        payload,
    };
    is(rpc, Message::Rpc, packed)
}

/// One about an object.
fn object(kind: &str, fields: &Value, packed: &[u8]) -> Result<(), String> {
    let net_id = NetId(fields.at("netId").number());
    let flags = || SpawnFlags(fields.at("spawnFlags").number());
    let tick = || fields.at("baselineTick").number();
    let payload = fields.get("payload").and_then(segment);
    let payload = payload.as_deref();
    match kind {
        SpawnMessage::NAME => {
            let spawn = SpawnMessage {
                net_id,
                flags: flags(),
                scene_id: SceneId(fields.at("sceneId").number()),
                asset_id: AssetId(fields.at("assetId").number()),
                position: Recorded::from_json(fields.at("position")),
                rotation: Recorded::from_json(fields.at("rotation")),
                scale: Recorded::from_json(fields.at("scale")),
                payload,
            };
            is(spawn, Message::Spawn, packed)
        }
        ChangeOwnerMessage::NAME => {
            let flags = flags();
            let change = ChangeOwnerMessage { net_id, flags };
            is(change, Message::ChangeOwner, packed)
        }
        ObjectDestroyMessage::NAME => {
            let destroy = ObjectDestroyMessage { net_id };
            is(destroy, Message::ObjectDestroy, packed)
        }
        ObjectHideMessage::NAME => is(ObjectHideMessage { net_id }, Message::ObjectHide, packed),
        EntityStateMessage::NAME => {
            let state = EntityStateMessage { net_id, payload };
            is(state, Message::EntityState, packed)
        }
        EntityStateMessageUnreliableBaseline::NAME => {
            let baseline = EntityStateMessageUnreliableBaseline {
                baseline_tick: tick(),
                net_id,
                payload,
            };
            is(baseline, Message::UnreliableBaseline, packed)
        }
        EntityStateMessageUnreliableDelta::NAME => {
            let delta = EntityStateMessageUnreliableDelta {
                baseline_tick: tick(),
                net_id,
                payload,
            };
            is(delta, Message::UnreliableDelta, packed)
        }
        other => Err(format!("no such message: {other}")),
    }
}

fn scene(fields: &Value) -> SceneMessage<'_> {
    SceneMessage {
        scene_name: fields.at("sceneName").as_str(),
        operation: match fields.at("sceneOperation").number() {
            0 => SceneOperation::Normal,
            1 => SceneOperation::LoadAdditive,
            2 => SceneOperation::UnloadAdditive,
            other => panic!("no operation {other}"),
        },
        custom_handling: fields.at("customHandling").truth(),
    }
}

/// A message has these bytes, and these bytes are that message.
fn is<'a, M: NetworkMessage<'a>>(
    message: M,
    kind: impl Fn(M) -> Message<'a>,
    packed: &'a [u8],
) -> Result<(), String> {
    let written = message.to_bytes().map_err(|error| error.to_string())?;
    same_bytes("written", &written, packed)?;
    same("read", &Message::decode(packed), &Ok(kind(message)))
}

/// One of the messages of the recorded game.
fn users(kind: &str, fields: &Value, packed: &[u8]) -> Result<(), String> {
    match kind {
        GlobalMsg::NAME => {
            let message = GlobalMsg {
                a: fields.at("a").number(),
                item: Recorded::from_json(fields.at("item")),
            };
            is_users(&message, packed)
        }
        EmptyMsg::NAME => is_users(&EmptyMsg {}, packed),
        ChatMessage::NAME => {
            let message = ChatMessage {
                text: Recorded::from_json(fields.at("text")),
                channel: fields.at("channel").number(),
                blob: segment(fields.at("blob")),
            };
            is_users(&message, packed)
        }
        Deep::NAME => {
            let id = fields.at("id").number();
            is_users(&Deep { id }, packed)
        }
        other => Err(format!("no such message: {other}")),
    }
}

fn is_users<M>(message: &M, packed: &[u8]) -> Result<(), String>
where
    M: MirrorMessage + PartialEq + std::fmt::Debug,
{
    let mut writer = NetworkWriter::with_encoding(Encoding::Mirror);
    writer.write_u16(M::ID);
    writer.write(message);
    same("error", &writer.error(), &None)?;
    same_bytes("written", writer.as_bytes(), packed)?;
    match Message::decode(packed) {
        Ok(Message::Other { id, payload }) if id == M::ID => {
            let mut reader = NetworkReader::with_encoding(payload, Encoding::Mirror);
            let read = reader.read().map_err(|error| error.to_string())?;
            same("read", message, &read)
        }
        other => Err(format!("read as {other:?}")),
    }
}
