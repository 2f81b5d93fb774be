//! Backlogs of connections: deltas within a budget, and repairs of lost state.

pub(in crate::server) mod backlog;
pub(in crate::server) mod budget;
mod repair;

use std::ops::Range;

use rustc_hash::FxHashMap;
use syncvar_runtime::object::{Slot, Slots, WriteLog, WriteRecord};
use syncvar_runtime::packet::{Segments, update_length, update_refusal};
use syncvar_runtime::{
    AudienceId, Channel, ConnectionId, NetId, NetworkWriter, ObjectError, Vector3,
};

use crate::Framing;
use crate::server::datagrams::Datagrams;
use crate::server::datagrams::frames::Entry;
use crate::server::datagrams::shown::Shown;
use crate::server::objects::replicated::State;
use crate::server::replication::bandwidth::backlog::{Backlog, BacklogEntry};
use crate::server::replication::bandwidth::budget::clamp_priority;
use crate::server::replication::bandwidth::repair::Rewritten;
use crate::server::replication::update::encode_failure;
use crate::server::{Budget, NetworkServer};

/// Shared state of all connections with a backlog.
#[derive(Debug, Default)]
pub(in crate::server) struct BandwidthLimiter {
    pub(in crate::server) log: WriteLog,
    /// Connections with a budget or with losses, ascending.
    connections: Vec<ConnectionId>,
    /// Whether a connection has a budget.
    has_limited: bool,
    /// Objects with another priority than 1.
    priorities: FxHashMap<NetId, f32>,
    /// Lists reused by every connection.
    order: Vec<usize>,
    chosen: Vec<Chosen>,
    /// Fields that are written for one connection.
    pub(in crate::server) own: Vec<Entry>,
    /// Fields that may be lost, with the ends of their messages in the buffers of their channels.
    pub(in crate::server) placed: Vec<(usize, Entry)>,
    /// Fields in the chunk that is sent.
    in_chunk: Vec<Entry>,
}

/// An entry of a backlog that is sent with this update.
#[derive(Debug)]
struct Chosen {
    /// Index of the entry.
    index: usize,
    source: Source,
    /// Its sent fields in [`BandwidthLimiter::own`].
    own: Range<usize>,
}

/// Origin of the bytes of a chosen entry.
#[derive(Debug)]
enum Source {
    /// The buffer of an audience.
    Shared(AudienceId, Range<usize>),
    /// [`Backlog::rewritten`].
    Rewritten(Range<usize>),
    /// A snapshot, later in this update.
    Snapshot,
}

impl BandwidthLimiter {
    /// Returns whether a connection has a budget.
    pub(in crate::server) fn is_active(&self) -> bool {
        self.has_limited
    }

    /// Removes an object.
    pub(in crate::server) fn remove_object(&mut self, id: NetId) {
        self.priorities.remove(&id);
    }

    /// Removes a connection.
    pub(in crate::server) fn remove_connection(&mut self, id: ConnectionId) {
        self.connections.retain(|connection| *connection != id);
    }

    /// Adds a connection with a backlog.
    pub(in crate::server) fn add_connection(&mut self, id: ConnectionId) {
        if let Err(index) = self.connections.binary_search(&id) {
            self.connections.insert(index, id);
        }
    }
}

impl NetworkServer {
    /// Sets or removes the budget of a connection.
    ///
    /// # Errors
    ///
    /// When the connection is not connected.
    pub fn set_budget(
        &mut self,
        connection: ConnectionId,
        budget: Option<Budget>,
    ) -> Result<(), ObjectError> {
        self.sessions.expect(connection)?;
        // The local client receives no bytes.
        if self.is_local(connection) {
            return Ok(());
        }
        let limited = self.sessions.connections.get_mut(connection.0);
        let limited = limited.ok_or(ObjectError::NotConnected(connection))?;
        match (budget, &mut limited.backlog) {
            (Some(_), Some(backlog)) => (backlog.budget, backlog.ending) = (budget, false),
            (Some(_), none) => *none = Some(Box::new(Backlog::new(budget))),
            (None, Some(backlog)) if backlog.is_limited() => backlog.ending = true,
            (None, _) => return Ok(()),
        }
        self.replication.bandwidth.has_limited = true;
        self.replication.bandwidth.add_connection(connection);
        Ok(())
    }

    /// Sets the viewpoint of a connection with a [`Budget`]: nearer objects have a higher priority.
    ///
    /// # Errors
    ///
    /// When the connection is not connected.
    pub fn set_viewpoint(
        &mut self,
        connection: ConnectionId,
        viewpoint: Option<Vector3>,
    ) -> Result<(), ObjectError> {
        let viewer = self.sessions.connections.get_mut(connection.0);
        let viewer = viewer.ok_or(ObjectError::NotConnected(connection))?;
        viewer.viewpoint = viewpoint;
        Ok(())
    }

    /// Sets the priority of an object for connections with a [`Budget`]: 1 by default, at least 0.001.
    /// Under load, an object of priority 2 is sent twice as often as an object of priority 1.
    ///
    /// # Errors
    ///
    /// When the object does not exist.
    pub fn set_priority(&mut self, id: NetId, priority: f32) -> Result<(), ObjectError> {
        self.objects.world.expect_object(id)?;
        let priority = clamp_priority(priority);
        self.replication.bandwidth.priorities.insert(id, priority);
        Ok(())
    }

    /// Returns whether a backlog has entries.
    pub(in crate::server) fn has_backlog(&self) -> bool {
        self.replication.bandwidth.connections.iter().any(|id| {
            let connection = self.sessions.connections.get(id.0);
            let backlog = connection.and_then(|connection| connection.backlog.as_ref());
            backlog.is_some_and(|backlog| !backlog.entries.is_empty())
        })
    }

    /// Ends removed budgets whose backlog is empty. Such a connection receives the next deltas with
    /// all others, so it must not lack a snapshot either.
    pub(in crate::server) fn end_budgets(&mut self) {
        // An ownership change may have logged a write that is not sent yet.
        if !self.replication.bandwidth.log.records.is_empty() {
            return;
        }
        let connections = &mut self.sessions.connections;
        let snapshots = &self.visibility.pending_snapshots;
        let mut has_limited = false;
        self.replication.bandwidth.connections.retain(|id| {
            let Some(connection) = connections.get_mut(id.0) else {
                return false;
            };
            let needs_snapshot = || {
                snapshots
                    .iter()
                    .any(|(_, receivers)| receivers.contains(id))
            };
            let Some(backlog) = &mut connection.backlog else {
                return false;
            };
            let is_empty = backlog.entries.is_empty();
            if backlog.ending && is_empty && !needs_snapshot() {
                (backlog.budget, backlog.ending) = (None, false);
            }
            has_limited |= backlog.is_limited();
            backlog.is_limited() || !is_empty
        });
        self.replication.bandwidth.has_limited = has_limited;
    }

    /// Sends each connection the deltas of its backlog that fit.
    pub(in crate::server) fn send_backlogs(&mut self) {
        let connections = std::mem::take(&mut self.replication.bandwidth.connections);
        for id in &connections {
            let connection = self.sessions.connections.get_mut(id.0);
            let backlog = connection.and_then(|connection| connection.backlog.take());
            let Some(mut backlog) = backlog else {
                continue;
            };
            let sent = self.with_datagrams(*id, |server, datagrams| {
                server.send_backlog(*id, &mut backlog, Some(datagrams));
            });
            if sent.is_none() {
                self.send_backlog(*id, &mut backlog, None);
            }
            if let Some(connection) = self.sessions.connections.get_mut(id.0) {
                connection.backlog = Some(backlog);
            }
        }
        self.replication.bandwidth.connections = connections;
    }

    fn send_backlog(
        &mut self,
        id: ConnectionId,
        backlog: &mut Backlog,
        mut datagrams: Option<&mut Datagrams>,
    ) {
        backlog.begin_update();
        let connection = self.sessions.connections.get(id.0);
        let ready = connection.filter(|connection| connection.is_ready());
        let Some(framing) = ready.map(|connection| connection.framing) else {
            backlog.entries.clear();
            return;
        };
        let observes = |audience| self.visibility.audiences.get(audience).observes(id);
        // A pending snapshot contains these changes.
        let needs_snapshot = |object| {
            let receivers = self.visibility.pending_snapshots.get(object);
            receivers.is_some_and(|receivers| receivers.contains(&id))
        };
        let log = &self.replication.bandwidth.log;
        let observes_record = |record: &WriteRecord| {
            // A restricted field is written ahead of the update: the audience may have changed since.
            let ahead = record.changes.is_none();
            let replicated = self
                .objects
                .world
                .objects
                .get(record.net_id.0)
                .filter(|_| ahead);
            let audience = replicated.map_or(record.audience, |replicated| replicated.audience);
            !record.part && observes(audience) && !needs_snapshot(record.net_id)
        };
        let is_member = |object| self.role(object, id).reads_group();
        let tick = self.replication.frames.tick();
        let has_ticks = framing == Framing::Compact && self.context.config.has_ticks();
        let is_lossy = |channel: u8| has_ticks && self.context.config.is_lossy(channel);
        let is_detached = self.is_detached(id, datagrams.as_deref());
        if backlog.is_limited() {
            let is_sent = |record: &WriteRecord| {
                !(is_detached && is_lossy(record.channel)) && observes_record(record)
            };
            let as_of = |channel| is_lossy(channel).then_some(tick);
            backlog.add_records(log, id, is_sent, is_member, as_of);
        }
        backlog.entries.retain(|entry| {
            let replicated = self.objects.world.objects.get(entry.net_id.0);
            // An object that is not announced is another one with a reused id.
            replicated.is_some_and(|replicated| {
                replicated.is(State::Announced) && observes(replicated.audience)
            })
        });
        let nothing = Shown::default();
        let shown = datagrams.as_ref().map_or(&nothing, |it| &it.shown);
        self.refresh_backlog(id, shown, backlog);
        self.choose_entries((id, framing), backlog, datagrams.as_deref_mut());
        self.send_chosen(id, backlog, datagrams.as_deref_mut());
        if let Some(datagrams) = datagrams {
            datagrams.queue.partial |= backlog.is_limited() && !backlog.entries.is_empty();
        }
    }

    /// Chooses the entries that fit into the budget, by priority.
    fn choose_entries(
        &mut self,
        (id, framing): (ConnectionId, Framing),
        backlog: &mut Backlog,
        mut datagrams: Option<&mut Datagrams>,
    ) {
        let connection = self.sessions.connections.get(id.0);
        let viewpoint = connection.and_then(|connection| connection.viewpoint);
        let packet_size = self.context.config.gathered_size();
        let mut order = std::mem::take(&mut self.replication.bandwidth.order);
        let priorities = &self.replication.bandwidth.priorities;
        backlog.order(&mut order, viewpoint, |id| {
            let priority = priorities.get(&id).copied().unwrap_or(1.0);
            (priority, self.objects.world.place(id).position)
        });
        if backlog.rewritten.encoding() == framing.encoding() {
            backlog.rewritten.truncate(0);
        } else {
            backlog.rewritten = NetworkWriter::with_encoding(framing.encoding());
        }
        for index in order.drain(..) {
            let Some(entry) = backlog.entries.get(index).cloned() else {
                continue;
            };
            let (source, own) = if entry.as_of.is_some() && self.is_resendable(&entry) {
                match self.repair_of((id, framing), index, backlog, datagrams.as_deref_mut()) {
                    Some(repair) => repair,
                    None => continue,
                }
            } else {
                match self.source_of((id, framing), (index, &entry), backlog) {
                    Some(source) => source,
                    None => continue,
                }
            };
            if let Source::Shared(_, changes) | Source::Rewritten(changes) = &source {
                let bytes = update_length(framing.form(), entry.net_id, changes.len());
                if !backlog.reserve(framing, bytes, packet_size) {
                    break;
                }
                backlog.remove_fields(index, &self.replication.bandwidth.own[own.clone()]);
            } else {
                self.request_snapshot(entry.net_id, &[id]);
                self.objects.schedule.queue_dirty(entry.net_id);
            }
            let chosen = Chosen { index, source, own };
            self.replication.bandwidth.chosen.push(chosen);
        }
        order.clear();
        let limiter = &mut self.replication.bandwidth;
        limiter.order = order;
        limiter.chosen.sort_unstable_by_key(|chosen| chosen.index);
    }

    /// Finds or encodes the bytes of an entry. Returns them with the sent fields, in
    /// [`BandwidthLimiter::own`]; none if the entry waits.
    fn source_of(
        &mut self,
        (id, framing): (ConnectionId, Framing),
        (index, entry): (usize, &BacklogEntry),
        backlog: &mut Backlog,
    ) -> Option<(Source, Range<usize>)> {
        let own = self.replication.bandwidth.own.len();
        let start = backlog.rewritten.len();
        let source = if let Some((shared, _)) = self.written_now(framing, entry, backlog) {
            shared
        } else if self.has_operations(entry) && backlog.defer(index) {
            return None;
        } else {
            let rewritten = { self.is_resendable(entry) }
                .then(|| self.rewrite(id, entry, backlog))
                .flatten();
            match rewritten {
                Some(Rewritten::Wait) => return None,
                Some(Rewritten::Fields(written)) if self.fits(framing, entry, written.len()) => {
                    Source::Rewritten(written)
                }
                // A change is an operation, a value cannot be encoded, or the message would be too long.
                other => {
                    if let Some(Rewritten::Failed(error)) = other {
                        self.context
                            .events
                            .push(encode_failure(entry.net_id, error));
                    }
                    backlog.rewritten.truncate(start);
                    self.replication.bandwidth.own.truncate(own);
                    let fields = backlog.fields_of(entry);
                    self.replication.bandwidth.own.extend(fields);
                    Source::Snapshot
                }
            }
        };
        Some((source, own..self.replication.bandwidth.own.len()))
    }

    /// Returns whether the changes of an entry fit a message. Those of several updates may exceed its limit
    /// together.
    fn fits(&self, framing: Framing, entry: &BacklogEntry, changes: usize) -> bool {
        let room = self.context.config.state_info(entry.channel).room;
        update_refusal(framing.form(), entry.net_id, changes, room).is_none()
    }

    /// Returns whether the fields of an entry can be written once more; a snapshot replaces other ones.
    fn is_resendable(&self, entry: &BacklogEntry) -> bool {
        let replicated = self.objects.world.objects.get(entry.net_id.0);
        let slots = replicated.and_then(|it| self.objects.world.pools.slots(it.at));
        let mut slots = slots.into_iter().flat_map(<dyn Slots>::iter);
        slots.all(|slot| slot.info().channel != entry.channel || slot.info().resendable)
    }

    /// Returns whether operations of an object wait for its send interval. Fields written now would
    /// include them, and the operations would have to become whole collections for all observers.
    fn has_operations(&self, entry: &BacklogEntry) -> bool {
        let replicated = self.objects.world.objects.get(entry.net_id.0);
        let Some(replicated) = replicated.filter(|it| !it.is(State::WriteFailed)) else {
            return false;
        };
        let slots = self.objects.world.pools.slots(replicated.at);
        let of_channel = |slot: &&dyn Slot| slot.info().channel == entry.channel;
        slots.is_some_and(|slots| {
            let mut slots = slots.iter().filter(of_channel);
            slots.any(|slot| slot.dirty_bits() & slot.info().operation_bits != 0)
        })
    }

    /// Appends the chosen deltas to the connection's queue.
    fn send_chosen(
        &mut self,
        id: ConnectionId,
        backlog: &mut Backlog,
        datagrams: Option<&mut Datagrams>,
    ) {
        let mut chosen = std::mem::take(&mut self.replication.bandwidth.chosen);
        let mut all = std::mem::take(&mut self.replication.bandwidth.own);
        let Some(connection) = self.sessions.connections.get(id.0) else {
            return;
        };
        let (framing, packet_size) = (connection.framing, self.context.config.gathered_size());
        let (audiences, channels) = (&self.visibility.audiences, &self.context.config.channels);
        let Backlog {
            entries,
            rewritten,
            outputs,
            ..
        } = backlog;
        let mut placed = std::mem::take(&mut self.replication.bandwidth.placed);
        for Chosen { index, source, own } in &chosen {
            let Some(entry) = entries.get(*index) else {
                continue;
            };
            let (written, changes) = match source {
                Source::Shared(audience, changes) => {
                    let written = audiences.written(*audience, framing, entry.channel);
                    (written, changes)
                }
                Source::Rewritten(changes) => (rewritten.as_bytes(), changes),
                Source::Snapshot => continue,
            };
            let changes = written.get(changes.clone()).unwrap_or_default();
            while outputs.len() <= usize::from(entry.channel) {
                let kind = channels.get(outputs.len()).copied();
                outputs.push(framing.segments_of(kind.unwrap_or(Channel::Reliable), packet_size));
            }
            let output = &mut outputs[usize::from(entry.channel)];
            output.push_update(entry.net_id, changes);
            let end = output.last_update().end;
            placed.extend(all[own.clone()].iter().map(|fields| (end, *fields)));
        }
        all.clear();
        self.replication.bandwidth.own = all;
        self.replication.bandwidth.placed = placed;
        let sent = self.queue_outputs(id, datagrams, &mut backlog.outputs);
        backlog.charge(sent);
        backlog.remove_sent(chosen.iter().map(|chosen| chosen.index));
        chosen.clear();
        self.replication.bandwidth.chosen = chosen;
    }

    /// Appends buffers to the queues of a connection, with their fields if they take datagrams. Returns the number
    /// of their bytes.
    pub(in crate::server) fn queue_outputs(
        &mut self,
        id: ConnectionId,
        mut datagrams: Option<&mut Datagrams>,
        outputs: &mut [Segments],
    ) -> usize {
        let BandwidthLimiter {
            placed, in_chunk, ..
        } = &mut *self.replication.bandwidth;
        let mut sent = 0;
        if let Some(connection) = self.sessions.connections.get_mut(id.0) {
            for (channel, output) in (0_u8..).zip(outputs) {
                let chunks = output.drain().inspect(|chunk| sent += chunk.len());
                let Some(datagrams) = datagrams
                    .as_deref_mut()
                    .filter(|_| self.context.config.is_lossy(channel))
                else {
                    let chunks = self.outbound.add(channel, chunks);
                    self.outbound.queue(connection, chunks);
                    continue;
                };
                let of_channel = placed.iter().filter(|(_, it)| it.channel == channel);
                let mut of_channel = of_channel.peekable();
                let mut end = 0;
                for chunk in chunks {
                    end += chunk.len();
                    while let Some((_, fields)) = of_channel.next_if(|(at, _)| *at <= end) {
                        in_chunk.push(*fields);
                    }
                    let receiver = (&mut *connection, &mut *datagrams);
                    self.outbound.queue_own(receiver, channel, chunk, in_chunk);
                    in_chunk.clear();
                }
            }
        }
        placed.clear();
        sent
    }
}
