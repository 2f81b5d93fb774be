//! Commands about objects: spawn, despawn, show, hide, owner.

use syncvar_runtime::object::Behaviours;
use syncvar_runtime::{
    AudienceId, ConnectionId, NetId, NetworkSceneId, ObjectError, Quaternion, Vector3,
};

use crate::MessageType;
use crate::message::{Message, ObjectDestroy};
use crate::server::objects::replicated::State;
use crate::server::visibility::audience::{Audiences, Base};
use crate::server::{NetworkServer, ServerEvent};

/// Options of a spawn.
///
/// ```
/// use syncvar::{NetId, SpawnOptions, values::Vector3};
///
/// let options = SpawnOptions {
///     position: Vector3::new(0.0, 1.0, 0.0),
///     hidden: true,
///     ..SpawnOptions::default()
/// };
/// # assert_eq!(options.net_id, None);
/// ```
#[derive(Clone, Debug, Default)]
pub struct SpawnOptions {
    /// Name of the prefab, if several have the same behaviours. By default, the first prefab
    /// registered with behaviours of these types.
    pub prefab: Option<String>,
    /// A particular id. By default, the next unused one. Later ids follow the highest chosen id,
    /// unless it was more than 2^24 ahead: distant ids are a separate range of the game.
    pub net_id: Option<NetId>,
    /// Position of the object.
    pub position: Vector3,
    /// Rotation of the object; none by default.
    pub rotation: Option<Quaternion>,
    /// Owner of the object.
    pub owner: Option<ConnectionId>,
    /// Hides the object from all connections until it is shown.
    pub hidden: bool,
    /// Scene id, not 0, for an object that exists on the clients already
    /// ([`NetworkClient::add_scene_object`](crate::NetworkClient::add_scene_object)). They receive
    /// only its state.
    pub scene_id: Option<NetworkSceneId>,
}

impl NetworkServer {
    pub(crate) fn report_unknown_channels(&mut self, object: NetId, behaviours: &Behaviours) {
        for slot in behaviours.slots().iter() {
            let (behaviour, channel) = (slot.info().schema.name, slot.info().channel);
            if usize::from(channel) >= self.context.config.channels.len() {
                tracing::warn!(%object, behaviour, channel, "the server has no such channel");
                self.context.events.push(ServerEvent::UnknownChannel {
                    object,
                    behaviour,
                    channel,
                });
            }
        }
    }

    /// Removes an object after its lifecycle callbacks.
    pub(crate) fn remove(&mut self, id: NetId) -> bool {
        self.hide_at_once(id);
        self.keep_history(id);
        let Some(mut replicated) = self.objects.world.remove(id) else {
            return false;
        };
        tracing::trace!(object = %id, "despawned an object");
        if replicated.lease > self.objects.last_lease {
            // A successor's first lease follows its snapshot; until then it has none that a client knows.
            replicated.renew_lease();
            self.objects.last_lease = replicated.lease;
        }
        self.visibility.pending_snapshots.remove(id);
        self.visibility.reparented.remove(id);
        self.visibility.interest.forget(id);
        self.visibility.groups.forget_object(id);
        self.replication.bandwidth.remove_object(id);
        self.remove_locally(id);
        self.calls.remove_object(id);
        if let Some(profile) = &mut self.context.stats.profile {
            profile.remove_object(id);
        }
        if let Some(owner) = replicated
            .owner
            .and_then(|owner| self.sessions.connections.get_mut(owner.0))
        {
            owner.owned.remove(id);
            owner.memory.remove(id);
        }
        let mut is_observed = false;
        let audiences = &mut self.visibility.audiences;
        if replicated.is(State::Announced) && audiences.get(replicated.audience).has_observers() {
            is_observed = true;
            for segments in audiences.outputs(replicated.audience).channel(0) {
                ObjectDestroy { net_id: id }.encode(segments.begin());
                let length = segments.commit();
                self.context
                    .stats
                    .count_encoded(MessageType::ObjectDestroy, length);
            }
        }
        audiences.release(replicated.audience);
        audiences.release(replicated.target_audience);
        if is_observed {
            self.note_end(id);
        }
        if self.objects.world.relations.has_children() {
            self.detach_children(id);
        }
        true
    }

    pub(crate) fn take_from_interest(&mut self, id: NetId) {
        if let Some(replicated) = self.objects.world.objects.get_mut(id.0) {
            replicated.set(State::ByInterest, false);
            self.visibility.interest.take_shown(id);
            self.set_local_view(id, None);
        }
    }

    pub(crate) fn set_visible(
        &mut self,
        id: NetId,
        connection: ConnectionId,
        visible: bool,
    ) -> Result<(), ObjectError> {
        let replicated = self.objects.world.objects.get(id.0);
        let replicated = replicated.ok_or(ObjectError::NoSuchObject(id))?;
        self.sessions.expect(connection)?;
        if self.is_local(connection) {
            self.set_local_view(id, Some(visible));
            return Ok(());
        }
        if replicated.is(State::ByInterest)
            && self.visibility.audiences.base(replicated.target_audience) == Base::Everyone
        {
            self.visibility
                .interest
                .remember_shown(id, connection, visible);
        }
        self.set_target_audience(id, |audiences, wanted| {
            audiences.with(wanted, connection, visible)
        });
        Ok(())
    }

    pub(crate) fn set_target_audience(
        &mut self,
        id: NetId,
        choose: impl FnOnce(&mut Audiences, AudienceId) -> AudienceId,
    ) {
        let Some(replicated) = self.objects.world.objects.get_mut(id.0) else {
            return;
        };
        let wanted = choose(&mut self.visibility.audiences, replicated.target_audience);
        self.visibility.audiences.acquire(wanted);
        self.visibility
            .audiences
            .release(replicated.target_audience);
        replicated.target_audience = wanted;
        self.objects.schedule.queue_view_change(id, replicated);
        self.mark_local(id);
    }

    /// Gives an object another owner, without lifecycle callbacks.
    pub(crate) fn give(&mut self, id: NetId, owner: Option<ConnectionId>) {
        self.before_owner_change(id);
        let Some(replicated) = self.objects.world.objects.get_mut(id.0) else {
            return;
        };
        let former = std::mem::replace(&mut replicated.owner, owner);
        tracing::trace!(object = %id, owner = owner.map(|it| it.0), "changed an owner");
        let seen_by = replicated
            .is(State::Announced)
            .then_some(replicated.audience);
        for (connection, authority) in [(former, false), (owner, true)] {
            let Some(connection) = connection else {
                continue;
            };
            let sees = seen_by.is_some_and(|audience| {
                self.visibility.audiences.get(audience).observes(connection)
            });
            if sees {
                // Earlier messages go first.
                self.deliver();
            }
            if let Some(connection) = self.sessions.connections.get_mut(connection.0) {
                if authority {
                    connection.owned.insert(id);
                } else {
                    connection.owned.remove(id);
                    connection.memory.remove(id);
                }
            }
            if sees {
                self.send_authority(connection, id, authority);
            }
        }
        self.after_owner_change(id, former, owner, seen_by);
        self.mark_local(id);
        self.update_base(id);
    }
}
