//! New objects, and everything for those who have become ready.

use std::collections::BTreeMap;

use bytes::Bytes;

use super::audience::AudienceId;
use super::connection::ConnectionState;
use super::update::describe_failure;
use super::{ConnectionId, NetworkServer, ServerEvent};
use crate::message::SpawnFinished;
use crate::segments::Segments;
use crate::{Dialect, NetId};

impl NetworkServer {
    /// Spawns new objects on the clients of their audiences.
    pub(super) fn announce(&mut self) {
        let mut new = std::mem::take(&mut self.scratch.objects);
        self.schedule.take_new(&mut new);
        let mut owners = Vec::new();
        for id in new.drain(..) {
            owners.extend(self.announce_object(id));
        }
        self.scratch.objects = new;
        self.deliver();
        for (owner, net_id) in owners {
            self.tell_owner(owner, net_id, true);
        }
    }

    /// Returns the owner, if it is among those who were just given the object.
    fn announce_object(&mut self, id: NetId) -> Option<(ConnectionId, NetId)> {
        let (at, description) = self.describe(id)?;
        // Before it is written: nobody observes it, so what is pending belongs to its first state.
        self.clear_dirty(id);
        let spawned = self.objects.get_mut(id.0)?;
        self.audiences.acquire(spawned.wanted);
        self.audiences.release(spawned.audience);
        spawned.audience = spawned.wanted;
        let audience = self.audiences.get(spawned.audience);
        let owner = spawned.owner.filter(|owner| audience.observes(*owner));
        if audience.has_listeners() {
            let mut outputs = self.audiences.outputs(spawned.audience);
            let slots = self.pools.slots_mut(at)?;
            let segments = outputs.channel(0);
            if let Err(error) = description.write_all(slots, segments, &mut self.stats) {
                self.events.push(describe_failure(id, error));
                return None;
            }
        }
        spawned.announced = true;
        owner.map(|owner| (owner, id))
    }

    /// Gives everything to those who have become ready. The full state of an audience is encoded
    /// once for each dialect, and shared by all who join in this update.
    pub(super) fn join(&mut self) {
        let joining = std::mem::take(&mut self.joining);
        for id in &joining {
            if let Some(joiner) = self.connections.get(id.0) {
                self.audiences.add_ready(*id, joiner.dialect);
            }
        }
        let states = [Dialect::Unet, Dialect::Compact]
            .map(|dialect| self.encode_audiences(dialect, &joining));
        for connection in joining {
            let Some(joiner) = self.connections.get_mut(connection.0) else {
                continue;
            };
            joiner.state = ConnectionState::Ready;
            let states = match joiner.dialect {
                Dialect::Unet => &states[0],
                Dialect::Compact => &states[1],
            };
            self.send_own(connection, &SpawnFinished { state: 0 });
            for (audience, pieces) in states {
                if self.audiences.admits(*audience, connection) {
                    self.push(connection, pieces);
                }
            }
            self.tell_what_it_owns(connection);
            self.send_own(connection, &SpawnFinished { state: 1 });
            self.events.push(ServerEvent::Ready { connection });
        }
    }

    /// The full state of every audience that those who join and speak a dialect belong to.
    fn encode_audiences(
        &mut self,
        dialect: Dialect,
        joining: &[ConnectionId],
    ) -> BTreeMap<AudienceId, Vec<Bytes>> {
        let speaks = |c: &ConnectionId| {
            let connection = self.connections.get(c.0);
            connection.is_some_and(|connection| connection.dialect == dialect)
        };
        let joining: Vec<_> = joining.iter().copied().filter(speaks).collect();
        if joining.is_empty() {
            return BTreeMap::new();
        }
        let mut states: BTreeMap<_, Option<Segments>> = BTreeMap::new();
        let packet_size = self.config.gathered_size();
        let objects = self.objects.iter().map(|(number, _)| NetId(number));
        for id in objects.collect::<Vec<_>>() {
            let Some(spawned) = self.objects.get(id.0).filter(|spawned| spawned.announced) else {
                continue;
            };
            let audience = spawned.audience;
            let segments = states.entry(audience).or_insert_with(|| {
                let admitted = joining.iter().any(|c| self.audiences.admits(audience, *c));
                admitted.then(|| Segments::with_dialect(packet_size, dialect))
            });
            if let Some(segments) = segments
                && !self.encode_object(id, segments)
            {
                let admitted = |c: &ConnectionId| self.audiences.admits(audience, *c);
                let receivers: Vec<_> = joining.iter().copied().filter(admitted).collect();
                self.owe(id, &receivers);
            }
        }
        let written = states
            .into_iter()
            .filter_map(|(id, segments)| Some((id, segments?)));
        let frozen = written.map(|(id, mut segments)| (id, segments.drain().collect()));
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
        let Some(slots) = self.pools.slots_mut(at) else {
            return true;
        };
        let written = description.write_all(slots, [segments].into_iter(), &mut self.stats);
        if let Err(error) = written {
            self.events.push(describe_failure(id, error));
            return false;
        }
        true
    }

    fn tell_what_it_owns(&mut self, connection: ConnectionId) {
        let owned = self
            .connections
            .get(connection.0)
            .map(|joiner| joiner.owned.clone());
        for net_id in owned.unwrap_or_default() {
            let audience = self.objects.get(net_id.0).map(|spawned| spawned.audience);
            if audience.is_some_and(|audience| self.audiences.admits(audience, connection)) {
                self.tell_owner(connection, net_id, true);
            }
        }
    }
}
