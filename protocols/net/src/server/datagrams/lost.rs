//! Lost fields: written again with the frame after the loss, or owed.

use syncvar_runtime::packet::{FRAME, Room, Segments, update_length};
use syncvar_runtime::{Channel, ConnectionId};

use crate::Framing;
use crate::link::sender::{Content, Verdict, VerdictKind};
use crate::server::NetworkServer;
use crate::server::datagrams::Datagrams;
use crate::server::datagrams::frames::Entry;
use crate::server::datagrams::queue::ChunkContent;

/// Result of writing the lost fields of an object.
enum Repair {
    Written,
    Waits,
    /// A value has no form any more.
    Dropped,
    /// The bytes of this update are used up.
    Full,
}

impl Datagrams {
    /// Reserves the bytes of a repair in this update, of at most `all` bytes, and returns whether they fit. The first
    /// one always fits.
    pub(in crate::server) fn reserve_repair(&mut self, bytes: usize, all: usize) -> bool {
        let fits = self.repair_left >= bytes || self.repair_left == all;
        if fits {
            self.repair_left = self.repair_left.saturating_sub(bytes);
        }
        fits
    }

    /// Ends the tick of the queue. Chunks that no transport has polled are withheld.
    pub(super) fn end_tick(&mut self) {
        let Self {
            queue, verdicts, ..
        } = self;
        let tick = queue.tick;
        let withheld = |content| Verdict {
            kind: VerdictKind::Withheld,
            tick,
            content,
        };
        queue.end_tick(|queued, own| match queued.content {
            ChunkContent::Own(_) => {
                verdicts.extend(own.iter().map(|entry| withheld(Content::Own(*entry))));
            }
            ChunkContent::Frame(record) if record.number == queued.chunk => {
                verdicts.push(withheld(Content::Chunk(record.number)));
            }
            ChunkContent::Frame(_) | ChunkContent::Calls => {}
        });
    }
}

impl NetworkServer {
    /// Writes the fields again that have been lost since the last frame. Those that have to wait join the backlogs.
    pub(in crate::server) fn repair_losses(&mut self) {
        if !self.replication.frame_open {
            return;
        }
        let links = std::mem::take(&mut self.replication.links);
        for connection in links.iter().copied() {
            let known = self.sessions.connections.get(connection.0);
            let datagrams = known.and_then(|known| known.datagrams.as_ref());
            if datagrams.is_some_and(|it| !it.verdicts.is_empty()) {
                self.with_datagrams(connection, |server, datagrams| {
                    server.repair_losses_of(connection, datagrams);
                });
            }
        }
        self.replication.links = links;
        self.replication.lost_chunks.clear();
    }

    fn repair_losses_of(&mut self, connection: ConnectionId, datagrams: &mut Datagrams) {
        let mut owed = std::mem::take(&mut self.replication.owed);
        let known = self.sessions.connections.get(connection.0);
        let backlog = known.and_then(|known| known.backlog.as_ref());
        // Those in a backlog have waited longer.
        let has_backlog = backlog.is_some_and(|it| it.is_limited() || !it.entries.is_empty());
        let is_free = !has_backlog && !datagrams.sender.is_detached();
        let mut verdicts = std::mem::take(&mut datagrams.verdicts);
        for Verdict {
            kind,
            tick,
            content,
        } in verdicts.drain(..)
        {
            let former = owed.len();
            let sent = match content {
                Content::Chunk(number) if is_free => {
                    self.send_again(connection, datagrams, number, &mut owed)
                }
                _ => None,
            };
            if sent.is_none() {
                let entries = self.replication.frames.entries_in(&content);
                self.add_standing(connection, &datagrams.shown, (entries, tick), &mut owed);
            }
            if kind == VerdictKind::Lost {
                let repaired = sent.unwrap_or(0) + owed.len() - former;
                datagrams.counts.repaired += repaired as u64;
            }
        }
        datagrams.verdicts = verdicts;
        let place = |entry: &Entry| (entry.net_id, entry.channel, entry.behaviour);
        if !owed.is_sorted_by_key(place) {
            owed.sort_unstable_by_key(place);
        }
        if is_free {
            self.write_owed(connection, datagrams, &mut owed);
        }
        self.owe(connection, &datagrams.shown, &mut owed);
        self.replication.owed = owed;
    }

    /// Writes lost fields with their present values, within the bytes of an update. Leaves those that have to wait.
    fn write_owed(
        &mut self,
        connection: ConnectionId,
        datagrams: &mut Datagrams,
        owed: &mut Vec<Entry>,
    ) {
        let mut outputs = std::mem::take(&mut self.replication.repairs);
        let (mut kept, mut start) = (0, 0);
        while let Some(first) = owed.get(start).copied() {
            let of_object = owed[start..].iter();
            let of_object = of_object
                .take_while(|it| (it.net_id, it.channel) == (first.net_id, first.channel))
                .count();
            let end = start + of_object;
            while outputs.len() <= usize::from(first.channel) {
                let size = self.context.config.gathered_size();
                outputs.push(Framing::Compact.segments_of(Channel::Unreliable, size));
            }
            let output = &mut outputs[usize::from(first.channel)];
            let repair = self.write_lost_fields(datagrams, &owed[start..end], output);
            match repair {
                Repair::Written | Repair::Dropped => {}
                Repair::Waits => {
                    owed.copy_within(start..end, kept);
                    kept += of_object;
                }
                Repair::Full => break,
            }
            start = end;
        }
        owed.drain(kept..start);
        self.queue_outputs(connection, Some(datagrams), &mut outputs);
        self.replication.repairs = outputs;
    }

    /// Writes lost fields of an object on a channel. An object waits with dirty fields, which their frame sends, and
    /// with fields that cannot be written again.
    fn write_lost_fields(
        &mut self,
        datagrams: &mut Datagrams,
        lost: &[Entry],
        output: &mut Segments,
    ) -> Repair {
        let Some(Entry {
            net_id, channel, ..
        }) = lost.first().copied()
        else {
            return Repair::Dropped;
        };
        let replicated = self.objects.world.objects.get(net_id.0);
        let slots = replicated.and_then(|it| self.objects.world.pools.slots_mut(it.at));
        let Some(slots) = slots else {
            return Repair::Waits;
        };
        let form = output.form();
        let writer = output.begin_update(net_id);
        let (mut behaviour, mut waits) = (0_u8, false);
        slots.for_each_mut(|slot| {
            let info = slot.info();
            if info.channel == channel {
                let of_slot = lost.iter().filter(|entry| entry.behaviour == behaviour);
                let fields = of_slot.fold(0, |fields, entry| fields | entry.fields);
                waits |= !info.resendable || slot.write_again(fields, writer) != 0;
            }
            behaviour = behaviour.saturating_add(1);
        });
        // The frame has reported a value without a form. The next write makes it fit.
        let failed = output.check_update(Room::any()).is_some();
        let bytes = update_length(form, net_id, output.last_update().len());
        let fits = datagrams.carries(FRAME + bytes);
        let repair = match (waits || !fits, failed) {
            (true, _) => Repair::Waits,
            (_, true) => Repair::Dropped,
            _ if !datagrams.reserve_repair(bytes, self.context.config.loss.repair_bytes) => {
                Repair::Full
            }
            _ => Repair::Written,
        };
        if !matches!(repair, Repair::Written) {
            output.give_up_object();
            return repair;
        }
        output.commit_object();
        let end = output.last_update().end;
        let placed = &mut self.replication.bandwidth.placed;
        placed.extend(lost.iter().map(|entry| (end, *entry)));
        repair
    }
}
