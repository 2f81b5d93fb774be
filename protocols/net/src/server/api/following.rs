//! Objects of another server: tick records in place of a program.

use bytes::Bytes;
use syncvar_runtime::limits::ReadBudget;
use syncvar_runtime::unstable::ordered::Ids;
use syncvar_runtime::unstable::packet::Entries;
use syncvar_runtime::unstable::prefab::message::FIRST_MESSAGE;
use syncvar_runtime::{
    ConnectionId, NetId, NetworkReader, NetworkWriter, ReadError, ReadErrorKind, Target,
};

use crate::client::Snapshot;
use crate::message::{
    Frame, Incoming, Message, ObjectDestroy, ObjectHide, SetParent, SpawnFinished, frame_number,
    frames, named, unknown,
};
use crate::record::{
    EarlyLimits, ItemWriter, RecordError, RecordOrigin, RecordSequence, Step, check_messages,
};
use crate::server::NetworkServer;
use crate::server::api::rooms::Rooms;
use crate::server::calls::EncodedCall;
use crate::server::calls::target::Receivers;
use crate::server::objects::following::{Following, read_data, read_state};
use crate::server::objects::spawn::NewObject;
use crate::server::saving::objects::ObjectWriter;
use crate::server::visibility::audience::Audiences;
use crate::{Framing, MessageType, TickRecord};

/// Records behind a missing one that are kept.
const EARLY: EarlyLimits = EarlyLimits {
    count: 256,
    bytes: 1 << 20,
};

/// Facts of the snapshots in a record.
#[derive(Debug, Default)]
struct SnapshotFacts {
    objects: Ids<NetId>,
    parents: Vec<(NetId, Option<NetId>)>,
}

impl NetworkServer {
    /// Plays a tick record of another server, the *origin*. This server *follows* it: its objects are those of the records,
    /// with their ids, for its own clients, views, budgets and repairs of losses. The prefabs may come from the origin's schema
    /// ([`Prefabs::from_schema`](syncvar_runtime::Prefabs::from_schema)). The program spawns and changes nothing itself.
    ///
    /// The first record is a keyframe, for a server without objects. Its incarnation and ticks become those of this server, and
    /// its time the [time](Self::now) of this server. The next [`update`](Self::update) sends the changes in the tick of the
    /// record: a program calls it after each record, with an estimate of the time of the origin. If no record has arrived for 0.4 s,
    /// the ticks follow this time.
    ///
    /// Records follow in the order of their numbers, as in [`NetworkClient::handle_record`](crate::NetworkClient::handle_record). A
    /// keyframe with a higher number closes a gap: it sets the fields that differ, and despawns the objects that it lacks. Calls and
    /// messages of the records go to the clients with the framing `Compact`.
    ///
    /// ```
    /// use std::time::Duration;
    /// use syncvar::{ServerConfig, prelude::*};
    ///
    /// #[derive(NetworkBehaviour, Default)]
    /// struct Door {
    ///     #[sync_var]
    ///     open: SyncVar<bool>,
    /// }
    ///
    /// let mut origin = NetworkServer::new(Prefabs::new().register::<Door>("door"));
    /// let door = origin.spawn(Door { open: true.into() });
    /// origin.start_recording();
    /// origin.update(Duration::from_millis(100));
    ///
    /// let learned = Prefabs::from_schema(&origin.prefabs().schema())?;
    /// let mut relay = NetworkServer::new(learned);
    /// relay.handle_record(origin.keyframe().unwrap())?;
    /// relay.update(Duration::from_millis(100));
    /// assert_eq!(relay.value(door, "Door", "open"), Some(&true.into()));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// For a record of a different schema or origin, out of order, behind a missing record, and for the first unreadable message.
    /// The other messages of the record have been applied then. After an unreadable message the server needs a keyframe.
    pub fn handle_record(&mut self, record: &TickRecord) -> Result<(), RecordError> {
        self.objects.check_followed(record)?;
        for item in record.items() {
            check_messages(item.messages)?;
        }
        let mut kept = None;
        loop {
            let record = kept.as_ref().unwrap_or(record);
            // A keyframe with the number of the last record corrects unreadable objects.
            let corrects = record.is_keyframe()
                && self.lacks_records()
                && self.followed_seq() == Some(record.seq());
            let position = self.objects.following.as_mut();
            let position = position.map(|it| &mut it.sequence);
            match RecordSequence::decide(position, record, EARLY)? {
                Step::Continue => {}
                Step::Skip if corrects => {}
                Step::Skip => return Ok(()),
                Step::Begin(origin) if self.is_new() => self.begin_following(record, origin),
                // An earlier keyframe of the same origin is late.
                Step::Begin(origin) if self.follows(&origin) => return Ok(()),
                Step::Begin(_) | Step::Foreign => return Err(RecordError::NeedsKeyframe),
            }
            let result = self.play(record);
            self.context.ticks.follow(record.tick());
            let Some(following) = &mut self.objects.following else {
                return result;
            };
            following.advance(record);
            following.lacks |= result.is_err();
            kept = following.sequence.next();
            result?;
            if kept.is_none() {
                return Ok(());
            }
        }
    }

    /// Names further servers of the same world, such as other relays of one origin, by addresses of the program's choice. Clients
    /// with the framing `Compact` receive them with the answer to their join request, and when they change
    /// ([`NetworkClient::alternates`](crate::NetworkClient::alternates)). Clients take 16 addresses of at most 256 bytes.
    pub fn set_alternates(&mut self, addresses: impl IntoIterator<Item = String>) {
        self.context.alternates = addresses.into_iter().collect();
        let is_receiver = |id: &ConnectionId| {
            self.is_connected(*id) && self.sessions.framing(*id) == Some(Framing::Compact)
        };
        for receiver in self.connections().filter(is_receiver).collect::<Vec<_>>() {
            self.rooms().ground.send_alternates(receiver);
        }
    }

    /// Returns the number of the last record of the origin, if this server follows one.
    pub fn followed_seq(&self) -> Option<u64> {
        let following = self.objects.following.as_ref()?;
        Some(following.sequence.seq())
    }

    /// Returns whether the objects lack changes of the origin: a record was [partial](TickRecord::is_partial), or unreadable.
    pub fn lacks_records(&self) -> bool {
        let following = self.objects.following.as_ref();
        following.is_some_and(|it| it.keyframe_head().partial)
    }

    /// Writes a keyframe of the origin that this server follows, with the state behind the last record. It takes the place of a
    /// keyframe of the origin: a reader plays the next records of the origin behind it. `None` for a server that follows no origin.
    ///
    /// Costs as much as a client that joins.
    pub fn followed_keyframe(&mut self) -> Option<TickRecord> {
        let mut head = self.objects.following.as_ref()?.keyframe_head();
        let mut writer = ObjectWriter::default();
        for id in self.objects.ids().collect::<Vec<_>>() {
            let Rooms { ground, .. } = self.rooms();
            if let Err(error) = writer.add_snapshot(ground.context, ground.objects, id) {
                tracing::warn!(object = %id, %error, "a keyframe lacks an object");
                head.partial = true;
            }
        }
        let mut items = ItemWriter::default();
        writer.drain_snapshots(&mut items);
        Some(TickRecord::new(head, &items.take()))
    }

    /// Returns whether the objects come from another server.
    pub(crate) fn is_following(&self) -> bool {
        self.objects.following.is_some()
    }

    fn is_new(&self) -> bool {
        !self.is_following() && self.objects.world.objects.len() == 0
    }

    fn follows(&self, origin: &RecordOrigin) -> bool {
        let following = self.objects.following.as_ref();
        following.is_some_and(|it| it.sequence.origin() == origin)
    }

    /// Begins with the first keyframe.
    fn begin_following(&mut self, record: &TickRecord, origin: RecordOrigin) {
        let sequence = RecordSequence::new(origin);
        let following = Following::begin(record, sequence, &self.objects.world.prefabs);
        self.objects.following = Some(Box::new(following));
        self.context.config.incarnation = origin.start.incarnation;
        self.context.ticks.restart(origin.start.first_tick);
        self.context.clock.resume(record.time());
    }

    /// Applies the messages of a record. Returns the first error.
    fn play(&mut self, record: &TickRecord) -> Result<(), RecordError> {
        let mut result = Ok(());
        let mut snapshots = SnapshotFacts::default();
        for item in record.items() {
            for frame in frames(item.messages) {
                let played =
                    frame.and_then(|frame| self.play_message(item.channel, frame, &mut snapshots));
                result = result.and(played);
            }
        }
        self.follow_parents(snapshots.parents);
        if record.is_keyframe() {
            let known = snapshots.objects;
            let gone = self.objects.ids().filter(|id| !known.contains(*id));
            for id in gone.collect::<Vec<_>>() {
                // It exists.
                let _ = self.despawn(id);
            }
        }
        result.map_err(RecordError::Malformed)
    }

    fn play_message(
        &mut self,
        channel: u8,
        frame: Frame<'_>,
        snapshots: &mut SnapshotFacts,
    ) -> Result<(), ReadError> {
        let budget = self.record_budget(frame.payload.len());
        if frame.message_type >= FIRST_MESSAGE {
            self.forward_message(channel, frame);
            return Ok(());
        }
        match MessageType::from_number(frame.message_type) {
            Some(MessageType::UpdateBatch) => {
                let mut result = Ok(());
                for entry in Entries::new(frame.payload) {
                    let (id, delta) = entry?;
                    let read = self.objects.follow_delta(channel, id, delta, budget);
                    result = result.and(read);
                }
                result
            }
            Some(MessageType::SpawnBatch) => self.take_snapshots(frame.payload, budget, snapshots),
            Some(MessageType::ObjectDestroy) => {
                let ObjectDestroy { net_id } = ObjectDestroy::decode(frame.payload)?;
                self.drop_followed(net_id);
                Ok(())
            }
            Some(MessageType::ObjectHide) => {
                let ObjectHide { net_id } = ObjectHide::decode(frame.payload)?;
                self.drop_followed(net_id);
                Ok(())
            }
            Some(MessageType::SetParent) => {
                let SetParent { child, parent } = SetParent::decode(frame.payload)?;
                self.follow_parent(child, parent);
                Ok(())
            }
            Some(MessageType::SpawnFinished) => {
                SpawnFinished::decode(frame.payload)?;
                self.scene_loaded();
                Ok(())
            }
            Some(MessageType::Call) => self.forward_call(channel, frame),
            _ => Err(unknown(frame)),
        }
    }

    /// Returns the limits for a message of a record.
    fn record_budget(&self, length: usize) -> ReadBudget {
        let limits = &self.context.config.limits;
        let mut budget = limits.budget(length, usize::MAX);
        budget.elements = budget.elements.max(length);
        budget
    }

    fn drop_followed(&mut self, id: NetId) {
        if self.despawn(id).is_err() {
            tracing::debug!(object = %id, "a record ends an object that is not here");
        }
    }

    fn follow_parent(&mut self, child: NetId, parent: NetId) {
        let parent = Some(parent).filter(|parent| *parent != NetId::NONE);
        if let Err(error) = self.set_parent(child, parent) {
            // The parent may be hidden from all connections.
            tracing::debug!(%child, %error, "a record sets a parent that is not here");
        }
    }

    /// Sets the parents of snapshots. A parent may stand behind its child, and may have been below it.
    fn follow_parents(&mut self, mut parents: Vec<(NetId, Option<NetId>)>) {
        let relations = &self.objects.world.relations;
        parents.retain(|(child, parent)| relations.parent(*child) != *parent);
        for (child, _) in &parents {
            self.follow_parent(*child, NetId::NONE);
        }
        for (child, parent) in parents {
            self.follow_parent(child, parent.unwrap_or(NetId::NONE));
        }
    }

    /// Spawns or corrects the objects of a batch. Returns the first error; the other objects are read.
    fn take_snapshots(
        &mut self,
        payload: &[u8],
        budget: ReadBudget,
        snapshots: &mut SnapshotFacts,
    ) -> Result<(), ReadError> {
        let mut result = Ok(());
        for entry in Entries::new(payload) {
            let (id, bytes) = entry?;
            snapshots.objects.insert(id);
            match self.take_snapshot(id, bytes, budget) {
                Ok(parent) => snapshots.parents.push((id, parent)),
                Err(error) => result = result.and(Err(error)),
            }
        }
        result
    }

    /// Spawns or corrects an object. Returns its parent.
    fn take_snapshot(
        &mut self,
        id: NetId,
        bytes: &[u8],
        budget: ReadBudget,
    ) -> Result<Option<NetId>, ReadError> {
        let Some(following) = &self.objects.following else {
            return Ok(None);
        };
        let prefabs = &self.objects.world.prefabs;
        let decoded = Snapshot::decode(id, bytes, &following.ranks, prefabs)?;
        let Some((snapshot, prefab)) = decoded.and_then(|snapshot| {
            let prefab = prefabs.get(snapshot.prefab?)?;
            Some((snapshot, prefab))
        }) else {
            return Ok(None);
        };
        let (mut state, data) = read_state(prefab, snapshot.state, budget)?;
        if prefab.callbacks.synchronize {
            read_data(id, state.slots_mut(), data, budget)?;
        }
        let (prefab, scene_id) = (prefab.index, snapshot.relation.scene_id);
        let place = snapshot.place.unwrap_or_default();
        let world = &self.objects.world;
        let known = world.objects.get(id.0).map(|replicated| replicated.at);
        let is_same = known.is_some_and(|at| {
            world.pools.prefab(at.pool) == prefab && world.relations.scene_id(id) == scene_id
        });
        if is_same {
            if world.places.get(id.0).copied().unwrap_or_default() != place {
                // It exists.
                let _ = self.set_transform(id, place.position, place.rotation);
            }
            self.objects.follow_state(id, state);
            if let Some(slots) = self.objects.world.slots_mut(id)
                && !data.is_empty()
            {
                read_data(id, slots, data, budget)?;
            }
        } else {
            if known.is_some() {
                self.drop_followed(id);
            }
            self.insert_followed(
                id,
                NewObject {
                    prefab,
                    behaviours: state,
                    audience: Audiences::EVERYONE,
                    by_interest: true,
                    scene_id,
                    place,
                },
            );
        }
        Ok(snapshot.relation.parent)
    }

    fn insert_followed(&mut self, id: NetId, object: NewObject) {
        let position = object.place.position;
        self.objects.insert(&mut self.context, id, object);
        let tick = self.outbound.store.tick;
        self.objects.track_ticks(id, tick, &self.context.config);
        self.visibility
            .add_object(id, Audiences::EVERYONE, position);
    }

    /// Sends a call to the observers of its object, unchanged.
    fn forward_call(&mut self, channel: u8, frame: Frame<'_>) -> Result<(), ReadError> {
        let incoming = Incoming::decode(MessageType::Call, frame.payload)?;
        let object = incoming.object;
        let prefab = self.objects.world.prefab(object);
        let place = prefab.and_then(|prefab| named(&prefab.calls, incoming.name));
        let Some(place) = place else {
            return Err(unknown(frame));
        };
        let target = Some(Target::Observers);
        let plan = match self.rooms().call_scope().plan(object, place, target) {
            Ok(plan) => plan,
            Err(error) => {
                tracing::debug!(%object, %error, "a call of a record is not sent");
                return Err(NetworkReader::new(frame.payload).error(CALL));
            }
        };
        let call = EncodedCall {
            channel,
            unet: None,
            compact: Some((MessageType::Call, whole(frame))),
        };
        let Rooms {
            mut ground,
            visibility,
            calls,
            ..
        } = self.rooms();
        match plan.receivers {
            Receivers::Deferred => calls.defer(&ground.context.config, object, &plan, call),
            receivers => call.transmit(&mut ground, visibility, receivers),
        }
        Ok(())
    }

    /// Sends a message of the program to all ready connections, unchanged.
    fn forward_message(&mut self, channel: u8, frame: Frame<'_>) {
        let is_receiver = |id: &ConnectionId| {
            self.is_ready(*id) && self.sessions.framing(*id) == Some(Framing::Compact)
        };
        let receivers: Vec<_> = self.connections().filter(is_receiver).collect();
        let message = whole(frame);
        self.deliver();
        for receiver in receivers {
            self.context.stats.program_sent.add(message.len());
            let chunks = std::slice::from_ref(&message);
            self.rooms().ground.send_chunks(channel, receiver, chunks);
        }
    }
}

const CALL: ReadErrorKind = ReadErrorKind::Custom("a call that cannot be sent");

/// Returns a message with its header.
fn whole(frame: Frame<'_>) -> Bytes {
    let mut writer = NetworkWriter::new();
    frame_number(&mut writer, frame.message_type, frame.payload);
    writer.take_bytes()
}
