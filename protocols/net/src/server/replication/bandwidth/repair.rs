//! Repairs: lost fields, written again with their present values.

use std::ops::Range;

use syncvar_runtime::object::WriteLog;
use syncvar_runtime::packet::{FRAME, update_length};
use syncvar_runtime::{ConnectionId, WriteError};

use crate::Framing;
use crate::server::NetworkServer;
use crate::server::datagrams::Datagrams;
use crate::server::datagrams::frames::Entry;
use crate::server::replication::bandwidth::Source;
use crate::server::replication::bandwidth::backlog::{Backlog, BacklogEntry, mask_slice};

/// Result of writing the fields of an entry once more.
pub(super) enum Rewritten {
    /// Range of the bytes in [`Backlog::rewritten`].
    Fields(Range<usize>),
    /// All fields are dirty.
    Wait,
    /// A value cannot be encoded.
    Failed(WriteError),
}

impl NetworkServer {
    /// Finds or encodes the bytes of a lost or withheld entry. Returns them with the sent fields, in
    /// [`BandwidthLimiter::own`](super::BandwidthLimiter); none if all of them wait.
    pub(super) fn repair_of(
        &mut self,
        (id, framing): (ConnectionId, Framing),
        index: usize,
        backlog: &mut Backlog,
        mut datagrams: Option<&mut Datagrams>,
    ) -> Option<(Source, Range<usize>)> {
        if self.is_detached(id, datagrams.as_deref()) || !self.replication.frame_open {
            return None;
        }
        let entry = backlog.entries.get(index)?.clone();
        let own = self.replication.bandwidth.own.len();
        let (source, length) = match self.written_now(framing, &entry, backlog) {
            Some(written) => written,
            None => self.write_lost(id, (index, &entry), backlog)?,
        };
        let bytes = update_length(framing.form(), entry.net_id, length);
        let long = datagrams
            .as_deref_mut()
            .filter(|link| !link.carries(FRAME + bytes));
        let waits = if let Some(link) = long {
            let is_free = link.may_send_long(entry.net_id);
            link.queue.partial |= !is_free;
            !is_free
        } else {
            // Within a budget the changes of this tick compete with the repairs.
            let link = datagrams.filter(|_| !backlog.is_limited());
            link.is_some_and(|link| {
                !link.reserve_repair(bytes, self.context.config.loss.repair_bytes)
            })
        };
        if waits {
            self.replication.bandwidth.own.truncate(own);
            return None;
        }
        let own = own..self.replication.bandwidth.own.len();
        Some((source, own))
    }

    /// Returns the bytes that this update has written for the audience, if they are all that the connection
    /// lacks, and their length.
    pub(super) fn written_now(
        &mut self,
        framing: Framing,
        entry: &BacklogEntry,
        backlog: &Backlog,
    ) -> Option<(Source, usize)> {
        let limiter = &mut *self.replication.bandwidth;
        let record = limiter.log.records.get(entry.record?)?;
        let changes = record.changes.as_ref()?[WriteLog::index(framing.form())].clone();
        limiter.own.extend(backlog.fields_of(entry));
        let length = changes.len();
        Some((Source::Shared(record.audience, changes), length))
    }

    /// Writes the lost fields of an entry. Returns their bytes and length; none if they wait.
    fn write_lost(
        &mut self,
        id: ConnectionId,
        (index, entry): (usize, &BacklogEntry),
        backlog: &mut Backlog,
    ) -> Option<(Source, usize)> {
        let (first, start) = (
            self.replication.bandwidth.own.len(),
            backlog.rewritten.len(),
        );
        match self.rewrite(id, entry, backlog)? {
            Rewritten::Fields(written) => {
                let length = written.len();
                Some((Source::Rewritten(written), length))
            }
            Rewritten::Wait => None,
            Rewritten::Failed(_) => {
                // The frame has reported the value without a form. The next write makes it fit.
                backlog.rewritten.truncate(start);
                let failed: Vec<_> = self.replication.bandwidth.own.drain(first..).collect();
                backlog.remove_fields(index, &failed);
                None
            }
        }
    }

    /// Writes the fields of an entry with their present values to the backlog, and adds them to
    /// [`BandwidthLimiter::own`](super::BandwidthLimiter). Dirty ones wait for their frame: no connection is
    /// ahead of the others. A frame that a threshold puts off follows with the next update. None if the object is gone or checked out.
    pub(super) fn rewrite(
        &mut self,
        id: ConnectionId,
        entry: &BacklogEntry,
        backlog: &mut Backlog,
    ) -> Option<Rewritten> {
        let (net_id, channel) = (entry.net_id, entry.channel);
        let role = self.role(net_id, id);
        let own = &mut self.replication.bandwidth.own;
        let replicated = self.objects.world.objects.get(net_id.0)?;
        let slots = self.objects.world.pools.slots_mut(replicated.at)?;
        let Backlog {
            masks, rewritten, ..
        } = backlog;
        let (first, start) = (own.len(), rewritten.len());
        let mut missed = (0_u8..).zip(mask_slice(masks, &entry.masks));
        let (mut has_fields, mut waits, mut held) = (false, false, false);
        slots.for_each_mut(|slot| {
            let Some((behaviour, missed)) = missed.next() else {
                return;
            };
            if slot.info().channel != channel {
                return;
            }
            let fields = missed & !slot.dirty_bits();
            waits |= fields != *missed;
            let throttled = missed & slot.dirty_bits() & slot.info().policy.throttled;
            if throttled != 0 {
                slot.release(throttled);
                held = true;
            }
            let written = fields & slot.info().policy.readable(role);
            slot.write_again(written, rewritten);
            has_fields |= written != 0;
            if fields != 0 {
                own.push(Entry {
                    net_id,
                    channel,
                    behaviour,
                    fields,
                });
            }
        });
        if held {
            self.objects.schedule.queue_dirty(net_id);
        }
        if let Some(error) = rewritten.take_error() {
            return Some(Rewritten::Failed(error));
        }
        if waits && !has_fields {
            rewritten.truncate(start);
            own.truncate(first);
            return Some(Rewritten::Wait);
        }
        Some(Rewritten::Fields(start..rewritten.len()))
    }
}
