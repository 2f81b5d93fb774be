//! Echoes: the changes of a former frame, once more, for behaviours with `redundancy = 1`.
//!
//! An echo travels with the next datagrams of a connection. On a link that loses nothing it makes none of its own: in a world with
//! few changes the headers would cost as much as the changes.

use bytes::Bytes;
use syncvar_runtime::packet::{Room, Segments};
use syncvar_runtime::{Channel, ConnectionId, NetId};

use crate::Framing;
use crate::link::sender::ChunkRef;
use crate::server::NetworkServer;
use crate::server::datagrams::Datagrams;
use crate::server::datagrams::frames::{ChunkRecord, Entry};
use crate::server::objects::replicated::State;

/// Chunk of a former frame, and its copy with the fields that still stand.
struct Echo {
    original: ChunkRecord,
    bytes: Bytes,
}

impl Datagrams {
    /// Returns the tick whose chunks are sent again in this update: that of the last datagram.
    fn repeated_tick(&self) -> Option<u32> {
        let travels = !self.queue.is_empty() || self.sender.has_losses();
        let last = self.sender.last_tick();
        last.filter(|_| travels && !self.sender.is_detached())
    }

    /// Returns whether a chunk of a tick is sent again in this update.
    fn repeats(&self, number: u64, tick: u32) -> bool {
        self.repeated_tick() == Some(tick) && self.sender.awaits(number)
    }
}

impl NetworkServer {
    /// Sends the chunks in the last datagrams of each connection again while they are under way. One loss delays no
    /// value by a round trip then.
    pub(in crate::server) fn echo_frame(&mut self) {
        if !self.replication.has_echo
            || !self.replication.frame_open
            || self.replication.links.is_empty()
        {
            return;
        }
        let datagrams = |id: &ConnectionId| self.sessions.connections.get(id.0)?.datagrams.as_ref();
        let links = self.replication.links.iter().filter_map(datagrams);
        let Some(since) = links.filter_map(|it| it.repeated_tick()).min() else {
            return;
        };
        let frames = std::mem::take(&mut *self.replication.frames);
        for frame in frames.since(since) {
            for original in &frame.chunks {
                if !self.is_repeated(original, frame.tick) {
                    continue;
                }
                let entries = frames.entries(original.number);
                if let Some(bytes) = self.write_echo(original, entries, frame.tick) {
                    let original = original.clone();
                    self.queue_echo(&Echo { original, bytes }, frame.tick);
                }
            }
        }
        *self.replication.frames = frames;
    }

    /// Returns whether a chunk of a tick is sent again to one of its observers.
    fn is_repeated(&self, original: &ChunkRecord, tick: u32) -> bool {
        let mut observers = self.visibility.audiences.get(original.audience).ready();
        observers.any(|observer| {
            let connection = self.sessions.connections.get(observer.0);
            let datagrams = connection.and_then(|it| it.datagrams.as_ref());
            datagrams.is_some_and(|it| it.repeats(original.number, tick))
        })
    }

    fn queue_echo(&mut self, echo: &Echo, tick: u32) {
        let Echo { original, bytes } = echo;
        let record = ChunkRef {
            number: original.number,
            tick,
        };
        let observers = self.visibility.audiences.get(original.audience).ready();
        let mut stored = None;
        for observer in observers {
            let connection = self.sessions.connections.get_mut(observer.0);
            let Some(connection) = connection.filter(|it| !it.is_limited()) else {
                continue;
            };
            let Some(datagrams) = &mut connection.datagrams else {
                continue;
            };
            if !datagrams.repeats(original.number, tick) || !datagrams.carries(bytes.len()) {
                continue;
            }
            let store = &mut self.outbound.store;
            let number =
                *stored.get_or_insert_with(|| store.add(std::iter::once(bytes.clone())).start);
            datagrams.queue.push_frame(original.channel, number, record);
        }
    }

    /// Writes the entries of a chunk whose fields have not changed since. None if one of them must not be
    /// repeated: an acknowledged echo counts for all fields of the original.
    fn write_echo(
        &mut self,
        original: &ChunkRecord,
        entries: &[Entry],
        tick: u32,
    ) -> Option<Bytes> {
        let size = self.context.config.gathered_size();
        let segments = self.replication.echo.take();
        let mut segments =
            segments.unwrap_or_else(|| Framing::Compact.segments_of(Channel::Unreliable, size));
        let mut objects = entries.chunk_by(|a, b| a.net_id == b.net_id);
        let written = objects
            .try_for_each(|entries| self.echo_object(original, (entries, tick), &mut segments));
        let mut chunks = segments.drain();
        // Unchanged values are not longer than before: they fit one chunk.
        let chunk = chunks.next().filter(|_| written.is_some());
        let chunk = chunk.filter(|_| chunks.next().is_none());
        drop(chunks);
        self.replication.echo = Some(segments);
        chunk
    }

    fn echo_object(
        &mut self,
        original: &ChunkRecord,
        (entries, tick): (&[Entry], u32),
        segments: &mut Segments,
    ) -> Option<()> {
        let net_id: NetId = entries.first()?.net_id;
        let replicated = self.objects.world.objects.get(net_id.0);
        let Some(replicated) = replicated.filter(|it| it.is(State::Announced)) else {
            return Some(());
        };
        if replicated.audience != original.audience {
            return None;
        }
        let slots = self.objects.world.pools.slots_mut(replicated.at)?;
        let mut standing = 0;
        for entry in entries {
            let slot = slots.slot(entry.behaviour.into())?;
            let (info, ticks) = (slot.info(), slot.ticks()?);
            let fields = ticks.changed_in(entry.fields, tick);
            let restricted = info.policy.restricted() & entry.fields != 0;
            if info.redundancy == 0 || restricted || fields & slot.dirty_bits() != 0 {
                return None;
            }
            standing |= fields;
        }
        if standing == 0 {
            return Some(());
        }
        let writer = segments.begin_update(net_id);
        let mut behaviour = 0_u8;
        slots.for_each_mut(|slot| {
            if slot.info().channel == original.channel {
                let entry = entries.iter().find(|entry| entry.behaviour == behaviour);
                let fields = entry.zip(slot.ticks());
                let fields =
                    fields.map_or(0, |(entry, ticks)| ticks.changed_in(entry.fields, tick));
                slot.write_again(fields, writer);
            }
            behaviour = behaviour.saturating_add(1);
        });
        let error = segments.check_update(Room::any());
        segments.commit_object();
        error.is_none().then_some(())
    }
}
