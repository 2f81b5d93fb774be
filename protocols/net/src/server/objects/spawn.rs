//! Commands about objects: spawn, despawn, show, hide, owner.

use syncvar_runtime::object::{BehaviourSet, Behaviours};
use syncvar_runtime::relations::Place;
use syncvar_runtime::world::{Departure, LifecycleEvent, Protocol};
use syncvar_runtime::{
    AudienceId, ConnectionId, NetId, NetworkSceneId, ObjectError, Quaternion, SpawnError, Vector3,
};

use crate::MessageType;
use crate::message::{Message, ObjectDestroy};
use crate::server::objects::replicated::{Replicated, State};
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
    /// Spawns an object: with the next update, all ready clients receive it. The callbacks of its
    /// [`NetworkLifecycle`](syncvar_runtime::NetworkLifecycle) run before the method returns. A callback may
    /// despawn the object again.
    ///
    /// # Panics
    ///
    /// If no prefab is registered with these behaviours in this order. Use
    /// [`try_spawn`](Self::try_spawn) if the types are not known in advance.
    #[track_caller]
    pub fn spawn<S: BehaviourSet>(&mut self, behaviours: S) -> NetId {
        match self.try_spawn(behaviours, SpawnOptions::default()) {
            Ok(net_id) => net_id,
            Err(error) => panic!("{error}"),
        }
    }

    /// Spawns an object with options, like [`spawn`](Self::spawn) but without a panic.
    ///
    /// # Errors
    ///
    /// If the prefab, the id or the owner is invalid. No object is spawned then.
    pub fn try_spawn<S: BehaviourSet>(
        &mut self,
        behaviours: S,
        options: SpawnOptions,
    ) -> Result<NetId, SpawnError> {
        let SpawnOptions {
            prefab,
            net_id,
            position,
            rotation,
            owner,
            hidden,
            scene_id,
        } = options;
        let behaviours = behaviours.into_behaviours();
        let prefab = self
            .objects
            .world
            .prefabs
            .find(&behaviours, prefab.as_deref())?;
        let prefab = prefab.index;
        if let Some(owner) = owner.filter(|owner| !self.sessions.knows(*owner)) {
            return Err(SpawnError::UnknownOwner(owner));
        }
        self.check_scene_id(scene_id)?;
        let net_id = self.choose_net_id(net_id)?;
        self.report_unknown_channels(net_id, &behaviours);

        let audience = if hidden {
            Audiences::NOBODY
        } else {
            Audiences::EVERYONE
        };
        let lease = self.objects.last_lease;
        self.objects.world.insert(net_id, prefab, behaviours, |at| {
            let mut replicated = Replicated::new(at, audience, lease);
            replicated.set(State::ByInterest, !hidden);
            replicated.set(State::Related, scene_id.is_some());
            replicated
        });
        self.track_ticks(net_id);
        let prefab = self.prefab_name(net_id);
        tracing::trace!(object = %net_id, prefab, owner = owner.map(|it| it.0), "spawned an object");
        let rotation = rotation.unwrap_or(Quaternion::IDENTITY);
        self.objects
            .world
            .set_place(net_id, Place { position, rotation });
        self.objects.schedule.queue_new(net_id);
        self.visibility.audiences.acquire(audience);
        self.visibility.audiences.acquire(audience);
        if let Some(scene_id) = scene_id {
            self.objects.world.relations.set_scene_id(net_id, scene_id);
        }
        self.visibility
            .interest
            .management
            .handle_spawn(net_id, position);
        if owner.is_some() {
            self.give(net_id, owner);
        }
        self.dispatch(net_id, LifecycleEvent::Spawn);
        Ok(net_id)
    }

    fn report_unknown_channels(&mut self, object: NetId, behaviours: &Behaviours) {
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

    /// Removes an object from the server and from all clients that observe it. Its children lose
    /// their parent.
    ///
    /// Its [`on_network_despawn`](syncvar_runtime::NetworkLifecycle::on_network_despawn) runs first. An
    /// object that is checked out for a callback is despawned after that callback.
    ///
    /// # Errors
    ///
    /// When the object does not exist, or is despawned after a running callback already.
    pub fn despawn(&mut self, id: NetId) -> Result<(), ObjectError> {
        let existed = if self.objects.world.checked_out.contains(id) {
            self.objects
                .world
                .checked_out
                .depart(id, Departure::Destroyed)
        } else if self.objects.world.has_lifecycle(id) {
            self.dispatch(id, LifecycleEvent::Despawn);
            true
        } else {
            self.remove(id)
        };
        if existed {
            Ok(())
        } else {
            Err(ObjectError::NoSuchObject(id))
        }
    }

    /// Removes an object after its lifecycle callbacks.
    pub(in crate::server) fn remove(&mut self, id: NetId) -> bool {
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

    /// Shows an object to a connection with the next update.
    ///
    /// # Errors
    ///
    /// When the object does not exist, or the connection is not connected.
    pub fn show(&mut self, id: NetId, connection: ConnectionId) -> Result<(), ObjectError> {
        self.set_visible(id, connection, true)
    }

    /// Hides an object from a connection with the next update. Unsent changes of the object do not
    /// reach the connection.
    ///
    /// # Errors
    ///
    /// When the object does not exist, or the connection is not connected.
    pub fn hide(&mut self, id: NetId, connection: ConnectionId) -> Result<(), ObjectError> {
        self.set_visible(id, connection, false)
    }

    /// Reverts [`show`](Self::show) or [`hide`](Self::hide) for a connection: the object's default
    /// visibility or the interest management decides again.
    ///
    /// # Errors
    ///
    /// When the object does not exist, or the connection is not connected.
    pub fn restore(&mut self, id: NetId, connection: ConnectionId) -> Result<(), ObjectError> {
        self.objects.world.expect_object(id)?;
        self.sessions.expect(connection)?;
        if self.is_local(connection) {
            self.set_local_view(id, None);
            return Ok(());
        }
        self.visibility
            .interest
            .remember_shown(id, connection, false);
        self.set_target_audience(id, |audiences, wanted| {
            audiences.restore(wanted, connection)
        });
        Ok(())
    }

    /// Shows an object to all present and future connections, independent of the interest
    /// management.
    ///
    /// # Errors
    ///
    /// When the object does not exist.
    pub fn show_to_all(&mut self, id: NetId) -> Result<(), ObjectError> {
        self.objects.world.expect_object(id)?;
        self.take_from_interest(id);
        self.set_target_audience(id, |_, _| Audiences::EVERYONE);
        Ok(())
    }

    /// Hides an object from all present and future connections, independent of the interest
    /// management.
    ///
    /// # Errors
    ///
    /// When the object does not exist.
    pub fn hide_from_all(&mut self, id: NetId) -> Result<(), ObjectError> {
        self.objects.world.expect_object(id)?;
        self.take_from_interest(id);
        self.set_target_audience(id, |_, _| Audiences::NOBODY);
        Ok(())
    }

    fn take_from_interest(&mut self, id: NetId) {
        if let Some(replicated) = self.objects.world.objects.get_mut(id.0) {
            replicated.set(State::ByInterest, false);
            self.visibility.interest.take_shown(id);
            self.set_local_view(id, None);
        }
    }

    fn set_visible(
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

    pub(in crate::server) fn set_target_audience(
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

    /// Sets the position and rotation in later snapshots of an object. Clients that have the object
    /// are not updated: use a field for a position that they follow.
    ///
    /// # Errors
    ///
    /// When the object does not exist.
    pub fn set_transform(
        &mut self,
        id: NetId,
        position: Vector3,
        rotation: Quaternion,
    ) -> Result<(), ObjectError> {
        self.objects.world.expect_object(id)?;
        self.objects
            .world
            .set_place(id, Place { position, rotation });
        self.visibility
            .interest
            .management
            .handle_move(id, position);
        Ok(())
    }

    /// Gives an object to a connection, or takes it from its owner. Both connections are notified.
    /// On the server, [`on_lost_ownership`](syncvar_runtime::NetworkLifecycle::on_lost_ownership) runs when
    /// the server loses the object to a connection, and
    /// [`on_gained_ownership`](syncvar_runtime::NetworkLifecycle::on_gained_ownership) when it gets the
    /// object back.
    ///
    /// Pending changes of an object with restricted fields are sent at once. Then both connections
    /// receive exactly the fields that became readable for them. Writes of the former owner in
    /// transit are void. From inside a call on the object itself, both receive a snapshot with the
    /// next update instead.
    ///
    /// # Errors
    ///
    /// When the object does not exist, or the new owner is not connected.
    pub fn set_owner(&mut self, id: NetId, owner: Option<ConnectionId>) -> Result<(), ObjectError> {
        let replicated = self.objects.world.objects.get(id.0);
        let former = replicated.ok_or(ObjectError::NoSuchObject(id))?.owner;
        if let Some(owner) = owner {
            self.sessions.expect(owner)?;
        }
        if former != owner {
            self.give(id, owner);
            self.dispatch_ownership(id, former, owner);
        }
        Ok(())
    }

    /// Gives an object another owner, without lifecycle callbacks.
    fn give(&mut self, id: NetId, owner: Option<ConnectionId>) {
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
