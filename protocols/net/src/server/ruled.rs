//! Changes of objects that have fields with rules: who is sent which of them, and when.
//!
//! Such an object is written by itself, in up to three parts: what everyone may read, what the owner
//! may not read or has written itself, and what only the owner may read. Each part goes to an audience
//! of its own, and is clean before the next one is written.

use std::time::Duration;

use super::NetworkServer;
use crate::AudienceId;
use crate::BehaviourStats;
use crate::ConnectionId;
use crate::object::Note;
use crate::object::Outputs;
use crate::object::position;
use crate::object::{Job, MAX_CHANNELS, Nanos, Slots, nanos};
use crate::packet::Room;
use crate::stats::Stats;
use crate::{Channel, Framing, MessageType, NetId, WriteError};

/// The fields of one behaviour that are to be sent.
#[derive(Clone, Copy, Debug, Default)]
struct Selected {
    /// To everyone, to everyone but the owner, and to the owner alone.
    parts: [u64; 3],
    channel: u8,
    is_due: bool,
}

/// How a message goes to the clients.
#[derive(Clone, Copy)]
struct Way {
    net_id: NetId,
    channel: u8,
    room: Room,
    /// Whether it may be lost.
    lossy: bool,
}

impl NetworkServer {
    /// Whether the objects of a pool have fields with rules.
    pub(super) fn is_ruled(&self, pool: u32) -> bool {
        let kind = self.kinds.get(self.pools.prefab(pool) as usize);
        kind.is_some_and(|kind| kind.ruled)
    }

    /// Writes what an object has to send, to each connection what it may read.
    pub(super) fn send_ruled(&mut self, audience: AudienceId, job: &Job, now: Duration) {
        let id = job.net_id;
        let Some(spawned) = self.objects.get(id.0) else {
            return;
        };
        let (at, owner) = (spawned.at, spawned.owner);
        let owner = owner.filter(|owner| self.audiences.get(audience).observes(*owner));
        let audiences = match owner {
            Some(owner) => [
                audience,
                self.audiences.without(audience, owner),
                self.audiences.only(owner),
            ],
            None => [audience; 3],
        };
        let Some(slots) = self.pools.slots_mut(at) else {
            return;
        };
        let when = (nanos(now), job.force);
        let selected = select_all(slots, when, owner.is_some());
        let (mut due, mut failed) = (0_u64, 0_u64);
        for selected in selected.iter().filter(|selected| selected.is_due) {
            due |= 1 << selected.channel;
        }
        for channel in (0..).take(self.config.channels.len().min(MAX_CHANNELS)) {
            if due >> channel & 1 == 1
                && let Err(error) = self.send_channel(id, channel, &selected, audiences, owner, now)
            {
                failed |= 1 << channel;
                self.scratch.outcome.errors.push((id, error));
            }
        }
        let slots = self.pools.slots(at);
        if slots.is_some_and(|slots| slots.iter().any(|slot| slot.dirty_bits() != 0)) {
            self.scratch.outcome.left.push((id, failed));
        }
    }

    /// Writes the parts of one channel, until one of them cannot be written.
    fn send_channel(
        &mut self,
        id: NetId,
        channel: u8,
        selected: &[Selected],
        audiences: [AudienceId; 3],
        owner: Option<ConnectionId>,
        now: Duration,
    ) -> Result<(), WriteError> {
        let Some(at) = self.objects.get(id.0).map(|spawned| spawned.at) else {
            return Ok(());
        };
        let kind = self.kinds.get(self.pools.prefab(at.pool) as usize);
        let first_behaviour = kind.map_or(0, |kind| kind.first_behaviour);
        let reliability = self.config.channels.get(usize::from(channel));
        let reliability = reliability.copied().unwrap_or(Channel::Reliable);
        let way = Way {
            net_id: id,
            channel,
            room: self.config.room(reliability),
            lossy: reliability == Channel::Unreliable,
        };
        let Some(slots) = self.pools.slots_mut(at) else {
            return Ok(());
        };
        let mut sent = [Vec::new(), Vec::new()];
        let mut result = Ok(0);
        for (part, audience) in audiences.into_iter().enumerate() {
            let masks: Vec<u64> = selected
                .iter()
                .map(|selected| {
                    let of_channel = selected.channel == channel;
                    if of_channel { selected.parts[part] } else { 0 }
                })
                .collect();
            if masks.iter().all(|mask| *mask == 0) {
                continue;
            }
            let mut outputs = self.audiences.outputs(audience);
            result = write_part(
                slots,
                way,
                &masks,
                &mut outputs,
                first_behaviour,
                &mut self.stats,
            );
            let Ok(written) = result else {
                break;
            };
            mark_sent(slots, &masks, written, nanos(now));
            for (list, concerned) in sent.iter_mut().zip([part != 2, part != 1]) {
                if concerned {
                    add(list, &masks, written);
                }
            }
        }
        if self.rationing.is_needed() {
            self.note_ruled((id, channel), audiences[0], owner, &sent);
        }
        result.map(|_| ())
    }

    /// Notes what connections with a budget have to be sent: it is written for each of them, with what
    /// it may read.
    fn note_ruled(
        &mut self,
        (net_id, channel): (NetId, u8),
        audience: AudienceId,
        owner: Option<ConnectionId>,
        [others, own]: &[Vec<u64>; 2],
    ) {
        let notes = &mut self.rationing.notes;
        let mut keep = |masks: &[u64]| {
            let start = position(&notes.masks);
            notes.masks.extend_from_slice(masks);
            start..position(&notes.masks)
        };
        let (masks, own) = (keep(others), keep(own));
        notes.list.push(Note {
            net_id,
            channel,
            audience,
            masks,
            owner: owner.map(|owner| (owner, own)),
            changes: None,
        });
    }

    /// Writes what an object has pending at once, before something else is said about it.
    pub(super) fn flush_ruled(&mut self, id: NetId) {
        let Some(spawned) = self.objects.get(id.0) else {
            return;
        };
        let (at, audience) = (spawned.at, spawned.audience);
        let seen = spawned.announced && self.audiences.get(audience).has_listeners();
        let slots = self.pools.slots(at).filter(|_| seen);
        if slots.is_none_or(|slots| slots.iter().all(|slot| slot.dirty_bits() == 0)) {
            return;
        }
        self.deliver();
        let job = Job {
            net_id: id,
            row: at.row,
            force: true,
        };
        let now = self.now;
        self.send_ruled(audience, &job, now);
        self.settle(now);
        self.deliver_changes();
    }
}

/// Finds out what there is to send of every behaviour. What nobody is to be sent is clean then.
fn select_all(slots: &mut dyn Slots, when: (Nanos, bool), has_owner: bool) -> Vec<Selected> {
    let mut all = Vec::with_capacity(slots.len());
    let (now, force) = when;
    slots.for_each_mut(|slot| {
        let (info, last_send) = (slot.info(), slot.last_send());
        let rules = &info.rules;
        let mut send = slot.dirty_bits();
        // What the owner has written it has, unless it has been told otherwise since.
        let own = slot
            .has_ruled()
            .map_or(0, |kept| kept.relayed & !kept.echoed);
        let unread = if has_owner { own } else { u64::MAX };
        let dropped = send & (rules.initial_only | rules.owner_only & unread);
        if let Some(ruled) = slot.ruled().filter(|_| dropped != 0) {
            ruled.behaviour.clear_dirty_bits(dropped);
            ruled.kept.relayed &= !dropped;
        }
        send &= !dropped;
        if !force && rules.throttled != 0 {
            send &= !slot.held_back(now).0;
        }
        let (private, others) = if has_owner {
            (send & rules.owner_only, send & (rules.others_only | own))
        } else {
            (0, 0)
        };
        let interval_is_over = force || now.saturating_sub(last_send) > info.send_interval;
        all.push(Selected {
            parts: [send & !(private | others), others & !private, private],
            channel: info.channel,
            is_due: send != 0 && interval_is_over && usize::from(info.channel) < MAX_CHANNELS,
        });
    });
    all
}

/// Writes one part in every dialect that is spoken in its audience, or in none. Returns a bit for each
/// behaviour that was sent.
fn write_part(
    slots: &mut dyn Slots,
    way: Way,
    masks: &[u64],
    outputs: &mut Outputs<'_>,
    first_behaviour: usize,
    stats: &mut Stats,
) -> Result<u64, WriteError> {
    let (mut result, mut begun) = (Ok(0), 0);
    let place = usize::from(way.channel);
    for segments in outputs.channel(place) {
        begun += 1;
        let costs = stats.behaviours.get_mut(first_behaviour..);
        let writer = segments.begin_update(way.net_id);
        let sent = write_behaviours(slots, way, masks, writer, costs.unwrap_or_default());
        result = match segments.check_update(way.room) {
            Some(error) => Err(error),
            None => Ok(sent),
        };
        if !matches!(result, Ok(1..)) {
            break;
        }
    }
    for segments in outputs.channel(place).take(begun) {
        if matches!(result, Ok(1..)) {
            let message_type = match Framing::of(segments) {
                Framing::Unet => MessageType::UpdateVars,
                Framing::Compact => MessageType::UpdateBatch,
            };
            stats.count_encoded(message_type, segments.commit_object());
        } else {
            segments.give_up_object();
        }
    }
    // Nobody listens: nobody has to be sent it.
    if begun == 0 { Ok(u64::MAX) } else { result }
}

fn write_behaviours(
    slots: &mut dyn Slots,
    way: Way,
    masks: &[u64],
    writer: &mut crate::NetworkWriter,
    costs: &mut [BehaviourStats],
) -> u64 {
    let (mut sent, mut index) = (0, 0);
    slots.for_each_mut(|slot| {
        if slot.info().channel == way.channel {
            if way.lossy {
                slot.make_changes_whole();
            }
            let before = writer.len();
            writer.set_fields(masks.get(index).copied().unwrap_or_default());
            sent |= u64::from(slot.serialize(writer, false)) << index;
            if let Some(costs) = costs.get_mut(index) {
                costs.delta.add(writer.len() - before);
            }
        }
        index += 1;
    });
    writer.set_fields(u64::MAX);
    sent
}

fn mark_sent(slots: &mut dyn Slots, masks: &[u64], sent: u64, now: Nanos) {
    let mut index = 0;
    slots.for_each_mut(|slot| {
        let fields = masks.get(index).copied().unwrap_or_default();
        if sent >> index & 1 == 1 && fields != 0 {
            slot.mark_fields_sent(fields, now);
        }
        index += 1;
    });
}

/// Adds to a list of masks those of the behaviours that were sent.
fn add(list: &mut Vec<u64>, masks: &[u64], sent: u64) {
    list.resize(masks.len(), 0);
    for (index, (all, mask)) in list.iter_mut().zip(masks).enumerate() {
        if sent >> index & 1 == 1 {
            *all |= mask;
        }
    }
}
