//! Commands about objects: spawn, despawn, show, hide, owner.

use std::any::TypeId;

use super::audience::{Audiences, Base};
use super::spawned::Spawned;
use super::{NetworkServer, ServerEvent};
use crate::AudienceId;
use crate::ConnectionId;
use crate::SpawnError;
use crate::lend::{Errand, Leaving, Tells};
use crate::message::{Message, ObjectDestroy};
use crate::object::{BehaviourSet, Behaviours};
use crate::prefab::Prefab;
use crate::relations::Place;
use crate::{MessageType, NetId, NetworkSceneId, Quaternion, Vector3};

/// How far ahead of the next id a chosen one can be for the next ones to follow it.
const NEAR: u32 = 1 << 24;

/// What a spawn can say beyond the behaviours' values.
///
/// ```
/// use syncvar::{NetId, SpawnOptions, Vector3};
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
    /// The name of the prefab, where several have the same behaviours; otherwise the first one
    /// registered with behaviours of these types.
    pub prefab: Option<String>,
    /// The id, where it must be a particular one; otherwise the next one that is not in use. The
    /// next ones follow the highest that was chosen, unless that was more than 2^24 ahead: ids far
    /// out are a range of the game's own.
    pub net_id: Option<NetId>,
    /// Where the object stands.
    pub position: Vector3,
    /// How it is turned; no rotation if left out.
    pub rotation: Option<Quaternion>,
    /// Who owns it.
    pub owner: Option<ConnectionId>,
    /// Nobody sees the object until it is shown.
    pub hidden: bool,
    /// Its number in the scene, where clients have made the object themselves
    /// ([`NetworkClient::add_scene_object`](crate::NetworkClient::add_scene_object)) and are to be sent
    /// nothing but its state; not 0.
    pub scene_id: Option<NetworkSceneId>,
}

impl NetworkServer {
    /// Spawns an object: with the next update, every ready client gets it. The callbacks of its
    /// [`NetworkLifecycle`](crate::NetworkLifecycle) run before this returns; one of them may have
    /// despawned it by then.
    ///
    /// # Panics
    ///
    /// When no prefab is registered with these behaviours, in this order. Where that is not known
    /// when the program is written, use [`spawn_with`](Self::spawn_with).
    #[track_caller]
    pub fn spawn<S: BehaviourSet>(&mut self, behaviours: S) -> NetId {
        match self.spawn_with(behaviours, SpawnOptions::default()) {
            Ok(net_id) => net_id,
            Err(error) => panic!("{error}"),
        }
    }

    /// Spawns an object with everything that can be said about it.
    ///
    /// # Errors
    ///
    /// When the prefab, the id or the owner is not right; nothing is spawned then.
    pub fn spawn_with<S: BehaviourSet>(
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
        let prefab = self.find_prefab(&behaviours, prefab.as_deref())?;
        let prefab = prefab.index;
        if let Some(owner) = owner.filter(|owner| !self.knows(*owner)) {
            return Err(SpawnError::UnknownOwner(owner));
        }
        self.check_scene_id(scene_id)?;
        let net_id = self.choose_net_id(net_id)?;
        self.report_unknown_channels(net_id, &behaviours);

        let wanted = if hidden {
            Audiences::NOBODY
        } else {
            Audiences::EVERYONE
        };
        let spawned = Spawned {
            at: self.pools.insert(prefab, behaviours),
            audience: wanted,
            wanted,
            owner: None,
            lease: 0,
            wake: None,
            announced: false,
            moved: false,
            forced: false,
            by_interest: !hidden,
            owing: false,
            unsent: false,
            related: scene_id.is_some(),
        };
        let rotation = rotation.unwrap_or(Quaternion::IDENTITY);
        self.places.insert(net_id.0, Place { position, rotation });
        self.schedule.queue_new(net_id);
        self.audiences.acquire(wanted);
        self.audiences.acquire(wanted);
        self.objects.insert(net_id.0, spawned);
        if let Some(scene_id) = scene_id {
            self.relations.set_scene_id(net_id, scene_id);
        }
        self.interest.management.handle_spawn(net_id, position);
        if owner.is_some() {
            self.give(net_id, owner);
        }
        self.tell(net_id, Errand::Spawn);
        Ok(net_id)
    }

    fn find_prefab(
        &self,
        behaviours: &Behaviours,
        name: Option<&str>,
    ) -> Result<&Prefab, SpawnError> {
        let types: Vec<TypeId> = behaviours.slots().type_ids();
        match name {
            None => self
                .prefabs
                .by_types(&types)
                .ok_or_else(|| SpawnError::NotRegistered(format!("{behaviours:?}"))),
            Some(name) => {
                let prefab = self.prefabs.by_name(name);
                let prefab = prefab.ok_or_else(|| SpawnError::UnknownPrefab(name.into()))?;
                if prefab.types != types {
                    return Err(SpawnError::OtherBehaviours {
                        prefab: name.into(),
                        behaviours: format!("{behaviours:?}"),
                    });
                }
                Ok(prefab)
            }
        }
    }

    /// Ids are given out in order and never twice. One that was chosen moves the order on, so that
    /// the next ones follow it, unless it is far ahead: a game that numbers some objects in a range
    /// of its own would use up all ids.
    fn choose_net_id(&mut self, wanted: Option<NetId>) -> Result<NetId, SpawnError> {
        let (objects, net_ids) = (&self.objects, &mut self.net_ids);
        let Some(NetId(number)) = wanted else {
            let free = net_ids.find(|number| objects.get(*number).is_none());
            return free.map(NetId).ok_or(SpawnError::OutOfIds);
        };
        if NetId(number) == NetId::NONE || objects.get(number).is_some() {
            return Err(SpawnError::IdTaken(NetId(number)));
        }
        let is_near = net_ids.contains(&number) && number - net_ids.start() <= NEAR;
        if let Some(next) = number.checked_add(1).filter(|_| is_near) {
            *net_ids = next..=u32::MAX;
        }
        Ok(NetId(number))
    }

    fn report_unknown_channels(&mut self, object: NetId, behaviours: &Behaviours) {
        for slot in behaviours.slots().iter() {
            let (behaviour, channel) = (slot.info().schema.name, slot.info().channel);
            if usize::from(channel) >= self.config.channels.len() {
                tracing::warn!(%object, behaviour, channel, "the server has no such channel");
                self.events.push(ServerEvent::UnknownChannel {
                    object,
                    behaviour,
                    channel,
                });
            }
        }
    }

    /// Takes an object away from the server and from every client that sees it. Its children have no
    /// parent then. Returns whether there was one.
    ///
    /// Its [`on_network_despawn`](crate::NetworkLifecycle::on_network_despawn) runs first. If the
    /// object is being called at the time, it is despawned when that is done.
    pub fn despawn(&mut self, id: NetId) -> bool {
        if self.lent.contains(id) {
            return self.lent.let_go(id, Leaving::Destroyed);
        }
        if self.has_lifecycle(id) {
            self.tell(id, Errand::Despawn);
            return true;
        }
        self.remove(id)
    }

    /// Takes an object away, when its behaviours have been told.
    pub(super) fn remove(&mut self, id: NetId) -> bool {
        self.hide_at_once(id);
        let Some(spawned) = self.objects.remove(id.0) else {
            return false;
        };
        self.pools.remove(spawned.at);
        self.places.remove(id.0);
        self.owed.remove(&id);
        self.relations.forget(id);
        self.reparented.remove(&id);
        self.interest.forget(id);
        self.rationing.forget_object(id);
        self.forget_for_local(id);
        if !self.has_no_calls() {
            self.forget_calls(id);
        }
        if let Some(owner) = spawned
            .owner
            .and_then(|owner| self.connections.get_mut(owner.0))
        {
            owner.owned.remove(&id);
        }
        if spawned.announced && self.audiences.get(spawned.audience).has_listeners() {
            for segments in self.audiences.outputs(spawned.audience).channel(0) {
                ObjectDestroy { net_id: id }.encode(segments.begin());
                let length = segments.commit();
                self.stats.count_encoded(MessageType::ObjectDestroy, length);
            }
        }
        self.audiences.release(spawned.audience);
        self.audiences.release(spawned.wanted);
        if self.relations.has_children() {
            self.detach_children(id);
        }
        true
    }

    /// Shows an object to a connection, from the next update on. Returns whether there is such an
    /// object.
    pub fn show(&mut self, id: NetId, connection: ConnectionId) -> bool {
        self.set_visible(id, connection, true)
    }

    /// Hides an object from a connection, from the next update on. Nothing that has been written to the
    /// object and has not been sent goes to it any more. Returns whether there is such an object.
    pub fn hide(&mut self, id: NetId, connection: ConnectionId) -> bool {
        self.set_visible(id, connection, false)
    }

    /// Takes back what [`show`](Self::show) or [`hide`](Self::hide) has said about a connection: it
    /// sees the object again if others do, or if the interest management says so. Returns whether
    /// there is such an object.
    pub fn restore(&mut self, id: NetId, connection: ConnectionId) -> bool {
        if !self.knows(connection) {
            return false;
        }
        if self.is_local(connection) {
            return self.set_visible_locally(id, None);
        }
        self.interest.set_shown(id, connection, false);
        self.set_wanted(id, |audiences, wanted| {
            audiences.restore(wanted, connection)
        })
    }

    /// Shows an object to everyone, those who connect later included, whatever the interest management
    /// says.
    pub fn show_to_all(&mut self, id: NetId) -> bool {
        self.take_from_interest(id);
        self.set_wanted(id, |_, _| Audiences::EVERYONE)
    }

    /// Hides an object from everyone, those who connect later included, whatever the interest
    /// management says.
    pub fn hide_from_all(&mut self, id: NetId) -> bool {
        self.take_from_interest(id);
        self.set_wanted(id, |_, _| Audiences::NOBODY)
    }

    fn take_from_interest(&mut self, id: NetId) {
        if let Some(spawned) = self.objects.get_mut(id.0) {
            spawned.by_interest = false;
            self.interest.take_shown(id);
            self.set_view_of_local(id, None);
        }
    }

    fn set_visible(&mut self, id: NetId, connection: ConnectionId, visible: bool) -> bool {
        let Some(spawned) = self.objects.get(id.0).filter(|_| self.knows(connection)) else {
            return false;
        };
        if self.is_local(connection) {
            return self.set_visible_locally(id, Some(visible));
        }
        if spawned.by_interest && self.audiences.base(spawned.wanted) == Base::Everyone {
            self.interest.set_shown(id, connection, visible);
        }
        self.set_wanted(id, |audiences, wanted| {
            audiences.with(wanted, connection, visible)
        })
    }

    pub(super) fn set_wanted(
        &mut self,
        id: NetId,
        choose: impl FnOnce(&mut Audiences, AudienceId) -> AudienceId,
    ) -> bool {
        let Some(spawned) = self.objects.get_mut(id.0) else {
            return false;
        };
        let wanted = choose(&mut self.audiences, spawned.wanted);
        self.audiences.acquire(wanted);
        self.audiences.release(spawned.wanted);
        spawned.wanted = wanted;
        self.schedule.queue_moved(id, spawned);
        self.touch_for_local(id);
        true
    }

    /// Says where an object is now: clients that are given it from now on are told so. Those that have
    /// it are not; a position that all of them follow is a field of a behaviour. Returns whether there
    /// is such an object.
    pub fn set_transform(&mut self, id: NetId, position: Vector3, rotation: Quaternion) -> bool {
        let Some(place) = self.places.get_mut(id.0) else {
            return false;
        };
        *place = Place { position, rotation };
        self.interest.management.handle_move(id, position);
        true
    }

    /// Gives an object to a connection, or to nobody. The former and the new owner are told. On the
    /// server, [`on_lost_ownership`](crate::NetworkLifecycle::on_lost_ownership) runs if nobody owned
    /// it, and [`on_gained_ownership`](crate::NetworkLifecycle::on_gained_ownership) if nobody does
    /// now.
    ///
    /// What has changed on the object is sent at once, if it has fields with rules; then each of the
    /// two is given the fields that it may read now and could not before, and nobody is given anything
    /// else. What the former owner has written and has not arrived yet does not count. From inside a
    /// call on the object itself, both are given the whole object instead, with the next update.
    ///
    /// Returns whether there is such an object and such a connection.
    pub fn set_owner(&mut self, id: NetId, owner: Option<ConnectionId>) -> bool {
        let former = self.owner(id);
        let given = self.give(id, owner);
        if given {
            self.tell_ownership(id, former, owner);
        }
        given
    }

    /// Gives an object to a connection, or to nobody, and tells no behaviour of it.
    fn give(&mut self, id: NetId, owner: Option<ConnectionId>) -> bool {
        let known = owner.is_none_or(|owner| self.knows(owner));
        let former = self
            .objects
            .get(id.0)
            .filter(|_| known)
            .map(|spawned| spawned.owner);
        if former == Some(owner) {
            return true;
        }
        self.before_owner_change(id);
        let Some(spawned) = self.objects.get_mut(id.0).filter(|_| known) else {
            return false;
        };
        let former = std::mem::replace(&mut spawned.owner, owner);
        let told = spawned.announced.then_some(spawned.audience);
        for (connection, authority) in [(former, false), (owner, true)] {
            let Some(connection) = connection else {
                continue;
            };
            let sees =
                told.is_some_and(|audience| self.audiences.get(audience).observes(connection));
            if sees {
                // What was said before is heard before.
                self.deliver();
            }
            if let Some(connection) = self.connections.get_mut(connection.0) {
                if authority {
                    connection.owned.insert(id);
                } else {
                    connection.owned.remove(&id);
                }
            }
            if sees {
                self.tell_owner(connection, id, authority);
            }
        }
        self.after_owner_change(id, former, owner, told);
        self.touch_for_local(id);
        self.follow_object(id);
        true
    }
}
