//! Fields that an owner, a former owner or a member of a group reads from a change on.
//!
//! ```text
//! set_owner      pending changes go to the former audience and owner
//!                   |
//! former owner  <- fields of the others, and the values of the fields it wrote
//! new owner     <- permit, fields of the owner, fields whose deltas may be missing
//! refused write <- permit, values of the fields of the owner
//! ```

use syncvar_runtime::schema::Role;
use syncvar_runtime::unstable::object::{SlotInfo, Slots};
use syncvar_runtime::{Channel, ConnectionId, NetId, NetworkWriter};

use crate::MessageType;
use crate::message::{LEAVES_GROUP, begin};
use crate::server::ground::Ground;
use crate::server::objects::owner::OwnerChange;
use crate::server::objects::replicated::State;
use crate::server::visibility::Visibility;

/// Change of the fields that a connection reads.
pub(crate) struct ReadableChange<'a> {
    /// Set if the connection reads the fields of the object's group no more.
    pub(crate) leaves_group: bool,
    /// Fields of a behaviour whose current values the connection needs.
    pub(crate) fields: &'a dyn Fn(&SlotInfo) -> u64,
}

impl ReadableChange<'_> {
    /// The same fields as before.
    pub(crate) const NONE: ReadableChange<'static> = ReadableChange {
        leaves_group: false,
        fields: &|_| 0,
    };
}

impl Visibility {
    /// Sends the former and the new owner the fields that they may read now and could not before. The former
    /// owner also gets the fields that it may write no more.
    pub(crate) fn send_owner_change(&mut self, ground: &mut Ground<'_>, change: OwnerChange) {
        let OwnerChange { id, audience, .. } = change;
        let pool = { ground.objects.world.objects.get(id.0) }.map(|it| it.at.pool);
        if !pool.is_some_and(|pool| ground.objects.is_restricted(pool)) {
            return;
        }
        let (tick, written) = (
            ground.context.wire_tick(),
            ground.sessions.writes(change.owner),
        );
        ground.objects.set_owned(id, written, tick);
        let observes = |connection: &ConnectionId| {
            audience.is_some_and(|audience| self.audiences.get(audience).observes(*connection))
        };
        let former = change.former.filter(observes);
        let observing_owner = change.owner.filter(observes);
        // The permit of an owner that does not observe the object follows its snapshot. The connection may
        // have been the owner before.
        if change.owner.is_some()
            && observing_owner.is_none()
            && audience.is_some()
            && let Some(replicated) = ground.objects.world.objects.get_mut(id.0)
        {
            replicated.renew_permit();
        }
        if let Some(former) = former {
            let role = self.groups.role(ground.objects, id, former);
            let change = ReadableChange {
                leaves_group: !role.reads_group(),
                fields: &|info| {
                    let gained = info.policy.others_only | info.policy.owner_write;
                    gained & info.policy.readable(role)
                },
            };
            self.send_owner_state(ground, former, id, &change);
        }
        if let Some(owner) = observing_owner {
            self.send_gained_fields(ground, owner, id);
        }
    }

    /// Sends a new owner the fields that it reads from now on, and those whose deltas may be missing.
    fn send_gained_fields(&mut self, ground: &mut Ground<'_>, owner: ConnectionId, id: NetId) {
        let connection = ground.sessions.connections.get(owner.0);
        let limited = connection.is_some_and(|connection| connection.ledger.backlog.is_some());
        let channels = ground.context.config.channels.clone();
        // The new owner may have missed deltas of the fields that it writes from now on.
        let may_miss = |channel: u8| {
            limited || channels.get(usize::from(channel)) == Some(&Channel::Unreliable)
        };
        // A member has the fields of the group.
        let group = self.groups.of(id);
        let reads_group = group.is_some_and(|tag| self.groups.contain(tag, owner));
        let change = ReadableChange {
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
            ..ReadableChange::NONE
        };
        self.send_owner_state(ground, owner, id, &change);
    }

    /// Grants an owner write access with a new permit: earlier writes of the owner are void. Sent after
    /// authority and snapshot.
    pub(crate) fn grant_permit(&mut self, ground: &mut Ground<'_>, owner: ConnectionId, id: NetId) {
        let policy = ground.objects.policy(id);
        if policy.is_some_and(|policy| policy.owner_write != 0) {
            self.send_owner_state(ground, owner, id, &ReadableChange::NONE);
        }
    }

    /// Sends the server's values to owners with rejected writes, once per update.
    pub(crate) fn correct_owners(&mut self, ground: &mut Ground<'_>) {
        for (owner, id) in ground.sessions.take_owner_corrections().iter() {
            if ground.objects.owner(id) == Some(owner) {
                let change = ReadableChange {
                    fields: &|info| info.policy.owner_write & info.policy.readable(Role::Owner),
                    ..ReadableChange::NONE
                };
                self.send_owner_state(ground, owner, id, &change);
            }
        }
    }

    /// Sends a connection the change of the fields that it reads, and a permit if it is the owner.
    /// Requests a snapshot instead if the fields cannot be encoded as a delta.
    pub(crate) fn send_owner_state(
        &mut self,
        ground: &mut Ground<'_>,
        connection: ConnectionId,
        id: NetId,
        change: &ReadableChange<'_>,
    ) {
        if self
            .write_owner_state(ground, connection, id, change)
            .is_some()
        {
            return;
        }
        self.request_snapshot(ground.objects, id, &[connection]);
        let objects = &mut *ground.objects;
        if let Some(replicated) = objects.world.objects.get_mut(id.0) {
            objects.schedule.queue_view_change(id, replicated);
        }
    }

    /// Writes the change of the fields that a connection reads. `None` if the connection needs a snapshot.
    fn write_owner_state(
        &mut self,
        ground: &mut Ground<'_>,
        connection: ConnectionId,
        id: NetId,
        change: &ReadableChange<'_>,
    ) -> Option<()> {
        let policy = ground.objects.policy(id);
        let replicated = ground.objects.world.objects.get_mut(id.0);
        let (Some(policy), Some(replicated)) = (policy, replicated) else {
            return Some(());
        };
        let is_owner = replicated.owner == Some(connection);
        let renews = is_owner && policy.owner_write != 0;
        if renews {
            replicated.renew_permit();
        }
        let permit = if is_owner { replicated.permit } else { 0 };
        let leaves_group = change.leaves_group && policy.group != 0;
        let (at, unsent) = (replicated.at, replicated.is(State::WriteFailed));
        let target = replicated.target_audience;
        let leaves =
            replicated.is(State::VisibilityDirty) && !self.audiences.admits(target, connection);
        if renews {
            ground.objects.note_facts(id);
        }
        let Some(receiver) = ground.sessions.connections.get_mut(connection.0) else {
            return Some(());
        };
        let state = ground.objects.world.pools.slots_mut(at).and_then(|slots| {
            let mut state = NetworkWriter::with_encoding(receiver.framing.encoding());
            let written = write_fields(slots, change.fields, &mut state);
            (written && (state.is_empty() || !unsent)).then_some(state)
        });
        let is_empty = |state: &NetworkWriter| state.is_empty() && !leaves_group;
        // UNet's clients have no such message.
        let understood = ground.context.config.compare_schemas;
        let state = state.filter(|state| !leaves && (understood || is_empty(state)))?;
        if !understood || permit == 0 && is_empty(&state) {
            return Some(());
        }
        let length = receiver.write_direct(&|writer| {
            let start = begin(MessageType::OwnerState, writer);
            writer.write_packed_u32(id.0);
            writer.write_packed_u32(permit);
            if leaves_group {
                writer.write_u8(LEAVES_GROUP);
            }
            writer.write_bytes(state.as_bytes());
            writer.finish_message(start);
        })?;
        ground
            .context
            .stats
            .count_encoded(MessageType::OwnerState, length);
        receiver.list(&mut ground.outbound.outgoing);
        ground.note_streamed(connection, id, change.fields);
        Some(())
    }
}

/// Writes some fields of each behaviour as a delta, each behind the index of the behaviour. Returns
/// whether they can be encoded.
fn write_fields(
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
