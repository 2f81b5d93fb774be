//! A server made by hand: what it sends is put together here, and what the client sends is taken apart.

use std::time::Duration;

use bytes::Bytes;
use syncvar::Channel;
use syncvar::mirror::batch::Batcher;
use syncvar::mirror::message::{Message, SpawnFlags};
use syncvar::mirror::{AssetId, Limits, MirrorClient, MirrorClientEvent};
pub(crate) use syncvar_testing::mirror::messages::{
    changes, destroy, finished, full, message, owner, spawn, started, state,
};
use syncvar_testing::mirror::messages::{messages, spawn_in_scene};

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

/// Returns the packets of a client: channels, and the messages of each batch.
pub(crate) fn sent(client: &mut MirrorClient) -> Vec<(Channel, Vec<Vec<u8>>)> {
    let packets = std::iter::from_fn(|| client.poll_transmit());
    let batches = packets.map(|packet| (packet.channel, messages(&packet.bytes)));
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

pub(crate) fn spawn_door(id: u32, payload: &[u8]) -> Bytes {
    spawn_in_scene(id, DOOR, payload)
}
