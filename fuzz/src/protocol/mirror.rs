//! Mirror.

use syncvar::PacketLimits;
use syncvar::mirror::batch::Batcher;
use syncvar::mirror::message::{
    AddPlayerMessage, ChangeOwnerMessage, CommandMessage, EntityStateMessage,
    EntityStateMessageUnreliableBaseline, EntityStateMessageUnreliableDelta, NetworkMessage,
    NetworkPingMessage, NetworkPongMessage, NotReadyMessage, ObjectDestroyMessage,
    ObjectHideMessage, ObjectSpawnFinishedMessage, ObjectSpawnStartedMessage, ReadyMessage,
    RpcMessage, SceneMessage, SpawnMessage, TimeSnapshotMessage,
};
use syncvar::mirror::{
    MirrorClient, MirrorClientConfig, MirrorMessage, MirrorServer, MirrorServerConfig,
    MirrorSpawnOptions, SceneId, Visibility,
};
use syncvar::prelude::*;
use syncvar::values::Postcard;

use super::{MAX_OBJECTS, Protocol};
use crate::objects::{
    Body, Chat, Door, Item, Mind, Purse, Racer, Tree, Wheel, digest, hero, mirror_prefabs,
};
use crate::script::Step;

/// Mirror's protocol.
#[derive(Debug)]
pub struct Mirror;

/// Ids of the messages.
const IDS: [u16; 19] = [
    EntityStateMessage::ID,
    CommandMessage::ID,
    SpawnMessage::ID,
    RpcMessage::ID,
    ReadyMessage::ID,
    NotReadyMessage::ID,
    AddPlayerMessage::ID,
    SceneMessage::ID,
    ObjectSpawnStartedMessage::ID,
    ObjectSpawnFinishedMessage::ID,
    ChangeOwnerMessage::ID,
    ObjectDestroyMessage::ID,
    ObjectHideMessage::ID,
    EntityStateMessageUnreliableBaseline::ID,
    EntityStateMessageUnreliableDelta::ID,
    TimeSnapshotMessage::ID,
    NetworkPingMessage::ID,
    NetworkPongMessage::ID,
    Chat::ID,
];

/// Scene object of server and client.
const SCENE: SceneId = SceneId(7);

impl Protocol for Mirror {
    type Server = MirrorServer;
    type Client = MirrorClient;

    const NAME: &'static str = "Mirror";
    const INDEX: usize = 2;
    const LIMITS: PacketLimits = PacketLimits::STREAM;

    fn server() -> MirrorServer {
        let mut server = MirrorServer::with_config(mirror_prefabs(), MirrorServerConfig::default());
        server.spawn(Body::default());
        server
    }

    fn client() -> MirrorClient {
        let config = MirrorClientConfig {
            max_objects: 64,
            ..MirrorClientConfig::default()
        };
        let mut client = MirrorClient::with_config(mirror_prefabs(), config);
        let added = client.add_scene_object(SCENE, Door::default());
        added.expect("a registered prefab");
        client
    }

    fn join(server: &mut MirrorServer, connection: ConnectionId) -> Option<NetId> {
        server.add_player(connection, hero()).ok()
    }

    fn is_ready(server: &MirrorServer, connection: ConnectionId) -> bool {
        server.is_ready(connection)
    }

    fn change(server: &mut MirrorServer, connections: &[ConnectionId; 4], step: Step<'_>) {
        change!(
            server,
            connections,
            step,
            |server: &mut MirrorServer, owner, kind| {
                let options = MirrorSpawnOptions {
                    owner,
                    ..MirrorSpawnOptions::default()
                };
                if kind < 128 {
                    server.try_spawn(hero(), options)
                } else {
                    server.try_spawn(Racer::default(), options)
                }
            },
            |server: &mut MirrorServer, what, id, number: u8| match (what % 22, number % 4) {
                (20, _) => {
                    let options = MirrorSpawnOptions::default();
                    drop(server.spawn_scene_object(SCENE, Door::default(), options));
                }
                (_, 0) => drop(server.set_visibility(id, Visibility::ForceShown)),
                (_, 1) => drop(server.set_visibility(id, Visibility::ByDefault)),
                _ => drop(server.send_to_ready(&Chat::default())),
            },
            true
        );
    }

    fn write(client: &mut MirrorClient, step: Step<'_>) {
        write_field!(client, step, MirrorClient::is_owned);
    }

    fn expected(server: &MirrorServer, to: ConnectionId) -> Vec<(NetId, Vec<u8>)> {
        let visible = |id: &NetId| server.is_observer(*id, to);
        expected!(server, to, visible)
    }

    fn replicas(client: &MirrorClient) -> Vec<(NetId, Vec<u8>)> {
        replicas!(client, is_owned)
    }

    fn message(kind: u8, payload: &[u8]) -> Vec<u8> {
        let id = IDS.get(usize::from(kind)).copied().unwrap_or(kind.into());
        let mut batcher = Batcher::new(usize::MAX);
        batcher.add(&[&id.to_le_bytes(), payload].concat(), 1.0);
        batcher.next_batch().unwrap_or_default().to_vec()
    }
}
