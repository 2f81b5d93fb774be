//! Behaviours of objects: one of an object, all of a type, batches, steps.

use syncvar_runtime::unstable::object::{Cursor, Location};
use syncvar_runtime::{ManyMut, ObjectMut};
use syncvar_runtime::{NetId, NetworkBehaviour, ObjectError, Taken};

use crate::server::NetworkServer;
use crate::server::objects::assign::EditPlace;
use crate::server::objects::guard::begin_write;

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

    /// Calls a function with the behaviour of this type on each of some objects, for writing as with
    /// [`get_mut`](Self::get_mut), or with the error where the object or the behaviour does not exist. Its first argument is
    /// the position in `ids`. An absent [`Optional`](syncvar_runtime::Optional) behaviour is added by its default.
    ///
    /// No object costs an allocation.
    ///
    /// ```
    /// use syncvar::{behaviour::Optional, prelude::*};
    ///
    /// #[derive(NetworkBehaviour, Default)]
    /// struct Player {
    ///     #[sync_var]
    ///     health: SyncVar<i32>,
    /// }
    ///
    /// #[derive(NetworkBehaviour, Default)]
    /// struct Burning {
    ///     #[sync_var]
    ///     until: SyncVar<u32>,
    /// }
    ///
    /// let prefabs = Prefabs::new().register::<(Player, Optional<Burning>)>("player");
    /// let mut server = NetworkServer::new(prefabs);
    /// let ids = [30, 40].map(|until| {
    ///     (server.spawn((Player::default(), Optional::<Burning>::default())), until)
    /// });
    /// server.edit_all::<Burning>(&ids.map(|(id, _)| id), |position, burning| {
    ///     burning.unwrap().until.set(ids[position].1);
    /// });
    /// assert_eq!(server.get::<Burning>(ids[1].0).unwrap().until, 40);
    /// ```
    pub fn edit_all<B: NetworkBehaviour>(
        &mut self,
        ids: &[NetId],
        mut edit: impl FnMut(usize, Result<&mut B, ObjectError>),
    ) {
        let mut place = EditPlace::default();
        for (batch, first) in ids.chunks(BATCH).zip((0..).step_by(BATCH)) {
            let mut places: [Option<Location>; BATCH] = [None; BATCH];
            for (id, at) in batch.iter().zip(&mut places) {
                *at = self.objects.world.objects.get(id.0).map(|object| object.at);
            }
            self.objects.world.pools.load(&places);
            for ((id, at), position) in batch.iter().zip(places).zip(first..) {
                let Some(at) = at else {
                    edit(position, Err(ObjectError::NoSuchObject(*id)));
                    continue;
                };
                let index = place.index::<B>(at, &self.objects.world);
                if let (Some(host), Some(index)) = (&mut self.host, index) {
                    host.remember_at(&mut self.objects, *id, at, Some(index));
                }
                let pools = &mut self.objects.world.pools;
                match pools.behaviour_to_edit::<B>(*id, at, index) {
                    Ok(parts) => {
                        let (schedule, events) =
                            (&mut self.objects.schedule, &mut self.context.events);
                        if const { B::SCHEMA.dirty_bits() == 0 } {
                            // It may have been added, which no field of its own shows.
                            schedule.queue_dirty(*id);
                        }
                        let mut guard = begin_write(*id, parts, schedule, events);
                        edit(position, Ok(&mut guard));
                    }
                    Err(error) => edit(position, Err(error)),
                }
            }
        }
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
