//! Repairs: lost fields, written again with their present values.

use std::ops::Range;

use syncvar_runtime::object::WriteLog;
use syncvar_runtime::packet::{FRAME, update_length};

use crate::Framing;
use crate::server::NetworkServer;
use crate::server::datagrams::Datagrams;
use crate::server::datagrams::frames::Entry;
use crate::server::replication::bandwidth::Source;
use crate::server::replication::bandwidth::backlog::{Backlog, BacklogEntry, mask_slice};

impl NetworkServer {
    /// Finds or encodes the bytes of a lost or withheld entry. Returns them with the sent fields, in
    /// [`BandwidthLimiter::own`](super::BandwidthLimiter); none if all of them wait.
    pub(super) fn repair_of(
        &mut self,
        framing: Framing,
        index: usize,
        backlog: &mut Backlog,
        mut datagrams: Option<&mut Datagrams>,
    ) -> Option<(Source, Range<usize>)> {
        let link = datagrams.as_ref();
        let is_detached = link.is_some_and(|link| link.sender.is_detached());
        if is_detached || !self.replication.frame_open {
            return None;
        }
        let entry = backlog.entries.get(index)?.clone();
        let own = self.replication.bandwidth.own.len();
        let (source, length) = match self.written_now(framing, &entry, backlog) {
            Some(written) => written,
            None => self.write_lost((index, &entry), backlog)?,
        };
        let bytes = update_length(framing.form(), entry.net_id, length);
        let long = datagrams
            .as_deref_mut()
            .filter(|link| !link.carries(FRAME + bytes));
        let is_long = long.is_some();
        let waits = if let Some(link) = long {
            let is_free = link.may_send_long(entry.net_id);
            link.queue.partial |= !is_free;
            !is_free
        } else {
            // Within a budget the changes of this tick compete with the repairs. The first one always fits.
            let is_first = backlog.repair_left == self.config.loss.repair_bytes;
            !backlog.is_limited() && !is_first && backlog.repair_left < bytes
        };
        if waits {
            self.replication.bandwidth.own.truncate(own);
            return None;
        }
        backlog.repair_left = backlog.repair_left.saturating_sub(bytes);
        let own = own..self.replication.bandwidth.own.len();
        let repaired = !is_long && matches!(source, Source::Rewritten(_));
        if let Some(link) = datagrams.filter(|_| repaired) {
            link.counts.repaired += own.len() as u64;
        }
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

    /// Writes the fields of an entry that are not dirty, with their present values. Dirty ones wait for their
    /// frame: no connection is ahead of the others. Returns the bytes and their length.
    fn write_lost(
        &mut self,
        (index, entry): (usize, &BacklogEntry),
        backlog: &mut Backlog,
    ) -> Option<(Source, usize)> {
        let (net_id, channel) = (entry.net_id, entry.channel);
        let own = &mut self.replication.bandwidth.own;
        let first = own.len();
        let replicated = self.world.objects.get(net_id.0)?;
        let slots = self.world.pools.slots_mut(replicated.at)?;
        let Backlog {
            masks, rewritten, ..
        } = backlog;
        let start = rewritten.len();
        let mut lost = (0_u8..).zip(mask_slice(masks, &entry.masks));
        slots.for_each_mut(|slot| {
            let Some((behaviour, lost)) = lost.next() else {
                return;
            };
            if slot.info().channel != channel {
                return;
            }
            let fields = lost & !slot.dirty_bits();
            slot.write_again(fields, rewritten);
            if fields != 0 {
                own.push(Entry {
                    net_id,
                    channel,
                    behaviour,
                    fields,
                });
            }
        });
        if rewritten.take_error().is_some() {
            // The frame has reported the value without a form. The next write makes it fit.
            rewritten.truncate(start);
            let failed: Vec<_> = own.drain(first..).collect();
            backlog.remove_fields(index, &failed);
            return None;
        }
        if own.len() == first {
            rewritten.truncate(start);
            return None;
        }
        let written = start..rewritten.len();
        let length = written.len();
        Some((Source::Rewritten(written), length))
    }
}
