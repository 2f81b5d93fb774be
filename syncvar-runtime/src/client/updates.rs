//! Deltas: all fields of an object are read first, then its hooks run, then the events are reported.

mod reception;

pub(crate) use reception::Reception;

use super::{ClientEvent, NetworkClient};
use crate::identity::Entry;
use crate::segments::Entries;
use crate::{Dialect, MessageType, NetId, NetworkReader, ReadError};

/// Number of objects that are looked up before the first of them is read.
const BATCH: usize = 128;

impl NetworkClient {
    /// Applies an `UpdateVars` message.
    pub(super) fn handle_update(&mut self, channel: u8, payload: &[u8]) -> Result<(), ReadError> {
        let mut reader = NetworkReader::new(payload);
        let object = NetId(reader.read_packed_u32()?);
        let delta = reader.read_bytes(reader.remaining())?;
        self.apply_delta(Dialect::Unet, channel, object, delta);
        Ok(())
    }

    /// Applies the delta of one object, now or after its spawn.
    #[inline]
    pub(super) fn apply_delta(
        &mut self,
        dialect: Dialect,
        channel: u8,
        object: NetId,
        delta: &[u8],
    ) {
        match self.find(object, delta) {
            Some((pool, entry)) => self.read_entries(dialect, channel, pool, &[entry]),
            None => self.defer_update(dialect, channel, object, delta),
        }
    }

    /// Applies an `UpdateBatch` message. Consecutive objects of one pool are read together.
    pub(super) fn handle_updates(&mut self, channel: u8, payload: &[u8]) -> Result<(), ReadError> {
        let mut run = [Entry::default(); BATCH];
        let (mut pool, mut length) = (0, 0);
        let mut result = Ok(());
        for entry in Entries::new(payload) {
            let (object, delta) = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    result = Err(error);
                    break;
                }
            };
            self.stats.count_entry(MessageType::UpdateBatch);
            let Some((next, entry)) = self.find(object, delta) else {
                self.defer_update(Dialect::Compact, channel, object, delta);
                continue;
            };
            if next != pool || length == BATCH {
                self.read_entries(Dialect::Compact, channel, pool, &run[..length]);
                (pool, length) = (next, 0);
            }
            run[length] = entry;
            length += 1;
        }
        self.read_entries(Dialect::Compact, channel, pool, &run[..length]);
        result
    }

    /// Returns the pool and entry of a delta's object, if the delta can be applied now.
    #[inline]
    pub(super) fn find<'a>(&self, object: NetId, delta: &'a [u8]) -> Option<(u32, Entry<'a>)> {
        let replica = self.world.objects.get(object.0)?;
        let announced = replica.is_visible();
        let behind = !announced && self.early.contains(object);
        if replica.is_poisoned() || behind {
            return None;
        }
        let entry = Entry {
            net_id: object,
            row: replica.at.row,
            announced,
            own: replica.keeps_own_writes() && self.config.compare_schemas,
            changes: delta,
        };
        Some((replica.at.pool, entry))
    }

    fn read_entries(&mut self, dialect: Dialect, channel: u8, pool: u32, entries: &[Entry<'_>]) {
        let Some(pool) = self.world.pools.pool_mut(pool) else {
            return;
        };
        let mut reception = Reception {
            dialect,
            channel,
            max_elements: self.config.max_elements,
            masks: &mut self.inbound.masks,
            events: &mut self.events,
            failed: &mut self.inbound.failed,
            hooked: &mut self.writes.from_hooks,
            targets: &mut self.inbound.targets,
            unresolved: &mut self.inbound.unresolved,
            objects: &self.world.objects,
            joining: self.session.joining,
        };
        pool.read_changes(entries, &mut reception);
        self.record_unresolved();
        if !self.writes.from_hooks.is_empty() {
            self.take_hook_writes();
        }
        if !self.inbound.failed.is_empty() {
            for (object, error) in std::mem::take(&mut self.inbound.failed) {
                self.poison(object, error);
            }
        }
    }

    /// Poisons an unreadable object and asks for its snapshot. If the unreadable message was that
    /// snapshot, the next update of the object asks again.
    pub(super) fn poison(&mut self, object: NetId, error: ReadError) {
        let Some(replica) = self.world.objects.get_mut(object.0) else {
            return;
        };
        let ask = replica.poison();
        tracing::warn!(%object, %error, "unreadable object");
        self.events.push(ClientEvent::Poisoned { object, error });
        if ask {
            self.request_snapshot(object);
        }
    }

    /// Asks again for the snapshot of a poisoned object, after an unreadable answer.
    pub(super) fn ask_again(&mut self, object: NetId) {
        let replica = self.world.objects.get_mut(object.0);
        if replica.is_some_and(|replica| replica.ask_again()) {
            self.request_snapshot(object);
        }
    }
}
