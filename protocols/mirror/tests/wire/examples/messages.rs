//! Sections 5 and 6: messages, the names and numbers in them, and batches.

use syncvar::mirror::batch::Batcher;
use syncvar::mirror::message::{
    CommandMessage, NetworkMessage, NetworkPingMessage, NetworkPongMessage, SceneMessage,
    SceneOperation, SpawnFlags, SpawnMessage, TimeSnapshotMessage,
};
use syncvar::mirror::{AssetId, AuthRequestMessage, MirrorMessage, SceneId, fnv1a32, hash16};
use syncvar::prelude::*;
use syncvar::{
    values::{Quaternion, Vector3},
    wire::{Encoding, NetworkWriter},
};

use crate::examples::Examples;

/// The bytes of a message, which come back as the same one.
fn bytes<'a>(message: &impl NetworkMessage<'a>) -> String {
    hex::encode(message.to_bytes().expect("it can be written"))
}

fn batch(messages: &[&[u8]]) -> String {
    let mut batcher = Batcher::new(1000);
    for message in messages {
        batcher.add(message, 1.0);
    }
    let bytes = batcher
        .next_batch()
        .unwrap_or_else(|| 1.0_f64.to_le_bytes().to_vec().into());
    hex::encode(bytes)
}

fn command(net_id: u32, component_index: u8, payload: Option<&[u8]>) -> String {
    bytes(&CommandMessage {
        net_id: NetId(net_id),
        component_index,
        function_hash: 0xffff,
        payload,
    })
}

pub(crate) fn examples() -> Examples {
    let spawn = SpawnMessage {
        net_id: NetId(241),
        flags: SpawnFlags::IS_OWNER | SpawnFlags::IS_LOCAL_PLAYER,
        scene_id: SceneId::NONE,
        asset_id: AssetId(1),
        position: Vector3::default(),
        rotation: Quaternion::IDENTITY,
        scale: Vector3::new(1.0, 1.0, 1.0),
        payload: Some(&[]),
    };
    let scene = SceneMessage {
        scene_name: Some("Room"),
        operation: SceneOperation::LoadAdditive,
        custom_handling: true,
    };
    let fire = "System.Void Player::CmdFire(System.Int32)";
    let guid = "00112233-4455-6677-8899-aabbccddeeff";
    let asset_id = AssetId::from_guid(guid).expect("a GUID");
    let legacy_id = AssetId::legacy_from_guid(guid).expect("a GUID");
    let ping = NetworkPingMessage {
        local_time: 1.0,
        predicted_time_adjusted: 1.5,
    };
    let answer = NetworkPongMessage {
        local_time: 1.0,
        prediction_error_unadjusted: 0.5,
        prediction_error_adjusted: 0.0,
    };
    let snapshot = TimeSnapshotMessage { scaled_time: 1.0 };
    let mut auth = NetworkWriter::with_encoding(Encoding::Mirror);
    auth.write_u16(AuthRequestMessage::ID);
    auth.write(&AuthRequestMessage {
        username: "ann".into(),
        password: String::new(),
    });
    vec![
        (
            "command on component 1 of object 300, hash `ffff`, arguments `010203`",
            command(300, 1, Some(&[1, 2, 3])),
        ),
        (
            "the same call without a segment, on component 0 of object 1",
            command(1, 0, None),
        ),
        (
            "object 241 of prefab 1 at the origin, owned and the player, no components that the receiver may read",
            bytes(&spawn),
        ),
        (
            "scene `Room`, beside the others, done by the game",
            bytes(&scene),
        ),
        (
            "ping at 1.0 s, which is taken for 1.5 s there",
            bytes(&ping),
        ),
        ("its answer: the prediction was 0.5 s off", bytes(&answer)),
        ("the time 1.0 s", bytes(&snapshot)),
        (
            "`AuthRequestMessage` of `ann`, an empty password",
            hex::encode(auth.as_bytes()),
        ),
        (
            "FNV-1a of `Mirror.SpawnMessage`",
            hex::encode(fnv1a32("Mirror.SpawnMessage").to_be_bytes()),
        ),
        (
            "its id",
            hex::encode(hash16("Mirror.SpawnMessage").to_le_bytes()),
        ),
        (
            "hash of `System.Void Player::CmdFire(System.Int32)`",
            hex::encode(hash16(fire).to_le_bytes()),
        ),
        (
            "assetId of `00112233-4455-6677-8899-aabbccddeeff`, most significant byte first",
            hex::encode(asset_id.0.to_be_bytes()),
        ),
        (
            "the same in Unity 2021.1 and older",
            hex::encode(legacy_id.0.to_be_bytes()),
        ),
        (
            "at 1.0 s, `aabb` and `cc`",
            batch(&[&[0xaa, 0xbb], &[0xcc]]),
        ),
        ("at 1.0 s, nothing", batch(&[])),
    ]
}
