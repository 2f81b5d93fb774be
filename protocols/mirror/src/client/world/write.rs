//! Writes of this client to the components that it owns.

use std::collections::BTreeSet;
use std::time::Duration;

use syncvar_runtime::object::{Nanos, Slot, Slots, nanos};
use syncvar_runtime::{Channel, Delivery, Encoding, NetId, NetworkWriter};

use crate::MirrorError;
use crate::client::world::guard::{clear_changes, has_bit};
use crate::client::{MirrorClient, MirrorClientEvent};
use crate::message::{
    EntityStateMessage, EntityStateMessageUnreliableBaseline, EntityStateMessageUnreliableDelta,
    NetworkMessage,
};
use crate::prefabs::Settings;
use crate::unreliable::{BaselineSchedule, next_tick};

/// Objects with unsent writes of this client, and the schedule of baselines.
#[derive(Debug)]
pub(in crate::client) struct Writes {
    /// Borrowed by write guards, which queue their object.
    pub(in crate::client) pending: BTreeSet<NetId>,
    baselines: BaselineSchedule,
}

impl Writes {
    pub(in crate::client) const fn new(baseline_interval: Duration) -> Self {
        Self {
            pending: BTreeSet::new(),
            baselines: BaselineSchedule::every(baseline_interval),
        }
    }

    /// Queues an object for the next update.
    pub(in crate::client) fn queue(&mut self, id: NetId) {
        self.pending.insert(id);
    }

    /// Collects writes by hooks and callbacks: queues those to `written` components, and clears
    /// the local ones.
    pub(in crate::client) fn collect(&mut self, id: NetId, slots: &mut dyn Slots, written: u64) {
        for index in 0..slots.len() {
            let slot = slots.slot_mut(index);
            if let Some(slot) = slot.filter(|slot| slot.dirty_bits() != 0) {
                if has_bit(written, index) {
                    self.queue(id);
                } else {
                    clear_changes(slot);
                }
            }
        }
    }

    pub(in crate::client) fn remove(&mut self, id: NetId) {
        self.pending.remove(&id);
    }

    pub(in crate::client) fn clear(&mut self) {
        self.pending.clear();
    }
}

/// Baselines sent for the hybrid components of an object.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::client) struct BaselineState {
    /// Number of the last baseline; 0 before the first one.
    tick: u8,
    /// An unsendable delta is reported since the last baseline.
    is_reported: bool,
}

/// Components of an object to send now.
#[derive(Debug, Default)]
struct Due {
    /// Components sent as a reliable delta.
    reliable: u64,
    /// Components sent as an unreliable delta.
    changed: u64,
    /// Components sent as a baseline.
    whole: u64,
    /// Further components stay pending.
    has_more: bool,
}

impl Due {
    /// Adds a changed component.
    fn add(&mut self, bit: u64, settings: &Settings, interval_over: bool, is_baseline: bool) {
        let is_hybrid = settings.sync_method == Delivery::Hybrid;
        match (is_hybrid, interval_over) {
            (false, true) => self.reliable |= bit,
            (true, true) => self.changed |= bit,
            (_, false) => {}
        }
        if is_hybrid && is_baseline {
            self.whole |= bit;
        }
        // Unreliable changes are sent again until a baseline contains them.
        self.has_more |= if is_hybrid {
            !is_baseline
        } else {
            !interval_over
        };
    }
}

impl MirrorClient {
    /// Sends the due writes of this client.
    pub(in crate::client) fn send_writes(&mut self) {
        let is_baseline = self.writes.baselines.is_due(nanos(self.time.own.now()));
        for id in std::mem::take(&mut self.writes.pending) {
            self.send_object_writes(id, is_baseline);
        }
    }

    fn send_object_writes(&mut self, id: NetId, is_baseline: bool) {
        let (written, now) = (self.written_components(id), nanos(self.time.own.now()));
        let Some(object) = self.world.objects.get_mut(id.0) else {
            return;
        };
        let Some(prefab) = self.prefabs.get(object.prefab) else {
            return;
        };
        let Some(slots) = self.world.pools.slots(object.at) else {
            // Checked out: the next update tries again.
            self.writes.queue(id);
            return;
        };
        let mut due = Due::default();
        let components = prefab.components.iter().enumerate();
        for (index, settings) in components.filter(|(index, _)| has_bit(written, *index)) {
            let Some(slot) = slots.slot(index).filter(|slot| slot.dirty_bits() != 0) else {
                continue;
            };
            let interval = nanos(settings.sync_interval);
            let interval_over = now.saturating_sub(slot.last_send()) >= interval;
            due.add(1 << index, settings, interval_over, is_baseline);
        }
        if due.has_more {
            self.writes.queue(id);
        }
        self.send_reliable(id, due.reliable, now);
        self.send_deltas(id, due.changed, now);
        self.send_baseline(id, due.whole);
    }

    fn send_reliable(&mut self, id: NetId, components: u64, now: Nanos) {
        let mark = |slot: &mut dyn Slot| slot.mark_sent(now, None);
        let written = self.encode_components::<EntityStateMessage<'_>>(id, components, false, mark);
        let sent = written.and_then(|payload| {
            let Some(payload) = payload else {
                return Ok(());
            };
            let message = EntityStateMessage {
                net_id: id,
                payload: Some(payload.as_bytes()),
            };
            self.send_message(&message, Channel::Reliable)
        });
        if let Err(error) = sent {
            self.report_unsendable(id, error);
        }
    }

    /// Sends hybrid components as a delta. They stay dirty.
    fn send_deltas(&mut self, id: NetId, components: u64, now: Nanos) {
        if !self.can_queue_unreliable() {
            return;
        }
        let baseline_tick = self.baseline_state(id).map_or(0, |sent| sent.tick);
        let mark = |slot: &mut dyn Slot| slot.mark_repeated(now);
        let written = self.encode_components::<EntityStateMessageUnreliableDelta<'_>>(
            id, components, false, mark,
        );
        let sent = written.and_then(|payload| {
            let Some(payload) = payload else {
                return Ok(());
            };
            let message = EntityStateMessageUnreliableDelta {
                baseline_tick,
                net_id: id,
                payload: Some(payload.as_bytes()),
            };
            self.send_message(&message, Channel::Unreliable)
        });
        let Err(error) = sent else {
            return;
        };
        let state = self.baseline_state(id);
        if state.is_none_or(|state| !std::mem::replace(&mut state.is_reported, true)) {
            self.report_unsendable(id, error);
        }
    }

    /// Sends hybrid components as a baseline.
    fn send_baseline(&mut self, id: NetId, components: u64) {
        let Some(sent) = self.baseline_state(id).filter(|_| components != 0) else {
            return;
        };
        let baseline_tick = next_tick(sent.tick);
        (sent.tick, sent.is_reported) = (baseline_tick, false);
        let written = self.encode_components::<EntityStateMessageUnreliableBaseline<'_>>(
            id,
            components,
            true,
            clear_changes,
        );
        let sent = written.and_then(|payload| {
            let message = EntityStateMessageUnreliableBaseline {
                baseline_tick,
                net_id: id,
                payload: payload.as_ref().map(NetworkWriter::as_bytes),
            };
            self.send_message(&message, Channel::Reliable)
        });
        if let Err(error) = sent {
            self.report_unsendable(id, error);
        }
    }

    fn baseline_state(&mut self, id: NetId) -> Option<&mut BaselineState> {
        Some(&mut self.world.objects.get_mut(id.0)?.baseline)
    }

    fn report_unsendable(&mut self, object: NetId, error: MirrorError) {
        tracing::error!(%object, %error, "cannot send writes to an object");
        let error = Box::new(error);
        self.events
            .push(MirrorClientEvent::Unsendable { object, error });
    }

    /// Writes components of an object as snapshots or deltas, for a message `M`, and calls `mark`
    /// for each. Returns `None` without components.
    fn encode_components<'a, M: NetworkMessage<'a>>(
        &mut self,
        id: NetId,
        components: u64,
        initial_state: bool,
        mark: impl Fn(&mut dyn Slot),
    ) -> Result<Option<NetworkWriter>, MirrorError> {
        let slots = self.world.slots_mut(id);
        let Some(slots) = slots.filter(|_| components != 0) else {
            return Ok(None);
        };
        let mut payload = NetworkWriter::with_encoding(Encoding::Mirror);
        let mut part = NetworkWriter::with_encoding(Encoding::Mirror);
        payload.write_var_u64(components);
        let mut failed = None;
        for index in (0..slots.len()).filter(|index| has_bit(components, *index)) {
            let Some(slot) = slots.slot_mut(index) else {
                continue;
            };
            part.truncate(0);
            slot.write_layout(&mut part, initial_state, false);
            mark(slot);
            failed = failed.or(part.take_error());
            let [safety, ..] = part.len().to_le_bytes();
            payload.write_u8(safety);
            payload.write_bytes(part.as_bytes());
        }
        match failed {
            None => Ok(Some(payload)),
            Some(error) => Err(MirrorError::Unwritable {
                message: M::NAME,
                error,
            }),
        }
    }
}
