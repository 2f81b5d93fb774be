//! Changes that have not reached all observers, and why.

use std::time::Duration;

use syncvar_runtime::object::{Nanos, Slot, nanos};
use syncvar_runtime::{
    ConnectionId, NetId, NetworkWriter, ObjectError, UnsentField, UnsentReason, WriteError,
};

use crate::Framing;
use crate::server::NetworkServer;
use crate::server::objects::replicated::{Replicated, State};
use crate::server::replication::bandwidth::backlog::mask_slice;

/// Facts of an object that decide about all its fields.
struct Observation {
    /// Reason for all fields, if one applies.
    reason: Option<UnsentReason>,
    /// Whether the owner observes the object.
    owner_observes: bool,
    /// Send interval of behaviours without one.
    interval: Nanos,
}

impl NetworkServer {
    /// Returns the dirty fields of an object with the reason why they are not sent, and the fields that
    /// the [budget](crate::Budget) of a connection delays. Empty if all observers have all changes.
    ///
    /// Costs time in proportion to the dirty fields and the connections.
    ///
    /// # Errors
    ///
    /// [`ObjectError::NoSuchObject`] for an unknown object. [`ObjectError::CheckedOut`] during a
    /// callback of the object: its changes are queued afterwards.
    pub fn why_not_sent(&mut self, id: NetId) -> Result<Vec<UnsentField>, ObjectError> {
        self.world.check(id)?;
        let replicated = self.world.objects.get(id.0);
        let replicated = replicated.ok_or(ObjectError::NoSuchObject(id))?;
        let at = replicated.at;
        let observation = self.observation(replicated);
        let (config, now) = (&self.config, self.clock.now());
        let mut unsent = Vec::new();
        let Some(slots) = self.world.pools.slots_mut(at) else {
            return Ok(unsent);
        };
        let mut index = 0;
        slots.for_each_mut(|slot| {
            let info = slot.info();
            let room = config.channel_info(info.channel).room;
            let is_open = usize::from(info.channel) < config.channels.len();
            let no_channel = (!is_open).then_some(UnsentReason::UnknownChannel(info.channel));
            let dirty = slot.dirty_bits();
            for number in 0..info.schema.field_count() {
                let Some(field) = info
                    .schema
                    .field(number)
                    .filter(|_| dirty >> number & 1 == 1)
                else {
                    continue;
                };
                let general = no_channel.clone().or_else(|| observation.reason.clone());
                let reason = general.unwrap_or_else(|| {
                    let refusal = |length| room.refusal(Framing::Compact.form(), length);
                    match write_alone(slot, 1 << number) {
                        Err(error) => UnsentReason::CannotBeSent(error),
                        Ok(length) if let Some(kind) = refusal(length) => {
                            let names = (Some(info.schema.name), Some(field.name));
                            UnsentReason::CannotBeSent(WriteError::new(kind, 0, names.0, names.1))
                        }
                        Ok(_) => delay(slot, 1 << number, &observation, now),
                    }
                });
                unsent.push(UnsentField::new(
                    (index, info.schema.name),
                    field.name,
                    reason,
                ));
            }
            index += 1;
        });
        self.add_backlogs(id, &mut unsent);
        Ok(unsent)
    }

    fn observation(&self, replicated: &Replicated) -> Observation {
        let audiences = &self.visibility.audiences;
        let observes = |owner| audiences.get(replicated.audience).observes(owner);
        let reason = if !replicated.is(State::Announced) {
            Some(UnsentReason::NextUpdate)
        } else if audiences.get(replicated.audience).has_observers() {
            None
        } else {
            let admitted = |it: &ConnectionId| audiences.admits(replicated.target_audience, *it);
            let waiting: Vec<_> = self.connections().filter(admitted).collect();
            Some(if waiting.is_empty() {
                UnsentReason::NoObserver
            } else {
                UnsentReason::NotReady(waiting)
            })
        };
        Observation {
            reason,
            owner_observes: replicated.owner.is_some_and(observes),
            interval: self.config.default_interval(),
        }
    }

    /// Adds the fields in the backlogs of limited connections.
    fn add_backlogs(&self, id: NetId, unsent: &mut Vec<UnsentField>) {
        let slots = self.world.slots(id);
        let Some(slots) = slots else {
            return;
        };
        for connection in self.sessions.connections.values() {
            let Some(backlog) = &connection.backlog else {
                continue;
            };
            for entry in backlog.entries.iter().filter(|entry| entry.net_id == id) {
                let masks = mask_slice(&backlog.masks, &entry.masks);
                for ((index, slot), missed) in slots.iter().enumerate().zip(masks) {
                    let schema = slot.info().schema;
                    for field in schema.field_names(*missed) {
                        let reason = UnsentReason::Budget(connection.id);
                        unsent.push(UnsentField::new((index, schema.name), field, reason));
                    }
                }
            }
        }
    }
}

/// Writes one field as a delta and drops the bytes. Returns their number.
fn write_alone(slot: &mut dyn Slot, bit: u64) -> Result<usize, WriteError> {
    let mut writer = NetworkWriter::with_encoding(Framing::Compact.encoding());
    let context = writer.context().with_fields(bit);
    writer.with_context(context, |writer| slot.serialize(writer, false));
    let length = writer.len();
    writer.take_error().map_or(Ok(length), Err)
}

/// Returns the reason of a field that can be sent to the observers.
fn delay(slot: &mut dyn Slot, bit: u64, observation: &Observation, now: Duration) -> UnsentReason {
    let (info, last_send) = (slot.info(), slot.last_send());
    let arrives = info.changes_presence(slot.dirty_bits());
    if !arrives && info.policy.initial_only & bit != 0 {
        return UnsentReason::InitialOnly;
    }
    if info.policy.owner_only & bit != 0 && !observation.owner_observes {
        return UnsentReason::NoReader;
    }
    let (held, due) = slot.held_back(nanos(now));
    if !arrives && held & bit != 0 {
        let due = due.map(Duration::from_nanos);
        return UnsentReason::Throttled { due };
    }
    let interval = info.interval(observation.interval);
    if nanos(now).saturating_sub(last_send) > interval {
        return UnsentReason::NextUpdate;
    }
    let due = Duration::from_nanos(last_send.saturating_add(interval));
    UnsentReason::SendInterval { due }
}
