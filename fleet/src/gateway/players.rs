//! `Players`: clients of a gateway, and their connections at the zones.

use std::collections::BTreeMap;
use std::time::Duration;

use bytes::Bytes;
use syncvar_net::NetworkServer;
use syncvar_runtime::{ConnectionId, NetId};

use crate::zone::membership::Directory;
use crate::zone::message::{GatewayClient, ZoneCall};
use crate::zone::{ClientId, CommandSender};
use crate::{Carrier, NodeId, Question, QuestionId};

/// Interval of the lists without a change: a zone ends the players of a silent gateway.
const INTERVAL: Duration = Duration::from_secs(1);

/// Time for the last commands of a client that has left.
const LEAVING: Duration = Duration::from_secs(2);

#[derive(Debug)]
struct JoinedPlayer {
    client: ClientId,
    key: Bytes,
    /// Moment at which the client has left.
    left: Option<Duration>,
}

/// List that a zone has.
#[derive(Debug, Default)]
struct ToldList {
    number: u64,
    last: Option<Duration>,
    asked: Option<(QuestionId, u64)>,
}

/// Clients of the gateway, and the players of the objects.
#[derive(Debug, Default)]
pub(super) struct Players {
    /// Number of the list: each change raises it.
    number: u64,
    joined: BTreeMap<ConnectionId, JoinedPlayer>,
    /// Connections of the clients that are here, by client and by key.
    clients: BTreeMap<ClientId, ConnectionId>,
    keys: BTreeMap<Bytes, ConnectionId>,
    told: BTreeMap<NodeId, ToldList>,
    /// Keys of the players of objects.
    objects: BTreeMap<NetId, Bytes>,
}

impl Players {
    /// Adds a client. Its objects belong to it at once.
    pub(super) fn add(&mut self, server: &mut NetworkServer, gateway: NodeId, it: ConnectionId) {
        let client = client_id(gateway, it);
        let key = server.player_key(it).map(Bytes::copy_from_slice);
        let key = key.unwrap_or_else(|| Bytes::copy_from_slice(&client.0.to_le_bytes()));
        self.clients.insert(client, it);
        self.keys.insert(key.clone(), it);
        let objects = self.objects.iter();
        let owned = objects.filter(|(_, player)| **player == key);
        for object in owned.map(|(object, _)| *object).collect::<Vec<_>>() {
            // It may have ended.
            let _ = server.set_owner(object, Some(it));
        }
        let left = None;
        self.joined.insert(it, JoinedPlayer { client, key, left });
        self.number += 1;
    }

    /// Notes that a client has left. Its last commands go on.
    pub(super) fn leave(&mut self, connection: ConnectionId, now: Duration) {
        if let Some(player) = self.joined.get_mut(&connection) {
            player.left = Some(now);
            self.clients.remove(&player.client);
            if self.keys.get(&player.key) == Some(&connection) {
                self.keys.remove(&player.key);
            }
        }
    }

    /// Returns the client of a connection.
    pub(super) fn client(&self, connection: ConnectionId) -> Option<ClientId> {
        Some(self.joined.get(&connection)?.client)
    }

    /// Returns the clients that are here, with their connections.
    pub(super) fn present(&self) -> impl Iterator<Item = (ClientId, ConnectionId)> {
        { self.clients.iter() }.map(|(client, connection)| (*client, *connection))
    }

    /// Returns the connection of a client that is here.
    pub(super) fn connection(&self, client: ClientId) -> Option<ConnectionId> {
        self.clients.get(&client).copied()
    }

    /// Sets the player of an object.
    pub(super) fn set_player(&mut self, server: &mut NetworkServer, object: NetId, key: Bytes) {
        let owner = self.keys.get(&key).copied();
        if server.owner(object) != owner && server.set_owner(object, owner).is_err() {
            tracing::debug!(%object, "the player of an object that is not here");
        }
        if key.is_empty() {
            self.objects.remove(&object);
        } else {
            self.objects.insert(object, key);
        }
    }

    /// Forgets an object that has ended.
    pub(super) fn forget_object(&mut self, object: NetId) {
        self.objects.remove(&object);
    }

    /// Tells the zones of the players, and forgets those who have left.
    pub(super) fn update(
        &mut self,
        carrier: &mut impl Carrier,
        sender: &mut CommandSender,
        now: Duration,
    ) {
        let before = self.joined.len();
        self.joined.retain(|_, player| {
            let Some(left) = player.left else {
                return true;
            };
            let waits = now.saturating_sub(left) < LEAVING && sender.has_pending(player.client);
            if !waits {
                sender.forget_client(player.client);
            }
            waits
        });
        self.number += u64::from(before != self.joined.len());
        if self.number > 0 {
            self.tell(carrier, &sender.directory, now);
        }
    }

    fn tell(&mut self, carrier: &mut impl Carrier, directory: &Directory, now: Duration) {
        self.told
            .retain(|node, _| directory.nodes().any(|(_, it)| it == *node));
        for (_, node) in directory.nodes() {
            let told = self.told.entry(node).or_default();
            let is_due = told.number != self.number
                || told
                    .last
                    .is_none_or(|last| now.saturating_sub(last) >= INTERVAL);
            if told.asked.is_some() || !is_due {
                continue;
            }
            let clients = self.joined.values().map(|player| GatewayClient {
                client: player.client,
                key: player.key.clone(),
            });
            let (number, clients) = (self.number, clients.collect());
            let call = ZoneCall::Players { number, clients }.to_bytes();
            told.asked = Some((carrier.ask(node, Question::Call(call)), number));
            told.last = Some(now);
        }
    }

    /// Takes the end of a question. Returns whether it was one about players.
    pub(super) fn take_answer(&mut self, id: QuestionId, is_answered: bool) -> bool {
        let mut told = self.told.values_mut();
        let told = told.find(|told| told.asked.is_some_and(|(asked, _)| asked == id));
        let Some(told) = told else {
            return false;
        };
        if let Some((_, number)) = told.asked.take().filter(|_| is_answered) {
            told.number = number;
        }
        true
    }
}

/// Returns the number of a client: different for each connection of each start of a gateway.
fn client_id(gateway: NodeId, connection: ConnectionId) -> ClientId {
    let step = u64::from(connection.0).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    ClientId(gateway.0.wrapping_add(step))
}
