//! Objects of a client: by id, by type, by scene id and by parent; received fields.

use syncvar_runtime::Behaviours;
use syncvar_runtime::unstable::object::Cursor;
use syncvar_runtime::unstable::world::Departure;
use syncvar_runtime::{
    BehaviourSet, CallFailure, Called, NetId, NetworkBehaviour, NetworkIdentity, NetworkSceneId,
    ObjectError, Prefabs, SpawnError,
};
use syncvar_runtime::{ManyMut, ObjectMut};

use crate::client::objects::Fact;
use crate::client::{ClientState, NetworkClient, ReplicaMut};
use crate::message::Resync;

impl NetworkClient {
    /// Returns the client's registry.
    pub fn prefabs(&self) -> &Prefabs {
        &self.objects.world.prefabs
    }

    /// Returns the object with this id.
    ///
    /// An object is visible from its [`ClientEvent::Spawned`](crate::ClientEvent::Spawned) on, and for its
    /// [`NetworkLifecycle`](syncvar_runtime::NetworkLifecycle) callbacks shortly before. It is invisible during its
    /// callbacks.
    pub fn identity(&self, id: NetId) -> Option<NetworkIdentity<'_>> {
        self.objects.world.identity(id)
    }

    /// Returns all objects by ascending id.
    pub fn identities(&self) -> impl Iterator<Item = NetworkIdentity<'_>> {
        self.objects.world.identities()
    }

    /// Returns the number of objects.
    pub fn object_count(&self) -> usize {
        self.identities().count()
    }

    /// Returns the first behaviour of type `B` on an object.
    pub fn get<B: NetworkBehaviour>(&self, id: NetId) -> Option<&B> {
        self.objects.world.get(id)
    }

    /// Returns the behaviour at a position of an object, for objects with two behaviours of one type.
    pub fn get_at<B: NetworkBehaviour>(&self, id: NetId, index: usize) -> Option<&B> {
        self.objects.world.get_at(id, index)
    }

    /// Borrows the first behaviour of type `B` on an object for writing.
    ///
    /// Local members and the fields that this client writes as the owner are writable: see
    /// [`ReplicaMut`].
    ///
    /// # Errors
    ///
    /// When the object does not exist, has no such behaviour or is checked out. Inside a call, a hook
    /// or a callback, the own object is checked out.
    pub fn get_mut<B: NetworkBehaviour>(
        &mut self,
        id: NetId,
    ) -> Result<ReplicaMut<'_, B>, ObjectError> {
        let index = self.objects.world.position::<B>(id)?;
        self.get_mut_at(id, index)
    }

    /// Borrows the behaviour at a position of an object for writing, for objects with two behaviours of
    /// one type. See [`get_mut`](Self::get_mut).
    ///
    /// # Errors
    ///
    /// As [`get_mut`](Self::get_mut).
    pub fn get_mut_at<B: NetworkBehaviour>(
        &mut self,
        id: NetId,
        index: usize,
    ) -> Result<ReplicaMut<'_, B>, ObjectError> {
        let may_write = self.session.may_write(&self.context.config);
        let events = &mut self.context.events;
        let writes = &mut self.writes;
        writes.borrow(id, index, may_write, &mut self.objects.world, events)
    }

    /// Returns whether this client owns an object.
    pub fn is_owner(&self, id: NetId) -> bool {
        let replica = self.objects.world.objects.get(id.0);
        replica.is_some_and(|replica| replica.is(Fact::Owned))
    }

    /// Returns the objects with a behaviour of this type, each with its first such behaviour. Objects
    /// that are checked out are omitted.
    ///
    /// The cost follows the number of objects of this type. The order is the same every time, but not
    /// by id.
    pub fn iter<B: NetworkBehaviour>(&self) -> impl Iterator<Item = (NetId, &B)> {
        self.objects.world.iter()
    }

    /// Calls a function with each object that has a behaviour of this type, for writing: as with
    /// [`get_mut`](Self::get_mut), in the order of [`iter`](Self::iter).
    pub fn for_each_mut<B: NetworkBehaviour>(&mut self, mut action: impl FnMut(NetId, &mut B)) {
        let mut cursor = Cursor::default();
        while let Some(found) = self.objects.world.next_with::<B>(&mut cursor) {
            if let Ok(mut guard) = self.get_mut_at(found.net_id, found.behaviour) {
                action(found.net_id, &mut guard);
            }
        }
    }

    /// Returns the objects of the prefab with this name, in the order of [`iter`](Self::iter).
    pub fn ids_of_prefab(&self, name: &str) -> impl Iterator<Item = NetId> {
        self.objects.world.ids_of_prefab(name)
    }

    /// Returns the first behaviour of this type on several different objects, for writing.
    ///
    /// # Errors
    ///
    /// When an object does not exist, has no such behaviour, is checked out or comes twice.
    pub fn get_many_mut<B: NetworkBehaviour, const N: usize>(
        &mut self,
        ids: [NetId; N],
    ) -> Result<ManyMut<'_, Self, B, N>, ObjectError> {
        ManyMut::new(self, ids)
    }

    /// Returns an object with all its behaviours, for writing.
    ///
    /// # Errors
    ///
    /// When the object does not exist or is checked out.
    pub fn object_mut(&mut self, id: NetId) -> Result<ObjectMut<'_, Self>, ObjectError> {
        ObjectMut::new(self, id)
    }

    /// Returns the visible objects directly below an object, by ascending id. The object itself may be
    /// invisible to this client.
    pub fn children(&self, id: NetId) -> impl Iterator<Item = NetId> {
        let children = self.objects.world.relations.children(id);
        children.filter(|child| self.identity(*child).is_some())
    }

    /// Returns the parent of an object, the parent's parent, and so on.
    ///
    /// The chain ends at an object without a parent or one that this client does not see. It is finite
    /// even if the server sends a cycle.
    pub fn ancestors(&self, id: NetId) -> impl Iterator<Item = NetId> {
        self.objects.world.relations.ancestors(id)
    }

    /// Adds an object that both sides make on their own, for instance from a level file.
    ///
    /// The object is dormant at first: [`identities`](Self::identities) does not contain it. When the
    /// server spawns the object with this scene id
    /// ([`NetworkServer::spawn_scene_object`](crate::NetworkServer::spawn_scene_object)), the snapshot is
    /// applied to these behaviours, and the object is announced like any other. Members without
    /// synchronization keep their values.
    ///
    /// The call is valid at any time. If the server has spawned the object before, which was reported as
    /// [`ClientEvent::SpawnFailed`](crate::ClientEvent::SpawnFailed), the server is asked for it again.
    ///
    /// After a despawn, a hide or a new connection the object is dormant again and keeps its values. Its
    /// next spawn brings a snapshot.
    ///
    /// ```
    /// use syncvar::NetworkSceneId;
    /// use syncvar::prelude::*;
    ///
    /// #[derive(NetworkBehaviour, Default)]
    /// struct Door {
    ///     #[sync_var]
    ///     open: SyncVar<bool>,
    ///     key: u8,
    /// }
    ///
    /// const GATE: NetworkSceneId = NetworkSceneId(12);
    /// let mut net = MemoryNetwork::pair(|| Prefabs::new().register::<Door>("door"));
    /// // Both sides load the level.
    /// let door = Door { key: 7, ..Door::default() };
    /// net.client_mut(0).add_scene_object(GATE, door).unwrap();
    /// let door = Door { open: true.into(), ..Door::default() };
    /// let id = net.server.spawn_scene_object(GATE, door).unwrap();
    /// net.settle();
    /// let door: &Door = net.client(0).get(id).unwrap();
    /// assert_eq!((*door.open, door.key), (true, 7));
    /// ```
    ///
    /// # Errors
    ///
    /// When no prefab has these behaviours, and when the scene id is 0 or in use.
    pub fn add_scene_object<S: BehaviourSet>(
        &mut self,
        scene_id: NetworkSceneId,
        behaviours: S,
    ) -> Result<(), SpawnError> {
        let behaviours = behaviours.into_behaviours();
        self.objects.world.prefabs.find(&behaviours, None)?;
        let is_taken = self.objects.is_active(scene_id) || self.dormant(scene_id).is_some();
        if is_taken || scene_id == NetworkSceneId(0) {
            return Err(SpawnError::SceneIdTaken(scene_id));
        }
        self.objects.scene.insert(scene_id, behaviours);
        if let Some(missed) = self.objects.world.relations.scene_object(scene_id)
            && self.is_connected()
        {
            let (outbound, stats) = (&mut self.outbound, &mut self.context.stats);
            self.session
                .send(&Resync { net_id: missed }, outbound, stats);
        }
        Ok(())
    }

    /// Removes a dormant scene object and returns it. A spawned one belongs to the server: the result is
    /// `None` until the server despawns or hides it.
    pub fn remove_scene_object(&mut self, scene_id: NetworkSceneId) -> Option<Behaviours> {
        self.objects.scene.remove(scene_id)
    }

    /// Returns a dormant scene object.
    pub fn dormant(&self, scene_id: NetworkSceneId) -> Option<&Behaviours> {
        self.objects.scene.get(scene_id)
    }

    /// Returns a dormant scene object for writing.
    pub fn dormant_mut(&mut self, scene_id: NetworkSceneId) -> Option<&mut Behaviours> {
        self.objects.scene.get_mut(scene_id)
    }

    /// Returns the scene ids of the dormant objects, ascending.
    pub fn dormant_scene_ids(&self) -> impl Iterator<Item = NetworkSceneId> {
        self.objects.scene.keys()
    }

    /// Returns the spawned object with a scene id.
    pub fn scene_object(&self, scene_id: NetworkSceneId) -> Option<NetId> {
        let object = self.objects.world.relations.scene_object(scene_id);
        object.filter(|object| self.identity(*object).is_some())
    }

    /// Returns all spawned scene objects by ascending scene id.
    pub fn scene_objects(&self) -> impl Iterator<Item = (NetworkSceneId, NetId)> {
        let objects = self.objects.world.relations.scene_objects();
        objects.filter(|(_, object)| self.identity(*object).is_some())
    }

    /// Calls a function with each behaviour of a type that has received fields since the last call: the
    /// object, the position of the behaviour, the behaviour and the bits of the fields. The order is that
    /// of arrival; each behaviour comes once. All fields of a new object count as received.
    ///
    /// Requires [`Callbacks::Events`](syncvar_runtime::unstable::world::Callbacks::Events) in [`ClientConfig::callbacks`](crate::ClientConfig::callbacks).
    /// Without it, the function is not called. Removed objects are left out. Writes to the behaviour stay
    /// local: the next received values replace them.
    ///
    /// ```
    /// use syncvar::{Callbacks, ClientConfig, prelude::*};
    ///
    /// #[derive(NetworkBehaviour, Default)]
    /// struct Player {
    ///     #[sync_var]
    ///     health: SyncVar<i32>,
    /// }
    ///
    /// let prefabs = || Prefabs::new().register::<Player>("player");
    /// let mut net = MemoryNetwork::new(prefabs);
    /// let config = ClientConfig {
    ///     callbacks: Callbacks::Events,
    ///     ..ClientConfig::default()
    /// };
    /// net.connect_client(NetworkClient::with_config(prefabs(), config));
    /// net.server.spawn(Player { health: 5.into() });
    /// net.settle();
    /// let mut own = Player::default();
    /// net.client_mut(0).drain_received::<Player>(|_, _, player, fields| {
    ///     own.take_changes(player, fields);
    /// });
    /// assert_eq!(own.health, 5);
    /// ```
    pub fn drain_received<B: NetworkBehaviour>(
        &mut self,
        mut each: impl FnMut(NetId, usize, &mut B, u64),
    ) {
        self.objects.drain_received(&mut each);
    }

    /// Returns the objects that the next [`drain_received`](Self::drain_received) of a type visits, in order, and removed
    /// objects: for a program that looks its own data up first, because look-ups one behind the other overlap in memory.
    pub fn received<B: NetworkBehaviour>(&self) -> impl Iterator<Item = NetId> {
        self.objects.received::<B>()
    }

    /// Runs a received call of the server on a value of the behaviour that the application owns. The
    /// context has the object's id, its owner and this client, and no siblings.
    ///
    /// # Errors
    ///
    /// When `B` has no such call, the arguments are malformed, or the call panics.
    pub fn run_call<B: NetworkBehaviour>(
        &mut self,
        on: &mut B,
        called: &Called,
    ) -> Result<(), CallFailure> {
        called.run(on, self)
    }

    /// Removes the objects of a closed connection, as the next connection would. Their
    /// [`on_network_despawn`](syncvar_runtime::NetworkLifecycle::on_network_despawn) runs. No effect while a
    /// connection is open.
    ///
    /// ```
    /// # use syncvar::*;
    /// # let mut client = NetworkClient::new(Prefabs::new());
    /// while let Some(event) = client.poll_event() {
    ///     if let ClientEvent::Disconnected { .. } = event {
    ///         client.forget_objects();
    ///     }
    /// }
    /// ```
    pub fn forget_objects(&mut self) {
        if self.session.state == ClientState::Disconnected {
            self.session.ticket.lost = None;
            let objects = self.objects.world.ids(|_| true);
            self.forget(&objects, Departure::Destroyed);
        }
    }
}
