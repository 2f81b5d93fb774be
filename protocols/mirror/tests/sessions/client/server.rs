//! A server made by hand: what it sends is put together here, and what the client sends is taken apart.

use std::time::Duration;

use bytes::Bytes;
use syncvar::mirror::batch::{Batcher, Unbatcher};
use syncvar::mirror::message::{
    ChangeOwnerMessage, EntityStateMessage, Message, NetworkMessage, ObjectDestroyMessage,
    ObjectSpawnFinishedMessage, ObjectSpawnStartedMessage, SpawnFlags, SpawnMessage,
};
use syncvar::mirror::{AssetId, Limits, MirrorClient, MirrorClientEvent, SceneId};
use syncvar::prelude::*;
use syncvar::{
    Channel,
    behaviour::BehaviourSet,
    values::{Quaternion, Vector3},
    wire::Encoding,
};

use crate::client::game::{self, DOOR, Door, prefabs};

pub(crate) const PLAYER: AssetId = AssetId(1001);
pub(crate) const MONSTER: AssetId = AssetId(1002);
/// Flags of a client's own player.
pub(crate) const MINE: SpawnFlags = SpawnFlags(3);

/// A client, and the time.
pub(crate) struct World {
    pub(crate) client: MirrorClient,
    pub(crate) now: Duration,
}

impl World {
    /// A client that knows the recorded game and has a connection.
    pub(crate) fn new() -> Self {
        Self::with(MirrorClient::new(prefabs()))
    }

    pub(crate) fn with(mut client: MirrorClient) -> Self {
        client.add_scene_object(DOOR, Door::default()).unwrap();
        client.handle_connect(Limits::TELEPATHY);
        game::called();
        let now = Duration::ZERO;
        Self { client, now }
    }

    /// A client that has joined: an empty burst, and then its player, which is object 4.
    pub(crate) fn joined() -> Self {
        let mut world = Self::new();
        let player = spawn(4, PLAYER, MINE, &full(game::player()));
        world.give(&[started(), finished(), player]);
        world.frame();
        game::called();
        world.events();
        world
    }

    /// The server sends these messages in one batch.
    #[track_caller]
    pub(crate) fn give(&mut self, messages: &[Bytes]) {
        let batch = batch(self.now.as_secs_f64(), messages);
        self.client
            .handle_packet(Channel::Reliable, &batch)
            .unwrap();
    }

    /// A tenth of a second passes. What the client has sent meanwhile, without times.
    pub(crate) fn frame(&mut self) -> Vec<Vec<u8>> {
        self.now += Duration::from_millis(100);
        self.client.update(self.now);
        let messages = sent(&mut self.client).into_iter();
        let messages = messages.flat_map(|(_, messages)| messages);
        messages.filter(|message| !is_time(message)).collect()
    }

    pub(crate) fn events(&mut self) -> Vec<MirrorClientEvent> {
        std::iter::from_fn(|| self.client.poll_event()).collect()
    }
}

/// What a client has sent: channels, and the messages of each batch.
pub(crate) fn sent(client: &mut MirrorClient) -> Vec<(Channel, Vec<Vec<u8>>)> {
    let packets = std::iter::from_fn(|| client.poll_transmit());
    let batches = packets.map(|packet| {
        let messages = Unbatcher::new(&packet.bytes).unwrap();
        let messages = messages.map(|message| message.unwrap().to_vec());
        (packet.channel, messages.collect())
    });
    batches.collect()
}

fn is_time(message: &[u8]) -> bool {
    matches!(
        Message::decode(message),
        Ok(Message::Ping(_) | Message::Pong(_) | Message::TimeSnapshot(_))
    )
}

pub(crate) fn batch(time: f64, messages: &[Bytes]) -> Bytes {
    let mut batcher = Batcher::new(usize::MAX);
    for message in messages {
        batcher.add(message, time);
    }
    let empty = Bytes::copy_from_slice(&time.to_le_bytes());
    batcher.next_batch().unwrap_or(empty)
}

pub(crate) fn message<'a>(message: &impl NetworkMessage<'a>) -> Bytes {
    message.to_bytes().unwrap()
}

pub(crate) fn started() -> Bytes {
    message(&ObjectSpawnStartedMessage)
}

pub(crate) fn finished() -> Bytes {
    message(&ObjectSpawnFinishedMessage)
}

pub(crate) fn spawn(id: u32, asset_id: AssetId, flags: SpawnFlags, payload: &[u8]) -> Bytes {
    spawn_of(id, (asset_id, SceneId::NONE), flags, payload)
}

pub(crate) fn spawn_door(id: u32, payload: &[u8]) -> Bytes {
    spawn_of(id, (AssetId::NONE, DOOR), SpawnFlags::NONE, payload)
}

fn spawn_of(id: u32, kind: (AssetId, SceneId), flags: SpawnFlags, payload: &[u8]) -> Bytes {
    message(&SpawnMessage {
        net_id: NetId(id),
        flags,
        scene_id: kind.1,
        asset_id: kind.0,
        position: Vector3::new(1.0, 2.0, 3.0),
        rotation: Quaternion::IDENTITY,
        scale: Vector3::new(1.0, 1.0, 2.0),
        payload: Some(payload),
    })
}

pub(crate) fn owner(id: u32, flags: SpawnFlags) -> Bytes {
    let net_id = NetId(id);
    message(&ChangeOwnerMessage { net_id, flags })
}

pub(crate) fn destroy(id: u32) -> Bytes {
    let net_id = NetId(id);
    message(&ObjectDestroyMessage { net_id })
}

pub(crate) fn state(id: u32, payload: &[u8]) -> Bytes {
    message(&EntityStateMessage {
        net_id: NetId(id),
        payload: Some(payload),
    })
}

/// The payload of a spawn: all components, each behind its safety byte.
pub(crate) fn full(behaviours: impl BehaviourSet) -> Vec<u8> {
    payload(behaviours, true)
}

/// The payload of a change: those components that have been written to.
pub(crate) fn changes(behaviours: impl BehaviourSet) -> Vec<u8> {
    payload(behaviours, false)
}

fn payload(behaviours: impl BehaviourSet, initial_state: bool) -> Vec<u8> {
    let mut behaviours = behaviours.into_behaviours();
    let (mut mask, mut parts) = (0_u8, Vec::new());
    let mut index = 0;
    behaviours.slots_mut().for_each_mut(|slot| {
        if initial_state || slot.dirty_bits() != 0 {
            let mut part = syncvar::wire::NetworkWriter::with_encoding(Encoding::Mirror);
            slot.write_layout(&mut part, initial_state, false);
            mask |= 1 << index;
            parts.push(u8::try_from(part.len() % 256).unwrap());
            parts.extend(part.as_bytes());
        }
        index += 1;
    });
    [vec![mask], parts].concat()
}
