//! Repeats: the changes of an earlier frame, once more, for behaviours with `redundancy = 1`.
//!
//! A repeated chunk travels with the next datagrams of a connection. On a link that loses nothing it makes no datagram by
//! itself: in a world with few changes the headers would cost as much as the changes.

use bytes::Bytes;
use syncvar_runtime::unstable::packet::{Room, Segments};
use syncvar_runtime::{Channel, ConnectionId};

use crate::Framing;
use crate::link::sender::ChunkRef;
use crate::server::chunk_store::ChunkStore;
use crate::server::datagram_link::DatagramLink;
use crate::server::datagrams::Datagrams;
use crate::server::ground::Ground;
use crate::server::ledger::field_set::FieldSet;
use crate::server::objects::Objects;
use crate::server::outbound::write_records::{ChunkRecord, WrittenChunk};
use crate::server::sessions::Sessions;
use crate::server::visibility::Visibility;

/// Chunk of an earlier frame, and its copy with the unchanged fields.
struct Repeated {
    original: ChunkRecord,
    bytes: Bytes,
}

impl DatagramLink {
    /// Returns the tick of the last datagram, if its chunks are sent again in this update.
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

impl Datagrams {
    /// Sends the chunks in the last datagrams again while they are under way. One loss delays no
    /// value by a round trip then.
    pub(crate) fn repeat_frame(&mut self, ground: &mut Ground<'_>, visibility: &Visibility) {
        let Ground {
            context,
            objects,
            sessions,
            outbound,
        } = ground;
        if !self.has_redundancy || !outbound.records.is_open || self.links.is_empty() {
            return;
        }
        let link = |id: &ConnectionId| sessions.connections.get(id.0)?.datagrams.as_ref();
        let links = self.links.iter().filter_map(link);
        let Some(since) = links.filter_map(|link| link.repeated_tick()).min() else {
            return;
        };
        let size = context.config.gathered_size();
        let segments = self.repeated.take();
        let mut segments =
            segments.unwrap_or_else(|| Framing::Compact.segments_of(Channel::Unreliable, size));
        let records = std::mem::take(&mut *outbound.records);
        for frame in records.since(since) {
            for original in &frame.chunks {
                let Some(chunk) = records.chunk(original.number) else {
                    continue;
                };
                if !is_repeated(sessions, visibility, &chunk) {
                    continue;
                }
                if let Some(bytes) = repeat_chunk(objects, &chunk, &mut segments) {
                    let original = original.clone();
                    let repeated = Repeated { original, bytes };
                    repeated.queue(sessions, visibility, &mut outbound.store, frame.tick);
                }
            }
        }
        *outbound.records = records;
        self.repeated = Some(segments);
    }
}

/// Returns whether a chunk of a tick is sent again to an observer.
fn is_repeated(sessions: &Sessions, visibility: &Visibility, chunk: &WrittenChunk<'_>) -> bool {
    let mut observers = visibility.audiences.get(chunk.record.audience).ready();
    observers.any(|observer| {
        let connection = sessions.connections.get(observer.0);
        let link = connection.and_then(|connection| connection.datagrams.as_ref());
        link.is_some_and(|link| link.repeats(chunk.record.number, chunk.tick))
    })
}

impl Repeated {
    /// Appends the chunk to the datagrams of its observers.
    fn queue(
        &self,
        sessions: &mut Sessions,
        visibility: &Visibility,
        store: &mut ChunkStore,
        tick: u32,
    ) {
        let Self { original, bytes } = self;
        let record = ChunkRef {
            number: original.number,
            tick,
        };
        let observers = visibility.audiences.get(original.audience).ready();
        let mut stored = None;
        for observer in observers {
            let connection = sessions.connections.get_mut(observer.0);
            let Some(connection) = connection.filter(|it| !it.is_limited()) else {
                continue;
            };
            let Some(link) = &mut connection.datagrams else {
                continue;
            };
            if !link.repeats(original.number, tick) || !link.carries(bytes.len()) {
                continue;
            }
            let number =
                *stored.get_or_insert_with(|| store.add(std::iter::once(bytes.clone())).start);
            link.queue.push_frame(original.channel, number, record);
        }
    }
}

/// Writes the unchanged entries of a chunk. None if an entry must not be repeated: an acknowledged repeat counts for all fields of the original.
fn repeat_chunk(
    objects: &mut Objects,
    chunk: &WrittenChunk<'_>,
    segments: &mut Segments,
) -> Option<Bytes> {
    let mut of_objects = chunk.entries.chunk_by(|a, b| a.net_id == b.net_id);
    let written =
        of_objects.try_for_each(|entries| repeat_object(objects, chunk, entries, segments));
    let mut chunks = segments.drain();
    // Unchanged values are not longer than before: they fit one chunk.
    let chunk = chunks.next().filter(|_| written.is_some());
    chunk.filter(|_| chunks.next().is_none())
}

fn repeat_object(
    objects: &mut Objects,
    chunk: &WrittenChunk<'_>,
    entries: &[FieldSet],
    segments: &mut Segments,
) -> Option<()> {
    let (original, tick) = (chunk.record, chunk.tick);
    let net_id = entries.first()?.net_id;
    let Some(replicated) = objects.announced(net_id) else {
        return Some(());
    };
    if replicated.audience != original.audience {
        return None;
    }
    let at = replicated.at;
    let slots = objects.world.pools.slots_mut(at)?;
    let mut outstanding = 0;
    for entry in entries {
        let slot = slots.slot(entry.behaviour.into())?;
        let (info, ticks) = (slot.info(), slot.ticks()?);
        let fields = ticks.changed_in(entry.fields, tick);
        let restricted = info.policy.restricted() & entry.fields != 0;
        if info.redundancy == 0 || restricted || fields & slot.dirty_bits() != 0 {
            return None;
        }
        outstanding |= fields;
    }
    if outstanding == 0 {
        return Some(());
    }
    let writer = segments.begin_update(net_id);
    let mut behaviour = 0_u8;
    slots.for_each_mut(|slot| {
        if slot.info().channel == original.channel {
            let entry = entries.iter().find(|entry| entry.behaviour == behaviour);
            let fields = entry.zip(slot.ticks());
            let fields = fields.map_or(0, |(entry, ticks)| ticks.changed_in(entry.fields, tick));
            slot.write_again(fields, writer);
        }
        behaviour = behaviour.saturating_add(1);
    });
    let error = segments.check_update(Room::any());
    segments.commit_object();
    error.is_none().then_some(())
}
