//! Audiences: interned sets of connections, and the messages of a frame for each set.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use bytes::Bytes;
use rustc_hash::FxHashMap;
use syncvar_runtime::{Channel, ConnectionId};

use crate::server::batches::frame::{AudienceFrame, Cut, HEADER};

/// Number of an audience. It keeps its members as long as an object has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct AudienceId(u32);

/// All audiences of objects.
///
/// A connection that enters or leaves moves an object to a different audience. The table `toggled`
/// remembers that step, so that each further object costs one lookup.
#[derive(Debug)]
pub(crate) struct Audiences {
    list: Vec<ObjectAudience>,
    by_members: FxHashMap<Arc<[ConnectionId]>, AudienceId>,
    /// Audience after this connection enters or leaves.
    toggled: FxHashMap<(AudienceId, ConnectionId), AudienceId>,
    /// Unused numbers.
    free: Vec<AudienceId>,
    /// Number of audiences without objects.
    unused: usize,
    /// Audiences of the current frame, in the order of their first object.
    written: Vec<AudienceId>,
}

#[derive(Debug)]
struct ObjectAudience {
    /// Ascending connections.
    members: Arc<[ConnectionId]>,
    /// Number of objects with this audience.
    objects: usize,
    frame: AudienceFrame,
    /// Unreliable messages of the current frame.
    deltas: AudienceFrame,
}

/// Number of unused audiences that are always kept.
const MIN_UNUSED: usize = 64;

impl Default for Audiences {
    fn default() -> Self {
        let nobody: Arc<[ConnectionId]> = Arc::new([]);
        Self {
            list: vec![ObjectAudience {
                members: nobody.clone(),
                objects: 1,
                frame: AudienceFrame::default(),
                deltas: AudienceFrame::default(),
            }],
            by_members: FxHashMap::from_iter([(nobody, Self::EMPTY)]),
            toggled: FxHashMap::default(),
            free: Vec::new(),
            unused: 0,
            written: Vec::new(),
        }
    }
}

impl Audiences {
    /// Audience without members.
    pub(crate) const EMPTY: AudienceId = AudienceId(0);

    /// Returns the members, ascending.
    #[inline]
    pub(crate) fn members(&self, id: AudienceId) -> &[ConnectionId] {
        self.get(id).map_or(&[], |audience| &audience.members)
    }

    /// Returns the members, ascending, as a shared list.
    #[inline]
    pub(crate) fn shared_members(&self, id: AudienceId) -> Arc<[ConnectionId]> {
        let nobody = || Arc::new([]) as Arc<[ConnectionId]>;
        self.get(id)
            .map_or_else(nobody, |audience| audience.members.clone())
    }

    /// Returns whether a connection is a member.
    #[inline]
    pub(crate) fn contains(&self, id: AudienceId, connection: ConnectionId) -> bool {
        self.members(id).binary_search(&connection).is_ok()
    }

    /// Adds a connection to the audience of an object, or removes a member. Returns the new
    /// audience of the object.
    pub(crate) fn toggle(&mut self, id: AudienceId, connection: ConnectionId) -> AudienceId {
        let toggled = match self.toggled.get(&(id, connection)) {
            Some(toggled) => *toggled,
            None => self.find_toggled(id, connection),
        };
        self.acquire(toggled);
        self.release(id);
        toggled
    }

    /// Replaces the audience of an object by the audience with these ascending members.
    pub(crate) fn exchange(&mut self, id: AudienceId, members: &[ConnectionId]) -> AudienceId {
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
        let audience = ObjectAudience {
            members: members.clone(),
            objects: 0,
            frame: AudienceFrame::default(),
            deltas: AudienceFrame::default(),
        };
        self.unused += 1;
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

    /// Counts one more object for an audience.
    fn acquire(&mut self, id: AudienceId) {
        let Some(audience) = self.get_mut(id) else {
            return;
        };
        audience.objects += 1;
        if audience.objects == 1 {
            self.unused -= 1;
        }
    }

    /// Counts one object less for an audience.
    pub(crate) fn release(&mut self, id: AudienceId) {
        if id == Self::EMPTY {
            return;
        }
        let Some(audience) = self.get_mut(id) else {
            return;
        };
        audience.objects -= 1;
        if audience.objects == 0 {
            self.unused += 1;
        }
    }

    /// Drops the unused audiences if they are many. Not allowed while a frame is being written.
    pub(crate) fn collect_unused(&mut self) {
        if self.unused <= MIN_UNUSED + self.by_members.len() / 2 {
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
                (audience.frame, audience.deltas) =
                    (AudienceFrame::default(), AudienceFrame::default());
            }
        }
        self.unused = 0;
    }

    /// Returns the frame that collects reliable messages for an audience.
    #[inline]
    pub(crate) fn frame(&mut self, id: AudienceId) -> Option<&mut AudienceFrame> {
        let audience = self.list.get_mut(id.0 as usize)?;
        if !audience.frame.is_begun() {
            audience.frame.begin();
            self.written.push(id);
        }
        Some(&mut audience.frame)
    }

    /// Returns the frame that collects unreliable messages for an audience.
    #[inline]
    pub(crate) fn deltas(&mut self, id: AudienceId) -> Option<&mut AudienceFrame> {
        self.frame(id)?;
        let audience = self.get_mut(id)?;
        audience.deltas.begin();
        Some(&mut audience.deltas)
    }

    /// Takes the list of audiences with messages in this frame.
    #[inline]
    pub(crate) fn take_written(&mut self) -> Vec<AudienceId> {
        std::mem::take(&mut self.written)
    }

    /// Ends the frame: clears its messages and returns the list's memory.
    pub(crate) fn end_frame(&mut self, mut written: Vec<AudienceId>) {
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

    /// Freezes the messages of an audience: the frame adds no more.
    #[inline]
    pub(crate) fn freeze(&mut self, id: AudienceId) {
        if let Some(audience) = self.get_mut(id) {
            audience.frame.freeze();
            if audience.deltas.is_begun() {
                audience.deltas.freeze();
            }
        }
    }

    /// Returns the messages of a frame for an audience on a channel.
    #[inline]
    pub(crate) fn written(&self, id: AudienceId, channel: Channel) -> Option<&AudienceFrame> {
        let audience = self.get(id)?;
        let frame = match channel {
            Channel::Reliable => &audience.frame,
            Channel::Unreliable => &audience.deltas,
        };
        Some(frame).filter(|frame| frame.is_begun())
    }

    /// Returns these messages in batches, with messages before and after them; shared by all
    /// members.
    pub(crate) fn cut(
        &mut self,
        id: AudienceId,
        channel: Channel,
        header: [u8; HEADER],
        cut: Cut,
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
    fn get(&self, id: AudienceId) -> Option<&ObjectAudience> {
        self.list.get(id.0 as usize)
    }

    #[inline]
    fn get_mut(&mut self, id: AudienceId) -> Option<&mut ObjectAudience> {
        self.list.get_mut(id.0 as usize)
    }
}
