//! Who observes what: sets of connections, each kept once, and what a frame writes for each of them.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use bytes::Bytes;
use rustc_hash::FxHashMap;
use syncvar_runtime::{Channel, ConnectionId};

use super::frame::{Cut, Frame};

/// The number of a set of connections. It stands for the same ones as long as an object has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct AudienceId(u32);

/// All sets of connections that observe some object.
///
/// A connection that comes or goes takes objects from one set to another; which one that is is
/// remembered for each set, so that an object costs one look.
#[derive(Debug)]
pub(super) struct Audiences {
    list: Vec<Audience>,
    by_members: FxHashMap<Arc<[ConnectionId]>, AudienceId>,
    /// The set that is another one with this connection put in or taken out.
    toggled: FxHashMap<(AudienceId, ConnectionId), AudienceId>,
    /// Numbers that are free.
    free: Vec<AudienceId>,
    /// How many sets are no object's.
    idle: usize,
    /// Those that the frame under way has written for, in the order of their first object.
    written: Vec<AudienceId>,
}

#[derive(Debug)]
struct Audience {
    /// Ascending.
    members: Arc<[ConnectionId]>,
    /// How many objects have it.
    objects: usize,
    frame: Frame,
    /// What the frame under way sends unreliably.
    deltas: Frame,
}

/// How many sets may be no object's before they are looked for.
const IDLE: usize = 64;

impl Default for Audiences {
    fn default() -> Self {
        let nobody: Arc<[ConnectionId]> = Arc::new([]);
        Self {
            list: vec![Audience {
                members: nobody.clone(),
                objects: 1,
                frame: Frame::default(),
                deltas: Frame::default(),
            }],
            by_members: FxHashMap::from_iter([(nobody, Self::NOBODY)]),
            toggled: FxHashMap::default(),
            free: Vec::new(),
            idle: 0,
            written: Vec::new(),
        }
    }
}

impl Audiences {
    /// The set without members.
    pub(super) const NOBODY: AudienceId = AudienceId(0);

    /// The members of a set, ascending.
    pub(super) fn members(&self, id: AudienceId) -> &[ConnectionId] {
        self.get(id).map_or(&[], |audience| &audience.members)
    }

    /// The members of a set, ascending, to be kept.
    pub(super) fn shared_members(&self, id: AudienceId) -> Arc<[ConnectionId]> {
        let nobody = || Arc::new([]) as Arc<[ConnectionId]>;
        self.get(id)
            .map_or_else(nobody, |audience| audience.members.clone())
    }

    /// Whether a connection is in a set.
    #[inline]
    pub(super) fn contains(&self, id: AudienceId, connection: ConnectionId) -> bool {
        self.members(id).binary_search(&connection).is_ok()
    }

    /// Puts a connection into the set of an object, or takes it out if it is in it. Returns the set that
    /// the object has then.
    pub(super) fn toggle(&mut self, id: AudienceId, connection: ConnectionId) -> AudienceId {
        let toggled = match self.toggled.get(&(id, connection)) {
            Some(toggled) => *toggled,
            None => self.find_toggled(id, connection),
        };
        self.acquire(toggled);
        self.release(id);
        toggled
    }

    /// Gives an object the set of these connections, which are ascending. Returns it.
    pub(super) fn exchange(&mut self, id: AudienceId, members: &[ConnectionId]) -> AudienceId {
        let exchanged = match self.by_members.get(members) {
            Some(known) => *known,
            None => self.intern(members.to_vec()),
        };
        self.acquire(exchanged);
        self.release(id);
        exchanged
    }

    fn find_toggled(&mut self, id: AudienceId, connection: ConnectionId) -> AudienceId {
        let mut members = self.members(id).to_vec();
        match members.binary_search(&connection) {
            Ok(position) => {
                members.remove(position);
            }
            Err(position) => members.insert(position, connection),
        }
        let toggled = self.intern(members);
        self.toggled.insert((id, connection), toggled);
        self.toggled.insert((toggled, connection), id);
        toggled
    }

    fn intern(&mut self, members: Vec<ConnectionId>) -> AudienceId {
        if let Some(id) = self.by_members.get(members.as_slice()) {
            return *id;
        }
        let members: Arc<[ConnectionId]> = members.into();
        let audience = Audience {
            members: members.clone(),
            objects: 0,
            frame: Frame::default(),
            deltas: Frame::default(),
        };
        self.idle += 1;
        let id = match self.free.pop() {
            Some(id) => {
                if let Some(place) = self.get_mut(id) {
                    *place = audience;
                }
                id
            }
            None => {
                self.list.push(audience);
                AudienceId(u32::try_from(self.list.len() - 1).unwrap_or(u32::MAX))
            }
        };
        self.by_members.insert(members, id);
        id
    }

    /// One more object has a set.
    fn acquire(&mut self, id: AudienceId) {
        let Some(audience) = self.get_mut(id) else {
            return;
        };
        audience.objects += 1;
        if audience.objects == 1 {
            self.idle -= 1;
        }
    }

    /// An object has a set no more.
    pub(super) fn release(&mut self, id: AudienceId) {
        if id == Self::NOBODY {
            return;
        }
        let Some(audience) = self.get_mut(id) else {
            return;
        };
        audience.objects -= 1;
        if audience.objects == 0 {
            self.idle += 1;
        }
    }

    /// Forgets the sets that are no object's, should there be many. Not to be called while a frame is
    /// being written.
    pub(super) fn tidy(&mut self) {
        if self.idle <= IDLE + self.by_members.len() / 2 {
            return;
        }
        self.toggled.clear();
        let (list, free) = (&self.list, &mut self.free);
        self.by_members.retain(|_, id| {
            let is_used = list.get(id.0 as usize).is_some_and(|it| it.objects > 0);
            if !is_used {
                free.push(*id);
            }
            is_used
        });
        for id in &self.free {
            if let Some(audience) = self.list.get_mut(id.0 as usize) {
                (audience.frame, audience.deltas) = (Frame::default(), Frame::default());
            }
        }
        self.idle = 0;
    }

    /// Where the frame under way writes for a set.
    #[inline]
    pub(super) fn frame(&mut self, id: AudienceId) -> Option<&mut Frame> {
        let audience = self.list.get_mut(id.0 as usize)?;
        if !audience.frame.is_begun() {
            audience.frame.begin();
            self.written.push(id);
        }
        Some(&mut audience.frame)
    }

    /// Where the frame under way writes what it sends a set unreliably.
    pub(super) fn deltas(&mut self, id: AudienceId) -> Option<&mut Frame> {
        self.frame(id)?;
        let audience = self.get_mut(id)?;
        audience.deltas.begin();
        Some(&mut audience.deltas)
    }

    /// Takes the list of the sets that the frame has written for.
    pub(super) fn take_written(&mut self) -> Vec<AudienceId> {
        std::mem::take(&mut self.written)
    }

    /// The frame is over: what it has written is forgotten, and the list is used again.
    pub(super) fn end_frame(&mut self, mut written: Vec<AudienceId>) {
        for id in written.drain(..) {
            if let Some(audience) = self.get_mut(id) {
                audience.frame.end();
                if audience.deltas.is_begun() {
                    audience.deltas.end();
                }
            }
        }
        self.written = written;
    }

    /// The frame has written all that it writes for a set.
    pub(super) fn freeze(&mut self, id: AudienceId) {
        if let Some(audience) = self.get_mut(id) {
            audience.frame.freeze();
            if audience.deltas.is_begun() {
                audience.deltas.freeze();
            }
        }
    }

    /// What the frame has written for a set, all that is sent on a channel.
    pub(super) fn written(&self, id: AudienceId, channel: Channel) -> Option<&Frame> {
        let audience = self.get(id)?;
        let frame = match channel {
            Channel::Reliable => &audience.frame,
            Channel::Unreliable => &audience.deltas,
        };
        Some(frame).filter(|frame| frame.is_begun())
    }

    /// The same in batches that all its members can be sent, with messages before and behind it.
    pub(super) fn cut(
        &mut self,
        id: AudienceId,
        channel: Channel,
        (header, cut): ([u8; 8], Cut),
        around: [&[u8]; 2],
    ) -> Arc<[Bytes]> {
        let frame = self.get_mut(id).map(|audience| match channel {
            Channel::Reliable => &mut audience.frame,
            Channel::Unreliable => &mut audience.deltas,
        });
        frame.map_or_else(
            || Arc::new([]) as Arc<[Bytes]>,
            |frame| frame.cut(header, cut, around),
        )
    }

    #[inline]
    fn get(&self, id: AudienceId) -> Option<&Audience> {
        self.list.get(id.0 as usize)
    }

    #[inline]
    fn get_mut(&mut self, id: AudienceId) -> Option<&mut Audience> {
        self.list.get_mut(id.0 as usize)
    }
}
