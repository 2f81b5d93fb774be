//! Backlogs of connections on their way out: deltas within a budget, and repairs of lost state.

mod repair;

use std::ops::Range;

use rustc_hash::FxHashMap;
use syncvar_runtime::unstable::object::{Slot, Slots, WriteRecord};
use syncvar_runtime::unstable::packet::{update_length, update_refusal};
use syncvar_runtime::{AudienceId, Channel, ConnectionId, NetId};

use crate::Framing;
use crate::server::ServerEvent;
use crate::server::context::Context;
use crate::server::ground::Ground;
use crate::server::ledger::backlog::{Backlog, BacklogEntry};
use crate::server::ledger::field_set::FieldSet;
use crate::server::objects::Objects;
use crate::server::objects::replicated::State;
use crate::server::outbound::Outbound;
use crate::server::replication::bandwidth::repair::Rewritten;
use crate::server::sessions::Sessions;
use crate::server::sessions::connection::Connection;
use crate::server::visibility::Visibility;
use crate::server::visibility::observer_view::ObserverView;

/// Connections with a backlog, and the state that they share.
#[derive(Debug, Default)]
pub(crate) struct BandwidthLimiter {
    /// Connections with a budget or with losses, ascending.
    connections: Vec<ConnectionId>,
    /// Whether a connection has a budget.
    pub(crate) has_limited: bool,
    /// Objects with a priority other than 1.
    pub(crate) priorities: FxHashMap<NetId, f32>,
    /// Lists reused by every connection.
    order: Vec<usize>,
    chosen: Vec<Chosen>,
    /// Fields that are written for one connection.
    fields: Vec<FieldSet>,
}

/// An entry of a backlog that is sent with this update.
#[derive(Debug)]
struct Chosen {
    /// Index of the entry.
    index: usize,
    source: EntryBytes,
    /// Sent fields of the entry in [`BandwidthLimiter::fields`].
    fields: Range<usize>,
}

/// Origin of the bytes of a chosen entry.
#[derive(Debug)]
enum EntryBytes {
    /// The buffer of an audience.
    Shared(AudienceId, Range<usize>),
    /// [`Backlog::rewritten`].
    Rewritten(Range<usize>),
    /// A snapshot, later in this update.
    Snapshot,
}

/// Transfer from the backlog of a connection to its queues: the backlog, and the rooms for reading and writing.
struct BacklogTransfer<'a> {
    context: &'a mut Context,
    objects: &'a mut Objects,
    outbound: &'a mut Outbound,
    visibility: &'a mut Visibility,
    connection: &'a mut Connection,
    backlog: &'a mut Backlog,
}

impl BandwidthLimiter {
    /// Returns whether a connection has a budget.
    pub(crate) fn is_active(&self) -> bool {
        self.has_limited
    }

    /// Removes an object.
    pub(crate) fn remove_object(&mut self, id: NetId) {
        self.priorities.remove(&id);
    }

    /// Removes a connection.
    pub(crate) fn remove_connection(&mut self, id: ConnectionId) {
        self.connections.retain(|connection| *connection != id);
    }

    /// Adds a connection with a backlog.
    pub(crate) fn add_connection(&mut self, id: ConnectionId) {
        if let Err(index) = self.connections.binary_search(&id) {
            self.connections.insert(index, id);
        }
    }

    /// Returns whether a backlog has entries.
    pub(crate) fn has_backlog(&self, sessions: &Sessions) -> bool {
        self.connections.iter().any(|id| {
            let connection = sessions.connections.get(id.0);
            connection.is_some_and(|connection| connection.ledger.waiting() > 0)
        })
    }

    /// Ends removed budgets with empty backlogs. From then on the connection receives deltas with its audiences,
    /// so it must not lack a snapshot either.
    pub(crate) fn end_budgets(
        &mut self,
        sessions: &mut Sessions,
        outbound: &Outbound,
        visibility: &Visibility,
    ) {
        // An ownership change may have logged a write that is not sent yet.
        if !outbound.records.log.records.is_empty() {
            return;
        }
        let snapshots = &visibility.pending_snapshots;
        let mut has_limited = false;
        self.connections.retain(|id| {
            let connection = sessions.connections.get_mut(id.0);
            let backlog = connection.and_then(|connection| connection.ledger.backlog.as_mut());
            let Some(backlog) = backlog else {
                return false;
            };
            let needs_snapshot = || {
                snapshots
                    .iter()
                    .any(|(_, receivers)| receivers.contains(id))
            };
            let is_empty = backlog.entries.is_empty();
            if backlog.meter.is_ending && is_empty && !needs_snapshot() {
                backlog.meter.restart(None);
            }
            has_limited |= backlog.is_limited();
            backlog.is_limited() || !is_empty
        });
        self.has_limited = has_limited;
    }

    /// Sends each connection the deltas of its backlog that fit.
    pub(crate) fn send_backlogs(&mut self, ground: &mut Ground<'_>, visibility: &mut Visibility) {
        let connections = std::mem::take(&mut self.connections);
        for id in &connections {
            let Some(connection) = ground.sessions.connections.get_mut(id.0) else {
                continue;
            };
            let Some(mut backlog) = connection.ledger.backlog.take() else {
                continue;
            };
            let mut transfer = BacklogTransfer {
                context: ground.context,
                objects: ground.objects,
                outbound: ground.outbound,
                visibility,
                connection,
                backlog: &mut backlog,
            };
            self.send_backlog(&mut transfer);
            connection.ledger.backlog = Some(backlog);
        }
        self.connections = connections;
    }

    fn send_backlog(&mut self, transfer: &mut BacklogTransfer<'_>) {
        transfer.backlog.meter.begin_update();
        if !transfer.connection.is_ready() {
            transfer.backlog.entries.clear();
            return;
        }
        transfer.update_entries();
        self.choose_entries(transfer);
        self.send_chosen(transfer);
        if let Some(link) = &mut transfer.connection.datagrams {
            link.queue.partial |=
                transfer.backlog.is_limited() && !transfer.backlog.entries.is_empty();
        }
    }

    /// Chooses the entries that fit into the budget, by priority.
    fn choose_entries(&mut self, transfer: &mut BacklogTransfer<'_>) {
        let (id, framing) = (transfer.connection.id, transfer.connection.framing);
        let packet_size = transfer.context.config.gathered_size();
        let mut order = std::mem::take(&mut self.order);
        let (priorities, objects) = (&self.priorities, &*transfer.objects);
        transfer
            .backlog
            .order(&mut order, transfer.connection.motion.viewpoint, |id| {
                let priority = priorities.get(&id).copied().unwrap_or(1.0);
                (priority, objects.world.place(id).position)
            });
        transfer.backlog.rewritten.restart(framing.encoding());
        for index in order.drain(..) {
            let Some(entry) = transfer.backlog.entries.get(index).cloned() else {
                continue;
            };
            let found = if entry.as_of.is_some() && transfer.is_resendable(&entry) {
                self.repair_of(transfer, index, &entry)
            } else {
                self.source_of(transfer, index, &entry)
            };
            let Some((source, fields)) = found else {
                continue;
            };
            if let EntryBytes::Shared(_, changes) | EntryBytes::Rewritten(changes) = &source {
                let bytes = update_length(framing.form(), entry.net_id, changes.len());
                if !transfer.backlog.meter.reserve(framing, bytes, packet_size) {
                    break;
                }
                let sent = &self.fields[fields.clone()];
                transfer.backlog.remove_fields(index, sent);
            } else {
                transfer
                    .visibility
                    .request_snapshot(transfer.objects, entry.net_id, &[id]);
                transfer.objects.schedule.queue_dirty(entry.net_id);
            }
            self.chosen.push(Chosen {
                index,
                source,
                fields,
            });
        }
        order.clear();
        self.order = order;
        self.chosen.sort_unstable_by_key(|chosen| chosen.index);
    }

    /// Finds or encodes the bytes of an entry. Returns them with the sent fields, in
    /// [`BandwidthLimiter::fields`]; none if the entry waits.
    fn source_of(
        &mut self,
        transfer: &mut BacklogTransfer<'_>,
        index: usize,
        entry: &BacklogEntry,
    ) -> Option<(EntryBytes, Range<usize>)> {
        let first = self.fields.len();
        let start = transfer.backlog.rewritten.len();
        let source = if let Some((shared, _)) = self.written_now(transfer, entry) {
            shared
        } else if transfer.has_operations(entry) && transfer.backlog.defer(index) {
            return None;
        } else {
            let rewritten = { transfer.is_resendable(entry) }
                .then(|| self.rewrite(transfer, entry))
                .flatten();
            match rewritten {
                Some(Rewritten::Wait) => return None,
                Some(Rewritten::Fields(written)) if transfer.fits(entry, written.len()) => {
                    EntryBytes::Rewritten(written)
                }
                // A change is an operation, a value cannot be encoded, or the message would be too long.
                other => {
                    if let Some(Rewritten::Failed(error)) = other {
                        let event = ServerEvent::serialize_failed(entry.net_id, error);
                        transfer.context.events.push(event);
                    }
                    transfer.backlog.rewritten.truncate(start);
                    self.fields.truncate(first);
                    self.fields.extend(transfer.backlog.fields_of(entry));
                    EntryBytes::Snapshot
                }
            }
        };
        Some((source, first..self.fields.len()))
    }

    /// Appends the chosen deltas to the connection's queue.
    fn send_chosen(&mut self, transfer: &mut BacklogTransfer<'_>) {
        let framing = transfer.connection.framing;
        let config = &transfer.context.config;
        let (packet_size, channels) = (config.gathered_size(), &config.channels);
        let audiences = &transfer.visibility.audiences;
        let Backlog {
            entries,
            rewritten,
            outputs,
            ..
        } = &mut *transfer.backlog;
        for Chosen {
            index,
            source,
            fields,
        } in &self.chosen
        {
            let Some(entry) = entries.get(*index) else {
                continue;
            };
            let (written, changes) = match source {
                EntryBytes::Shared(audience, changes) => {
                    let written = audiences.written(*audience, framing, entry.channel);
                    (written, changes)
                }
                EntryBytes::Rewritten(changes) => (rewritten.as_bytes(), changes),
                EntryBytes::Snapshot => continue,
            };
            let changes = written.get(changes.clone()).unwrap_or_default();
            while outputs.len() <= usize::from(entry.channel) {
                let kind = channels.get(outputs.len()).copied();
                outputs.push(framing.segments_of(kind.unwrap_or(Channel::Reliable), packet_size));
            }
            let output = &mut outputs[usize::from(entry.channel)];
            output.push_update(entry.net_id, changes);
            let end = output.last_update().end;
            transfer
                .outbound
                .unicast
                .place(&self.fields[fields.clone()], end);
        }
        self.fields.clear();
        let is_lossy = |channel| config.is_lossy(channel);
        let sent = transfer
            .outbound
            .queue_unicast(transfer.connection, is_lossy, outputs);
        transfer.backlog.meter.charge(sent);
        let sent = self.chosen.iter().map(|chosen| chosen.index);
        transfer.backlog.remove_sent(sent);
        self.chosen.clear();
    }
}

impl BacklogTransfer<'_> {
    /// Adds the changes of this update for a connection with a budget, and removes the entries without
    /// outstanding fields.
    fn update_entries(&mut self) {
        let id = self.connection.id;
        let view = ObserverView::new(self.objects, self.visibility, id);
        let records = &self.outbound.records;
        if self.backlog.is_limited() {
            let config = &self.context.config;
            let has_ticks = self.connection.framing == Framing::Compact && config.has_ticks();
            let is_lossy = |channel: u8| has_ticks && config.is_lossy(channel);
            let is_detached = self.connection.is_detached();
            let is_sent = |record: &WriteRecord| {
                // A restricted field is written ahead of the update: the audience may have changed since.
                let ahead = record.changes.is_none();
                let replicated = self.objects.world.objects.get(record.net_id.0);
                let replicated = replicated.filter(|_| ahead);
                let audience = replicated.map_or(record.audience, |replicated| replicated.audience);
                let is_held = is_detached && is_lossy(record.channel);
                !is_held
                    && !record.part
                    && view.observes(audience)
                    && !view.awaits_snapshot(record.net_id)
            };
            let groups = &self.visibility.groups;
            let is_member = |object| groups.role(self.objects, object, id).reads_group();
            let as_of = |channel| is_lossy(channel).then_some(records.tick());
            self.backlog
                .add_records(&records.log, id, is_sent, is_member, as_of);
        }
        self.backlog.entries.retain(|entry| {
            let replicated = self.objects.announced(entry.net_id);
            replicated.is_some_and(|replicated| view.observes(replicated.audience))
        });
        view.refresh(&self.connection.ledger.streamed, self.backlog);
    }

    /// Returns whether the changes of an entry fit a message. Changes of several updates may exceed the limit
    /// together.
    fn fits(&self, entry: &BacklogEntry, changes: usize) -> bool {
        let room = self.context.config.state_info(entry.channel).room;
        let form = self.connection.framing.form();
        update_refusal(form, entry.net_id, changes, room).is_none()
    }

    /// Returns whether the fields of an entry can be written once more; otherwise a snapshot replaces the entry.
    fn is_resendable(&self, entry: &BacklogEntry) -> bool {
        let slots = self.objects.world.slots(entry.net_id);
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
}
