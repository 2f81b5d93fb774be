//! Changes that have not reached all observers, and why.

use std::time::Duration;

use syncvar_runtime::unstable::object::{Nanos, SendRules, Slot, SlotInfo, nanos, unsent_fields};
use syncvar_runtime::{Encoding, NetId, ObjectError, UnsentField, UnsentReason, WriteErrorKind};

use crate::Framing;
use crate::server::ServerConfig;
use crate::server::ground::Ground;
use crate::server::ledger::masks::mask_slice;
use crate::server::objects::replicated::{Replicated, State};
use crate::server::sessions::Sessions;
use crate::server::visibility::Visibility;

/// Sends of an object.
struct Sends<'a> {
    config: &'a ServerConfig,
    now: Nanos,
    /// Reason for all fields, if one applies.
    reason: Option<UnsentReason>,
    /// Whether the owner observes the object.
    owner_observes: bool,
    /// Whether a member of the object's group observes it.
    group_observes: bool,
}

impl SendRules for Sends<'_> {
    fn encoding(&self) -> Encoding {
        Framing::Compact.encoding()
    }

    fn pending(&self, _: usize, slot: &dyn Slot) -> u64 {
        slot.dirty_bits()
    }

    fn obstacle(&self, _: usize, info: &SlotInfo) -> Option<UnsentReason> {
        let is_open = usize::from(info.channel) < self.config.channels.len();
        let no_channel = (!is_open).then_some(UnsentReason::UnknownChannel(info.channel));
        no_channel.or_else(|| self.reason.clone())
    }

    fn refusal(&self, _: usize, info: &SlotInfo, length: usize) -> Option<WriteErrorKind> {
        let room = self.config.state_info(info.channel).room;
        room.refusal(Framing::Compact.form(), length)
    }

    fn delay(&self, _: usize, slot: &mut dyn Slot, field: u64) -> UnsentReason {
        let (info, last_send) = (slot.info(), slot.last_send());
        let arrives = info.changes_presence(slot.dirty_bits());
        if !arrives && info.policy.initial_only & field != 0 {
            return UnsentReason::InitialOnly;
        }
        let is_private = info.policy.owner_only & field != 0;
        let is_of_group = info.policy.group & field != 0;
        let is_read = self.owner_observes || is_of_group && self.group_observes;
        let is_saved = info.policy.server_only & field != 0;
        if is_saved || (is_private || is_of_group) && !is_read {
            return UnsentReason::NoReader;
        }
        let (held, due) = slot.held_back(self.now);
        if !arrives && held & field != 0 {
            let due = due.map(Duration::from_nanos);
            return UnsentReason::Throttled { due };
        }
        let interval = info.interval(self.config.default_interval());
        if self.now.saturating_sub(last_send) > interval {
            return UnsentReason::NextUpdate;
        }
        let due = Duration::from_nanos(last_send.saturating_add(interval));
        UnsentReason::SendInterval { due }
    }
}

/// Returns the dirty fields of an object with the reason why they are not sent, and the fields in backlogs.
///
/// # Errors
///
/// For an unknown object, and for an object that is checked out.
pub(crate) fn unsent_fields_of(
    ground: &mut Ground<'_>,
    visibility: &Visibility,
    id: NetId,
) -> Result<Vec<UnsentField>, ObjectError> {
    let objects = &mut *ground.objects;
    objects.world.check(id)?;
    let replicated = objects.world.objects.get(id.0);
    let replicated = replicated.ok_or(ObjectError::NoSuchObject(id))?;
    let owner = replicated.owner;
    let audience = visibility.audiences.get(replicated.audience);
    let groups = &visibility.groups;
    let members = groups.of(id).map(|tag| groups.members(tag));
    let sends = Sends {
        reason: obstacle(ground.sessions, visibility, replicated),
        owner_observes: owner.is_some_and(|owner| audience.observes(owner)),
        group_observes: members.is_some_and(|mut all| all.any(|member| audience.observes(member))),
        now: nanos(ground.context.clock.now()),
        config: &ground.context.config,
    };
    let slots = objects.world.pools.slots_mut(replicated.at);
    let mut unsent = slots.map_or_else(Vec::new, |slots| unsent_fields(slots, &sends));
    add_backlogs(ground, visibility, id, &mut unsent);
    Ok(unsent)
}

/// Returns the reason that holds for all fields of an object, if there is one.
fn obstacle(
    sessions: &Sessions,
    visibility: &Visibility,
    replicated: &Replicated,
) -> Option<UnsentReason> {
    let audiences = &visibility.audiences;
    if !replicated.is(State::Announced) {
        return Some(UnsentReason::NextUpdate);
    }
    if audiences.get(replicated.audience).has_observers() {
        return None;
    }
    let connections = sessions.connections.values();
    let connections = connections.filter(|connection| !connection.records());
    let admitted = connections
        .map(|connection| connection.id)
        .filter(|id| audiences.admits(replicated.target_audience, *id));
    Some(UnsentReason::without_observer(admitted.collect()))
}

/// Adds the fields in the backlogs of limited connections.
fn add_backlogs(
    ground: &Ground<'_>,
    visibility: &Visibility,
    id: NetId,
    unsent: &mut Vec<UnsentField>,
) {
    let objects = &*ground.objects;
    let Some(slots) = objects.world.slots(id) else {
        return;
    };
    for connection in ground.sessions.connections.values() {
        let Some(backlog) = &connection.ledger.backlog else {
            continue;
        };
        for entry in backlog.entries.iter().filter(|entry| entry.net_id == id) {
            let masks = mask_slice(&backlog.masks, &entry.masks);
            let role = visibility.groups.role(objects, id, connection.id);
            for ((index, slot), missed) in slots.iter().enumerate().zip(masks) {
                let schema = slot.info().schema;
                let missed = missed & slot.info().policy.readable(role);
                for field in schema.field_names(missed) {
                    let reason = UnsentReason::Budget(connection.id);
                    unsent.push(UnsentField::new(index, schema.name, field, reason));
                }
            }
        }
    }
}
