//! Audiences: sets of connections that see the same objects, and the buffers they share.
//!
//! A message for an audience is written once for each dialect that is spoken in it; its bytes are
//! frozen, and every member who speaks the dialect gets a reference to them.

mod choose;
mod listeners;
mod members;
mod ready;
mod sight;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use bytes::Bytes;

use crate::AudienceId;
use crate::ConnectionId;
use crate::Framing;
use crate::interest::Area;
use crate::object::Outputs;
use listeners::Listeners;
use members::Members;
use sight::Sight;

/// Who belongs to an audience unless something else is said about them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Base {
    /// Everyone.
    Everyone,
    /// Nobody.
    Nobody,
    /// Those who see an area, whoever they are at the time.
    Area(Area),
}

/// A set of connections that see the same objects.
#[derive(Debug)]
pub(super) struct Audience {
    /// Shared with the key that it is found by, if it is.
    members: Arc<Members>,
    /// Those members who are ready and speak [`Framing::Unet`].
    unet: Listeners,
    /// Those members who are ready and speak [`Framing::Compact`].
    compact: Listeners,
    /// Whether it is in the list of audiences that are being written to.
    touched: bool,
    /// Whether it is a place to use again.
    free: bool,
    /// How many objects name it.
    users: usize,
}

/// All audiences. Each is made once and found again by its members.
#[derive(Debug)]
pub(super) struct Audiences {
    all: Vec<Audience>,
    by_members: BTreeMap<Arc<Members>, AudienceId>,
    /// Whose members name whom: what a connection that comes or goes makes a difference to.
    naming: BTreeSet<(ConnectionId, AudienceId)>,
    /// The audiences of everyone but some, to which every other connection belongs.
    excepting: BTreeSet<AudienceId>,
    /// The audiences of those who see an area.
    based: BTreeSet<(Area, AudienceId)>,
    /// Who sees which area.
    sight: Sight,
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

impl Audience {
    /// Whether a connection gets what is written to this audience.
    pub(super) fn observes(&self, connection: ConnectionId) -> bool {
        self.unet.contain(connection) || self.compact.contain(connection)
    }

    /// Whether anybody gets what is written to this audience.
    pub(super) fn has_listeners(&self) -> bool {
        !self.unet.ready.is_empty() || !self.compact.ready.is_empty()
    }

    /// Whether one of those who get what is written to this audience speaks a dialect.
    pub(super) fn speaks(&self, framing: Framing) -> bool {
        !self.of(framing).ready.is_empty()
    }

    /// Those members who are ready and speak a dialect, ascending.
    #[cfg(test)]
    pub(super) fn listeners(&self, framing: Framing) -> &[ConnectionId] {
        &self.of(framing).ready
    }

    /// Those who are listed by the dialect they speak.
    fn of(&self, framing: Framing) -> &Listeners {
        match framing {
            Framing::Unet => &self.unet,
            Framing::Compact => &self.compact,
        }
    }

    /// Those members who are ready, whatever they speak, ascending.
    pub(super) fn ready(&self) -> impl Iterator<Item = ConnectionId> {
        let mut unet = self.unet.ready.iter().copied().peekable();
        let mut compact = self.compact.ready.iter().copied().peekable();
        std::iter::from_fn(move || match (unet.peek(), compact.peek()) {
            (Some(first), Some(second)) if second < first => compact.next(),
            (Some(_), _) => unet.next(),
            (None, _) => compact.next(),
        })
    }

    /// The same, to be changed.
    fn speaking(&mut self, framing: Framing) -> &mut Listeners {
        match framing {
            Framing::Unet => &mut self.unet,
            Framing::Compact => &mut self.compact,
        }
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
            based: BTreeSet::new(),
            sight: Sight::default(),
            touched: Vec::new(),
            unused: Vec::new(),
            free: Vec::new(),
            pieces: Vec::new(),
            channel_count,
            packet_size,
        };
        audiences.make(Members::new(Base::Everyone));
        audiences.make(Members::new(Base::Nobody));
        audiences
    }

    pub(super) fn get(&self, id: AudienceId) -> &Audience {
        &self.all[id.index()]
    }

    fn get_mut(&mut self, id: AudienceId) -> &mut Audience {
        &mut self.all[id.index()]
    }

    /// Who belongs to an audience unless something else is said about them.
    pub(super) fn base(&self, id: AudienceId) -> Base {
        self.get(id).members.base()
    }

    /// Those who belong to an audience whatever areas they see, unless everyone does.
    pub(super) fn shown(&self, id: AudienceId) -> impl Iterator<Item = ConnectionId> {
        self.get(id).members.shown()
    }

    /// Whether a connection belongs to an audience, ready or not.
    pub(super) fn admits(&self, id: AudienceId, connection: ConnectionId) -> bool {
        let sees = |area| self.sight.sees(connection, area);
        self.get(id).members.contain(connection, sees)
    }

    /// The same, where something else tells whether the connection sees an area.
    pub(super) fn admits_if(
        &self,
        id: AudienceId,
        connection: ConnectionId,
        sees: impl FnOnce(Area) -> bool,
    ) -> bool {
        self.get(id).members.contain(connection, sees)
    }

    /// The buffers of an audience, to be written to.
    pub(super) fn outputs(&mut self, id: AudienceId) -> Outputs<'_> {
        let audience = &mut self.all[id.index()];
        if !audience.touched {
            audience.touched = true;
            self.touched.push(id);
        }
        let (channels, size) = (self.channel_count, self.packet_size);
        Outputs::new(
            audience.unet.outputs(Framing::Unet, channels, size),
            audience.compact.outputs(Framing::Compact, channels, size),
        )
    }

    /// What has been written to an audience's channel for those who speak a dialect.
    pub(super) fn written(&self, id: AudienceId, framing: Framing, channel: u8) -> &[u8] {
        self.get(id).of(framing).written(channel)
    }

    /// Gives out everything that was written: channel, its pieces, and who gets them.
    pub(super) fn drain(&mut self, mut deliver: impl FnMut(u8, &[Bytes], &[ConnectionId])) {
        for id in self.touched.drain(..) {
            let audience = &mut self.all[id.index()];
            audience.touched = false;
            for listeners in [&mut audience.unet, &mut audience.compact] {
                listeners.drain(&mut self.pieces, &mut deliver);
            }
        }
        self.free_unused();
    }

    /// Whether something has been written that was not given out.
    pub(super) fn is_written(&self) -> bool {
        !self.touched.is_empty()
    }

    /// One more object names an audience.
    pub(super) fn acquire(&mut self, id: AudienceId) {
        self.get_mut(id).users += 1;
    }

    /// One object less names an audience. When none does, it goes with the next
    /// [`drain`](Self::drain), unless it is one of the two that are always there.
    pub(super) fn release(&mut self, id: AudienceId) {
        let audience = self.get_mut(id);
        audience.users -= 1;
        if audience.users == 0 && !Self::is_permanent(id) {
            self.unused.push(id);
        }
    }

    /// Whether an object names an audience.
    pub(super) fn is_named(&self, id: AudienceId) -> bool {
        self.get(id).users > 0
    }

    fn is_permanent(id: AudienceId) -> bool {
        id == Self::EVERYONE || id == Self::NOBODY
    }

    fn free_unused(&mut self) {
        if self.unused.is_empty() {
            return;
        }
        let nobody = Arc::clone(&self.get(Self::NOBODY).members);
        for id in self.unused.drain(..) {
            let audience = &mut self.all[id.index()];
            if audience.users > 0 || audience.free {
                continue;
            }
            let members = std::mem::replace(&mut audience.members, Arc::clone(&nobody));
            if self.by_members.get(&members) == Some(&id) {
                self.by_members.remove(&members);
            }
            for connection in members.named() {
                self.naming.remove(&(connection, id));
            }
            match members.base() {
                Base::Everyone => self.excepting.remove(&id),
                Base::Area(area) => self.based.remove(&(area, id)),
                Base::Nobody => false,
            };
            audience.unet.ready = Vec::new();
            audience.compact.ready = Vec::new();
            audience.free = true;
            self.free.push(id);
        }
    }

    /// The audiences whose members name a connection, ascending.
    fn naming(&self, connection: ConnectionId) -> impl Iterator<Item = AudienceId> {
        let (first, last) = AudienceId::RANGE;
        let naming = self.naming.range((connection, first)..=(connection, last));
        naming.map(|(_, id)| *id)
    }

    /// The audiences of those who see an area, ascending.
    fn based(&self, area: Area) -> impl Iterator<Item = AudienceId> {
        let (first, last) = AudienceId::RANGE;
        let based = self.based.range((area, first)..=(area, last));
        based.map(|(_, id)| *id)
    }
}
