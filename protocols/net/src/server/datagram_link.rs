//! `DatagramLink`: datagrams of a connection.

pub(crate) mod notice;
pub(crate) mod queue;
pub(crate) mod writes;

use std::collections::VecDeque;
use std::time::Duration;

use syncvar_runtime::NetId;

use crate::link::header_bytes::MAX_HEADER;
use crate::link::receiver::Receiver;
use crate::link::round_trip::RoundTrip;
use crate::link::sender::{Content, Sender, Verdict, VerdictKind};
use crate::link::settings::LossSettings;
use crate::message::CHUNK_SIZE;
use crate::server::datagram_link::notice::Notice;
use crate::server::datagram_link::queue::{ChunkContent, DatagramQueue};
use crate::server::datagram_link::writes::WriteTicks;
use crate::server::ledger::LossLedger;
use crate::server::ledger::field_set::FieldSet;

/// Datagrams of a connection, in both directions.
#[derive(Debug)]
pub(crate) struct DatagramLink {
    /// Room for messages in a datagram.
    pub(crate) room: usize,
    pub(crate) receiver: Receiver,
    pub(crate) sender: Sender<FieldSet>,
    pub(crate) queue: DatagramQueue,
    pub(crate) notice: Notice,
    /// Writes of the connection as an owner.
    pub(crate) writes: WriteTicks,
    /// Objects with a long entry on the stream that is not handled yet.
    pub(crate) long: Vec<LongEntry>,
    /// Ticks and numbers of the last stream packets of updates that are not handled yet.
    ends: VecDeque<(u32, u64)>,
    /// Bytes left for repairs in this update.
    pub(crate) repair_left: usize,
    pub(crate) counts: LossCounts,
}

/// Counts since the connection was accepted.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LossCounts {
    /// Lost behaviours that are sent again.
    pub(crate) repaired: u64,
    /// Behaviours that were owed when the connection was attached again.
    pub(crate) caught_up: u64,
    /// Times that the connection was detached.
    pub(crate) detached: u64,
}

/// Entry of an object that is longer than a datagram, on the stream.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LongEntry {
    pub(crate) net_id: NetId,
    /// Tick of its packet.
    pub(crate) tick: u32,
    /// Number of a reliable packet that is not sent before it.
    pub(crate) packet: u64,
}

impl DatagramLink {
    /// Returns the state of a new connection with datagrams of this size, headers included.
    pub(crate) fn new(settings: LossSettings, size: usize) -> Self {
        Self {
            room: size.saturating_sub(MAX_HEADER),
            receiver: Receiver::new(settings.ack_interval),
            sender: Sender::new(settings, RoundTrip::guess(Duration::MAX)),
            queue: DatagramQueue::default(),
            notice: Notice::default(),
            writes: WriteTicks::default(),
            long: Vec::new(),
            ends: VecDeque::new(),
            repair_left: settings.repair_bytes,
            counts: LossCounts::default(),
        }
    }

    /// Forgets all packets under way, for a connection that is sent all state up to a tick on the stream.
    pub(crate) fn restart(&mut self, ledger: &mut LossLedger, now: Duration, tick: u32) {
        self.stop(ledger);
        self.sender.detach(now, tick, &mut Vec::new());
        self.queue.probe = true;
    }

    /// Forgets the packets under way, for a connection with an absent client. The connection lacks all changes since the
    /// oldest packet, and the entries for this connection alone, with older changes. `tick` is the last tick that was sent.
    pub(crate) fn suspend(&mut self, ledger: &mut LossLedger, now: Duration, tick: u32) {
        let is_detached = self.sender.is_detached();
        let unsent = (!is_detached && !self.queue.is_empty()).then_some(tick);
        self.end_tick(ledger);
        // The records of the lost chunks may be forgotten before the client returns.
        let lost = ledger.packets.iter().map(|verdict| verdict.tick);
        let open = self.sender.oldest_open_tick();
        // To a detached connection all changes up to this tick were sent.
        let open = open.map(|open| {
            if is_detached {
                open
            } else {
                open.saturating_sub(1)
            }
        });
        let missing = lost.chain(unsent).map(|missing| missing.saturating_sub(1));
        let since = missing.chain(open).fold(tick, u32::min);
        self.sender.detach(now, since, &mut ledger.packets);
        ledger
            .packets
            .retain(|verdict| matches!(verdict.content, Content::Own(_)));
        self.queue.clear();
    }

    /// Forgets all packets under way, for a connection that receives no state any more.
    pub(crate) fn stop(&mut self, ledger: &mut LossLedger) {
        self.sender.forget();
        self.queue.clear();
        self.long.clear();
        ledger.forget_datagrams();
    }

    /// Stops the state for the connection. Nothing of this tick was sent to it.
    pub(crate) fn detach(&mut self, ledger: &mut LossLedger, now: Duration, tick: u32) {
        let since = tick.saturating_sub(1);
        self.sender.detach(now, since, &mut ledger.packets);
        self.counts.detached += 1;
        self.queue.probe = true;
    }

    /// Returns whether all state has arrived, as far as the connection has told.
    pub(crate) fn is_settled(&self, ledger: &LossLedger) -> bool {
        let detached = self.sender.is_detached();
        let decided = self.sender.is_settled() && ledger.packets.is_empty();
        !detached && decided && self.queue.is_empty()
    }

    /// Returns whether a chunk travels by datagram; a longer chunk takes the stream.
    pub(crate) fn carries(&self, length: usize) -> bool {
        length <= CHUNK_SIZE.min(self.room)
    }

    /// Returns whether no long entry of an object is under way.
    pub(crate) fn may_send_long(&self, net_id: NetId) -> bool {
        self.long.iter().all(|long| long.net_id != net_id)
    }

    /// Forgets the packets on the stream that are handled.
    pub(crate) fn forget_handled(&mut self) {
        let handled = self.sender.handled();
        self.long.retain(|long| long.packet > handled);
        while let Some((_, packet)) = self.ends.front()
            && *packet <= handled
        {
            self.ends.pop_front();
        }
    }

    /// Returns the tick of the oldest stream packet that is not handled.
    pub(crate) fn unhandled_tick(&self) -> Option<u32> {
        Some(self.ends.front()?.0)
    }

    /// Notes entries that take the stream in the packets of a tick.
    pub(crate) fn note_long(&mut self, ledger: &mut LossLedger, entries: &[FieldSet], tick: u32) {
        for entry in entries {
            let net_id = entry.net_id;
            ledger.streamed.add(entry, tick);
            if self.may_send_long(net_id) {
                let packet = u64::MAX;
                self.long.push(LongEntry {
                    net_id,
                    tick,
                    packet,
                });
            }
        }
    }

    /// Notes a packet on the stream. `has_state`: it belongs to an unreliable channel. `is_last`: it is the last one
    /// of its tick.
    pub(crate) fn count_reliable(&mut self, tick: u32, has_state: bool, is_last: bool) {
        self.sender.count_reliable();
        let packet = self.sender.reliable_sent();
        if is_last {
            self.ends.push_back((tick, packet));
        }
        if has_state {
            let of_tick = self.long.iter_mut().filter(|long| long.tick == tick);
            of_tick.for_each(|long| long.packet = packet);
        }
    }
}

impl DatagramLink {
    /// Reserves the bytes of a repair in this update, of at most `all` bytes, and returns whether they fit. The first
    /// one always fits.
    pub(crate) fn reserve_repair(&mut self, bytes: usize, all: usize) -> bool {
        let fits = self.repair_left >= bytes || self.repair_left == all;
        if fits {
            self.repair_left = self.repair_left.saturating_sub(bytes);
        }
        fits
    }

    /// Drops the queue of a connection that is detached in this tick. The changes of the tick follow when the connection is
    /// attached again; repairs have changes of earlier ticks, and are withheld.
    pub(crate) fn withhold_repairs(&mut self, ledger: &mut LossLedger) {
        let earlier = ledger.packets.len();
        self.end_tick(ledger);
        let withheld = ledger.packets.split_off(earlier);
        let repairs = withheld.into_iter();
        let repairs = repairs.filter(|verdict| matches!(verdict.content, Content::Own(_)));
        ledger.packets.extend(repairs);
    }

    /// Ends the tick of the queue. Chunks that no transport has polled are withheld.
    pub(crate) fn end_tick(&mut self, ledger: &mut LossLedger) {
        let (queue, packets) = (&mut self.queue, &mut ledger.packets);
        let tick = queue.tick;
        let withheld = |content| Verdict {
            kind: VerdictKind::Withheld,
            tick,
            content,
        };
        queue.end_tick(|queued, own| match queued.content {
            ChunkContent::Unicast(_) => {
                packets.extend(own.iter().map(|entry| withheld(Content::Own(*entry))));
            }
            ChunkContent::Frame(record) if record.number == queued.chunk => {
                packets.push(withheld(Content::Chunk(record.number)));
            }
            ChunkContent::Frame(_) | ChunkContent::Calls => {}
        });
    }
}
