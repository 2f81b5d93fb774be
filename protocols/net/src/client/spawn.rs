//! Snapshots: full states of new and known objects.

mod snapshot;

use super::objects::{Fact, Health, Replica};
use super::{ClientEvent, NetworkClient, SpawnFailure};
use crate::message::{ObjectSpawn, ObjectSpawnScene};
use crate::{Framing, MessageType};
use snapshot::Snapshot;
use syncvar_runtime::events::Events;
use syncvar_runtime::object::{DeferredHooks, Location, Slots, read_sections};
use syncvar_runtime::packet::Entries;
use syncvar_runtime::schema::PolicyBits;
use syncvar_runtime::world::Departure;
use syncvar_runtime::{Callbacks, Channel, NetId, NetworkReader, ReadError};

/// Result of a snapshot that was read.
struct ReadState {
    is_visible: bool,
    is_interpolated: bool,
    /// Hooks of a visible object for the fields that differ.
    hooks: Vec<DeferredHooks>,
}

impl NetworkClient {
    pub(super) fn handle_spawn(
        &mut self,
        spawn: &ObjectSpawn<'_>,
        announced_parent: Option<(NetId, NetId)>,
    ) {
        let prefab = self.objects.world.prefabs.by_asset_id(spawn.asset_id);
        let index = prefab.map(|prefab| prefab.index);
        let snapshot = Snapshot::from_spawn(spawn, index, announced_parent);
        self.take_snapshot(&snapshot, None);
    }

    pub(super) fn handle_scene_spawn(
        &mut self,
        spawn: &ObjectSpawnScene<'_>,
        announced_parent: Option<(NetId, NetId)>,
    ) {
        let snapshot = Snapshot::from_scene_spawn(spawn, announced_parent);
        self.take_snapshot(&snapshot, None);
    }

    /// Takes the snapshots of several objects. An error in one of them does not affect the others.
    pub(super) fn handle_spawns(&mut self, payload: &[u8]) -> Result<(), ReadError> {
        let mut result = Ok(());
        let session = self.session.number;
        for entry in Entries::new(payload) {
            // A callback may have ended the connection, or begun another one.
            if !self.session.is_current(session) {
                break;
            }
            let (object, bytes) = entry?;
            self.context.stats.count_entry(MessageType::SpawnBatch);
            result = result.and(self.take_spawn(object, bytes, None));
        }
        result
    }

    /// Takes an entry of a batch. With an error, it spawns the object poisoned and skips its state.
    pub(super) fn take_spawn(
        &mut self,
        object: NetId,
        bytes: &[u8],
        refused: Option<&ReadError>,
    ) -> Result<(), ReadError> {
        let ranks = &self.inbound.prefab_ranks;
        match Snapshot::decode(object, bytes, ranks, &self.objects.world.prefabs) {
            Ok(snapshot) => self.take_snapshot(&snapshot, refused),
            Err(error) => match self.objects.world.objects.get_mut(object.0) {
                Some(replica) => {
                    replica.set(Fact::Refreshed, true);
                    self.poison(object, error);
                }
                None => return Err(error),
            },
        }
        Ok(())
    }

    fn take_snapshot(&mut self, snapshot: &Snapshot<'_>, refused: Option<&ReadError>) {
        let former = self.objects.world.objects.get(snapshot.object.0);
        let exists = former.is_some();
        let read = if former.is_some_and(|replica| self.is_known(replica, snapshot)) {
            self.take_known(snapshot, refused)
        } else {
            self.take_new(snapshot, exists, refused)
        };
        if let Err(error) = read {
            self.inbound.targets.clear();
            self.early.drop_deltas(snapshot.object);
            self.poison(snapshot.object, error);
        }
    }

    /// Makes the object of a snapshot and reads its state. In a burst, its end announces the object.
    fn take_new(
        &mut self,
        snapshot: &Snapshot<'_>,
        exists: bool,
        refused: Option<&ReadError>,
    ) -> Result<(), ReadError> {
        let object = snapshot.object;
        let Some(at) = self.replace_object(snapshot, exists) else {
            return Ok(());
        };
        self.objects.world.set_place(object, snapshot.place);
        // No callback runs, because the object is invisible.
        self.set_parent(object, snapshot.relation.parent);
        self.early.forget_gone(object);
        refused.map_or(Ok(()), |error| Err(error.clone()))?;
        self.read_first(snapshot, at)?;
        self.replace_references(object);
        if !self.session.joining {
            self.announce(object);
            self.resolve(object);
            self.release(object);
        }
        Ok(())
    }

    /// Takes the snapshot of an object that exists.
    fn take_known(
        &mut self,
        snapshot: &Snapshot<'_>,
        refused: Option<&ReadError>,
    ) -> Result<(), ReadError> {
        let object = snapshot.object;
        self.objects.world.set_place(object, snapshot.place);
        if let Some(replica) = self.objects.world.objects.get_mut(object.0) {
            replica.set(Fact::Refreshed, true);
        }
        let is_moved = self.set_parent(object, snapshot.relation.parent);
        self.early.forget_gone(object);
        self.early.drop_deltas(object);
        // The parent's callbacks may have removed the object.
        if is_moved && !self.objects.world.contains(object) {
            return Ok(());
        }
        refused.map_or(Ok(()), |error| Err(error.clone()))?;
        if let Some(state) = self.read_again(snapshot)? {
            self.complete_spawn(object, state);
        }
        Ok(())
    }

    /// Returns whether the snapshot belongs to the object with its id: same scene id and prefab.
    fn is_known(&self, replica: &Replica, snapshot: &Snapshot<'_>) -> bool {
        let scene_id = snapshot.relation.scene_id;
        // `Unet` sends no prefab for a scene object.
        let has_no_prefab = scene_id.is_some() && snapshot.framing == Framing::Unet;
        let prefab = self.objects.world.pools.prefab(replica.at.pool);
        self.objects.world.relations.scene_id(snapshot.object) == scene_id
            && (has_no_prefab || Some(prefab) == snapshot.prefab)
    }

    /// Removes other objects with the snapshot's id or scene id, and makes a new one. Returns its place; `None` if
    /// it cannot be made.
    fn replace_object(&mut self, snapshot: &Snapshot<'_>, exists: bool) -> Option<Location> {
        let (object, session) = (snapshot.object, self.session.number);
        if exists {
            self.forget(object, Departure::Destroyed);
        }
        if let Some(scene_id) = snapshot.relation.scene_id {
            self.evict_previous(scene_id);
        }
        // A callback may have ended the connection, or begun another one.
        if !self.session.is_current(session) {
            return None;
        }
        let reason = match self.make(snapshot) {
            Ok(at) => return Some(at),
            Err(reason) => reason,
        };
        self.context.events.push(ClientEvent::SpawnFailed {
            object,
            asset_id: snapshot.asset_id,
            reason,
        });
        self.early.remember_gone(object);
        self.drop_early(object, 0);
        None
    }

    fn make(&mut self, snapshot: &Snapshot<'_>) -> Result<Location, SpawnFailure> {
        if self.objects.world.objects.len() >= self.context.config.max_objects {
            return Err(SpawnFailure::TooManyObjects);
        }
        let object = snapshot.object;
        let at = match snapshot.relation.scene_id {
            Some(scene_id) => {
                let (prefab, behaviours) = self.activate(object, scene_id, snapshot.prefab)?;
                self.objects.world.pools.insert(object, prefab, behaviours)
            }
            None => {
                let prefab = snapshot
                    .prefab
                    .and_then(|i| self.objects.world.prefabs.get(i));
                let prefab = prefab.ok_or(SpawnFailure::UnknownPrefab)?;
                let memory = prefab.facts.memory.saturating_add(size_of::<Replica>());
                let left = self.inbound.budget.memory.checked_sub(memory);
                let total = self.objects.world.pools.memory().saturating_add(memory);
                let left = left.filter(|_| total <= self.context.config.max_object_memory);
                let Some(left) = left else {
                    self.context.stats.refused.memory += 1;
                    return Err(SpawnFailure::TooMuchMemory);
                };
                self.inbound.budget.memory = left;
                prefab.insert_into(&mut self.objects.world.pools, object)
            }
        };
        let mut replica = Replica::new(at);
        if let Some(tick) = self.inbound.packet.tick {
            replica.spawned = tick;
            self.track_ticks(at, tick);
        }
        self.objects.world.objects.insert(object.0, replica);
        Ok(at)
    }

    /// Gives the fields on unreliable channels the tick of their spawn.
    fn track_ticks(&mut self, at: Location, tick: u32) {
        let kinds = &self.context.config.channels;
        let is_unreliable =
            |channel: u8| kinds.get(usize::from(channel)) == Some(&Channel::Unreliable);
        let prefab = self
            .objects
            .world
            .prefabs
            .get(self.objects.world.pools.prefab(at.pool));
        if prefab.is_some_and(|prefab| prefab.facts.channels.iter().copied().any(is_unreliable))
            && let Some(slots) = self.objects.world.pools.slots_mut(at)
        {
            slots.track_ticks(tick, is_unreliable);
        }
    }

    /// Reads the first state of an object, with its `on_synchronize` data.
    fn read_first(&mut self, snapshot: &Snapshot<'_>, at: Location) -> Result<(), ReadError> {
        let object = snapshot.object;
        self.writes.leases.remove(object);
        let mut reader = NetworkReader::with_encoding(snapshot.state, snapshot.framing.encoding())
            .with_budget(self.inbound.budget)
            .with_references(&mut self.inbound.targets);
        let prefab = self
            .objects
            .world
            .prefabs
            .get(self.objects.world.pools.prefab(at.pool));
        let Some(slots) = self.objects.world.pools.slots_mut(at) else {
            return Ok(());
        };
        let mut read = slots.read_full(&mut reader);
        if read.is_ok() && prefab.is_some_and(|prefab| prefab.callbacks.synchronize) {
            read = read_data(object, slots, &mut reader, &mut self.context.events);
        }
        self.inbound.budget = reader.budget();
        read?;
        reader.finish()?;
        if prefab.is_some_and(|prefab| prefab.facts.interpolated) {
            self.record_snapshot(object);
        }
        Ok(())
    }

    /// Reads the state of an object that exists, with its `on_synchronize` data; `None` if the object is gone. It
    /// loses the private fields that its snapshot is not for.
    fn read_again(&mut self, snapshot: &Snapshot<'_>) -> Result<Option<ReadState>, ReadError> {
        let object = snapshot.object;
        let mut reader = NetworkReader::with_encoding(snapshot.state, snapshot.framing.encoding())
            .with_budget(self.inbound.budget)
            .with_references(&mut self.inbound.targets);
        let Some(replica) = self.objects.world.objects.get_mut(object.0) else {
            return Ok(None);
        };
        let prefab = self
            .objects
            .world
            .prefabs
            .get(self.objects.world.pools.prefab(replica.at.pool));
        let synchronize = prefab.is_some_and(|prefab| prefab.callbacks.synchronize);
        let is_owned = replica.is(if self.session.joining {
            Fact::OwnedBeforeBurst
        } else {
            Fact::Owned
        });
        let mut state = ReadState {
            is_visible: replica.is_visible(),
            is_interpolated: prefab.is_some_and(|prefab| prefab.facts.interpolated),
            hooks: Vec::new(),
        };
        if let Some(slots) = self.objects.world.pools.slots_mut(replica.at) {
            // `Unet` without the handshake has no owner writes.
            let replaces_all = self.session.joining || !self.context.config.compare_schemas;
            let has_hooks = self.objects.world.callbacks == Callbacks::Run && state.is_visible;
            let before = has_hooks.then(|| slots.remember_for_hooks());
            let tick = self.inbound.packet.tick;
            let ticks = tick.map(|tick| (tick, &mut self.inbound.kept));
            self.writes.leases.remove(object);
            let (read, kept) = replica.read_full(slots, &mut reader, replaces_all, ticks);
            if kept {
                self.writes.changed.insert(object);
            }
            let read = match read {
                Ok(()) if synchronize => {
                    read_data(object, slots, &mut reader, &mut self.context.events)
                }
                read => read,
            };
            self.inbound.budget = reader.budget();
            read?;
            let role = reader.take_report().role;
            if let (Some(prefab), Some(role)) = (prefab, role) {
                // It may have left the group since, or written to them without permission. The report of a lost
                // ownership resets the fields of the owner itself.
                let private = |policy: &PolicyBits| {
                    let of_owner = if is_owned { 0 } else { policy.owner_only };
                    (of_owner | policy.group) & !policy.readable(role)
                };
                slots.reset_fields(object, private, || prefab.make());
                slots.set_ticks(tick.unwrap_or_default(), private);
            }
            if let Some(before) = before {
                state.hooks = slots.hooks_since(object, before);
            }
        }
        reader.finish()?;
        replica.health = Health::Intact;
        Ok(Some(state))
    }

    /// Announces or restores an object after a successful read. In a burst, its end announces.
    fn complete_spawn(&mut self, object: NetId, state: ReadState) {
        if state.is_interpolated {
            self.record_snapshot(object);
        }
        self.replace_references(object);
        if state.is_visible {
            self.run_received_hooks(object, state.hooks);
            if !self.objects.world.contains(object) {
                return;
            }
            tracing::debug!(%object, "restored an object");
            self.receive_all(object);
            self.context.events.push(ClientEvent::Restored { object });
        } else if !self.session.joining {
            self.announce(object);
        }
        if !self.session.joining {
            self.resolve(object);
            self.release(object);
        }
    }
}

/// Reads the `on_synchronize` data of an object's behaviours.
fn read_data(
    object: NetId,
    slots: &mut dyn Slots,
    reader: &mut NetworkReader<'_>,
    events: &mut Events<ClientEvent>,
) -> Result<(), ReadError> {
    read_sections(object, slots, reader, |failure| {
        let (behaviour, error) = (failure.behaviour, &failure.error);
        let (read, expected) = (failure.read, failure.expected);
        tracing::warn!(%object, behaviour, read, expected, %error, "unreadable on_synchronize data");
        events.push(ClientEvent::SynchronizeFailed(Box::new(failure)));
    })
}
