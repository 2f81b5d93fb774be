//! `Playing`: the messages of one record, on their way into the objects of a server that follows.

use bytes::Bytes;
use syncvar_runtime::limits::ReadBudget;
use syncvar_runtime::unstable::ordered::Ids;
use syncvar_runtime::unstable::packet::Entries;
use syncvar_runtime::unstable::prefab::message::FIRST_MESSAGE;
use syncvar_runtime::{
    ConnectionId, NetId, NetworkReader, NetworkWriter, ReadError, ReadErrorKind, Target,
};

use crate::client::ReceivedSnapshot;
use crate::message::{
    Frame, Incoming, Message, ObjectDestroy, ObjectHide, SetParent, SpawnFinished, frame_number,
    frames, named, unknown,
};
use crate::record::RecordError;
use crate::server::NetworkServer;
use crate::server::api::rooms::Rooms;
use crate::server::calls::EncodedCall;
use crate::server::calls::target::Receivers;
use crate::server::objects::following::{read_data, read_state};
use crate::server::objects::spawn::NewObject;
use crate::server::visibility::audience::Audiences;
use crate::{Framing, MessageType, TickRecord};

/// A record in progress.
pub(super) struct Playing<'a> {
    server: &'a mut NetworkServer,
    /// Objects of the snapshots.
    known: Ids<NetId>,
    /// Parents of the snapshots, by child.
    parents: Vec<(NetId, Option<NetId>)>,
}

impl<'a> Playing<'a> {
    pub(super) fn new(server: &'a mut NetworkServer) -> Self {
        Self {
            server,
            known: Ids::default(),
            parents: Vec::new(),
        }
    }

    /// Applies the messages of a record. Returns the first error.
    pub(super) fn run(mut self, record: &TickRecord) -> Result<(), RecordError> {
        let mut result = Ok(());
        for item in record.items() {
            for frame in frames(item.messages) {
                let played = frame.and_then(|frame| self.play_message(item.channel, frame));
                result = result.and(played);
            }
        }
        self.follow_parents();
        if record.is_keyframe() {
            let known = &self.known;
            let gone = self.server.objects.ids().filter(|id| !known.contains(*id));
            for id in gone.collect::<Vec<_>>() {
                // It exists.
                let _ = self.server.despawn(id);
            }
        }
        result.map_err(RecordError::Malformed)
    }

    fn play_message(&mut self, channel: u8, frame: Frame<'_>) -> Result<(), ReadError> {
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
                    let objects = &mut self.server.objects;
                    let read = objects.follow_delta(channel, id, delta, budget);
                    result = result.and(read);
                }
                result
            }
            Some(MessageType::SpawnBatch) => self.take_snapshots(frame.payload, budget),
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
                self.server.scene_loaded();
                Ok(())
            }
            Some(MessageType::Call) => self.forward_call(channel, frame),
            _ => Err(unknown(frame)),
        }
    }

    /// Returns the limits for a message of a record.
    fn record_budget(&self, length: usize) -> ReadBudget {
        let limits = &self.server.context.config.limits;
        let mut budget = limits.budget(length, usize::MAX);
        budget.elements = budget.elements.max(length);
        budget
    }

    fn drop_followed(&mut self, id: NetId) {
        if self.server.despawn(id).is_err() {
            tracing::debug!(object = %id, "a record ends an object that is not here");
        }
    }

    fn follow_parent(&mut self, child: NetId, parent: NetId) {
        let parent = Some(parent).filter(|parent| *parent != NetId::NONE);
        if let Err(error) = self.server.set_parent(child, parent) {
            // The parent may be hidden from all connections.
            tracing::debug!(%child, %error, "a record sets a parent that is not here");
        }
    }

    /// Sets the parents of snapshots. A parent may stand behind its child, and may have been below it.
    fn follow_parents(&mut self) {
        let mut parents = std::mem::take(&mut self.parents);
        let relations = &self.server.objects.world.relations;
        parents.retain(|(child, parent)| relations.parent(*child) != *parent);
        for (child, _) in &parents {
            self.follow_parent(*child, NetId::NONE);
        }
        for (child, parent) in parents {
            self.follow_parent(child, parent.unwrap_or(NetId::NONE));
        }
    }

    /// Spawns or corrects the objects of a batch. Returns the first error; the other objects are read.
    fn take_snapshots(&mut self, payload: &[u8], budget: ReadBudget) -> Result<(), ReadError> {
        let mut result = Ok(());
        for entry in Entries::new(payload) {
            let (id, bytes) = entry?;
            self.known.insert(id);
            match self.take_snapshot(id, bytes, budget) {
                Ok(parent) => self.parents.push((id, parent)),
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
        let Some(following) = &self.server.objects.following else {
            return Ok(None);
        };
        let prefabs = &self.server.objects.world.prefabs;
        let decoded = ReceivedSnapshot::decode(id, bytes, &following.ranks, prefabs)?;
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
        let world = &self.server.objects.world;
        let known = world.objects.get(id.0).map(|replicated| replicated.at);
        let is_same = known.is_some_and(|at| {
            world.pools.prefab(at.pool) == prefab && world.relations.scene_id(id) == scene_id
        });
        if is_same {
            if world.places.get(id.0).copied().unwrap_or_default() != place {
                // It exists.
                let _ = self
                    .server
                    .set_transform(id, place.position, place.rotation);
            }
            self.server.objects.follow_state(id, state);
            if let Some(slots) = self.server.objects.world.slots_mut(id)
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
        self.server
            .objects
            .insert(&mut self.server.context, id, object);
        let tick = self.server.outbound.store.tick;
        self.server
            .objects
            .track_ticks(id, tick, &self.server.context.config);
        self.server
            .visibility
            .add_object(id, Audiences::EVERYONE, position);
    }

    /// Sends a call to the observers of its object, unchanged.
    fn forward_call(&mut self, channel: u8, frame: Frame<'_>) -> Result<(), ReadError> {
        let incoming = Incoming::decode(MessageType::Call, frame.payload)?;
        let object = incoming.object;
        let prefab = self.server.objects.world.prefab(object);
        let place = prefab.and_then(|prefab| named(&prefab.calls, incoming.name));
        let Some(place) = place else {
            return Err(unknown(frame));
        };
        let target = match place.schema.target() {
            // The owner is a connection of this server.
            Target::NotOwner => Some(Target::NotOwner),
            _ => Some(Target::Observers),
        };
        let plan = match self.server.rooms().call_scope().plan(object, place, target) {
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
        } = self.server.rooms();
        match plan.receivers {
            Receivers::Deferred => calls.defer(&ground.context.config, object, &plan, call),
            receivers => call.transmit(&mut ground, visibility, receivers),
        }
        Ok(())
    }

    /// Sends a message of the program to all ready connections, unchanged.
    fn forward_message(&mut self, channel: u8, frame: Frame<'_>) {
        let is_receiver = |id: &ConnectionId| {
            self.server.is_ready(*id) && self.server.sessions.framing(*id) == Some(Framing::Compact)
        };
        let receivers: Vec<_> = self.server.connections().filter(is_receiver).collect();
        let message = whole(frame);
        self.server.deliver();
        for receiver in receivers {
            self.server.context.stats.program_sent.add(message.len());
            let chunks = std::slice::from_ref(&message);
            self.server
                .rooms()
                .ground
                .send_chunks(channel, receiver, chunks);
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
