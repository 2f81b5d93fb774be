//! Repairs: lost fields, written again with their present values.

use std::ops::Range;

use syncvar_runtime::WriteError;
use syncvar_runtime::unstable::object::WriteLog;
use syncvar_runtime::unstable::packet::{FRAME, update_length};

use crate::server::ledger::backlog::{Backlog, BacklogEntry};
use crate::server::ledger::field_set::FieldSet;
use crate::server::ledger::masks::mask_slice;
use crate::server::replication::bandwidth::{BacklogTransfer, BandwidthLimiter, EntryBytes};

/// Result of writing the fields of an entry once more.
pub(super) enum Rewritten {
    /// Range of the bytes in [`Backlog::rewritten`].
    Fields(Range<usize>),
    /// All fields are dirty.
    Wait,
    /// A value cannot be encoded.
    Failed(WriteError),
}

impl BandwidthLimiter {
    /// Finds or encodes the bytes of a lost or withheld entry. Returns them with the sent fields, in
    /// [`BandwidthLimiter::fields`]; none if all fields wait.
    pub(super) fn repair_of(
        &mut self,
        transfer: &mut BacklogTransfer<'_>,
        index: usize,
        entry: &BacklogEntry,
    ) -> Option<(EntryBytes, Range<usize>)> {
        if transfer.connection.is_detached() || !transfer.outbound.records.is_open {
            return None;
        }
        let first = self.fields.len();
        let (source, length) = match self.written_now(transfer, entry) {
            Some(written) => written,
            None => self.write_lost(transfer, index, entry)?,
        };
        let form = transfer.connection.framing.form();
        let bytes = update_length(form, entry.net_id, length);
        if !transfer.reserve_datagrams(entry, bytes) {
            self.fields.truncate(first);
            return None;
        }
        Some((source, first..self.fields.len()))
    }

    /// Returns the bytes that this update has written for the audience, if they are all that the connection
    /// lacks, and their length.
    pub(super) fn written_now(
        &mut self,
        transfer: &BacklogTransfer<'_>,
        entry: &BacklogEntry,
    ) -> Option<(EntryBytes, usize)> {
        let record = transfer.outbound.records.log.records.get(entry.record?)?;
        let form = transfer.connection.framing.form();
        let changes = record.changes.as_ref()?[WriteLog::index(form)].clone();
        self.fields.extend(transfer.backlog.fields_of(entry));
        let length = changes.len();
        Some((EntryBytes::Shared(record.audience, changes), length))
    }

    /// Writes the lost fields of an entry. Returns their bytes and length; none if they wait.
    fn write_lost(
        &mut self,
        transfer: &mut BacklogTransfer<'_>,
        index: usize,
        entry: &BacklogEntry,
    ) -> Option<(EntryBytes, usize)> {
        let (first, start) = (self.fields.len(), transfer.backlog.rewritten.len());
        match self.rewrite(transfer, entry)? {
            Rewritten::Fields(written) => {
                let length = written.len();
                Some((EntryBytes::Rewritten(written), length))
            }
            Rewritten::Wait => None,
            Rewritten::Failed(_) => {
                // The frame has reported the value without a form. The next write makes it fit.
                transfer.backlog.rewritten.truncate(start);
                transfer.backlog.remove_fields(index, &self.fields[first..]);
                self.fields.truncate(first);
                None
            }
        }
    }

    /// Writes the fields of an entry with their present values to the backlog, and adds them to
    /// [`BandwidthLimiter::fields`]. Dirty fields wait for their frame, so that all connections have the same age. A frame
    /// that a threshold puts off follows with the next update. None if the object is gone or checked out.
    pub(super) fn rewrite(
        &mut self,
        transfer: &mut BacklogTransfer<'_>,
        entry: &BacklogEntry,
    ) -> Option<Rewritten> {
        let (net_id, channel) = (entry.net_id, entry.channel);
        let groups = &transfer.visibility.groups;
        let role = groups.role(transfer.objects, net_id, transfer.connection.id);
        let world = &mut transfer.objects.world;
        let slots = world.pools.slots_mut(world.objects.get(net_id.0)?.at)?;
        let Backlog {
            masks, rewritten, ..
        } = &mut *transfer.backlog;
        let (first, start) = (self.fields.len(), rewritten.len());
        let mut missed = (0_u8..).zip(mask_slice(masks, &entry.masks));
        let (mut has_fields, mut waits, mut is_throttled) = (false, false, false);
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
                is_throttled = true;
            }
            let written = fields & slot.info().policy.readable(role);
            slot.write_again(written, rewritten);
            has_fields |= written != 0;
            if fields != 0 {
                self.fields.push(FieldSet {
                    net_id,
                    channel,
                    behaviour,
                    fields,
                });
            }
        });
        if is_throttled {
            transfer.objects.schedule.queue_dirty(net_id);
        }
        if let Some(error) = rewritten.take_error() {
            return Some(Rewritten::Failed(error));
        }
        if waits && !has_fields {
            rewritten.truncate(start);
            self.fields.truncate(first);
            return Some(Rewritten::Wait);
        }
        Some(Rewritten::Fields(start..rewritten.len()))
    }
}

impl BacklogTransfer<'_> {
    /// Reserves the bytes of a repair in the datagrams of this update, and returns whether they fit.
    fn reserve_datagrams(&mut self, entry: &BacklogEntry, bytes: usize) -> bool {
        let Some(link) = &mut self.connection.datagrams else {
            return true;
        };
        if !link.carries(FRAME + bytes) {
            let is_free = link.may_send_long(entry.net_id);
            link.queue.partial |= !is_free;
            return is_free;
        }
        // Within a budget the changes of this tick compete with the repairs.
        self.backlog.is_limited()
            || link.reserve_repair(bytes, self.context.config.loss.repair_bytes)
    }
}
