//! What this client writes to the components that are its to write.

use syncvar_runtime::object::{Nanos, Slot, nanos};
use syncvar_runtime::{Channel, Encoding, NetId, NetworkWriter, SyncMethod};

use super::guard::{clean, has_bit};
use super::{MirrorClient, MirrorClientEvent};
use crate::MirrorError;
use crate::message::{
    EntityStateMessage, EntityStateMessageUnreliableBaseline, EntityStateMessageUnreliableDelta,
    NetworkMessage,
};
use crate::prefabs::Settings;
use crate::unreliable::next_tick;

/// What has been sent of the components of an object that travel unreliably.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sent {
    /// The number of the last baseline; 0 before the first one.
    tick: u8,
    /// Whether it has been said since then that the changes cannot be sent.
    is_reported: bool,
}

/// The components of an object that are to be sent now.
#[derive(Debug, Default)]
struct Due {
    /// Those that travel reliably.
    reliable: u64,
    /// Those whose changes are sent unreliably.
    changed: u64,
    /// Those that are sent whole, as a baseline.
    whole: u64,
    /// Whether something is to be sent later.
    is_more: bool,
}

impl Due {
    /// Adds a component that has changed.
    fn add(&mut self, bit: u64, settings: &Settings, is_over: bool, is_baseline: bool) {
        let is_hybrid = settings.sync_method == SyncMethod::Hybrid;
        match (is_hybrid, is_over) {
            (false, true) => self.reliable |= bit,
            (true, true) => self.changed |= bit,
            (_, false) => {}
        }
        if is_hybrid && is_baseline {
            self.whole |= bit;
        }
        // What has gone out unreliably is sent again until a baseline has it.
        self.is_more |= if is_hybrid { !is_baseline } else { !is_over };
    }
}

impl MirrorClient {
    /// Sends what has been written to components that this client writes, as far as it is due.
    pub(super) fn send_writes(&mut self) {
        let is_baseline = self.baselines.elapsed(nanos(self.now));
        for id in std::mem::take(&mut self.writing) {
            self.send_writes_of(id, is_baseline);
        }
    }

    fn send_writes_of(&mut self, id: NetId, is_baseline: bool) {
        let (written, now) = (self.written_components(id), nanos(self.now));
        let Some(object) = self.objects.get_mut(id.0) else {
            return;
        };
        let Some(prefab) = self.prefabs.get(object.prefab) else {
            return;
        };
        let Some(behaviours) = object.behaviours.as_ref() else {
            // It is being called: the next update comes back to it.
            self.writing.insert(id);
            return;
        };
        let slots = behaviours.slots();
        let mut due = Due::default();
        let components = prefab.components.iter().enumerate();
        for (index, settings) in components.filter(|(index, _)| has_bit(written, *index)) {
            let Some(slot) = slots.slot(index).filter(|slot| slot.dirty_bits() != 0) else {
                continue;
            };
            let interval = nanos(settings.sync_interval);
            let is_over = now.saturating_sub(slot.last_send()) >= interval;
            due.add(1 << index, settings, is_over, is_baseline);
        }
        if due.is_more {
            self.writing.insert(id);
        }
        self.send_reliable(id, due.reliable, now);
        self.send_deltas(id, due.changed, now);
        self.send_baseline(id, due.whole);
    }

    fn send_reliable(&mut self, id: NetId, components: u64, now: Nanos) {
        let note = |slot: &mut dyn Slot| slot.mark_sent(now);
        let written = self.write::<EntityStateMessage<'_>>(id, components, false, note);
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

    /// Sends what has changed of components that travel unreliably. They stay dirty.
    fn send_deltas(&mut self, id: NetId, components: u64, now: Nanos) {
        if !self.can_queue_unreliable() {
            return;
        }
        let baseline_tick = self.sent(id).map_or(0, |sent| sent.tick);
        let note = |slot: &mut dyn Slot| slot.mark_repeated(now);
        let written =
            self.write::<EntityStateMessageUnreliableDelta<'_>>(id, components, false, note);
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
        let said = self.sent(id);
        if said.is_none_or(|sent| !std::mem::replace(&mut sent.is_reported, true)) {
            self.report_unsendable(id, error);
        }
    }

    /// Sends components that travel unreliably as they are, reliably.
    fn send_baseline(&mut self, id: NetId, components: u64) {
        let Some(sent) = self.sent(id).filter(|_| components != 0) else {
            return;
        };
        let baseline_tick = next_tick(sent.tick);
        (sent.tick, sent.is_reported) = (baseline_tick, false);
        let written =
            self.write::<EntityStateMessageUnreliableBaseline<'_>>(id, components, true, clean);
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

    fn sent(&mut self, id: NetId) -> Option<&mut Sent> {
        Some(&mut self.objects.get_mut(id.0)?.sent)
    }

    fn report_unsendable(&mut self, object: NetId, error: MirrorError) {
        tracing::error!(%object, %error, "what was written cannot be sent");
        let error = Box::new(error);
        self.events
            .push(MirrorClientEvent::Unsendable { object, error });
    }

    /// Writes some components of an object, what has changed of them or all, for a message `M`; `note` is
    /// done with each. Nothing if there are none.
    fn write<'a, M: NetworkMessage<'a>>(
        &mut self,
        id: NetId,
        components: u64,
        initial_state: bool,
        note: impl Fn(&mut dyn Slot),
    ) -> Result<Option<NetworkWriter>, MirrorError> {
        let object = self.objects.get_mut(id.0).filter(|_| components != 0);
        let Some(behaviours) = object.and_then(|object| object.behaviours.as_mut()) else {
            return Ok(None);
        };
        let slots = behaviours.slots_mut();
        let mut payload = NetworkWriter::with_encoding(Encoding::Mirror);
        let mut part = NetworkWriter::with_encoding(Encoding::Mirror);
        payload.write_var_u64(components);
        let mut failed = None;
        for index in (0..slots.len()).filter(|index| has_bit(components, *index)) {
            let Some(slot) = slots.slot_mut(index) else {
                continue;
            };
            part.truncate(0);
            slot.write_mirror(&mut part, initial_state, false);
            note(slot);
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
