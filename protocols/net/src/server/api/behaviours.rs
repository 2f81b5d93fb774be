//! Behaviours of objects: one of an object, all of a type, batches, steps.

use syncvar_runtime::unstable::object::{Cursor, Location};
use syncvar_runtime::{ManyMut, ObjectMut};
use syncvar_runtime::{NetId, NetworkBehaviour, ObjectError, Taken};

use crate::server::NetworkServer;

/// Number of objects that are looked up before the first is compared.
const BATCH: usize = 16;

impl NetworkServer {
    /// Returns the objects with a behaviour of this type, each with its first such behaviour. Objects
    /// that are checked out are omitted.
    ///
    /// The cost follows the number of objects of this type. The order is the same every time, but not
    /// by id.
    ///
    /// ```
    /// use syncvar::prelude::*;
    ///
    /// #[derive(NetworkBehaviour, Default)]
    /// struct Door {
    ///     #[sync_var]
    ///     open: SyncVar<bool>,
    /// }
    ///
    /// let mut server = NetworkServer::new(Prefabs::new().register::<Door>("door"));
    /// let id = server.spawn(Door { open: true.into() });
    /// let open = server.iter::<Door>().filter(|(_, door)| *door.open);
    /// assert_eq!(open.map(|(id, _)| id).collect::<Vec<_>>(), [id]);
    /// ```
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

    /// Calls a function with each object that has a behaviour of this type, for writing as with
    /// [`for_each_mut`](Self::for_each_mut), and then despawns the objects for which it returned false.
    ///
    /// ```
    /// use syncvar::prelude::*;
    ///
    /// #[derive(NetworkBehaviour, Default)]
    /// struct Shot {
    ///     #[sync_var]
    ///     flight: SyncVar<u32>,
    /// }
    ///
    /// let mut server = NetworkServer::new(Prefabs::new().register::<Shot>("shot"));
    /// let ids = [1, 2].map(|flight| server.spawn(Shot { flight: flight.into() }));
    /// server.retain::<Shot>(|_, shot| {
    ///     shot.flight -= 1;
    ///     *shot.flight > 0
    /// });
    /// assert!(server.iter::<Shot>().map(|(id, _)| id).eq([ids[1]]));
    /// ```
    pub fn retain<B: NetworkBehaviour>(&mut self, mut keep: impl FnMut(NetId, &mut B) -> bool) {
        let mut ended = Vec::new();
        self.for_each_mut(|id, behaviour| {
            if !keep(id, behaviour) {
                ended.push(id);
            }
        });
        for id in ended {
            // A callback of an earlier despawn may have despawned it.
            let _ = self.despawn(id);
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

    /// Takes over behaviours that the program owns elsewhere, as
    /// [`take_changes`](syncvar_runtime::Assign::take_changes) of all fields does: only fields that differ are sent.
    /// `index` is the position of the behaviour on its object, `None` for the first behaviour of the type.
    ///
    /// `told` is called with the position in `from` and the result for each behaviour with changed or
    /// refused fields, and with the error where the object or the behaviour does not exist. While a
    /// connection owns the object, its fields with `#[sync_var(write = owner)]` are refused: the given
    /// behaviour receives the owner's values instead.
    ///
    /// The fields of `from` are clean afterwards. The cost for an equal behaviour is a look-up and a
    /// comparison; no object costs an allocation.
    ///
    /// ```
    /// use syncvar::prelude::*;
    ///
    /// #[derive(NetworkBehaviour, Default)]
    /// struct Player {
    ///     #[sync_var]
    ///     health: SyncVar<i32>,
    ///     #[sync_var]
    ///     mana: SyncVar<i32>,
    /// }
    ///
    /// let mut server = NetworkServer::new(Prefabs::new().register::<Player>("player"));
    /// let ids = [server.spawn(Player::default()), server.spawn(Player::default())];
    /// let mut own = [Player::default(), Player::default()];
    /// own[1].mana += 5;
    /// let mut batch: Vec<_> = ids.into_iter().zip(&mut own).collect();
    /// let mut changed = Vec::new();
    /// server.assign_all(None, &mut batch, |position, taken| {
    ///     changed.push((position, taken.unwrap().changed));
    /// });
    /// assert_eq!(changed, [(1, 0b10)]);
    /// assert_eq!(server.get::<Player>(ids[1]).unwrap().mana, 5);
    /// ```
    pub fn assign_all<B: NetworkBehaviour>(
        &mut self,
        index: Option<usize>,
        from: &mut [(NetId, &mut B)],
        mut told: impl FnMut(usize, Result<Taken<B::Previous>, ObjectError>),
    ) {
        let mut position = 0;
        for batch in from.chunks_mut(BATCH) {
            let mut places: [Option<Location>; BATCH] = [None; BATCH];
            for ((id, _), at) in batch.iter().zip(&mut places) {
                *at = self.objects.world.objects.get(id.0).map(|object| object.at);
            }
            for ((id, own), at) in batch
                .iter_mut()
                .map(|(id, own)| (*id, &mut **own))
                .zip(places)
            {
                let taken = match at {
                    Some(at) => {
                        match (&mut self.host, index) {
                            (Some(host), None) => {
                                host.remember_by_type::<B>(&mut self.objects, id, at);
                            }
                            (Some(host), _) => {
                                host.remember_at(&mut self.objects, id, at, index);
                            }
                            (None, _) => {}
                        }
                        self.objects.assign(id, at, index, own)
                    }
                    None => Err(ObjectError::NoSuchObject(id)),
                };
                if !matches!(&taken, Ok(taken) if taken.changed | taken.refused == 0) {
                    told(position, taken);
                }
                position += 1;
            }
        }
    }
}
