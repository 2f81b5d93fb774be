//! Datagrams of all connections: acknowledgements, losses and repairs.
//!
//! State on unreliable channels is written once per tick for all observers, into chunks that name no connection. Each
//! connection with datagrams has a [`DatagramLink`](crate::server::datagram_link::DatagramLink) with its packets and a
//! [`LossLedger`](crate::server::ledger::LossLedger) with its losses. This room moves fields between link and ledger, at
//! four moments:
//!
//! ```text
//! packet in      handle_ack      fates of packets; late arrivals leave the ledger; an attached client is caught up
//! update begins  decide_losses   packets that fly for too long are lost; silent clients are detached
//! behind deltas  repair_losses   lost parts travel with the frame: copied chunks, rewritten fields, or the backlog
//!                repeat_frame    the former frame, once more, for behaviours with `redundancy = 1`
//! update ends    end_tick        queued chunks become datagrams; records that no verdict needs are forgotten
//! ```

mod copies;
mod repair;
mod repeat;
mod slow_readers;
mod stream_ticks;
mod tick;

use syncvar_runtime::unstable::object::WriteLog;
use syncvar_runtime::unstable::packet::Segments;
use syncvar_runtime::{ConnectionId, NetId, Prefabs};

use crate::link::ack::Ack;
use crate::link::sender::Verdict;
use crate::server::datagrams::copies::LostChunks;
use crate::server::ground::Ground;
use crate::server::ledger::field_set::FieldSet;
use crate::server::objects::Objects;
use crate::server::outbound::write_records::WriteRecords;
use crate::server::replication::bandwidth::BandwidthLimiter;
use crate::server::sessions::connection::Connection;
use crate::server::visibility::Visibility;
use crate::server::visibility::observer_view::ObserverView;

/// State of the datagrams that connections share.
#[derive(Debug, Default)]
pub(crate) struct Datagrams {
    /// Connections with datagrams, ready and present.
    pub(crate) links: Vec<ConnectionId>,
    /// Whether a prefab has a redundant behaviour.
    has_redundancy: bool,
    /// Lost chunks that this update sends again.
    lost_chunks: LostChunks,
    /// Buffer of the repeated chunk in progress, reused.
    repeated: Option<Segments>,
    /// Buffers of the repair in progress, one for each channel, reused.
    repairs: Vec<Segments>,
    /// Lists reused for each connection: late arrivals, missing fields, their records.
    arrived: Vec<Verdict<FieldSet>>,
    missing: Vec<FieldSet>,
    missing_log: WriteLog,
}

impl Datagrams {
    /// Returns the state of a server with these prefabs.
    pub(crate) fn new(prefabs: &Prefabs) -> Self {
        let has_redundancy = prefabs
            .entries()
            .iter()
            .any(|prefab| prefab.facts.redundancy > 0);
        Self {
            has_redundancy,
            ..Self::default()
        }
    }

    /// Handles the acknowledgement in a packet of a connection. Returns whether the connection misbehaves: too many
    /// of its acknowledgements were invalid.
    pub(crate) fn handle_ack(
        &mut self,
        ground: &mut Ground<'_>,
        visibility: &Visibility,
        limiter: &mut BandwidthLimiter,
        from: ConnectionId,
        ack: &Ack,
    ) -> bool {
        let now = ground.context.clock.now();
        let Some(connection) = ground.sessions.connections.get_mut(from.0) else {
            return false;
        };
        let Some(link) = &mut connection.datagrams else {
            return false;
        };
        let since = link.sender.on_ack(now, ack, &mut self.arrived);
        if !self.arrived.is_empty() {
            self.take_back(ground.objects, &ground.outbound.records, connection);
        }
        let Some(link) = &mut connection.datagrams else {
            return false;
        };
        // Content that is taken back must not be declared lost with the packets that the gap decides.
        link.sender.on_gap(&mut connection.ledger.packets);
        link.forget_handled();
        let is_bad = link.sender.has_too_many_bad_acks();
        if let Some(since) = since {
            let records = &ground.outbound.records;
            let view = ObserverView::new(ground.objects, visibility, from);
            let count = self.attach(view, records, connection, since);
            if count > 0 {
                limiter.add_connection(from);
            }
            if let Some(link) = &mut connection.datagrams {
                link.counts.caught_up += count as u64;
            }
        }
        is_bad
    }

    /// Forgets the losses of content that has arrived although its packet was declared lost.
    fn take_back(
        &mut self,
        objects: &Objects,
        records: &WriteRecords,
        connection: &mut Connection,
    ) {
        let Connection {
            datagrams: Some(link),
            ledger,
            ..
        } = connection
        else {
            return;
        };
        let entries = &mut self.missing;
        for Verdict { tick, content, .. } in self.arrived.drain(..) {
            // A later packet with the same fields is a loss apart.
            let is_other = |lost: &Verdict<FieldSet>| (lost.tick, lost.content) != (tick, content);
            ledger.packets.retain(is_other);
            let of_content = records.entries_in(&content).iter();
            entries.extend(of_content.map(|entry| FieldSet {
                fields: objects.changed_until(entry, tick),
                ..*entry
            }));
        }
        entries.sort_unstable_by_key(FieldSet::place);
        entries.dedup_by(|same, entry| {
            let is_same = same.place() == entry.place();
            entry.fields |= if is_same { same.fields } else { 0 };
            is_same
        });
        for flying in link.sender.flying_own() {
            flying.remove(entries);
        }
        ledger.forget_arrived(entries);
        entries.clear();
    }

    /// Adds all changes since a tick to the backlog of a connection that is attached again. Returns the number of the
    /// changed behaviours.
    fn attach(
        &mut self,
        view: ObserverView<'_>,
        records: &WriteRecords,
        connection: &mut Connection,
        since: u32,
    ) -> usize {
        tracing::debug!(connection = connection.id.0, since, "attached");
        let tick = records.tick();
        let world = &view.objects().world;
        for (number, replicated) in world.objects.iter() {
            let Some(slots) = world.pools.slots(replicated.at) else {
                continue;
            };
            for (behaviour, slot) in (0_u8..).zip(slots.iter()) {
                let changed = slot.ticks().map_or(0, |ticks| ticks.changed_after(since));
                if changed == 0 {
                    continue;
                }
                let set = FieldSet {
                    net_id: NetId(number),
                    channel: slot.info().channel,
                    behaviour,
                    fields: changed,
                };
                let streamed = &connection.ledger.streamed;
                view.add_outstanding(streamed, &[set], tick, &mut self.missing);
            }
        }
        let count = self.missing.len();
        self.note_missing(view, connection, tick);
        count
    }

    /// Adds the missing fields to the backlog of a connection. The list is empty afterwards. Returns whether the
    /// connection has a backlog then.
    fn note_missing(
        &mut self,
        view: ObserverView<'_>,
        connection: &mut Connection,
        tick: u32,
    ) -> bool {
        if self.missing.is_empty() {
            return false;
        }
        self.missing.sort_unstable_by_key(FieldSet::order);
        connection.ledger.add_missing(
            &self.missing,
            tick,
            |streamed, backlog| view.refresh(streamed, backlog),
            |id| view.objects().behaviours_of(id),
            &mut self.missing_log,
        );
        self.missing.clear();
        true
    }
}
