//! Writes of this client to the components that it owns.

use std::collections::BTreeSet;
use std::time::Duration;

use syncvar_runtime::behaviour::{FrameRole, FrameTime};
use syncvar_runtime::unstable::object::{Nanos, Slot, Slots, nanos};
use syncvar_runtime::{Channel, Delivery, Encoding, NetId, NetworkWriter};

use super::context::Context;
use super::event::MirrorClientEvent;
use super::objects::Objects;
use super::objects::components::{clear_changes, has_bit};
use super::objects::entry::{SentBaseline, SpawnStage};
use super::session::Session;
use crate::MirrorError;
use crate::frames::{FrameOfObject, run_object};
use crate::message::{
    EntityStateMessage, EntityStateMessageUnreliableBaseline, EntityStateMessageUnreliableDelta,
    NetworkMessage,
};
use crate::prefabs::Settings;
use crate::unreliable::{BaselineSchedule, next_tick};

/// Objects with unsent writes of this client, and the schedule of baselines.
#[derive(Debug)]
pub(crate) struct Writes {
    /// Borrowed by write guards, which queue their object.
    pub(crate) pending: BTreeSet<NetId>,
    baselines: BaselineSchedule,
}

impl Writes {
    pub(crate) const fn new(baseline_interval: Duration) -> Self {
        Self {
            pending: BTreeSet::new(),
            baselines: BaselineSchedule::every(baseline_interval),
        }
    }

    /// Queues an object for the next update.
    pub(crate) fn queue(&mut self, id: NetId) {
        self.pending.insert(id);
    }

    /// Collects writes by hooks and callbacks: queues writes to `written` components, and clears
    /// local writes.
    pub(crate) fn collect(&mut self, id: NetId, slots: &mut dyn Slots, written: u64) {
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

    pub(crate) fn remove(&mut self, id: NetId) {
        self.pending.remove(&id);
    }

    pub(crate) fn clear(&mut self) {
        self.pending.clear();
    }
}

/// Components of an object to send now.
#[derive(Debug, Default)]
struct DueWrites {
    /// Components sent as a reliable delta.
    reliable: u64,
    /// Components sent as an unreliable delta.
    changed: u64,
    /// Components sent as a baseline.
    whole: u64,
    /// Further components stay pending.
    has_more: bool,
}

impl DueWrites {
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

/// Parts that send the writes of this client.
struct WriteSender<'a> {
    objects: &'a mut Objects,
    session: &'a mut Session,
    context: &'a mut Context,
}

impl Writes {
    /// Sends the due writes of this client.
    pub(crate) fn send(
        &mut self,
        objects: &mut Objects,
        session: &mut Session,
        context: &mut Context,
    ) {
        let now = nanos(context.now());
        let is_baseline = self.baselines.is_due(now);
        let mut sender = WriteSender {
            objects,
            session,
            context,
        };
        for id in std::mem::take(&mut self.pending) {
            match due_components(sender.objects, id, now, is_baseline) {
                // Checked out: the next update tries again.
                None => self.queue(id),
                Some(due) => {
                    if due.has_more {
                        self.queue(id);
                    }
                    sender.send_reliable(id, due.reliable, now);
                    sender.send_deltas(id, due.changed, now);
                    sender.send_baseline(id, due.whole);
                }
            }
        }
    }

    /// Runs the components of all objects that work in frames.
    pub(crate) fn run_objects(&mut self, objects: &mut Objects, time: FrameTime, is_ready: bool) {
        let frames = &mut objects.frames;
        let send_interval = frames.send_interval();
        for id in &frames.objects {
            let object = objects.world.objects.get(id.0);
            let Some(object) = object.filter(|object| object.stage == SpawnStage::Spawned) else {
                continue;
            };
            let (Some(entry), Some(slots)) = (
                objects.prefabs.get(object.prefab),
                objects.world.pools.slots_mut(object.at),
            ) else {
                continue;
            };
            let is_owned = object.role.owner;
            let frame = FrameOfObject {
                id: *id,
                role: FrameRole {
                    is_server: false,
                    is_owned,
                    owner: None,
                    is_ready,
                },
                time,
                send_interval,
            };
            if run_object(&frame, entry, slots, &mut frames.requests) {
                let written = if is_owned { entry.client_to_server } else { 0 };
                self.collect(*id, slots, written);
            }
        }
    }

    /// Collects writes by the hooks of an object.
    pub(crate) fn collect_of(&mut self, objects: &mut Objects, id: NetId) {
        let written = objects.written_components(id);
        if let Some(slots) = objects.world.slots_mut(id) {
            self.collect(id, slots, written);
        }
    }
}

/// Returns the components of an object to send now; `None` while the object is checked out.
fn due_components(
    objects: &Objects,
    id: NetId,
    now: Nanos,
    is_baseline: bool,
) -> Option<DueWrites> {
    let mut due = DueWrites::default();
    let written = objects.written_components(id);
    let Some(object) = objects.get(id) else {
        return Some(due);
    };
    let Some(prefab) = objects.prefabs.get(object.prefab) else {
        return Some(due);
    };
    let slots = objects.world.pools.slots(object.at)?;
    let components = prefab.components.iter().enumerate();
    for (index, settings) in components.filter(|(index, _)| has_bit(written, *index)) {
        let Some(slot) = slots.slot(index).filter(|slot| slot.dirty_bits() != 0) else {
            continue;
        };
        let interval = nanos(settings.sync_interval);
        let interval_over = now.saturating_sub(slot.last_send()) >= interval;
        due.add(1 << index, settings, interval_over, is_baseline);
    }
    Some(due)
}

impl WriteSender<'_> {
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
            self.session
                .send_message(&message, Channel::Reliable, self.context)
        });
        if let Err(error) = sent {
            self.report_unsendable(id, error);
        }
    }

    /// Sends hybrid components as a delta. They stay dirty.
    fn send_deltas(&mut self, id: NetId, components: u64, now: Nanos) {
        if !self.session.outbox.has_room() {
            return;
        }
        let baseline_tick = self.sent_baseline(id).map_or(0, |sent| sent.tick);
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
            self.session
                .send_message(&message, Channel::Unreliable, self.context)
        });
        let Err(error) = sent else {
            return;
        };
        let state = self.sent_baseline(id);
        if state.is_none_or(|state| !std::mem::replace(&mut state.is_reported, true)) {
            self.report_unsendable(id, error);
        }
    }

    /// Sends hybrid components as a baseline.
    fn send_baseline(&mut self, id: NetId, components: u64) {
        let Some(sent) = self.sent_baseline(id).filter(|_| components != 0) else {
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
            self.session
                .send_message(&message, Channel::Reliable, self.context)
        });
        if let Err(error) = sent {
            self.report_unsendable(id, error);
        }
    }

    fn sent_baseline(&mut self, id: NetId) -> Option<&mut SentBaseline> {
        Some(&mut self.objects.get_mut(id)?.sent)
    }

    fn report_unsendable(&mut self, object: NetId, error: MirrorError) {
        tracing::error!(%object, %error, "cannot send writes to an object");
        let error = Box::new(error);
        self.context
            .events
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
        let slots = self.objects.world.slots_mut(id);
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
