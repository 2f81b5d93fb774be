//! Audiences: sets of connections that see the same objects, and the buffers they share.
//!
//! A message for an audience is written once; its bytes are frozen, and every member gets a
//! reference to them.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use bytes::Bytes;

use super::ConnectionId;
use crate::segments::Segments;

/// The position of an audience.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct AudienceId(usize);

impl AudienceId {
    pub(super) fn index(self) -> usize {
        self.0
    }
}

/// The buffers of an audience, for each dialect that is spoken in it.
#[derive(Debug)]
pub(crate) struct Outputs<'a>(pub(super) [&'a mut [Segments]; 2]);

impl Outputs<'_> {
    /// The buffers of a channel, one for each dialect.
    #[inline]
    pub(super) fn channel(&mut self, channel: usize) -> impl Iterator<Item = &mut Segments> {
        let dialects = self.0.iter_mut();
        dialects.filter_map(move |channels| channels.get_mut(channel))
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
    /// Shared with the key that it is found by, if it is.
    members: Arc<Members>,
    /// Those members who are ready, ascending.
    pub(super) ready: Vec<ConnectionId>,
    /// What is being written to all of them, a buffer for each channel.
    channels: Vec<Segments>,
    /// Whether it is in the list of audiences that are being written to.
    touched: bool,
    /// How many objects name it.
    users: usize,
    /// Whether it is a place to use again.
    free: bool,
}

/// All audiences. Each is made once and found again by its members.
#[derive(Debug)]
pub(super) struct Audiences {
    all: Vec<Audience>,
    by_members: BTreeMap<Arc<Members>, AudienceId>,
    /// Whose set names whom: what a connection that comes or goes makes a difference to.
    naming: BTreeSet<(ConnectionId, AudienceId)>,
    /// The audiences of everyone but some, to which every other connection belongs.
    excepting: BTreeSet<AudienceId>,
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

    fn set(&self) -> &BTreeSet<ConnectionId> {
        match self {
            Self::EveryoneExcept(set) | Self::Only(set) => set,
        }
    }

    /// Puts a connection on the other side. Returns whether the set names it now.
    fn toggle(&mut self, connection: ConnectionId) -> bool {
        let (Self::EveryoneExcept(set) | Self::Only(set)) = self;
        !set.remove(&connection) && set.insert(connection)
    }
}

impl Audience {
    /// Lists a connection among the members who are ready, or takes it off the list.
    fn list(&mut self, connection: ConnectionId, listed: bool) {
        match (self.ready.binary_search(&connection), listed) {
            (Err(place), true) => self.ready.insert(place, connection),
            (Ok(place), false) => {
                self.ready.remove(place);
            }
            _ => {}
        }
    }
}

impl Audience {
    /// Whether a connection gets what is written to this audience.
    pub(super) fn observes(&self, connection: ConnectionId) -> bool {
        self.ready.binary_search(&connection).is_ok()
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
            naming: BTreeSet::new(),
            excepting: BTreeSet::new(),
            touched: Vec::new(),
            unused: Vec::new(),
            free: Vec::new(),
            pieces: Vec::new(),
            channel_count,
            packet_size,
        };
        audiences.make(Members::EveryoneExcept(BTreeSet::new()), Vec::new());
        audiences.make(Members::Only(BTreeSet::new()), Vec::new());
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

    /// The buffers of an audience, to write into.
    pub(super) fn outputs(&mut self, id: AudienceId) -> Outputs<'_> {
        let audience = &mut self.all[id.0];
        if !audience.touched {
            audience.touched = true;
            self.touched.push(id);
        }
        Outputs([&mut audience.channels, &mut []])
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

    /// The audience that differs from this one by one connection, for an object that names this
    /// one and will name that one instead. If no other object does, and nobody waits for what was
    /// written, this one is changed: many steps in a row then copy no set.
    pub(super) fn with(
        &mut self,
        id: AudienceId,
        connection: ConnectionId,
        visible: bool,
    ) -> AudienceId {
        let audience = self.get(id);
        if audience.members.contain(connection) == visible {
            return id;
        }
        let listed = visible && self.is_ready(connection);
        if audience.users == 1 && !audience.touched && !Self::is_permanent(id) {
            self.all[id.0].list(connection, listed);
            return self.toggle(id, connection);
        }
        let mut members = Members::clone(&audience.members);
        members.toggle(connection);
        if let Some(found) = self.by_members.get(&members) {
            return *found;
        }
        let ready = audience.ready.clone();
        let made = self.make(members, ready);
        self.all[made.0].list(connection, listed);
        made
    }

    /// A new audience, with those of its members who are ready.
    fn make(&mut self, members: Members, ready: Vec<ConnectionId>) -> AudienceId {
        let id = self.free.pop().unwrap_or(AudienceId(self.all.len()));
        self.naming.extend(members.set().iter().map(|c| (*c, id)));
        if matches!(members, Members::EveryoneExcept(_)) {
            self.excepting.insert(id);
        }
        let members = Arc::new(members);
        self.by_members.insert(Arc::clone(&members), id);
        if let Some(audience) = self.all.get_mut(id.0) {
            audience.members = members;
            audience.ready = ready;
            audience.free = false;
        } else {
            let channels = (0..self.channel_count).map(|_| Segments::new(self.packet_size));
            self.all.push(Audience {
                members,
                ready,
                channels: channels.collect(),
                touched: false,
                users: 0,
                free: false,
            });
        }
        id
    }

    /// Puts a connection on the other side of an audience. Returns the audience that is found by
    /// these members now: another one, if it had them before.
    fn toggle(&mut self, id: AudienceId, connection: ConnectionId) -> AudienceId {
        let members = &mut self.all[id.0].members;
        if self.by_members.get(members) == Some(&id) {
            self.by_members.remove(members);
        }
        if Arc::make_mut(members).toggle(connection) {
            self.naming.insert((connection, id));
        } else {
            self.naming.remove(&(connection, id));
        }
        *self.by_members.entry(Arc::clone(members)).or_insert(id)
    }

    fn is_permanent(id: AudienceId) -> bool {
        id == Self::EVERYONE || id == Self::NOBODY
    }

    fn is_ready(&self, connection: ConnectionId) -> bool {
        self.get(Self::EVERYONE).observes(connection)
    }

    /// The audiences whose sets name a connection, ascending.
    fn naming(&self, connection: ConnectionId) -> impl Iterator<Item = AudienceId> {
        let (first, last) = (AudienceId(0), AudienceId(usize::MAX));
        let naming = self.naming.range((connection, first)..=(connection, last));
        naming.map(|(_, id)| *id)
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
        if audience.users == 0 && !Self::is_permanent(id) {
            self.unused.push(id);
        }
    }

    fn free_unused(&mut self) {
        for id in self.unused.drain(..) {
            let audience = &mut self.all[id.0];
            if audience.users > 0 || audience.free {
                continue;
            }
            if self.by_members.get(&audience.members) == Some(&id) {
                self.by_members.remove(&audience.members);
            }
            for connection in audience.members.set() {
                self.naming.remove(&(*connection, id));
            }
            self.excepting.remove(&id);
            audience.members = Arc::new(Members::Only(BTreeSet::new()));
            audience.ready = Vec::new();
            audience.free = true;
            self.free.push(id);
        }
    }

    /// A connection has become ready: it joins every audience that admits it.
    pub(super) fn add_ready(&mut self, connection: ConnectionId) {
        self.set_ready(connection, true);
    }

    /// A connection is no longer ready.
    pub(super) fn remove_ready(&mut self, connection: ConnectionId) {
        self.set_ready(connection, false);
    }

    fn set_ready(&mut self, connection: ConnectionId, ready: bool) {
        if self.is_ready(connection) == ready {
            return;
        }
        let excepting = self.excepting.iter().copied();
        let concerned: Vec<_> = excepting.chain(self.naming(connection)).collect();
        for id in concerned {
            let audience = &mut self.all[id.0];
            let listed = ready && audience.members.contain(connection);
            audience.list(connection, listed);
        }
    }

    /// A connection is gone and its number will not come back: the sets forget it. Audiences may
    /// then have the same members. Returns those that are to be given up, each with the one to name
    /// instead: objects that everybody sees alike must not stay apart for ever.
    ///
    /// What was written to an audience that is given up still goes to its members, who are the
    /// same, with the next [`drain`](Self::drain).
    pub(super) fn forget(&mut self, connection: ConnectionId) -> BTreeMap<AudienceId, AudienceId> {
        self.remove_ready(connection);
        let naming: Vec<_> = self.naming(connection).collect();
        let mut merged = BTreeMap::new();
        for id in naming {
            let found = self.toggle(id, connection);
            if found != id && self.get(id).users > 0 {
                merged.insert(id, found);
            }
        }
        merged
    }
}
