//! Objects that come into somebody's sight.

use std::collections::BTreeSet;

use bytes::Bytes;
use rustc_hash::FxHashSet;

use super::NetworkServer;
use super::connection::Parcel;
use super::full_state::Description;
use super::update::describe_failure;
use crate::AudienceId;
use crate::ConnectionId;
use crate::interest::Area;
use crate::message::Void;
use crate::object::Location;
use crate::packet::Segments;
use crate::relations::Relation;
use crate::{Channel, Framing, NetId};

/// Who has joined audiences because of what they begin to see, or left them because of what they see no
/// more: either the one or the other.
#[derive(Debug, Default)]
pub(super) struct Turnover {
    pub(super) crossed: BTreeSet<(AudienceId, ConnectionId)>,
    /// The areas because of which somebody did, each once, in the order in which the interest
    /// management has named them: it may have reasons for it, such as what is nearest.
    pub(super) areas: Vec<Area>,
    listed: FxHashSet<Area>,
}

impl Turnover {
    /// A connection has joined or left these audiences because of an area.
    pub(super) fn add(
        &mut self,
        area: Area,
        connection: ConnectionId,
        audiences: &mut Vec<AudienceId>,
    ) {
        if !audiences.is_empty() && self.listed.insert(area) {
            self.areas.push(area);
        }
        let pairs = audiences.drain(..).map(|audience| (audience, connection));
        self.crossed.extend(pairs);
    }

    /// Those who joined an audience, or left it, ascending.
    pub(super) fn of(&self, id: AudienceId) -> impl Iterator<Item = ConnectionId> {
        let (first, last) = (ConnectionId(0), ConnectionId(u32::MAX));
        let pairs = self.crossed.range((id, first)..=(id, last));
        pairs.map(|(_, connection)| *connection)
    }
}

/// Full states on their way to the same connections, each encoded once for every dialect that these
/// speak.
#[derive(Debug)]
pub(super) struct Showing {
    receivers: Vec<ConnectionId>,
    /// Whether one of the receivers speaks it, and what is being written to those who do.
    unet: (bool, Segments),
    compact: (bool, Segments),
}

impl Showing {
    pub(super) fn new(packet_size: usize) -> Self {
        let segments = |framing: Framing| framing.segments(packet_size);
        Self {
            receivers: Vec::new(),
            unet: (false, segments(Framing::Unet)),
            compact: (false, segments(Framing::Compact)),
        }
    }

    fn spoken(&mut self) -> impl Iterator<Item = &mut Segments> {
        let both = [&mut self.unet, &mut self.compact];
        both.into_iter()
            .filter_map(|(spoken, segments)| spoken.then_some(segments))
    }
}

impl NetworkServer {
    /// Moves objects to the audiences they should have: those who enter get them whole. Those who leave
    /// have [been told](Self::hide_objects).
    pub(super) fn show_objects(&mut self) {
        let mut moved = std::mem::take(&mut self.scratch.objects);
        self.schedule.take_moved(&mut moved);
        self.cross_over(true);
        for id in &moved {
            self.move_object(*id);
        }
        self.cross_areas(&moved, Self::show_to);
        self.flush_showing();
        self.end_crossing();
        moved.clear();
        self.scratch.objects = moved;
    }

    fn move_object(&mut self, id: NetId) {
        let Some(spawned) = self.objects.get_mut(id.0) else {
            return;
        };
        spawned.moved = false;
        let former = std::mem::replace(&mut spawned.audience, spawned.wanted);
        let latter = spawned.audience;
        self.audiences.acquire(latter);
        self.audiences.release(former);
        if !spawned.announced {
            return;
        }
        spawned.owing = false;
        let mut entering = std::mem::take(&mut self.scratch.entering);
        let (before, after) = (self.audiences.get(former), self.audiences.get(latter));
        let entered = |c| self.turnover.crossed.contains(&(former, c));
        entering.extend(
            after
                .ready()
                .filter(|c| !before.observes(*c) || entered(*c)),
        );
        let owed = self.owed.remove(&id).unwrap_or_default();
        entering.extend(owed.iter().copied().filter(|c| after.observes(*c)));
        entering.sort_unstable();
        entering.dedup();
        self.void(id, &owed);
        self.show_to(id, &entering);
        entering.clear();
        self.scratch.entering = entering;
    }

    /// A connection belongs to no audience any more. Objects that are seen by the same connections
    /// since then share one audience again. Those that it owned are looked at; all are walked only if
    /// there are others, which it was shown or kept from.
    pub(super) fn leave_audiences(&mut self, connection: ConnectionId, owned: &[NetId]) {
        let mut merged = self.audiences.forget(connection);
        if merged.is_empty() {
            return;
        }
        for id in owned {
            if let Some(spawned) = self.objects.get_mut(id.0) {
                spawned.follow(&merged, &mut self.audiences);
            }
        }
        merged.retain(|former, _| self.audiences.is_named(*former));
        if !merged.is_empty() {
            for spawned in self.objects.values_mut() {
                spawned.follow(&merged, &mut self.audiences);
            }
        }
    }

    /// What these connections have been told about an object counts for nothing, unless they have the
    /// object: they are members of its audience, but its full state could not be written for them.
    /// Without it they would take what they were told for early, and keep it for the full state.
    pub(super) fn void(&mut self, net_id: NetId, owed: &[ConnectionId]) {
        if self.config.compare_schemas {
            for connection in owed {
                self.send_own(*connection, &Void { net_id });
            }
        }
    }

    /// Nothing is owed to a connection any more: it is not ready, or gone.
    pub(super) fn cancel_owed(&mut self, connection: ConnectionId) {
        let mut concerned = Vec::new();
        for (id, owed) in &mut self.owed {
            let before = owed.len();
            owed.retain(|other| *other != connection);
            if owed.len() < before {
                concerned.push(*id);
            }
        }
        let stays = self.is_connected(connection);
        for id in concerned {
            if stays {
                self.void(id, &[connection]);
            }
            self.settle_owed(id);
        }
    }

    /// Forgets the list of those to whom an object is owed if it has become empty.
    pub(super) fn settle_owed(&mut self, id: NetId) {
        if self.owed.get(&id).is_some_and(Vec::is_empty) {
            self.owed.remove(&id);
            if let Some(spawned) = self.objects.get_mut(id.0) {
                spawned.owing = false;
            }
        }
    }

    /// Sends the full state of one object to some connections: encoded once, shared by all who speak
    /// the same dialect. It goes out with that of other objects, at the latest with
    /// [`flush_showing`](Self::flush_showing).
    pub(super) fn show_to(&mut self, id: NetId, receivers: &[ConnectionId]) {
        if receivers.is_empty() {
            return;
        }
        let Some(owner) = self.objects.get(id.0).map(|spawned| spawned.owner) else {
            return;
        };
        if !self.write_for_each(id, receivers, owner) {
            self.owe(id, receivers);
            return;
        }
        for receiver in receivers {
            let connection = self.connections.get_mut(receiver.0);
            if let Some(limit) = connection.and_then(|connection| connection.limit.as_mut()) {
                limit.forget(id);
            }
        }
        if let Some(owner) = owner.filter(|owner| receivers.contains(owner)) {
            self.flush_showing();
            self.tell_owner(owner, id, true);
            self.let_write(owner, id);
        }
    }

    /// Writes the full state to all receivers, to the owner what only it may read.
    fn write_for_each(
        &mut self,
        id: NetId,
        receivers: &[ConnectionId],
        owner: Option<ConnectionId>,
    ) -> bool {
        let private = self.describe(id).is_some_and(|(_, it)| it.kind.private);
        let Some(owner) = owner.filter(|owner| private && receivers.contains(owner)) else {
            return self.write_showing(id, receivers, false);
        };
        let others: Vec<_> = receivers.iter().copied().filter(|c| *c != owner).collect();
        (others.is_empty() || self.write_showing(id, &others, false))
            && self.write_showing(id, &[owner], true)
    }

    /// Returns whether the full state could be written.
    pub(super) fn write_showing(
        &mut self,
        id: NetId,
        receivers: &[ConnectionId],
        for_owner: bool,
    ) -> bool {
        let Some((at, description)) = self.describe(id) else {
            return false;
        };
        let description = Description {
            for_owner,
            ..description
        };
        if self.objects.get(id.0).is_some_and(|spawned| spawned.unsent) {
            return false;
        }
        if self.showing.receivers != receivers {
            self.flush_showing();
            self.address_showing(receivers);
        }
        let Some(slots) = self.pools.slots_mut(at) else {
            return false;
        };
        let segments = self.showing.spoken();
        let told = (&mut self.stats, &mut self.events);
        if let Err(error) = description.write_all(slots, segments, told) {
            self.events.push(describe_failure(id, error));
            return false;
        }
        self.look_again(id, description.kind);
        true
    }

    /// Remembers that connections are to be given the full state when it can be written.
    pub(super) fn owe(&mut self, id: NetId, receivers: &[ConnectionId]) {
        if let Some(spawned) = self.objects.get_mut(id.0) {
            spawned.owing = true;
            let owed = self.owed.entry(id).or_default();
            owed.extend(
                receivers
                    .iter()
                    .filter(|c| !owed.contains(c))
                    .copied()
                    .collect::<Vec<_>>(),
            );
        }
    }

    /// Where an object's behaviours are, and what is to be said about it.
    #[inline]
    pub(super) fn describe(&self, id: NetId) -> Option<(Location, Description)> {
        let spawned = self.objects.get(id.0)?;
        let at = spawned.at;
        let mut relation = Relation::default();
        if spawned.related {
            relation = self.relations.of(id);
            // A peer whose schema is not compared knows nothing but UNet.
            relation.parent = relation.parent.filter(|_| self.config.compare_schemas);
        }
        let description = Description {
            net_id: id,
            kind: *self.kinds.get(self.pools.prefab(at.pool) as usize)?,
            place: *self.places.get(id.0)?,
            relation,
            room: self.config.room(Channel::Reliable),
            for_owner: false,
        };
        Some((at, description))
    }

    fn address_showing(&mut self, receivers: &[ConnectionId]) {
        let connections = receivers.iter().filter_map(|c| self.connections.get(c.0));
        let framings = connections.map(|connection| connection.framing);
        let (mut unet, mut compact) = (false, false);
        for framing in framings {
            unet |= framing == Framing::Unet;
            compact |= framing == Framing::Compact;
        }
        self.showing.receivers.extend_from_slice(receivers);
        (self.showing.unet.0, self.showing.compact.0) = (unet, compact);
    }

    /// Gives the full states that have been written to those they are for.
    pub(super) fn flush_showing(&mut self) {
        if self.showing.receivers.is_empty() {
            return;
        }
        let receivers = std::mem::take(&mut self.showing.receivers);
        let unet: Vec<Bytes> = self.showing.unet.1.drain().collect();
        let compact: Vec<Bytes> = self.showing.compact.1.drain().collect();
        for receiver in receivers {
            let connection = self.connections.get(receiver.0);
            match connection.map(|connection| connection.framing) {
                Some(Framing::Unet) => self.push(receiver, &unet),
                Some(Framing::Compact) => self.push(receiver, &compact),
                None => {}
            }
        }
    }

    /// Puts pieces behind whatever already waits for a connection.
    pub(super) fn push(&mut self, receiver: ConnectionId, pieces: &[Bytes]) {
        self.push_on(0, receiver, pieces);
    }

    /// The same on a channel.
    pub(super) fn push_on(&mut self, channel: u8, receiver: ConnectionId, pieces: &[Bytes]) {
        let Some(connection) = self.connections.get_mut(receiver.0) else {
            return;
        };
        connection.charge(pieces.iter().map(Bytes::len).sum());
        let pieces = self.stock.add(pieces.iter().cloned());
        connection.push(Parcel { channel, pieces }, &mut self.stock);
        connection.list(&mut self.outgoing);
    }
}
