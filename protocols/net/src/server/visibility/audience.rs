//! Audiences: connections that observe the same objects, and their shared buffers.
//!
//! A message for an audience is encoded once for each framing of its members. Members with the same
//! framing share its bytes.

mod choose;
mod members;
mod observers;
mod parts;
mod ready;
#[cfg(test)]
mod tests;
mod viewers;

use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::Bytes;
use syncvar_runtime::interest::Area;
use syncvar_runtime::unstable::object::Outputs;
use syncvar_runtime::unstable::ordered::{IdPairs, Ids};
use syncvar_runtime::unstable::packet::Segments;
use syncvar_runtime::{AudienceId, Channel, ConnectionId};

use crate::Framing;
use crate::server::objects::replicated::Replicated;
use members::Members;
use observers::Observers;
use parts::PartAudiences;
use viewers::AreaViewers;

pub(crate) use parts::Receivers;

/// Default membership of an audience.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Base {
    /// All connections.
    Everyone,
    /// No connection.
    Nobody,
    /// The connections that see an area at the time.
    Area(Area),
}

/// A set of connections that observe the same objects.
#[derive(Debug)]
pub(crate) struct Audience {
    /// Shared with the key in [`Audiences::by_members`].
    members: Arc<Members>,
    /// Ready members with [`Framing::Unet`].
    unet: Observers,
    /// Ready members with [`Framing::Compact`].
    compact: Observers,
    /// Whether [`Audiences::touched`] contains it.
    touched: bool,
    /// Whether [`Audiences::free`] contains it.
    free: bool,
    /// Number of objects with this audience.
    users: usize,
}

/// All audiences. Equal members share one audience.
#[derive(Debug)]
pub(crate) struct Audiences {
    all: Vec<Audience>,
    by_members: BTreeMap<Arc<Members>, AudienceId>,
    /// Connections that the members of an audience mention. Connects and disconnects affect these.
    mentions: IdPairs<ConnectionId, AudienceId>,
    /// Audiences based on all connections.
    everyone_based: Ids<AudienceId>,
    /// Audiences based on an area.
    area_based: IdPairs<Area, AudienceId>,
    /// Connections that see each area.
    area_viewers: AreaViewers,
    /// Audiences with unsent bytes, each once.
    touched: Vec<AudienceId>,
    /// Audiences without objects. They may still have unsent bytes.
    unused: Vec<AudienceId>,
    parts: PartAudiences,
    /// Indices in `all` to reuse.
    free: Vec<AudienceId>,
    /// List of chunks, reused.
    chunks: Vec<Bytes>,
    format: BufferFormat,
}

/// Format of the buffers of audiences.
#[derive(Debug)]
struct BufferFormat {
    /// Kinds of the channels.
    channels: Vec<Channel>,
    packet_size: usize,
}

/// Unsent bytes of an audience on a channel.
pub(crate) struct AudienceDelivery<'a> {
    pub(crate) audience: AudienceId,
    pub(crate) framing: Framing,
    pub(crate) channel: u8,
    pub(crate) chunks: &'a [Bytes],
    /// Ready members with this framing, ascending.
    pub(crate) members: &'a [ConnectionId],
}

impl Audience {
    /// Returns whether a connection is a ready member.
    pub(crate) fn observes(&self, connection: ConnectionId) -> bool {
        self.unet.contain(connection) || self.compact.contain(connection)
    }

    /// Returns whether the audience has a ready member.
    pub(crate) fn has_observers(&self) -> bool {
        !self.unet.ready.is_empty() || !self.compact.ready.is_empty()
    }

    /// Returns whether a ready member has a framing.
    pub(crate) fn speaks(&self, framing: Framing) -> bool {
        !self.of(framing).ready.is_empty()
    }

    /// Returns the ready members with a framing, ascending.
    #[cfg(test)]
    pub(crate) fn observers(&self, framing: Framing) -> &[ConnectionId] {
        &self.of(framing).ready
    }

    /// Returns the ready members and buffers of a framing.
    fn of(&self, framing: Framing) -> &Observers {
        match framing {
            Framing::Unet => &self.unet,
            Framing::Compact => &self.compact,
        }
    }

    /// Returns the ready members, ascending.
    pub(crate) fn ready(&self) -> impl Iterator<Item = ConnectionId> {
        let mut unet = self.unet.ready.iter().copied().peekable();
        let mut compact = self.compact.ready.iter().copied().peekable();
        std::iter::from_fn(move || match (unet.peek(), compact.peek()) {
            (Some(first), Some(second)) if second < first => compact.next(),
            (Some(_), _) => unet.next(),
            (None, _) => compact.next(),
        })
    }

    /// Returns the ready members and buffers of a framing, for writing.
    fn of_mut(&mut self, framing: Framing) -> &mut Observers {
        match framing {
            Framing::Unet => &mut self.unet,
            Framing::Compact => &mut self.compact,
        }
    }
}

impl Audiences {
    /// Permanent audience with every connection.
    pub(crate) const EVERYONE: AudienceId = AudienceId(0);
    /// The permanent audience without members.
    pub(crate) const NOBODY: AudienceId = AudienceId(1);

    pub(crate) fn new(channels: &[Channel], packet_size: usize) -> Self {
        let mut audiences = Self {
            all: Vec::new(),
            by_members: BTreeMap::new(),
            mentions: IdPairs::default(),
            everyone_based: Ids::default(),
            area_based: IdPairs::default(),
            area_viewers: AreaViewers::default(),
            touched: Vec::new(),
            unused: Vec::new(),
            parts: PartAudiences::default(),
            free: Vec::new(),
            chunks: Vec::new(),
            format: BufferFormat {
                channels: channels.to_vec(),
                packet_size,
            },
        };
        audiences.make(Members::new(Base::Everyone));
        audiences.make(Members::new(Base::Nobody));
        audiences
    }

    pub(crate) fn get(&self, id: AudienceId) -> &Audience {
        &self.all[id.index()]
    }

    fn get_mut(&mut self, id: AudienceId) -> &mut Audience {
        &mut self.all[id.index()]
    }

    /// Returns the default membership of an audience.
    pub(crate) fn base(&self, id: AudienceId) -> Base {
        self.get(id).members.base()
    }

    /// Returns the connections that an audience shows in every area, unless it is based on all
    /// connections.
    pub(crate) fn shown(&self, id: AudienceId) -> impl Iterator<Item = ConnectionId> {
        self.get(id).members.shown()
    }

    /// Returns the connections that an audience shows or hides by name, and which of the two.
    pub(crate) fn exceptions(&self, id: AudienceId) -> impl Iterator<Item = (ConnectionId, bool)> {
        self.get(id).members.exceptions()
    }

    /// Returns whether an audience shows or hides a connection by name; `None` without such an
    /// exception.
    pub(crate) fn exception(&self, id: AudienceId, connection: ConnectionId) -> Option<bool> {
        self.get(id).members.exception(connection)
    }

    /// Returns whether a connection is a member, ready or not.
    pub(crate) fn admits(&self, id: AudienceId, connection: ConnectionId) -> bool {
        let sees = |area| self.area_viewers.sees(connection, area);
        self.get(id).members.contain(connection, sees)
    }

    /// Returns whether a connection is a member, with `sees` as the source of its areas.
    pub(crate) fn admits_if(
        &self,
        id: AudienceId,
        connection: ConnectionId,
        sees: impl FnOnce(Area) -> bool,
    ) -> bool {
        self.get(id).members.contain(connection, sees)
    }

    /// Returns the buffers of an audience, for writing.
    pub(crate) fn outputs(&mut self, id: AudienceId) -> Outputs<'_> {
        let audience = &mut self.all[id.index()];
        if !audience.touched {
            audience.touched = true;
            self.touched.push(id);
        }
        let (channels, size) = (&self.format.channels[..], self.format.packet_size);
        Outputs::new(
            audience.unet.outputs(Framing::Unet, channels, size),
            audience.compact.outputs(Framing::Compact, channels, size),
        )
    }

    /// Ends the chunks of an audience on unreliable channels: later entries are repeated apart from earlier entries.
    pub(crate) fn end_chunks(&mut self, id: AudienceId) {
        for channel in 0..self.format.channels.len() {
            if self.format.channels[channel] == Channel::Unreliable {
                self.outputs(id)
                    .channel(channel)
                    .for_each(Segments::end_packet);
            }
        }
    }

    /// Returns the unsent bytes of an audience's channel in a framing.
    pub(crate) fn written(&self, id: AudienceId, framing: Framing, channel: u8) -> &[u8] {
        self.get(id).of(framing).written(channel)
    }

    /// Hands out all unsent bytes.
    pub(crate) fn drain(&mut self, mut deliver: impl FnMut(&AudienceDelivery<'_>)) {
        for id in self.touched.drain(..) {
            let audience = &mut self.all[id.index()];
            audience.touched = false;
            let both = [
                (Framing::Unet, &mut audience.unet),
                (Framing::Compact, &mut audience.compact),
            ];
            for (framing, observers) in both {
                observers.drain(&mut self.chunks, &mut |channel, chunks, members| {
                    deliver(&AudienceDelivery {
                        audience: id,
                        framing,
                        channel,
                        chunks,
                        members,
                    });
                });
            }
        }
        self.count_drain();
        self.free_unused();
    }

    /// Returns whether an audience has unsent bytes.
    pub(crate) fn is_written(&self) -> bool {
        !self.touched.is_empty()
    }

    /// Counts an object that takes an audience.
    pub(crate) fn acquire(&mut self, id: AudienceId) {
        self.get_mut(id).users += 1;
    }

    /// Counts an object that leaves an audience. An unused audience ends with the next
    /// [`drain`](Self::drain), unless it is permanent.
    pub(crate) fn release(&mut self, id: AudienceId) {
        let audience = self.get_mut(id);
        audience.users -= 1;
        if audience.users == 0 && !Self::is_permanent(id) {
            self.unused.push(id);
        }
    }

    /// Replaces the merged audiences of an object by their successors. `merged` is in ascending order.
    pub(crate) fn replace_merged(
        &mut self,
        replicated: &mut Replicated,
        merged: &[(AudienceId, AudienceId)],
    ) {
        for audience in [&mut replicated.audience, &mut replicated.target_audience] {
            let found = merged.binary_search_by_key(audience, |(former, _)| *former);
            if let Some((_, replacement)) = found.ok().and_then(|place| merged.get(place)) {
                self.acquire(*replacement);
                self.release(*audience);
                *audience = *replacement;
            }
        }
    }

    /// Returns whether an object has an audience.
    pub(crate) fn is_used(&self, id: AudienceId) -> bool {
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
        let mut next = 0;
        while let Some(id) = self.unused.get(next).copied() {
            next += 1;
            let audience = &self.all[id.index()];
            if audience.users > 0 || audience.free {
                continue;
            }
            // Its parts may be unused now, and stand behind it in the list.
            self.forget_parts_of(id);
            let audience = &mut self.all[id.index()];
            let members = std::mem::replace(&mut audience.members, Arc::clone(&nobody));
            if self.by_members.get(&members) == Some(&id) {
                self.by_members.remove(&members);
            }
            for connection in members.mentioned() {
                self.mentions.remove(connection, id);
            }
            match members.base() {
                Base::Everyone => self.everyone_based.remove(id),
                Base::Area(area) => self.area_based.remove(area, id),
                Base::Nobody => false,
            };
            audience.unet.ready = Vec::new();
            audience.compact.ready = Vec::new();
            audience.free = true;
            self.free.push(id);
        }
        self.unused.clear();
    }

    /// Returns the audiences whose members mention a connection, ascending.
    fn mentioning(&self, connection: ConnectionId) -> impl Iterator<Item = AudienceId> {
        self.mentions.of(connection)
    }

    /// Returns the audiences based on an area, ascending.
    fn based_on(&self, area: Area) -> impl Iterator<Item = AudienceId> {
        self.area_based.of(area)
    }
}
