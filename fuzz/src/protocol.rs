//! `Protocol`: the ends of a protocol, their changes and their comparison.

/// Writes to a field of an object, or sends a command, by `step`.
macro_rules! write_field {
    ($client:expr, $step:expr, $may_write:expr) => {{
        let (client, mut step) = ($client, $step);
        let (which, what, number) = (step.byte(), step.byte(), step.number());
        let ids = client.identities().map(|identity| identity.net_id());
        let ids: Vec<_> = ids.collect();
        let id = ids
            .get(usize::from(which) % ids.len().max(1))
            .copied()
            .unwrap_or_default();
        let text = step.text();
        match what {
            0..200 if $may_write(&*client, id) => {
                if let Ok(mut mind) = client.get_mut::<Mind>(id) {
                    mind.change(what, number, &text);
                }
            }
            0..210 => drop(client.calls::<Body>(id).fire(number)),
            210..216 => {
                let (label, block) = (FixedString::truncated(&text), Some([0.5; 64]));
                drop(
                    client
                        .calls::<Body>(id)
                        .mark(vec![label; 2], vec![block, None]),
                );
            }
            216..220 => {
                let tree = Tree {
                    parts: vec![Tree::default()],
                };
                drop(client.calls::<Body>(id).plant(Postcard(tree)));
            }
            220..240 => {
                // The healthy client stays ready.
                let text = text.trim_start_matches('n').into();
                drop(client.calls::<Body>(id).open(text));
            }
            _ => {
                let items = vec![Item {
                    names: vec![text],
                    ..Item::default()
                }];
                let prices = [(which, String::from("price"))].into();
                drop(client.calls::<Body>(id).give(items, prices, NetRef::NONE));
            }
        }
    }};
}

/// Returns the values that a client should have, by object.
macro_rules! expected {
    ($server:expr, $to:expr, $visible:expr) => {{
        let (server, visible) = ($server, $visible);
        let ids = server
            .identities()
            .map(|identity| identity.net_id())
            .filter(visible);
        let values = ids.map(|id| {
            let purse = server
                .get::<Purse>(id)
                .filter(|_| server.owner(id) == Some($to));
            (
                id,
                digest(
                    server.get::<Body>(id),
                    server.get::<Mind>(id),
                    purse,
                    server.get::<Wheel>(id),
                ),
            )
        });
        let mut values: Vec<_> = values.collect();
        values.sort_unstable();
        values
    }};
}

/// Returns the values of a client, by object.
macro_rules! replicas {
    ($client:expr, $is_owner:ident) => {{
        let client = $client;
        let ids = client.identities().map(|identity| identity.net_id());
        let values = ids.map(|id| {
            let purse = client.get::<Purse>(id).filter(|_| client.$is_owner(id));
            (
                id,
                digest(
                    client.get::<Body>(id),
                    client.get::<Mind>(id),
                    purse,
                    client.get::<Wheel>(id),
                ),
            )
        });
        let mut values: Vec<_> = values.collect();
        values.sort_unstable();
        values
    }};
}

/// Changes the world by `step`: fields, objects, owners, observers, calls. `$more` has the changes that
/// the protocols do not share. With `$may_diverge`, the fields
/// of the healthy client have one writer at a time: the protocol sends no corrections.
macro_rules! change {
    ($server:expr, $connections:expr, $step:expr, $spawn:expr, $more:expr, $may_diverge:expr) => {{
        let (server, connections, mut step) = ($server, $connections, $step);
        let (which, what, number) = (step.byte(), step.byte(), step.number());
        let ids = server.identities().map(|identity| identity.net_id());
        let ids: Vec<_> = ids.collect();
        let id = ids
            .get(usize::from(which) % ids.len().max(1))
            .copied()
            .unwrap_or_default();
        let [low, next, ..] = number.to_le_bytes();
        let connection = connections.get(usize::from(low % 5)).copied();
        let text = step.text();
        match what % 22 {
            0..=7 => {
                if let Ok(mut body) = server.get_mut::<Body>(id) {
                    body.change(next, number, &text);
                }
            }
            8 | 9 => {
                if let Ok(mut purse) = server.get_mut::<Purse>(id) {
                    purse.change(next, number, &text);
                }
                if let Ok(mut wheel) = server.get_mut::<Wheel>(id) {
                    wheel.change(next, number, &text);
                }
            }
            10 if !$may_diverge || server.owner(id).is_none() => {
                if let Ok(mut mind) = server.get_mut::<Mind>(id) {
                    mind.change(next, number, &text);
                }
            }
            11 if ids.len() < MAX_OBJECTS => drop($spawn(server, connection, low)),
            12 => drop(server.despawn(id)),
            13 => {
                let healthy = Some(connections[3]);
                if !$may_diverge || (server.owner(id) != healthy && connection != healthy) {
                    drop(server.set_owner(id, connection));
                }
            }
            14 => drop(connection.map(|connection| server.hide(id, connection))),
            15 => drop(connection.map(|connection| server.show(id, connection))),
            16 => drop(connection.map(|connection| server.restore(id, connection))),
            17 => drop(server.calls::<Body>(id).hear(number, text)),
            18 => {
                if let Some(connection) = connection {
                    let items = vec![Item {
                        names: vec![text],
                        ..Item::default()
                    }];
                    drop(server.calls::<Body>(id).whisper(connection, items));
                }
            }
            // The healthy client stays ready.
            19 => {
                if let Some(attacker) = connection.filter(|attacker| *attacker != connections[3]) {
                    server.set_not_ready(attacker);
                }
            }
            _ => $more(server, what, id, next),
        }
    }};
}

/// Most objects that the steps of an input spawn.
const MAX_OBJECTS: usize = 24;

mod inputs;
mod mirror;
mod net;

pub use mirror::Mirror;
pub use net::{Compact, Unet};

use std::fmt::Debug;
use std::time::Duration;

use syncvar::{ConnectionId, Endpoint, NetId, PacketLimits};

use crate::packet::Packet;
use crate::script::Step;

/// Ends of a protocol with the objects of [`objects`](crate::objects).
pub trait Protocol: Sized + 'static {
    /// Server.
    type Server: Endpoint<Event: Debug>;
    /// Client.
    type Client: Endpoint<Event: Debug>;

    /// Name in messages.
    const NAME: &'static str;
    /// Position among the protocols.
    const INDEX: usize;
    /// Limits of the transport.
    const LIMITS: PacketLimits;

    /// Set if a client returns to its session.
    const HAS_SESSIONS: bool = false;

    /// Returns a server with one object that no client owns.
    fn server() -> Self::Server;

    /// Returns a client.
    fn client() -> Self::Client;

    /// Gives a connection that is ready an object. Returns its id.
    fn join(server: &mut Self::Server, connection: ConnectionId) -> Option<NetId>;

    /// Returns whether a connection receives objects.
    fn is_ready(server: &Self::Server, connection: ConnectionId) -> bool;

    /// Changes the world: fields, objects, owners, observers. `healthy` stays a ready client.
    fn change(server: &mut Self::Server, connections: &[ConnectionId; 4], step: Step<'_>);

    /// Writes to a field of an owned object, or sends a command.
    fn write(client: &mut Self::Client, step: Step<'_>);

    /// Returns the values that a client should have, by object.
    fn expected(server: &Self::Server, connection: ConnectionId) -> Vec<(NetId, Vec<u8>)>;

    /// Returns the values of a client, by object.
    fn replicas(client: &Self::Client) -> Vec<(NetId, Vec<u8>)>;

    /// Returns the connection of a link.
    fn connection(server: &Self::Server, link: ConnectionId) -> ConnectionId {
        let _ = server;
        link
    }

    /// Uses the inputs of the clients up to an update at `now`.
    fn step(server: &mut Self::Server, connections: &[ConnectionId; 4], now: Duration) {
        let _ = (server, connections, now);
    }

    /// Returns messages with inputs of a client about the present tick. Empty without inputs.
    fn inputs(server: &Self::Server, step: Step<'_>) -> Vec<u8> {
        let _ = (server, step);
        Vec::new()
    }

    /// Checks the values of a client beside the [`expected`](Self::expected) values.
    fn check(server: &Self::Server, client: &Self::Client, connection: ConnectionId) {
        let _ = (server, client, connection);
    }

    /// Returns the packet with which a client returns to a session: the session of this number, with these bytes behind
    /// the token. `None` without sessions.
    fn returning(session: u8, bytes: &[u8]) -> Option<Packet> {
        let _ = (session, bytes);
        None
    }

    /// Returns one message, as it is in a packet: `kind` chooses its type.
    fn message(kind: u8, payload: &[u8]) -> Vec<u8>;

    /// Returns a packet with messages: on the stream (channel 0), or as the datagram with this sequence.
    fn packet(channel: u8, sequence: u16, messages: &[u8]) -> Packet {
        let _ = sequence;
        Packet::new(Self::LIMITS, channel, messages)
    }
}
