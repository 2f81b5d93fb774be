//! New objects, and everything for those who have become ready.

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;

use super::audience::Audiences;
use super::connection::ConnectionState;
use super::full_state::Description;
use super::update::describe_failure;
use super::{NetworkServer, ServerEvent};
use crate::AudienceId;
use crate::ConnectionId;
use crate::message::SpawnFinished;
use crate::packet::Segments;
use crate::{Framing, NetId};

/// Buffers of joins before, whose memory is used again: that of all objects is long, and costs more to
/// come by than to fill.
#[derive(Debug, Default)]
pub(super) struct Spare(Vec<Segments>);

/// So many are kept: one or two audiences have most of the objects, or they are short.
const SPARE: usize = 4;

impl Spare {
    fn take(&mut self, packet_size: usize, framing: Framing) -> Segments {
        let speaks = |segments: &Segments| Framing::of(segments) == framing;
        match self.0.iter().position(speaks) {
            Some(place) => self.0.swap_remove(place),
            None => framing.segments(packet_size),
        }
    }

    fn put(&mut self, segments: Segments) {
        if self.0.len() < SPARE {
            self.0.push(segments);
        }
    }
}

impl NetworkServer {
    /// Spawns new objects on the clients of their audiences.
    pub(super) fn announce(&mut self) {
        let mut new = std::mem::take(&mut self.scratch.objects);
        self.schedule.take_new(&mut new);
        let mut owners = Vec::new();
        for id in new.drain(..) {
            self.touch_for_local(id);
            owners.extend(self.announce_object(id));
        }
        self.scratch.objects = new;
        self.deliver();
        for (owner, net_id) in owners {
            self.tell_owner(owner, net_id, true);
            self.let_write(owner, net_id);
        }
    }

    /// Returns the owner, if it is among those who were just given the object.
    fn announce_object(&mut self, id: NetId) -> Option<(ConnectionId, NetId)> {
        if self.lent.contains(id) {
            self.schedule.queue_new(id);
            return None;
        }
        // Before it is written: nobody observes it, so what is pending belongs to its first state.
        self.forget_changes(id);
        let spawned = self.objects.get_mut(id.0)?;
        self.audiences.acquire(spawned.wanted);
        self.audiences.release(spawned.audience);
        spawned.audience = spawned.wanted;
        let audience = self.audiences.get(spawned.audience);
        let owner = spawned.owner.filter(|owner| audience.observes(*owner));
        if audience.has_listeners() {
            let audience = spawned.audience;
            self.write_new(id, audience, owner)?;
        }
        self.objects.get_mut(id.0)?.announced = true;
        owner.map(|owner| (owner, id))
    }

    /// Writes the full state of a new object for its audience. None if it could not be written.
    fn write_new(
        &mut self,
        id: NetId,
        audience: AudienceId,
        owner: Option<ConnectionId>,
    ) -> Option<()> {
        let (at, description) = self.describe(id)?;
        let parts = match owner.filter(|_| description.kind.private) {
            Some(owner) => [
                Some((self.audiences.without(audience, owner), false)),
                Some((self.audiences.only(owner), true)),
            ],
            None => [Some((audience, false)), None],
        };
        for (audience, for_owner) in parts.into_iter().flatten() {
            let mut outputs = self.audiences.outputs(audience);
            let slots = self.pools.slots_mut(at)?;
            let segments = outputs.channel(0);
            let description = Description {
                for_owner,
                ..description
            };
            let told = (&mut self.stats, &mut self.events);
            if let Err(error) = description.write_all(slots, segments, told) {
                self.events.push(describe_failure(id, error));
                return None;
            }
        }
        self.look_again(id, description.kind);
        Some(())
    }

    /// Gives everything to those who have become ready. The full state of an audience is encoded
    /// once for each dialect, and shared by all who join in this update.
    pub(super) fn join(&mut self) {
        let joining = std::mem::take(&mut self.joining);
        for id in &joining {
            if let Some(joiner) = self.connections.get(id.0) {
                self.audiences.add_ready(*id, joiner.framing);
            }
        }
        let apart = self.told_apart(&joining);
        let states = [Framing::Unet, Framing::Compact]
            .map(|framing| self.encode_audiences(framing, &joining, &apart));
        for connection in joining {
            let Some(joiner) = self.connections.get_mut(connection.0) else {
                continue;
            };
            joiner.state = ConnectionState::Ready;
            let states = match joiner.framing {
                Framing::Unet => &states[0],
                Framing::Compact => &states[1],
            };
            self.send_own(connection, &SpawnFinished { state: 0 });
            for (audience, pieces) in states {
                if self.audiences.admits(*audience, connection) {
                    self.push(connection, pieces);
                }
            }
            for id in &apart {
                self.show_apart(*id, connection);
            }
            self.tell_what_it_owns(connection);
            self.send_own(connection, &SpawnFinished { state: 1 });
            self.events.push(ServerEvent::Ready { connection });
        }
    }

    /// The full state of every audience that those who join and speak a dialect belong to.
    fn encode_audiences(
        &mut self,
        framing: Framing,
        joining: &[ConnectionId],
        apart: &BTreeSet<NetId>,
    ) -> BTreeMap<AudienceId, Vec<Bytes>> {
        let speaks = |c: &ConnectionId| {
            let connection = self.connections.get(c.0);
            connection.is_some_and(|connection| connection.framing == framing)
        };
        let joining: Vec<_> = joining.iter().copied().filter(speaks).collect();
        if joining.is_empty() {
            return BTreeMap::new();
        }
        let admitted = |audiences: &Audiences, audience| {
            let admitted = joining
                .iter()
                .copied()
                .filter(|c| audiences.admits(audience, *c));
            admitted.collect::<Vec<_>>()
        };
        let packet_size = self.config.gathered_size();
        let mut states = BTreeMap::new();
        // The buffer of the object before: those one after another often belong together.
        let mut open: (AudienceId, Option<Segments>) = (Audiences::NOBODY, None);
        let objects = self.objects.iter().filter(|(number, spawned)| {
            spawned.announced && !(spawned.owner.is_some() && apart.contains(&NetId(*number)))
        });
        let objects = objects.map(|(number, spawned)| (NetId(number), spawned.audience));
        for (id, audience) in objects.collect::<Vec<_>>() {
            if audience != open.0 {
                let next = states.remove(&audience).unwrap_or_else(|| {
                    let wanted = !admitted(&self.audiences, audience).is_empty();
                    wanted.then(|| self.spare.take(packet_size, framing))
                });
                let (former, segments) = std::mem::replace(&mut open, (audience, next));
                states.insert(former, segments);
            }
            if let Some(segments) = &mut open.1
                && !self.encode_object(id, segments)
            {
                let receivers = admitted(&self.audiences, audience);
                self.owe(id, &receivers);
            }
        }
        states.insert(open.0, open.1);
        let written = states.into_iter();
        let written = written.filter_map(|(id, segments)| Some((id, segments?)));
        let frozen = written.map(|(id, mut segments)| {
            let pieces = segments.drain().collect();
            self.spare.put(segments);
            (id, pieces)
        });
        frozen.collect()
    }

    /// Returns whether the full state could be written.
    fn encode_object(&mut self, id: NetId, segments: &mut Segments) -> bool {
        let Some((at, description)) = self.describe(id) else {
            return true;
        };
        if self.objects.get(id.0).is_some_and(|spawned| spawned.unsent) {
            return false;
        }
        // One that is lent is owed.
        let Some(slots) = self.pools.slots_mut(at) else {
            return false;
        };
        let segments = [segments].into_iter();
        let told = (&mut self.stats, &mut self.events);
        if let Err(error) = description.write_all(slots, segments, told) {
            self.events.push(describe_failure(id, error));
            return false;
        }
        self.look_again(id, description.kind);
        true
    }

    /// The objects that one of those who join is to be told something else about than the others, for
    /// it owns them.
    fn told_apart(&self, joining: &[ConnectionId]) -> BTreeSet<NetId> {
        let joiners = joining.iter().filter_map(|id| self.connections.get(id.0));
        let owned = joiners.flat_map(|joiner| joiner.owned.iter().copied());
        let is_private = |id: &NetId| {
            let description = self.describe(*id);
            let announced = self
                .objects
                .get(id.0)
                .is_some_and(|spawned| spawned.announced);
            announced && description.is_some_and(|(_, description)| description.kind.private)
        };
        owned.filter(is_private).collect()
    }

    /// Gives the full state of such an object to one of those who join, if it sees it.
    fn show_apart(&mut self, id: NetId, connection: ConnectionId) {
        let Some(spawned) = self.objects.get(id.0) else {
            return;
        };
        let for_owner = spawned.owner == Some(connection);
        if !self.audiences.admits(spawned.audience, connection) {
            return;
        }
        if self.write_showing(id, &[connection], for_owner) {
            self.flush_showing();
        } else {
            self.owe(id, &[connection]);
        }
    }

    fn tell_what_it_owns(&mut self, connection: ConnectionId) {
        let owned = self
            .connections
            .get(connection.0)
            .map(|joiner| joiner.owned.clone());
        for net_id in owned.unwrap_or_default() {
            let spawned = self.objects.get(net_id.0);
            // Of one that could not be written yet, it is told when it can.
            let announced = spawned.filter(|spawned| spawned.announced);
            if announced.is_some_and(|it| self.audiences.admits(it.audience, connection)) {
                self.tell_owner(connection, net_id, true);
                self.let_write(connection, net_id);
            }
        }
    }
}
