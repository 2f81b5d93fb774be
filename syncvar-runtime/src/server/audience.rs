//! Audiences: sets of connections that see the same objects, and the buffers they share.
//!
//! A message for an audience is written once; its bytes are frozen, and every member gets a
//! reference to them.

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;

use super::ConnectionId;
use crate::segments::Segments;

/// The position of an audience.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct AudienceId(usize);

impl AudienceId {
    pub(super) fn index(self) -> usize {
        self.0
    }
}

/// Who belongs to an audience once they are ready.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Members {
    /// Everyone but these.
    EveryoneExcept(BTreeSet<ConnectionId>),
    /// Nobody but these.
    Only(BTreeSet<ConnectionId>),
}

/// A set of connections that see the same objects.
#[derive(Debug)]
pub(super) struct Audience {
    members: Members,
    /// Those members who are ready, ascending.
    pub(super) ready: Vec<ConnectionId>,
    /// What is being written to all of them, a buffer for each channel.
    channels: Vec<Segments>,
    /// Whether it is in the list of audiences that are being written to.
    touched: bool,
    /// How many objects name it.
    users: usize,
}

/// All audiences. Each is made once and found again by its members.
#[derive(Debug)]
pub(super) struct Audiences {
    all: Vec<Audience>,
    by_members: BTreeMap<Members, AudienceId>,
    /// Audiences that are being written to, each once.
    touched: Vec<AudienceId>,
    /// Audiences that no object names any more; they may still be written to.
    unused: Vec<AudienceId>,
    /// Places in `all` to use again.
    free: Vec<AudienceId>,
    /// A list of pieces to use again.
    pieces: Vec<Bytes>,
    channel_count: usize,
    packet_size: usize,
}

impl Members {
    fn contain(&self, connection: ConnectionId) -> bool {
        match self {
            Self::EveryoneExcept(exceptions) => !exceptions.contains(&connection),
            Self::Only(members) => members.contains(&connection),
        }
    }

    fn with(&self, connection: ConnectionId, visible: bool) -> Self {
        let mut changed = self.clone();
        match &mut changed {
            Self::EveryoneExcept(set) if visible => set.remove(&connection),
            Self::EveryoneExcept(set) => set.insert(connection),
            Self::Only(set) if visible => set.insert(connection),
            Self::Only(set) => set.remove(&connection),
        };
        changed
    }
}

impl Audiences {
    /// The audience of everyone, which is there from the start.
    pub(super) const EVERYONE: AudienceId = AudienceId(0);
    /// The audience of nobody, which is there from the start.
    pub(super) const NOBODY: AudienceId = AudienceId(1);

    pub(super) fn new(channel_count: usize, packet_size: usize) -> Self {
        let mut audiences = Self {
            all: Vec::new(),
            by_members: BTreeMap::new(),
            touched: Vec::new(),
            unused: Vec::new(),
            free: Vec::new(),
            pieces: Vec::new(),
            channel_count,
            packet_size,
        };
        audiences.intern(Members::EveryoneExcept(BTreeSet::new()), &[]);
        audiences.intern(Members::Only(BTreeSet::new()), &[]);
        audiences
    }

    pub(super) fn get(&self, id: AudienceId) -> &Audience {
        &self.all[id.0]
    }

    pub(super) fn ids(&self) -> impl Iterator<Item = AudienceId> + use<> {
        (0..self.all.len()).map(AudienceId)
    }

    /// The buffer of an audience's channel, to write into.
    pub(super) fn segments(&mut self, id: AudienceId, channel: usize) -> Option<&mut Segments> {
        let audience = &mut self.all[id.0];
        if !audience.touched {
            audience.touched = true;
            self.touched.push(id);
        }
        audience.channels.get_mut(channel)
    }

    /// Gives out everything that was written: channel, its pieces, and who gets them.
    pub(super) fn drain(&mut self, mut deliver: impl FnMut(u8, &[Bytes], &[ConnectionId])) {
        for id in self.touched.drain(..) {
            let audience = &mut self.all[id.0];
            audience.touched = false;
            for (channel, segments) in (0_u8..).zip(&mut audience.channels) {
                self.pieces.extend(segments.drain());
                deliver(channel, &self.pieces, &audience.ready);
                self.pieces.clear();
            }
        }
        self.free_unused();
    }

    /// Whether a connection belongs to an audience, ready or not.
    pub(super) fn admits(&self, id: AudienceId, connection: ConnectionId) -> bool {
        self.get(id).members.contain(connection)
    }

    /// The audience that differs from this one by one connection.
    pub(super) fn with(
        &mut self,
        id: AudienceId,
        connection: ConnectionId,
        visible: bool,
        ready: &[ConnectionId],
    ) -> AudienceId {
        let members = self.get(id).members.with(connection, visible);
        self.intern(members, ready)
    }

    /// The audience with these members; `ready` are all connections that are ready.
    fn intern(&mut self, members: Members, ready: &[ConnectionId]) -> AudienceId {
        if let Some(id) = self.by_members.get(&members) {
            return *id;
        }
        let id = self.free.pop().unwrap_or(AudienceId(self.all.len()));
        if id.0 == self.all.len() {
            let channels = (0..self.channel_count).map(|_| Segments::new(self.packet_size));
            self.all.push(Audience {
                members: Members::Only(BTreeSet::new()),
                ready: Vec::new(),
                channels: channels.collect(),
                touched: false,
                users: 0,
            });
        }
        let audience = &mut self.all[id.0];
        let admitted = ready.iter().copied().filter(|c| members.contain(*c));
        audience.ready.clear();
        audience.ready.extend(admitted);
        audience.members = members.clone();
        self.by_members.insert(members, id);
        id
    }

    /// One more object names an audience.
    pub(super) fn acquire(&mut self, id: AudienceId) {
        self.all[id.0].users += 1;
    }

    /// One object less names an audience. When none does, it goes with the next
    /// [`drain`](Self::drain), unless it is one of the two that are always there.
    pub(super) fn release(&mut self, id: AudienceId) {
        let audience = &mut self.all[id.0];
        audience.users -= 1;
        if audience.users == 0 && id != Self::EVERYONE && id != Self::NOBODY {
            self.unused.push(id);
        }
    }

    fn free_unused(&mut self) {
        for id in self.unused.drain(..) {
            let audience = &mut self.all[id.0];
            if audience.users > 0 || self.free.contains(&id) {
                continue;
            }
            if self.by_members.get(&audience.members) == Some(&id) {
                self.by_members.remove(&audience.members);
            }
            audience.members = Members::Only(BTreeSet::new());
            audience.ready.clear();
            self.free.push(id);
        }
    }

    /// A connection has become ready: it joins every audience that admits it.
    pub(super) fn add_ready(&mut self, connection: ConnectionId) {
        for audience in &mut self.all {
            let place = audience.ready.binary_search(&connection);
            if let (true, Err(place)) = (audience.members.contain(connection), place) {
                audience.ready.insert(place, connection);
            }
        }
    }

    /// A connection is no longer ready.
    pub(super) fn remove_ready(&mut self, connection: ConnectionId) {
        for audience in &mut self.all {
            audience.ready.retain(|ready| *ready != connection);
        }
    }

    /// A connection is gone and its number will not come back: the sets forget it. Two audiences
    /// may then have the same members; one of them is found from now on, both stay right.
    pub(super) fn forget(&mut self, connection: ConnectionId) {
        self.remove_ready(connection);
        self.by_members.clear();
        let used = |index: &usize| !self.free.contains(&AudienceId(*index));
        for (index, audience) in self
            .all
            .iter_mut()
            .enumerate()
            .filter(|(index, _)| used(index))
        {
            match &mut audience.members {
                Members::EveryoneExcept(set) | Members::Only(set) => set.remove(&connection),
            };
            let members = audience.members.clone();
            self.by_members.entry(members).or_insert(AudienceId(index));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_members_are_the_same_audience() {
        let mut audiences = Audiences::new(1, 100);
        let (a, b) = (ConnectionId(1), ConnectionId(2));
        let ready = [a, b];
        let without_a = audiences.with(Audiences::EVERYONE, a, false, &ready);
        assert_eq!(audiences.get(without_a).ready, [b]);
        assert_eq!(
            audiences.with(without_a, a, true, &ready),
            Audiences::EVERYONE
        );
        let only_b = audiences.with(Audiences::NOBODY, b, true, &ready);
        assert_ne!(only_b, without_a);
        assert_eq!(
            audiences.with(Audiences::EVERYONE, a, false, &ready),
            without_a
        );
    }

    #[test]
    fn an_audience_that_no_object_names_is_used_again() {
        let mut audiences = Audiences::new(1, 100);
        let a = ConnectionId(1);
        let without_a = audiences.with(Audiences::EVERYONE, a, false, &[a]);
        audiences.acquire(without_a);
        audiences.release(without_a);
        audiences.drain(|_, _, _| ());
        let other = audiences.with(Audiences::NOBODY, a, true, &[a]);
        assert_eq!((other, &*audiences.get(other).ready), (without_a, &[a][..]));
        assert_ne!(audiences.with(Audiences::EVERYONE, a, false, &[a]), other);
    }

    #[test]
    fn an_audience_forgets_a_connection_that_is_gone() {
        let mut audiences = Audiences::new(1, 100);
        let a = ConnectionId(1);
        let without_a = audiences.with(Audiences::EVERYONE, a, false, &[a]);
        audiences.forget(a);
        assert!(
            audiences.admits(without_a, a),
            "nobody is excepted any more"
        );
        let again = audiences.with(Audiences::EVERYONE, ConnectionId(2), false, &[]);
        assert_eq!(
            audiences.with(again, ConnectionId(2), true, &[]),
            Audiences::EVERYONE
        );
    }
}
