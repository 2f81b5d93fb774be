//! UNet and Compact.

use syncvar::prelude::*;
use syncvar::stats::MessageType;
use syncvar::values::Postcard;
use syncvar::wire::NetworkWriter;
use syncvar::{ClientConfig, Framing, NetworkSceneId, PacketLimits};

use super::{MAX_OBJECTS, Protocol};
use crate::objects::{Body, Item, Mind, Purse, Racer, Tree, Wheel, digest, hero, prefabs};
use crate::packet::Packet;
use crate::script::Step;

/// Messages of many objects.
#[derive(Debug)]
pub struct Compact;

/// Messages of UNet.
#[derive(Debug)]
pub struct Unet;

macro_rules! protocol {
    ($name:ident, $index:literal, $limits:expr, $packet:expr) => {
        impl Protocol for $name {
            type Server = NetworkServer;
            type Client = NetworkClient;

            const NAME: &'static str = stringify!($name);
            const INDEX: usize = $index;
            const LIMITS: PacketLimits = $limits;

            fn server() -> NetworkServer {
                let mut server = NetworkServer::new(prefabs());
                server.spawn(Body::default());
                server
            }

            fn client() -> NetworkClient {
                let config = ClientConfig {
                    framing: Framing::$name,
                    max_objects: 64,
                    ..ClientConfig::default()
                };
                let mut client = NetworkClient::with_config(prefabs(), config);
                let added = client.add_scene_object(SCENE, Body::default());
                added.expect("a registered prefab");
                client
            }

            fn join(server: &mut NetworkServer, connection: ConnectionId) -> Option<NetId> {
                let options = SpawnOptions {
                    owner: Some(connection),
                    ..SpawnOptions::default()
                };
                server.try_spawn(hero(), options).ok()
            }

            fn is_ready(server: &NetworkServer, connection: ConnectionId) -> bool {
                server.is_ready(connection)
            }

            fn change(server: &mut NetworkServer, connections: &[ConnectionId; 4], step: Step<'_>) {
                change(server, connections, step);
            }

            fn write(client: &mut NetworkClient, step: Step<'_>) {
                write_field!(client, step, |_: &NetworkClient, _| true);
            }

            fn expected(server: &NetworkServer, to: ConnectionId) -> Vec<(NetId, Vec<u8>)> {
                let visible = |id: &NetId| server.is_visible(*id, to);
                expected!(server, to, visible)
            }

            fn replicas(client: &NetworkClient) -> Vec<(NetId, Vec<u8>)> {
                replicas!(client, is_owner)
            }

            fn message(kind: u8, payload: &[u8]) -> Vec<u8> {
                message(kind, payload)
            }

            fn packet(channel: u8, sequence: u16, messages: &[u8]) -> Packet {
                let header: Vec<u8> = $packet(channel, sequence);
                Packet::new(Self::LIMITS, channel, &[&header, messages].concat())
            }
        }
    };
}

protocol!(Compact, 0, DATAGRAMS, header);
protocol!(Unet, 1, PacketLimits::STREAM, |_, _| Vec::new());

/// Limits of a transport with datagrams.
const DATAGRAMS: PacketLimits = PacketLimits {
    datagrams: true,
    ..PacketLimits::STREAM
};

/// Scene object of both ends.
const SCENE: NetworkSceneId = NetworkSceneId(7);

fn change(server: &mut NetworkServer, connections: &[ConnectionId; 4], step: Step<'_>) {
    change!(
        server,
        connections,
        step,
        |server: &mut NetworkServer, owner, kind| {
            let options = SpawnOptions {
                owner,
                ..SpawnOptions::default()
            };
            if kind < 128 {
                server.try_spawn(hero(), options)
            } else {
                server.try_spawn(Racer::default(), options)
            }
        },
        |server: &mut NetworkServer, what, id, number: u8| match what % 22 {
            20 => drop(server.spawn_scene_object(SCENE, Body::default())),
            _ => drop(server.set_parent(id, Some(NetId(number.into())))),
        },
        false
    );
}

/// Returns the header of a stream packet, the last one of its update, or of a datagram whose whole tick is
/// its sequence.
fn header(channel: u8, sequence: u16) -> Vec<u8> {
    const END: u8 = 0x02;
    const SEQ_AND_WIDE: u8 = 0x03;
    if channel == 0 {
        return vec![END];
    }
    let tick = u32::from(sequence).to_le_bytes();
    [&[SEQ_AND_WIDE], &sequence.to_le_bytes()[..], &tick].concat()
}

fn message(kind: u8, payload: &[u8]) -> Vec<u8> {
    let number = MessageType::ALL
        .get(usize::from(kind))
        .map_or(i16::from(kind), |kind| kind.number());
    let mut writer = NetworkWriter::new();
    let start = writer.start_message(number);
    writer.write_bytes(payload);
    writer.finish_message(start);
    writer.as_bytes().to_vec()
}
