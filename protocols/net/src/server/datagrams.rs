//! State over datagrams: packets that may be lost, acknowledgements and repairs.

mod detached;
mod echo;
pub(in crate::server) mod frames;
mod lost;
pub(in crate::server) mod lost_chunks;
pub(in crate::server) mod notice;
mod quality;
pub(in crate::server) mod queue;
mod seal;
pub(in crate::server) mod shown;
mod standing;
pub(in crate::server) mod writes;

use std::collections::VecDeque;
use std::time::Duration;

use frames::Entry;
use notice::Notice;
use queue::DatagramQueue;
use shown::Shown;
use syncvar_runtime::limits::LimitExceeded;
use syncvar_runtime::{AudienceId, ConnectionId, NetId};
use writes::WriteTicks;

use crate::link::ack::Ack;
use crate::link::header_bytes::MAX_HEADER;
use crate::link::receiver::Receiver;
use crate::link::round_trip::RoundTrip;
use crate::link::sender::{Content, Sender, Verdict, VerdictKind};
use crate::link::settings::LossSettings;
use crate::message::CHUNK_SIZE;
use crate::server::NetworkServer;

/// Datagrams of one connection, in both directions.
#[derive(Debug)]
pub(crate) struct Datagrams {
    /// Room for messages in a datagram.
    pub(in crate::server) room: usize,
    pub(in crate::server) receiver: Receiver,
    pub(in crate::server) sender: Sender<Entry>,
    pub(in crate::server) queue: DatagramQueue,
    pub(in crate::server) notice: Notice,
    /// Writes of the connection as an owner.
    pub(in crate::server) writes: WriteTicks,
    /// Fields that the stream has carried while older datagrams are undecided.
    pub(in crate::server) shown: Shown,
    /// Objects with a long entry on the stream that is not handled yet.
    pub(in crate::server) long: Vec<LongEntry>,
    /// Ticks and numbers of the last stream packets of updates that are not handled yet.
    ends: VecDeque<(u32, u64)>,
    /// Lost and withheld parts of packets, until the next frame.
    pub(in crate::server) verdicts: Vec<Verdict<Entry>>,
    /// Bytes left for repairs in this update.
    pub(in crate::server) repair_left: usize,
    pub(in crate::server) counts: Counts,
}

/// Counts since the connection was accepted.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::server) struct Counts {
    /// Lost behaviours whose fields are sent again.
    pub(in crate::server) repaired: u64,
    /// Behaviours that were owed when the connection was attached again.
    pub(in crate::server) caught_up: u64,
    /// Times that the connection was detached.
    pub(in crate::server) detached: u64,
}

/// Entry of an object that is longer than a datagram, on the stream.
#[derive(Clone, Copy, Debug)]
pub(in crate::server) struct LongEntry {
    pub(in crate::server) net_id: NetId,
    /// Tick of its packet.
    pub(in crate::server) tick: u32,
    /// Number of a reliable packet that is not sent before it.
    pub(in crate::server) packet: u64,
}

impl Datagrams {
    /// Returns the state of a new connection with datagrams of this size, headers included.
    pub(in crate::server) fn new(settings: LossSettings, size: usize) -> Self {
        Self {
            room: size.saturating_sub(MAX_HEADER),
            receiver: Receiver::new(settings.ack_interval),
            sender: Sender::new(settings, RoundTrip::guess(Duration::MAX)),
            queue: DatagramQueue::default(),
            notice: Notice::default(),
            writes: WriteTicks::default(),
            shown: Shown::default(),
            long: Vec::new(),
            ends: VecDeque::new(),
            verdicts: Vec::new(),
            repair_left: settings.repair_bytes,
            counts: Counts::default(),
        }
    }

    /// Forgets all packets under way, for a connection that is sent all state up to a tick on the stream.
    pub(in crate::server) fn restart(&mut self, now: Duration, tick: u32) {
        self.stop();
        self.sender.detach(now, tick, &mut Vec::new());
        self.queue.probe = true;
    }

    /// Forgets all packets under way, for a connection whose client is away: it lacks all changes since the oldest
    /// of them, and the entries for it alone, whose changes may be older. `tick` is the last tick that was sent.
    pub(in crate::server) fn suspend(&mut self, now: Duration, tick: u32) {
        let unsent = (!self.queue.is_empty()).then_some(tick);
        self.end_tick();
        let undecided = self.verdicts.iter().map(|verdict| verdict.tick);
        let undecided = undecided
            .chain(unsent)
            .chain(self.sender.oldest_open_tick());
        let undecided = undecided.min();
        let since = undecided.map_or(tick, |undecided| tick.min(undecided.saturating_sub(1)));
        self.sender.detach(now, since, &mut self.verdicts);
        self.verdicts
            .retain(|verdict| matches!(verdict.content, Content::Own(_)));
        self.queue.clear();
    }

    /// Forgets all packets under way, for a connection that receives no state any more.
    pub(in crate::server) fn stop(&mut self) {
        self.sender.forget();
        self.queue.clear();
        self.shown.clear();
        self.long.clear();
        self.verdicts.clear();
    }

    /// Returns whether all state has arrived, as far as the connection has told.
    pub(in crate::server) fn is_settled(&self) -> bool {
        let detached = self.sender.is_detached();
        let decided = self.sender.is_settled() && self.verdicts.is_empty();
        !detached && decided && self.queue.is_empty()
    }

    /// Returns whether a chunk travels by datagram; longer ones take the stream.
    pub(in crate::server) fn carries(&self, length: usize) -> bool {
        length <= CHUNK_SIZE.min(self.room)
    }

    /// Returns whether no long entry of an object is under way.
    pub(in crate::server) fn may_send_long(&self, net_id: NetId) -> bool {
        self.long.iter().all(|long| long.net_id != net_id)
    }

    /// Notes that a chunk of a tick is not sent.
    pub(in crate::server) fn withhold(&mut self, tick: u32, number: u64) {
        self.verdicts.push(Verdict {
            kind: VerdictKind::Withheld,
            tick,
            content: Content::Chunk(number),
        });
    }

    /// Forgets the packets on the stream that are handled.
    fn forget_handled(&mut self) {
        let handled = self.sender.handled();
        self.long.retain(|long| long.packet > handled);
        while self
            .ends
            .pop_front_if(|(_, packet)| *packet <= handled)
            .is_some()
        {}
    }

    /// Returns the tick of the oldest stream packet that is not handled.
    pub(in crate::server) fn unhandled_tick(&self) -> Option<u32> {
        Some(self.ends.front()?.0)
    }

    /// Notes entries that take the stream in the packets of a tick.
    pub(in crate::server) fn note_long(&mut self, entries: &[Entry], tick: u32) {
        for entry in entries {
            let (net_id, behaviour) = (entry.net_id, entry.behaviour);
            self.shown.add(net_id, behaviour, entry.fields, tick);
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
    pub(in crate::server) fn count_reliable(&mut self, tick: u32, has_state: bool, is_last: bool) {
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

impl NetworkServer {
    /// Gives the fields of a new object on unreliable channels the present tick.
    pub(in crate::server) fn track_ticks(&mut self, id: NetId) {
        let tick = self.outbound.store.tick;
        let is_lossy = |channel: u8| self.context.config.is_lossy(channel);
        if self.context.config.has_ticks()
            && let Some(slots) = self.objects.world.slots_mut(id)
        {
            slots.track_ticks(tick, is_lossy);
            if let Some(replicated) = self.objects.world.objects.get_mut(id.0) {
                replicated.framed = tick;
            }
        }
    }

    /// Notes the end of an object for some of its observers.
    pub(in crate::server) fn note_end(&mut self, id: NetId) {
        if !self.replication.links.is_empty() {
            self.objects.ended_ids.add(id);
        }
    }

    /// Notes that the stream carries a new object to its audience.
    pub(in crate::server) fn note_new(&mut self, id: NetId, audience: AudienceId) {
        let tick = self.outbound.store.tick;
        let observers = self.visibility.audiences.get(audience).ready();
        for observer in observers.collect::<Vec<_>>() {
            let connection = self.sessions.connections.get_mut(observer.0);
            let datagrams = connection.and_then(|it| it.datagrams.as_mut());
            // An attached connection has nothing of a new object under way.
            if let Some(datagrams) = datagrams.filter(|it| it.sender.is_detached()) {
                datagrams.shown.add_snapshot(id, tick);
            }
        }
    }

    /// Notes that the stream carries the snapshot of an object to connections.
    pub(in crate::server) fn note_snapshot(&mut self, id: NetId, receivers: &[ConnectionId]) {
        self.note_show(id, receivers);
        let tick = self.outbound.store.tick;
        for receiver in receivers {
            let Some(connection) = self.sessions.connections.get_mut(receiver.0) else {
                continue;
            };
            if let Some(backlog) = &mut connection.backlog {
                backlog.remove_object(id);
            }
            if let Some(datagrams) = &mut connection.datagrams {
                datagrams.shown.add_snapshot(id, tick);
            }
        }
    }

    /// Runs `f` with the datagrams of a connection, if it has them.
    pub(in crate::server) fn with_datagrams<R>(
        &mut self,
        connection: ConnectionId,
        f: impl FnOnce(&mut Self, &mut Datagrams) -> R,
    ) -> Option<R> {
        let known = self.sessions.connections.get_mut(connection.0)?;
        let mut datagrams = known.datagrams.take()?;
        let result = f(self, &mut datagrams);
        if let Some(known) = self.sessions.connections.get_mut(connection.0) {
            known.datagrams = Some(datagrams);
        }
        Some(result)
    }

    /// Handles the acknowledgement in a packet of a connection.
    pub(in crate::server) fn handle_ack(&mut self, connection: ConnectionId, ack: &Ack) {
        let now = self.context.clock.now();
        let mut arrived = std::mem::take(&mut self.replication.arrived);
        let is_bad = self.with_datagrams(connection, |server, datagrams| {
            let since = datagrams.sender.on_ack(now, ack, &mut arrived);
            server.take_back(connection, datagrams, &mut arrived);
            // What is taken back must not be declared lost with the packets that the gap decides.
            datagrams.sender.on_gap(&mut datagrams.verdicts);
            datagrams.forget_handled();
            if let Some(since) = since {
                let owed = server.attach(connection, &datagrams.shown, since);
                datagrams.counts.caught_up += owed as u64;
            }
            datagrams.sender.has_too_many_bad_acks()
        });
        self.replication.arrived = arrived;
        if is_bad == Some(true) {
            self.close_for(connection, LimitExceeded::Misbehaviour);
        }
    }

    /// Forgets losses and removes from the backlog what has arrived although it was declared lost.
    fn take_back(
        &mut self,
        connection: ConnectionId,
        datagrams: &mut Datagrams,
        arrived: &mut Vec<Verdict<Entry>>,
    ) {
        if arrived.is_empty() {
            return;
        }
        let mut entries = std::mem::take(&mut self.replication.owed);
        for Verdict { tick, content, .. } in arrived.drain(..) {
            // A later packet with the same fields is another loss.
            let is_other = |lost: &Verdict<Entry>| (lost.tick, lost.content) != (tick, content);
            datagrams.verdicts.retain(is_other);
            let of_content = self.replication.frames.entries_in(&content).iter();
            entries.extend(of_content.map(|entry| Entry {
                fields: self.changed_until(entry, tick),
                ..*entry
            }));
        }
        let place = |entry: &Entry| (entry.net_id, entry.behaviour);
        entries.sort_unstable_by_key(place);
        entries.dedup_by(|same, entry| {
            let is_same = place(same) == place(entry);
            entry.fields |= if is_same { same.fields } else { 0 };
            is_same
        });
        let Datagrams {
            sender, verdicts, ..
        } = datagrams;
        let lost = verdicts
            .iter_mut()
            .filter_map(|lost| lost.content.own_mut());
        for own in sender.flying_own().chain(lost) {
            if let Ok(at) = entries.binary_search_by_key(&place(own), place) {
                own.fields &= !entries[at].fields;
            }
        }
        let known = self.sessions.connections.get_mut(connection.0);
        if let Some(backlog) = known.and_then(|known| known.backlog.as_mut()) {
            for entry in &entries {
                backlog.take_back(entry, entry.fields);
            }
        }
        entries.clear();
        self.replication.owed = entries;
    }

    /// Owes a connection that is attached again all changes since a tick. Returns the number of the behaviours.
    pub(in crate::server) fn attach(
        &mut self,
        connection: ConnectionId,
        shown: &Shown,
        since: u32,
    ) -> usize {
        tracing::debug!(connection = connection.0, since, "attached");
        let mut owed = std::mem::take(&mut self.replication.owed);
        let tick = self.replication.frames.tick();
        for (number, replicated) in self.objects.world.objects.iter() {
            let Some(slots) = self.objects.world.pools.slots(replicated.at) else {
                continue;
            };
            for (behaviour, slot) in (0_u8..).zip(slots.iter()) {
                let changed = slot.ticks().map_or(0, |ticks| ticks.changed_after(since));
                if changed == 0 {
                    continue;
                }
                let entry = Entry {
                    net_id: NetId(number),
                    channel: slot.info().channel,
                    behaviour,
                    fields: changed,
                };
                let entries = std::slice::from_ref(&entry);
                self.add_standing(connection, shown, (entries, tick), &mut owed);
            }
        }
        let count = owed.len();
        self.owe(connection, shown, &mut owed);
        self.replication.owed = owed;
        count
    }
}
