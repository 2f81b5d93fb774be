//! Backlogs: changed fields that wait for a budget or for a repair.
//!
//! A backlog stores field masks, not bytes. At its turn an object is sent with its current
//! values.

use std::ops::Range;

use syncvar_runtime::unstable::object::{WriteLog, WriteRecord, mask_count};
use syncvar_runtime::unstable::packet::Segments;
use syncvar_runtime::{AudienceId, ConnectionId, NetId, NetworkWriter, Vector3};

use crate::server::ledger::budget::{Budget, BudgetMeter};
use crate::server::ledger::field_set::FieldSet;
use crate::server::ledger::masks::{mask_slice, mask_slice_mut};

/// Minimum cost charged per message, in bytes.
const MIN_MESSAGE_BYTES: usize = 2;

/// Fields of an object that a connection has not received on a channel.
#[derive(Clone, Debug)]
pub(crate) struct BacklogEntry {
    pub(crate) net_id: NetId,
    pub(crate) channel: u8,
    /// Sum of the priorities over the updates in the backlog.
    priority: f64,
    /// Changed fields by behaviour, in [`Backlog::masks`].
    pub(crate) masks: Range<u32>,
    /// Index of the write record of this update, if the connection has missed no earlier one.
    pub(crate) record: Option<usize>,
    /// Updates that passed over the entry.
    deferrals: u8,
    /// Tick of the last frame with a lost or withheld change: the entry excludes later changes. `None`
    /// on a reliable carrier.
    pub(crate) as_of: Option<u32>,
}

/// Entries and their masks.
#[derive(Debug, Default)]
struct EntryList {
    list: Vec<BacklogEntry>,
    masks: Vec<u64>,
}

/// Fields that wait for their turn, and the budget of the connection, if it has one.
#[derive(Debug, Default)]
pub(crate) struct Backlog {
    /// Budget, and the bytes left of it; without a budget for losses alone.
    pub(crate) meter: BudgetMeter,
    /// Entries in the order of objects and channels.
    pub(crate) entries: Vec<BacklogEntry>,
    pub(crate) masks: Vec<u64>,
    /// Lists of the previous update, reused.
    spare: EntryList,
    /// Deltas of this update that were encoded for this connection alone.
    pub(crate) rewritten: NetworkWriter,
    /// Bytes of this update, a buffer for each channel.
    pub(crate) outputs: Vec<Segments>,
}

impl Backlog {
    /// Returns an empty backlog.
    pub(crate) fn new(budget: Option<Budget>) -> Self {
        Self {
            meter: BudgetMeter::new(budget),
            ..Self::default()
        }
    }

    /// Returns whether the bandwidth is limited: the backlog receives all changes first.
    pub(crate) fn is_limited(&self) -> bool {
        self.meter.is_limited()
    }

    /// Merges the write records of an update into the backlog. `observes` selects the records of
    /// objects that this connection observes, and `is_member` the objects of its groups.
    pub(crate) fn add_records(
        &mut self,
        log: &WriteLog,
        connection: ConnectionId,
        observes: impl Fn(&WriteRecord) -> bool,
        is_member: impl Fn(NetId) -> bool,
        as_of: impl Fn(u8) -> Option<u32>,
    ) {
        let mut merged = std::mem::take(&mut self.spare);
        let mut earlier = self.entries.drain(..).peekable();
        let records = log.records.iter().enumerate();
        for (index, record) in records.filter(|(_, record)| observes(record)) {
            let key = (record.net_id, record.channel);
            while let Some(entry) = earlier.next_if(|entry| entry.key() < key) {
                merged.carry_over(entry, &self.masks);
            }
            let changed = match (&record.owner, &record.members) {
                (Some((owner, masks)), _) if *owner == connection => masks,
                (_, Some(masks)) if is_member(record.net_id) => masks,
                _ => &record.masks,
            };
            let changed = mask_slice(&log.masks, changed);
            if changed.iter().all(|mask| *mask == 0) {
                continue;
            }
            let as_of = as_of(record.channel);
            if merged.extend_last(key, changed, as_of) {
                continue;
            }
            let entry = earlier.next_if(|entry| entry.key() == key);
            let earlier = entry.as_ref().map(|entry| (entry, &self.masks[..]));
            merged.push(index, record, changed, earlier, as_of);
        }
        for entry in earlier {
            merged.carry_over(entry, &self.masks);
        }
        self.masks.clear();
        self.spare = EntryList {
            list: std::mem::replace(&mut self.entries, merged.list),
            masks: std::mem::replace(&mut self.masks, merged.masks),
        };
    }

    /// Adds the priority of this update to every entry, and appends the entries that may be sent to
    /// `order`, the highest priority first. `object` returns the priority and position of an object.
    pub(crate) fn order(
        &mut self,
        order: &mut Vec<usize>,
        viewpoint: Option<Vector3>,
        object: impl Fn(NetId) -> (f32, Vector3),
    ) {
        for entry in &mut self.entries {
            let (priority, position) = object(entry.net_id);
            let weight = self.meter.weight(viewpoint, position);
            entry.priority += f64::from(priority) * f64::from(weight);
        }
        order.extend(0..self.entries.len());
        let priority = |index: &usize| self.entries.get(*index).map_or(0.0, |it| it.priority);
        let first = |a: &usize, b: &usize| priority(b).total_cmp(&priority(a)).then(a.cmp(b));
        // Every message has a minimum cost: sort no more entries than the budget can pay for.
        let most = self.meter.bytes_left() / MIN_MESSAGE_BYTES + 1;
        if most < order.len() {
            order.select_nth_unstable_by(most, first);
            order.truncate(most);
        }
        order.sort_unstable_by(first);
    }

    /// Passes over an entry, at most 255 times. Returns whether it did.
    pub(crate) fn defer(&mut self, index: usize) -> bool {
        let entry = self.entries.get_mut(index);
        entry.is_some_and(|entry| {
            let more = entry.deferrals.checked_add(1);
            entry.deferrals = more.unwrap_or(u8::MAX);
            more.is_some()
        })
    }

    /// Removes the entries at these indices, ascending. The write records of further entries expire.
    pub(crate) fn remove_sent(&mut self, indices: impl Iterator<Item = usize>) {
        let mut sent = indices.peekable();
        let mut index = 0;
        self.entries.retain_mut(|entry| {
            let is_sent = sent.next_if_eq(&index).is_some();
            index += 1;
            entry.record = None;
            let masks = mask_slice(&self.masks, &entry.masks);
            // Dirty fields wait for their frame.
            !is_sent || masks.iter().any(|mask| *mask != 0)
        });
    }

    /// Adds the lost fields of a frame tick, in the order of objects, channels and behaviours. `width` returns
    /// the number of behaviours of an object. The log is empty before and afterwards.
    pub(crate) fn add_missing(
        &mut self,
        missing: &[FieldSet],
        width: impl Fn(NetId) -> usize,
        log: &mut WriteLog,
        tick: u32,
    ) {
        for of_object in missing.chunk_by(|a, b| (a.net_id, a.channel) == (b.net_id, b.channel)) {
            let Some(FieldSet {
                net_id, channel, ..
            }) = of_object.first().copied()
            else {
                continue;
            };
            let start = mask_count(&log.masks);
            log.masks.resize(start as usize + width(net_id), 0);
            for entry in of_object {
                let mask = log
                    .masks
                    .get_mut(start as usize + usize::from(entry.behaviour));
                if let Some(mask) = mask {
                    *mask |= entry.fields;
                }
            }
            log.records.push(WriteRecord {
                net_id,
                channel,
                audience: AudienceId(0),
                masks: start..mask_count(&log.masks),
                changes: None,
                owner: None,
                members: None,
                part: false,
            });
        }
        let of_log = (|_: &WriteRecord| true, |_| false);
        self.add_records(log, ConnectionId(0), of_log.0, of_log.1, |_| Some(tick));
        log.clear();
    }

    /// Returns the oldest tick of an entry for losses.
    pub(crate) fn oldest(&self) -> Option<u32> {
        self.entries.iter().filter_map(|entry| entry.as_of).min()
    }

    /// Keeps the outstanding fields of the entries for losses. `outstanding` receives fields and their tick.
    pub(crate) fn refresh(&mut self, outstanding: impl Fn(&FieldSet, u32) -> u64) {
        let masks = &mut self.masks;
        self.entries.retain(|entry| {
            let Some(as_of) = entry.as_of else {
                return true;
            };
            let mut left = 0;
            for (behaviour, mask) in (0_u8..).zip(mask_slice_mut(masks, &entry.masks)) {
                if *mask != 0 {
                    let fields = FieldSet {
                        net_id: entry.net_id,
                        channel: entry.channel,
                        behaviour,
                        fields: *mask,
                    };
                    *mask = outstanding(&fields, as_of);
                    left |= *mask;
                }
            }
            left != 0
        });
    }

    /// Returns the fields of an entry, for each behaviour.
    pub(crate) fn fields_of(&self, entry: &BacklogEntry) -> impl Iterator<Item = FieldSet> {
        let (net_id, channel) = (entry.net_id, entry.channel);
        let masks = (0_u8..).zip(mask_slice(&self.masks, &entry.masks));
        let missed = masks.filter(|(_, mask)| **mask != 0);
        missed.map(move |(behaviour, mask)| FieldSet {
            net_id,
            channel,
            behaviour,
            fields: *mask,
        })
    }

    /// Removes fields of the entry at an index, which are sent.
    pub(crate) fn remove_fields(&mut self, index: usize, sent: &[FieldSet]) {
        let Some(entry) = self.entries.get(index) else {
            return;
        };
        let masks = mask_slice_mut(&mut self.masks, &entry.masks);
        for sent in sent {
            if let Some(mask) = masks.get_mut(usize::from(sent.behaviour)) {
                *mask &= !sent.fields;
            }
        }
    }

    /// Removes fields that have arrived.
    pub(crate) fn forget_arrived(&mut self, arrived: &FieldSet) {
        let key = (arrived.net_id, arrived.channel);
        let Ok(index) = self.entries.binary_search_by_key(&key, BacklogEntry::key) else {
            return;
        };
        let masks = mask_slice_mut(&mut self.masks, &self.entries[index].masks);
        if let Some(mask) = masks.get_mut(usize::from(arrived.behaviour)) {
            *mask &= !arrived.fields;
        }
        if masks.iter().all(|mask| *mask == 0) {
            self.entries.remove(index);
        }
    }

    /// Removes the entries of an object: the connection has received a snapshot of it.
    pub(crate) fn remove_object(&mut self, net_id: NetId) {
        let first = self.entries.partition_point(|entry| entry.net_id < net_id);
        let count = self.entries.iter().skip(first);
        let count = count.take_while(|entry| entry.net_id == net_id).count();
        self.entries.drain(first..first + count);
    }
}

impl BacklogEntry {
    fn key(&self) -> (NetId, u8) {
        (self.net_id, self.channel)
    }
}

impl EntryList {
    /// Appends an entry without a new change.
    fn carry_over(&mut self, mut entry: BacklogEntry, masks: &[u64]) {
        let start = mask_count(&self.masks);
        self.masks
            .extend_from_slice(mask_slice(masks, &entry.masks));
        entry.masks = start..mask_count(&self.masks);
        self.list.push(entry);
    }

    /// Adds changes to the last entry, if it has this key: an ownership change writes an object
    /// twice in one update.
    fn extend_last(&mut self, key: (NetId, u8), changed: &[u64], as_of: Option<u32>) -> bool {
        let last = self.list.last_mut().filter(|entry| entry.key() == key);
        let Some(last) = last else {
            return false;
        };
        let masks = mask_slice_mut(&mut self.masks, &last.masks);
        for (missed, changed) in masks.iter_mut().zip(changed) {
            *missed |= changed;
        }
        last.record = None;
        last.as_of = as_of;
        true
    }

    /// Appends an entry for a write record, with the changes of an earlier entry.
    fn push(
        &mut self,
        index: usize,
        record: &WriteRecord,
        changed: &[u64],
        earlier: Option<(&BacklogEntry, &[u64])>,
        as_of: Option<u32>,
    ) {
        let start = mask_count(&self.masks);
        let missed = earlier.map_or(&[][..], |(entry, masks)| mask_slice(masks, &entry.masks));
        let missed = missed.iter().chain(std::iter::repeat(&0));
        let all = changed.iter().zip(missed);
        self.masks
            .extend(all.map(|(changed, missed)| changed | missed));
        self.list.push(BacklogEntry {
            net_id: record.net_id,
            channel: record.channel,
            priority: earlier.map_or(0.0, |(entry, _)| entry.priority),
            masks: start..mask_count(&self.masks),
            record: (earlier.is_none() && record.changes.is_some()).then_some(index),
            deferrals: 0,
            as_of,
        });
    }
}
