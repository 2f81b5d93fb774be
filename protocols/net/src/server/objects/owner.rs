//! Ownership changes and owner writes.

use syncvar_runtime::object::{SlotInfo, Slots};
use syncvar_runtime::schema::Role;
use syncvar_runtime::{AudienceId, ChangedFields, Channel, ConnectionId, NetId, NetworkWriter};

use crate::MessageType;
use crate::message::{LEAVES_GROUP, begin};
use crate::server::objects::replicated::State;
use crate::server::{NetworkServer, ServerEvent};

/// Change of the fields that a connection reads.
pub(crate) struct StateChange<'a> {
    /// Set if it reads the fields of the object's group no more.
    pub(crate) leaves_group: bool,
    /// Fields of a behaviour whose current values it needs.
    pub(crate) fields: &'a dyn Fn(&SlotInfo) -> u64,
}

impl StateChange<'_> {
    /// The same fields as before.
    pub(crate) const NONE: StateChange<'static> = StateChange {
        leaves_group: false,
        fields: &|_| 0,
    };
}

impl NetworkServer {
    /// Sends pending changes before an ownership change, so that the former owner's writes reach
    /// all others.
    pub(crate) fn before_owner_change(&mut self, id: NetId) {
        let pool = self
            .objects
            .world
            .objects
            .get(id.0)
            .map(|replicated| replicated.at.pool);
        if pool.is_some_and(|pool| self.is_restricted(pool)) {
            self.hide_at_once(id);
            self.flush_restricted(id);
        }
    }

    /// Sends both connections the fields that they may read now and could not before. The former
    /// owner also gets the fields that it may write no more. `seen_by` is the audience that has the
    /// object.
    pub(crate) fn after_owner_change(
        &mut self,
        id: NetId,
        former: Option<ConnectionId>,
        owner: Option<ConnectionId>,
        seen_by: Option<AudienceId>,
    ) {
        let Some(pool) = self.objects.world.objects.get(id.0).map(|it| it.at.pool) else {
            return;
        };
        if !self.is_restricted(pool) {
            return;
        }
        let written = self.is_written_by(owner);
        self.set_owned(id, written);
        let sees = |connection: &ConnectionId| {
            seen_by.is_some_and(|audience| {
                self.visibility
                    .audiences
                    .get(audience)
                    .observes(*connection)
            })
        };
        let (former, seeing) = (former.filter(sees), owner.filter(sees));
        // The grant to an owner that does not see the object follows its snapshot. It may have been the
        // owner before.
        if owner.is_some()
            && seeing.is_none()
            && seen_by.is_some()
            && let Some(replicated) = self.objects.world.objects.get_mut(id.0)
        {
            replicated.renew_lease();
        }
        if let Some(former) = former {
            let role = self.role(id, former);
            let change = StateChange {
                leaves_group: !role.reads_group(),
                fields: &|info| {
                    let gained = info.policy.others_only | info.policy.owner_write;
                    gained & info.policy.readable(role)
                },
            };
            self.send_owner_state(former, id, &change);
        }
        if let Some(owner) = seeing {
            // The new owner may have missed deltas of the fields it writes from now on.
            let limited = self
                .sessions
                .connections
                .get(owner.0)
                .is_some_and(|c| c.backlog.is_some());
            let channels = self.context.config.channels.clone();
            let may_miss = |channel: u8| {
                limited || channels.get(usize::from(channel)) == Some(&Channel::Unreliable)
            };
            // A member has the fields of the group.
            let reads_group = self
                .group(id)
                .is_some_and(|tag| self.is_in_group(owner, tag));
            let change = StateChange {
                fields: &|info| {
                    let policy = &info.policy;
                    let mut fields = policy.owner_only;
                    if may_miss(info.channel) {
                        fields |= policy.owner_write & policy.readable(Role::Owner);
                    }
                    if !reads_group {
                        fields |= policy.group;
                    }
                    fields
                },
                ..StateChange::NONE
            };
            self.send_owner_state(owner, id, &change);
        }
    }

    /// Updates the policy state of an object after an ownership change, at once or at check-in.
    pub(crate) fn set_owned(&mut self, id: NetId, owned: bool) {
        let tick = self.tick();
        if let Some(slots) = self.objects.world.slots_mut(id) {
            set_owned(slots, owned, tick);
        } else if let Some(replicated) = self.objects.world.objects.get_mut(id.0) {
            replicated.set(State::OwnerChanged, true);
        }
    }

    /// Returns whether only this owner writes its fields. The local client shares the server's
    /// objects.
    pub(crate) fn is_written_by(&self, owner: Option<ConnectionId>) -> bool {
        owner.is_some_and(|owner| !self.is_local(owner))
    }

    /// Grants an owner write access with a new lease: its earlier writes are void. Sent after
    /// authority and snapshot.
    pub(crate) fn grant_lease(&mut self, owner: ConnectionId, id: NetId) {
        if self
            .policy(id)
            .is_some_and(|policy| policy.owner_write != 0)
        {
            self.send_owner_state(owner, id, &StateChange::NONE);
        }
    }

    /// Sends a connection the change of the fields that it reads, and its lease if it is the owner.
    /// Requests a snapshot instead if the fields cannot be encoded as a delta.
    pub(crate) fn send_owner_state(
        &mut self,
        connection: ConnectionId,
        id: NetId,
        change: &StateChange<'_>,
    ) {
        let policy = self.policy(id);
        let (Some(policy), Some(replicated)) = (policy, self.objects.world.objects.get_mut(id.0))
        else {
            return;
        };
        let is_owner = replicated.owner == Some(connection);
        if is_owner && policy.owner_write != 0 {
            replicated.renew_lease();
        }
        let lease = if is_owner { replicated.lease } else { 0 };
        let leaves_group = change.leaves_group && policy.group != 0;
        let (at, unsent) = (replicated.at, replicated.is(State::WriteFailed));
        let leaves = replicated.is(State::VisibilityDirty)
            && !self
                .visibility
                .audiences
                .admits(replicated.target_audience, connection);
        let Some(receiver) = self.sessions.connections.get_mut(connection.0) else {
            return;
        };
        let state = self.objects.world.pools.slots_mut(at).and_then(|slots| {
            let mut state = NetworkWriter::with_encoding(receiver.framing.encoding());
            let written = write_state(slots, change.fields, &mut state);
            (written && (state.is_empty() || !unsent)).then_some(state)
        });
        let is_empty = |state: &NetworkWriter| state.is_empty() && !leaves_group;
        // UNet's clients have no such message.
        let understood = self.context.config.compare_schemas;
        if let Some(state) = state.filter(|state| !leaves && (understood || is_empty(state))) {
            if !understood || lease == 0 && is_empty(&state) {
                return;
            }
            let sent = receiver.write_own(&|writer| {
                let start = begin(MessageType::OwnerState, writer);
                writer.write_packed_u32(id.0);
                writer.write_packed_u32(lease);
                if leaves_group {
                    writer.write_u8(LEAVES_GROUP);
                }
                writer.write_bytes(state.as_bytes());
                writer.finish_message(start);
            });
            if let Some(length) = sent {
                self.context
                    .stats
                    .count_encoded(MessageType::OwnerState, length);
                receiver.list(&mut self.outbound.outgoing);
                self.note_owner_state(connection, id, change);
                return;
            }
        }
        self.request_snapshot(id, &[connection]);
        if let Some(replicated) = self.objects.world.objects.get_mut(id.0) {
            self.objects.schedule.queue_view_change(id, replicated);
        }
    }
}

/// Reports a write of the game to fields of the owner.
pub(crate) fn refuse(
    events: &mut syncvar_runtime::events::Events<ServerEvent>,
    object: NetId,
    fields: ChangedFields,
) {
    tracing::error!(%object, ?fields, "only the owner of the object writes to these fields");
    events.push(ServerEvent::WriteRefused { object, fields });
}

/// Sets whether a connection owns the object of these behaviours, from this tick on.
pub(crate) fn set_owned(slots: &mut dyn Slots, owned: bool, tick: u32) {
    slots.for_each_mut(|slot| {
        if let Some(restricted) = slot.policy_slot() {
            restricted
                .state
                .set_owned(restricted.behaviour, owned, tick);
        }
    });
}

/// Writes some fields of each behaviour as a delta, each behind the index of the behaviour. Returns
/// whether they can be encoded.
fn write_state(
    slots: &mut dyn Slots,
    fields: &dyn Fn(&SlotInfo) -> u64,
    writer: &mut NetworkWriter,
) -> bool {
    let (mut index, mut resendable) = (0_u8, true);
    slots.for_each_mut(|slot| {
        let info = slot.info();
        let fields = fields(info);
        if fields != 0 {
            resendable &= info.resendable;
            writer.write_u8(index);
            slot.write_again(fields, writer);
        }
        index = index.saturating_add(1);
    });
    resendable && writer.take_error().is_none()
}
