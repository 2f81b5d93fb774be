//! Messages of a server that the test plays by hand.

use bytes::Bytes;
use syncvar::NetId;
use syncvar::behaviour::BehaviourSet;
use syncvar::mirror::batch::Unbatcher;
use syncvar::mirror::message::{
    ChangeOwnerMessage, EntityStateMessage, NetworkMessage, ObjectDestroyMessage,
    ObjectSpawnFinishedMessage, ObjectSpawnStartedMessage, SpawnFlags, SpawnMessage,
};
use syncvar::mirror::{AssetId, SceneId};
use syncvar::values::{Quaternion, Vector3};
use syncvar::wire::{Encoding, NetworkWriter};

/// Returns the messages in a batch.
///
/// # Panics
///
/// If the batch is malformed.
#[must_use]
pub fn messages(batch: &[u8]) -> Vec<Vec<u8>> {
    let messages = Unbatcher::new(batch).expect("a batch");
    let messages = messages.map(|message| message.expect("a message").to_vec());
    messages.collect()
}

/// Returns the bytes of a message.
///
/// # Panics
///
/// If the message is too long.
pub fn message<'a>(message: &impl NetworkMessage<'a>) -> Bytes {
    message.to_bytes().expect("a short message")
}

/// Returns the begin of a burst of spawns.
#[must_use]
pub fn started() -> Bytes {
    message(&ObjectSpawnStartedMessage)
}

/// Returns the end of a burst of spawns.
#[must_use]
pub fn finished() -> Bytes {
    message(&ObjectSpawnFinishedMessage)
}

/// Returns the spawn of an object of a prefab.
#[must_use]
pub fn spawn(id: u32, asset_id: AssetId, flags: SpawnFlags, payload: &[u8]) -> Bytes {
    message(&SpawnMessage {
        asset_id,
        flags,
        ..spawn_fields(id, Some(payload))
    })
}

/// Returns the spawn of an object of the scene.
#[must_use]
pub fn spawn_in_scene(id: u32, scene_id: SceneId, payload: &[u8]) -> Bytes {
    message(&SpawnMessage {
        scene_id,
        ..spawn_fields(id, Some(payload))
    })
}

/// Returns the fields of a spawn without a prefab, for struct update.
#[must_use]
pub fn spawn_fields(id: u32, payload: Option<&[u8]>) -> SpawnMessage<'_> {
    SpawnMessage {
        net_id: NetId(id),
        flags: SpawnFlags::NONE,
        scene_id: SceneId::NONE,
        asset_id: AssetId::NONE,
        position: Vector3::new(1.0, 2.0, 3.0),
        rotation: Quaternion::IDENTITY,
        scale: Vector3::new(1.0, 1.0, 2.0),
        payload,
    }
}

/// Returns a change of the owner.
#[must_use]
pub fn owner(id: u32, flags: SpawnFlags) -> Bytes {
    let net_id = NetId(id);
    message(&ChangeOwnerMessage { net_id, flags })
}

/// Returns the end of an object.
#[must_use]
pub fn destroy(id: u32) -> Bytes {
    let net_id = NetId(id);
    message(&ObjectDestroyMessage { net_id })
}

/// Returns a change of an object.
#[must_use]
pub fn state(id: u32, payload: &[u8]) -> Bytes {
    message(&EntityStateMessage {
        net_id: NetId(id),
        payload: Some(payload),
    })
}

/// Returns the payload of a spawn: all components, each behind its safety byte.
#[must_use]
pub fn full(behaviours: impl BehaviourSet) -> Vec<u8> {
    payload(behaviours, true)
}

/// Returns the payload of a change: the components with writes.
#[must_use]
pub fn changes(behaviours: impl BehaviourSet) -> Vec<u8> {
    payload(behaviours, false)
}

fn payload(behaviours: impl BehaviourSet, initial_state: bool) -> Vec<u8> {
    let mut behaviours = behaviours.into_behaviours();
    let (mut mask, mut parts) = (0_u8, Vec::new());
    let mut index = 0;
    behaviours.slots_mut().for_each_mut(|slot| {
        if initial_state || slot.dirty_bits() != 0 {
            let mut part = NetworkWriter::with_encoding(Encoding::Mirror);
            slot.write_layout(&mut part, initial_state, false);
            mask |= 1 << index;
            parts.push(part.len().to_le_bytes()[0]);
            parts.extend(part.as_bytes());
        }
        index += 1;
    });
    [vec![mask], parts].concat()
}
