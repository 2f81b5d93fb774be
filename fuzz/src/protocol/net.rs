//! UNet and Compact.

use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;

use syncvar::interest::Tag;
use syncvar::prelude::*;
use syncvar::stats::MessageType;
use syncvar::values::{Postcard, Vector3};
use syncvar::wire::NetworkWriter;
use syncvar::{
    Budget, ClientConfig, Framing, NetworkIdentity, NetworkSceneId, PacketLimits, ServerConfig,
};

use super::{MAX_OBJECTS, Protocol};
use crate::objects::{Body, Chat, Item, Mind, Purse, Racer, Tree, Wheel, digest, hero, prefabs};
use crate::packet::Packet;
use crate::pawn::{GROUP, Move, Pawn};
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
            const HAS_SESSIONS: bool = true;

            fn server() -> NetworkServer {
                NEXT_TOKEN.store(0, Ordering::Relaxed);
                let config = ServerConfig {
                    reconnect_grace: Duration::from_secs(5),
                    session_tokens: Some(next_token),
                    ..ServerConfig::default()
                };
                let mut server = NetworkServer::with_config(prefabs(), config);
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
                let pawn = server.try_spawn(Pawn::default(), options.clone());
                pawn.and_then(|pawn| Ok(drop(server.set_group(pawn, Some(GROUP)))))
                    .ok();
                server.try_spawn(hero(), options).ok()
            }

            fn is_ready(server: &NetworkServer, connection: ConnectionId) -> bool {
                server.is_ready(connection)
            }

            fn change(server: &mut NetworkServer, connections: &[ConnectionId; 4], step: Step<'_>) {
                let known = |link| server.connection_of(link).unwrap_or(link);
                let connections = connections.map(known);
                change(server, &connections, step);
            }

            fn write(client: &mut NetworkClient, step: Step<'_>) {
                if !write(client, step) {
                    write_field!(client, step, |_: &NetworkClient, _| true);
                }
            }

            fn expected(server: &NetworkServer, to: ConnectionId) -> Vec<(NetId, Vec<u8>)> {
                let visible = |id: &NetId| server.is_visible(*id, to);
                let mut values = expected!(server, to, visible);
                for (id, bytes) in &mut values {
                    bytes.extend(server.get::<Pawn>(*id).into_iter().flat_map(Pawn::digest));
                }
                values
            }

            fn replicas(client: &NetworkClient) -> Vec<(NetId, Vec<u8>)> {
                let mut values = replicas!(client, is_owner);
                for (id, bytes) in &mut values {
                    bytes.extend(client.get::<Pawn>(*id).into_iter().flat_map(Pawn::digest));
                }
                values
            }

            fn connection(server: &NetworkServer, link: ConnectionId) -> ConnectionId {
                server.connection_of(link).unwrap_or(link)
            }

            fn step(server: &mut NetworkServer, links: &[ConnectionId; 4], now: Duration) {
                take_inputs(server, links, now);
            }

            fn inputs(server: &NetworkServer, step: Step<'_>) -> Vec<u8> {
                let encoding = Framing::$name.encoding();
                super::inputs::messages(server.network_time().tick, encoding, step)
            }

            fn check(server: &NetworkServer, client: &NetworkClient, to: ConnectionId) {
                for id in server.identities().map(NetworkIdentity::net_id) {
                    let group = server.group(id);
                    let is_member = group.is_some_and(|group| server.is_in_group(to, group));
                    let pawns = server.get::<Pawn>(id).zip(client.get::<Pawn>(id));
                    if let Some((known, replica)) = pawns
                        && (is_member || server.owner(id) == Some(to))
                    {
                        assert_eq!(known.secrets(), replica.secrets(), "values of the group");
                    }
                }
            }

            fn returning(session: u8, bytes: &[u8]) -> Option<Packet> {
                let flags = if bytes.is_empty() { 1 } else { 3 };
                let payload = [&[flags], &token(session)[..], bytes].concat();
                let message = message_of(MessageType::Session, &payload);
                Some(Packet::new(Self::LIMITS, 0, &message))
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

/// Scene object of server and client.
const SCENE: NetworkSceneId = NetworkSceneId(7);

static NEXT_TOKEN: AtomicU8 = AtomicU8::new(0);

/// Returns the token of the next session or return.
fn next_token() -> [u8; 16] {
    token(NEXT_TOKEN.fetch_add(1, Ordering::Relaxed))
}

/// Returns the token with a number: far enough from other tokens for every mutation.
fn token(number: u8) -> [u8; 16] {
    let number = u128::from(number) + 1;
    number
        .wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835)
        .to_le_bytes()
}

/// Moves the pawns by the inputs of their owners.
fn take_inputs(server: &mut NetworkServer, links: &[ConnectionId; 4], now: Duration) {
    let ids: Vec<NetId> = server.identities().map(NetworkIdentity::net_id).collect();
    for tick in server.ticks_until(now) {
        for link in links {
            let connection = server.connection_of(*link).unwrap_or(*link);
            let input = server.input::<Move>(connection, tick);
            for id in &ids {
                if server.owner(*id) == Some(connection)
                    && let Ok(mut pawn) = server.get_mut::<Pawn>(*id)
                {
                    pawn.advance(input.clone());
                }
            }
        }
    }
}

/// Sets the input, or writes to a pawn. Returns whether the step does so.
fn write(client: &mut NetworkClient, mut step: Step<'_>) -> bool {
    let (which, what, number) = (step.byte(), step.byte(), step.number());
    let ids = client.identities().map(NetworkIdentity::net_id);
    let pawns: Vec<_> = ids.filter(|id| client.get::<Pawn>(*id).is_some()).collect();
    let pawn = pawns.get(usize::from(which) % pawns.len().max(1)).copied();
    let pawn = pawn.unwrap_or_default();
    match what % 16 {
        3 => {
            let words = (which > 127).then(|| step.text());
            let x = f32::from_bits(number);
            drop(client.set_input(&Move { x, words }));
        }
        7 => {
            if let Ok(mut pawn) = client.get_mut::<Pawn>(pawn) {
                pawn.aim(number);
            }
        }
        11 => drop(client.calls::<Pawn>(pawn).shoot(NetId(number % 64))),
        15 => drop(client.send(&Chat {
            text: step.text(),
            ..Chat::default()
        })),
        _ => return false,
    }
    true
}

/// Changes what Mirror has not: scenes, parents, groups, pawns, budgets.
fn change_more(
    server: &mut NetworkServer,
    connections: &[ConnectionId; 4],
    (what, id, number): (u8, NetId, u8),
) {
    let connection = connections[usize::from(number % 4)];
    let group = (number < 192).then_some(Tag(u64::from(number % 3)));
    let value = [f32::NAN, 0.0, -1.0, f32::INFINITY, 1.0][usize::from(number % 5)];
    // The steps 20 and 21 of 22.
    match what / 22 * 2 + what % 2 {
        0..4 => drop(server.spawn_scene_object(SCENE, Body::default())),
        4..8 => drop(server.set_parent(id, Some(NetId(number.into())))),
        8 | 9 => drop(server.set_group(id, group)),
        10 | 11 => drop(server.join_group(connection, group.unwrap_or(GROUP))),
        12 => drop(server.leave_group(connection, group.unwrap_or(GROUP))),
        13 | 14 => {
            if let Ok(mut pawn) = server.get_mut::<Pawn>(id) {
                pawn.change(number, number.into(), "plan");
            }
        }
        15 => drop(server.set_priority(id, value)),
        16 => {
            let budget = Budget {
                half_distance: value,
                ..Budget::new(number.into())
            };
            let budget = (number > 31).then_some(budget);
            drop(server.set_budget(connection, budget));
            drop(server.set_viewpoint(connection, Some(Vector3::new(value, value, 1.0))));
        }
        17 => drop(server.send_on(*connections, number % 3, &Chat::default())),
        _ => drop(server.try_spawn(Pawn::default(), SpawnOptions::default())),
    }
}

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
        |server: &mut NetworkServer, what: u8, id, number: u8| {
            change_more(server, connections, (what, id, number));
        },
        false
    );
}

/// Returns the header of a stream packet, the last of its update, or of a datagram whose whole tick is
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
    numbered(number, payload)
}

/// Returns a message of a known type.
pub(super) fn message_of(kind: MessageType, payload: &[u8]) -> Vec<u8> {
    numbered(kind.number(), payload)
}

fn numbered(number: i16, payload: &[u8]) -> Vec<u8> {
    let mut writer = NetworkWriter::new();
    let start = writer.start_message(number);
    writer.write_bytes(payload);
    writer.finish_message(start);
    writer.as_bytes().to_vec()
}
