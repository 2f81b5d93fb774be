//! `Gateways`: records of a zone for the gateways, and the players behind them.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;

use bytes::Bytes;
use syncvar_net::{NetworkServer, RecordEntryKind, TickRecord};
use syncvar_runtime::{ConnectionId, NetId};

use super::gateway_record::{
    ClientMessage, GatewayFacts, GatewayRecord, GatewayState, Resident, records_to_bytes,
};
use super::mail::Asked;
use super::message::GatewayClient;
use super::residents::Residents;
use crate::zone::{ClientId, ZoneId};
use crate::{Carrier, NodeId, QuestionId, Topic, WorldState};

/// Published records that a gateway may ask for again.
const KEPT: usize = 64;

/// Most bytes of the records in an answer, apart from the first record.
const MAX_ANSWER: usize = 256 << 10;

/// Players of a gateway.
#[derive(Debug, Default)]
struct GatewayPlayers {
    /// Number of the last list of players.
    number: u64,
    /// Moment of the last list, also of a repeated one.
    heard: Duration,
    clients: BTreeMap<ClientId, ConnectionId>,
}

/// Gateways of a zone.
#[derive(Debug, Default)]
pub(super) struct Gateways {
    /// Gateways that have asked for a keyframe.
    watching: BTreeSet<NodeId>,
    players: BTreeMap<NodeId, GatewayPlayers>,
    /// Records that wait for the journal, with their numbers.
    written: Vec<(u64, Bytes)>,
    published: VecDeque<(u64, Bytes)>,
    /// Questions for a keyframe, with the number of the last record before each.
    asked: Vec<(NodeId, QuestionId, u64)>,
    /// Questions about lists of players, which wait for the journal.
    listed: Vec<(NodeId, QuestionId)>,
}

impl Gateways {
    /// Notes a question for a keyframe.
    pub(super) fn take_question(
        &mut self,
        server: &mut NetworkServer,
        (from, id): Asked,
        seq: u64,
    ) {
        if self.watching.is_empty() {
            server.track_private_fields(true);
        }
        self.watching.insert(from);
        if !self
            .asked
            .iter()
            .any(|(node, it, _)| (*node, *it) == (from, id))
        {
            self.asked.push((from, id, seq));
        }
    }

    /// Returns the published records behind a number.
    pub(super) fn records_after(&self, seq: u64) -> Bytes {
        let mut records = self.published.iter().filter(|(it, _)| *it > seq).peekable();
        // A gap is closed by all of its records, or by a keyframe.
        if records.peek().is_none_or(|(first, _)| *first != seq + 1) {
            return records_to_bytes(&[]);
        }
        let (mut taken, mut length) = (Vec::new(), 0);
        for (_, record) in records {
            length += record.len();
            if !taken.is_empty() && length > MAX_ANSWER {
                break;
            }
            taken.push(record.clone());
        }
        records_to_bytes(&taken)
    }

    /// Takes the list of the players of a gateway: players that are new have a connection, and those that are not in it lose
    /// theirs. Returns the clients that have left.
    pub(super) fn take_players(
        &mut self,
        server: &mut NetworkServer,
        question: Asked,
        number: u64,
        clients: Vec<GatewayClient>,
        now: Duration,
    ) -> Vec<ClientId> {
        let players = self.players.entry(question.0).or_default();
        players.heard = now;
        self.listed.push(question);
        if number <= players.number {
            return Vec::new();
        }
        players.number = number;
        let mut known = std::mem::take(&mut players.clients);
        let mut added = Vec::new();
        for GatewayClient { client, key } in clients {
            match known.remove(&client) {
                Some(connection) => {
                    players.clients.insert(client, connection);
                }
                None => added.push((client, key)),
            }
        }
        // The objects of a player who has joined again wait for the key.
        for connection in known.values() {
            server.disconnect_remote(*connection);
        }
        for (client, key) in added {
            let connection = server.connect_remote(key);
            players.clients.insert(client, connection);
        }
        known.into_keys().collect()
    }

    /// Ends the players of gateways that are silent. The numbers of their commands stay: a gateway that was cut off repeats its commands.
    pub(super) fn end_silent(
        &mut self,
        server: &mut NetworkServer,
        grace: Duration,
        now: Duration,
    ) {
        self.players.retain(|gateway, players| {
            let is_silent = now.saturating_sub(players.heard) > grace;
            if is_silent {
                tracing::info!(%gateway, "a gateway is silent: its players have left");
                for connection in players.clients.values() {
                    server.disconnect_remote(*connection);
                }
            }
            !is_silent
        });
    }

    /// Begins the times of silence anew, after a time without a lease.
    pub(super) fn hear_all(&mut self, now: Duration) {
        for players in self.players.values_mut() {
            players.heard = now;
        }
    }

    /// Returns the connection of a client, and of a gateway's client alone.
    pub(super) fn connection(&self, client: ClientId) -> Option<ConnectionId> {
        let mut players = self.players.values();
        players.find_map(|players| players.clients.get(&client).copied())
    }

    /// Writes a record of the last update, if a gateway follows.
    pub(super) fn write(
        &mut self,
        server: &mut NetworkServer,
        residents: &Residents,
        zone: ZoneId,
        record: &TickRecord,
    ) {
        let messages = self.take_messages(server);
        if self.watching.is_empty() {
            return;
        }
        let private = server.private_record(record);
        let ended = record.entries();
        let ended = ended.filter(|entry| entry.kind == RecordEntryKind::End);
        let departed = ended.filter_map(|entry| entry.object);
        let facts = GatewayFacts {
            zone,
            residents: list(server, residents, private.objects),
            departed: departed
                .filter(|object| residents.left_to(*object).is_some())
                .collect(),
            messages,
            private: private.fields,
        };
        let record = record.clone();
        let seq = record.seq();
        self.written
            .push((seq, GatewayRecord { facts, record }.to_bytes()));
    }

    fn take_messages(&self, server: &mut NetworkServer) -> Vec<ClientMessage> {
        let mut messages = Vec::new();
        let mut clients = None;
        while let Some(remote) = server.poll_remote() {
            let clients = clients.get_or_insert_with(|| self.clients());
            if let Some(client) = clients.get(&remote.connection) {
                messages.push(ClientMessage {
                    client: *client,
                    channel: remote.channel,
                    message: remote.message,
                });
            }
        }
        messages
    }

    /// Returns the clients by their connections.
    fn clients(&self) -> BTreeMap<ConnectionId, ClientId> {
        let clients = self.players.values().flat_map(|players| &players.clients);
        clients
            .map(|(client, connection)| (*connection, *client))
            .collect()
    }

    /// Publishes the records, and answers the questions that have waited for the journal.
    pub(super) fn send(
        &mut self,
        carrier: &mut impl Carrier,
        server: &mut NetworkServer,
        residents: &Residents,
        zone: ZoneId,
    ) {
        for (seq, bytes) in self.written.drain(..) {
            carrier.publish(Topic::GATEWAY, bytes.clone());
            self.published.push_back((seq, bytes));
            if self.published.len() > KEPT {
                self.published.pop_front();
            }
        }
        for (node, id) in self.listed.drain(..) {
            carrier.answer(node, id, Bytes::new());
        }
        self.answer_keyframes(carrier, server, residents, zone);
        self.forget_gone(carrier, server);
    }

    /// Answers the questions whose keyframe has been written since.
    fn answer_keyframes(
        &mut self,
        carrier: &mut impl Carrier,
        server: &mut NetworkServer,
        residents: &Residents,
        zone: ZoneId,
    ) {
        let keyframe = server.keyframe().filter(|_| !self.asked.is_empty());
        let Some(keyframe) = keyframe.cloned() else {
            return;
        };
        let mut answer = None;
        self.asked.retain(|(node, id, seq)| {
            let is_due = keyframe.seq() > *seq;
            if is_due {
                let state = || {
                    let private = server.private_record(&keyframe);
                    let facts = GatewayFacts {
                        zone,
                        residents: list(server, residents, private.objects),
                        departed: residents.departing().collect(),
                        messages: Vec::new(),
                        private: private.fields,
                    };
                    let state = WorldState::of_server(server, keyframe.clone());
                    GatewayState { facts, state }.to_bytes()
                };
                let bytes = answer.get_or_insert_with(state).clone();
                carrier.answer(*node, *id, bytes);
            }
            !is_due
        });
    }

    /// Writes no more records when no gateway is left that has asked for a keyframe.
    fn forget_gone(&mut self, carrier: &impl Carrier, server: &mut NetworkServer) {
        if self.watching.is_empty() {
            return;
        }
        let living: BTreeSet<NodeId> = carrier.nodes().into_iter().map(|node| node.id).collect();
        self.watching.retain(|node| living.contains(node));
        if self.watching.is_empty() {
            server.track_private_fields(false);
            self.published.clear();
        }
    }
}

/// Lists objects that are here.
fn list(server: &NetworkServer, residents: &Residents, objects: BTreeSet<NetId>) -> Vec<Resident> {
    let here = objects
        .into_iter()
        .filter(|it| server.identity(*it).is_some());
    let resident = |object| Resident {
        object,
        epoch: residents.epoch(object),
        player: server.player_of(object).unwrap_or_default(),
    };
    here.map(resident).collect()
}
