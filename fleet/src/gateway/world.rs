//! `GatewayWorld`: the server of a gateway, and the records that it follows.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use bytes::Bytes;
use syncvar_net::{NetworkServer, RecordEntry, RecordEntryKind, RecordMerge, TickRecord};
use syncvar_runtime::{Endpoint, NetId, NetworkTime};

use super::streams::{Due, ZoneStreams};
use super::{GatewayConfig, GatewayStats};
use crate::WorldState;
use crate::relay::WorldError;
use crate::relay::world::{MakeServer, follower};
use crate::zone::ZoneId;
use crate::zone::copies::{Copies, ObjectEnd};
use crate::zone::gateway_record::{ClientMessage, GatewayFacts};

/// Objects of all zones.
#[derive(Debug)]
pub(super) struct GatewayWorld {
    pub(super) server: NetworkServer,
    pub(super) copies: Copies,
    /// Last tick that was played.
    pub(super) tick: u64,
    merge: RecordMerge,
    rate: u32,
    /// Whether a zone has told that the objects of the scene are spawned.
    has_scene: bool,
    /// Objects that have ended in this tick, objects that no zone has had for long, and objects with perhaps a new player.
    pub(super) ended: Vec<NetId>,
    pub(super) expired: Vec<NetId>,
    pub(super) owners: Vec<(NetId, Bytes)>,
    /// Messages for clients in this tick.
    pub(super) messages: Vec<ClientMessage>,
}

impl GatewayWorld {
    /// Begins without objects, with the facts of a zone.
    pub(super) fn begin(
        state: &WorldState,
        gateway: &GatewayConfig,
        make: &mut MakeServer,
        now: Duration,
    ) -> Result<Self, WorldError> {
        let mut server = follower(state, &gateway.server, &gateway.alternates, make)?;
        let incarnation = gateway.server.incarnation;
        let tick = NetworkTime::new(now, state.tick_rate).tick;
        let (merge, first) = RecordMerge::begin(server.prefabs(), incarnation, tick, now);
        server.handle_record(&first).map_err(WorldError::Keyframe)?;
        Ok(Self {
            server,
            copies: Copies::default(),
            tick,
            merge,
            rate: state.tick_rate,
            has_scene: false,
            ended: Vec::new(),
            expired: Vec::new(),
            owners: Vec::new(),
            messages: Vec::new(),
        })
    }

    /// Begins the tick of a time. Returns whether it is a new one.
    pub(super) fn begin_tick(&mut self, now: Duration) -> bool {
        let tick = NetworkTime::new(now, self.rate).tick;
        let is_new = tick > self.tick;
        self.tick = self.tick.max(tick);
        is_new
    }

    /// Plays the records of all zones that are due.
    pub(super) fn play(
        &mut self,
        streams: &mut ZoneStreams,
        config: &GatewayConfig,
        stats: &mut GatewayStats,
        now: Duration,
    ) {
        for (zone, stream) in streams.iter_mut() {
            stream.begin_tick(self.tick, now, self.rate, config.playout);
            while let Some(due) = stream.next_due(self.tick) {
                match due {
                    Due::Record(due) => {
                        stats.records += 1;
                        self.take(zone, &due.record, due.facts, stats);
                    }
                    Due::State(due) if !self.has_schema_of(&due.state.keyframe) => {
                        tracing::error!(%zone, "a zone has a different schema: its objects are not shown");
                        stream.drop_state();
                        break;
                    }
                    Due::State(due) => {
                        stats.keyframes += 1;
                        let present = due.facts.residents.iter().map(|it| it.object);
                        let present: BTreeSet<NetId> = present.collect();
                        self.copies.hold_missing(zone, &present, self.tick);
                        self.take(zone, &due.state.keyframe, due.facts, stats);
                    }
                }
            }
        }
    }

    fn has_schema_of(&self, keyframe: &TickRecord) -> bool {
        keyframe.schema_hash() == Some(self.server.prefabs().schema_hash())
    }

    /// Takes the entries of a record that are about present copies.
    fn take(
        &mut self,
        zone: ZoneId,
        record: &TickRecord,
        facts: GatewayFacts,
        stats: &mut GatewayStats,
    ) {
        let epochs: BTreeMap<NetId, u64> = { facts.residents.iter() }
            .map(|it| (it.object, it.epoch))
            .collect();
        let departed: BTreeSet<NetId> = facts.departed.into_iter().collect();
        let (copies, ended, tick) = (&mut self.copies, &mut self.ended, self.tick);
        let has_scene = &mut self.has_scene;
        self.merge.copy(record, |RecordEntry { object, kind, .. }| {
            let Some(object) = object else {
                let is_scene = kind == RecordEntryKind::Scene;
                return !(is_scene && std::mem::replace(has_scene, true));
            };
            match kind {
                RecordEntryKind::Snapshot => {
                    let former = copies.get(object).map(|copy| copy.zone);
                    let epoch = epochs.get(&object).copied();
                    let enters = epoch.is_some_and(|epoch| copies.enter(object, zone, epoch));
                    let turns = enters && former.is_some_and(|former| former != zone);
                    stats.turns += u64::from(turns);
                    enters
                }
                RecordEntryKind::End => {
                    let end = copies.end(object, zone, departed.contains(&object), tick);
                    let is_ended = end == ObjectEnd::Ended;
                    ended.extend(is_ended.then_some(object));
                    is_ended
                }
                // A call of the zone before a handover may arrive late. It runs once.
                RecordEntryKind::Call => copies.get(object).is_some(),
                _ => copies.is_of(object, zone),
            }
        });
        self.merge.copy(&facts.private, |entry| {
            let is_change = entry.kind == RecordEntryKind::Change;
            is_change
                && entry
                    .object
                    .is_some_and(|object| copies.is_of(object, zone))
        });
        let residents = facts.residents.into_iter();
        let present = residents.filter(|it| copies.is_of(it.object, zone));
        self.owners.extend(present.map(|it| (it.object, it.player)));
        self.messages.extend(facts.messages);
    }

    /// Gives the record of the tick to the server. Returns whether all of it was readable.
    pub(super) fn end_tick(
        &mut self,
        config: &GatewayConfig,
        stats: &mut GatewayStats,
        now: Duration,
    ) -> bool {
        let hold = NetworkTime::new(config.hold, self.rate).tick;
        if let Some(since) = self.tick.checked_sub(hold) {
            for object in self.copies.expire(since) {
                tracing::warn!(%object, "no zone has had an object for a while");
                stats.expired += 1;
                self.merge.end_object(object);
                self.expired.push(object);
            }
        }
        let record = self.merge.record(self.tick, now);
        let played = self.server.handle_record(&record);
        if let Err(error) = &played {
            tracing::warn!(%error, "a gateway cannot play a record");
        }
        played.is_ok()
    }

    /// Updates the clients.
    pub(super) fn update(&mut self, now: Duration) {
        Endpoint::update(&mut self.server, now);
    }
}
