//! Snapshots: full states of new and known objects.

use super::owner_state::StateSource;
use super::{Inbound, Reading, ReceivedSnapshot};
use crate::client::objects::{Health, Objects, Replica};
use crate::client::writes::WritesApart;
use crate::client::{ClientConfig, ClientEvent, SpawnFailure};
use syncvar_runtime::events::Events;
use syncvar_runtime::schema::{PolicyBits, Role};
use syncvar_runtime::unstable::object::{DeferredHooks, Location, Slots, read_sections};
use syncvar_runtime::unstable::prefab::Prefab;
use syncvar_runtime::unstable::translate::resolve::PrefabPlan;
use syncvar_runtime::{Channel, NetId, NetworkReader, ReadError};

impl Inbound {
    /// Makes the object of a snapshot and reads its state. With `refused`, the object is made poisoned and its state
    /// is not read. Returns whether the state was read.
    #[inline]
    pub(crate) fn read_new(
        &mut self,
        snapshot: &ReceivedSnapshot<'_>,
        refused: Option<&ReadError>,
        lent: &mut Reading<'_>,
    ) -> bool {
        let object = snapshot.object;
        let at = match self.make(snapshot, lent) {
            Ok(at) => at,
            Err(reason) => {
                lent.context.events.push(ClientEvent::SpawnFailed {
                    object,
                    asset_id: snapshot.asset_id,
                    reason,
                });
                self.early.remember_gone(object);
                self.early.drop_of(object, lent.context);
                return false;
            }
        };
        let world = &mut lent.objects.world;
        if let Some(place) = snapshot.place {
            world.set_place(object, place);
        }
        world.relations.set_parent(object, snapshot.relation.parent);
        self.early.forget_gone(object);
        let read = match refused {
            Some(error) => Err(error.clone()),
            None => self.read_first(snapshot, at, lent),
        };
        if let Err(error) = read {
            self.poison(object, error, lent);
            return false;
        }
        self.replace_references(object, lent);
        true
    }

    /// Reads the snapshot of an object that exists. Returns the hooks of a visible object for the fields that
    /// differ; `None` if the object is gone or poisoned.
    pub(crate) fn read_known(
        &mut self,
        snapshot: &ReceivedSnapshot<'_>,
        refused: Option<&ReadError>,
        lent: &mut Reading<'_>,
    ) -> Option<Vec<DeferredHooks>> {
        let object = snapshot.object;
        let read = match refused {
            Some(error) => Err(error.clone()),
            None => self.read_again(snapshot, lent),
        };
        let hooks = match read {
            Ok(hooks) => hooks?,
            Err(error) => {
                self.poison(object, error, lent);
                return None;
            }
        };
        let prefab = lent.objects.world.prefab(object);
        if prefab.is_some_and(|prefab| prefab.facts.interpolated) {
            lent.record_snapshot(object, self.packet.tick);
        }
        self.replace_references(object, lent);
        Some(hooks)
    }

    /// Poisons the object of an unreadable snapshot.
    #[cold]
    fn poison(&mut self, object: NetId, error: ReadError, lent: &mut Reading<'_>) {
        self.memory.targets.clear();
        self.early.queues.drop_deltas(object);
        lent.poison(object, error);
    }

    /// Records the references of a snapshot. They replace the earlier references of the object.
    #[inline]
    fn replace_references(&mut self, object: NetId, lent: &mut Reading<'_>) {
        let limit = lent.context.config.max_pending_references;
        let joining = lent.session.is_joining();
        lent.objects
            .replace_references(object, &mut self.memory.targets, joining, limit);
    }

    /// Makes the object of a snapshot. Returns its place.
    #[inline]
    fn make(
        &mut self,
        snapshot: &ReceivedSnapshot<'_>,
        lent: &mut Reading<'_>,
    ) -> Result<Location, SpawnFailure> {
        let (objects, config) = (&mut *lent.objects, &lent.context.config);
        if objects.world.objects.len() >= config.max_objects {
            return Err(SpawnFailure::TooManyObjects);
        }
        let object = snapshot.object;
        let at = match snapshot.relation.scene_id {
            Some(scene_id) => {
                let max_objects = config.max_objects;
                let (prefab, behaviours) =
                    objects.activate(object, scene_id, snapshot.prefab, max_objects)?;
                objects.world.pools.insert(object, prefab, behaviours)
            }
            None => {
                let world = &mut objects.world;
                let prefab = snapshot.prefab.and_then(|i| world.prefabs.get(i));
                let prefab = prefab.ok_or(SpawnFailure::UnknownPrefab)?;
                let memory = prefab.facts.memory.saturating_add(size_of::<Replica>());
                let rest = self.budget.memory.checked_sub(memory);
                let total = world.pools.memory().saturating_add(memory);
                let rest = rest.filter(|_| total <= config.max_object_memory);
                let Some(rest) = rest else {
                    lent.context.stats.refused.memory += 1;
                    return Err(SpawnFailure::TooMuchMemory);
                };
                self.budget.memory = rest;
                prefab.insert_into(&mut world.pools, object)
            }
        };
        let plan = lent.session.plan_of(at.pool, &lent.objects.world.pools);
        // A scene object may have been an object of a different server.
        if plan.is_some() || snapshot.relation.scene_id.is_some() {
            let slots = lent.objects.world.pools.slots_mut(at);
            if let Some(slots) = slots {
                slots.set_rules(plan);
            }
        }
        let mut replica = Replica::new(at);
        if let Some(tick) = self.packet.tick {
            replica.spawned = tick;
            track_ticks(at, tick, plan, lent.objects, &lent.context.config);
        }
        lent.objects.world.objects.insert(object.0, replica);
        Ok(at)
    }

    /// Reads the first state of an object, with its `on_synchronize` data.
    #[inline]
    fn read_first(
        &mut self,
        snapshot: &ReceivedSnapshot<'_>,
        at: Location,
        lent: &mut Reading<'_>,
    ) -> Result<(), ReadError> {
        let object = snapshot.object;
        lent.writes.permits.remove(object);
        let plan = lent.session.plan_of(at.pool, &lent.objects.world.pools);
        let mut reader = NetworkReader::with_encoding(snapshot.state, snapshot.framing.encoding())
            .with_budget(self.budget)
            .with_references(&mut self.memory.targets);
        let world = &mut lent.objects.world;
        let prefab = world.prefabs.get(world.pools.prefab(at.pool));
        let Some(slots) = world.pools.slots_mut(at) else {
            return Ok(());
        };
        let (kept, memory) = (&mut self.memory.kept, &mut self.memory.translation);
        let mut read = slots.read_state(plan, &mut reader, None, kept, memory);
        if read.is_ok() && has_data(prefab, plan) {
            read = read_data(object, slots, plan, &mut reader, &mut lent.context.events);
        }
        self.budget = reader.budget();
        read?;
        reader.finish()?;
        if prefab.is_some_and(|prefab| prefab.facts.interpolated) {
            lent.record_snapshot(object, self.packet.tick);
        }
        lent.report_unfit(object, &mut self.memory.translation.unfit);
        Ok(())
    }

    /// Reads the state of an object that exists, with its `on_synchronize` data. The object
    /// loses the private fields that its snapshot is not for. Returns the hooks of a visible object; `None` if the
    /// object is gone.
    fn read_again(
        &mut self,
        snapshot: &ReceivedSnapshot<'_>,
        lent: &mut Reading<'_>,
    ) -> Result<Option<Vec<DeferredHooks>>, ReadError> {
        let (object, joining) = (snapshot.object, lent.session.is_joining());
        let mut reader = NetworkReader::with_encoding(snapshot.state, snapshot.framing.encoding())
            .with_budget(self.budget)
            .with_references(&mut self.memory.targets);
        let world = &mut lent.objects.world;
        let Some(replica) = world.objects.get_mut(object.0) else {
            return Ok(None);
        };
        let index = world.pools.prefab(replica.at.pool);
        let (prefab, plan) = (world.prefabs.get(index), lent.session.plan(index));
        let is_owned = replica.was_owned(joining);
        let mut hooks = Vec::new();
        if let Some(slots) = world.pools.slots_mut(replica.at) {
            // `Unet` without the handshake has no owner writes.
            let replaces_all = joining || !lent.context.config.compare_schemas;
            let has_hooks = lent.session.runs_hooks(world.callbacks) && replica.is_visible();
            let before = has_hooks.then(|| slots.remember_for_hooks());
            let tick = self.packet.tick;
            let apart = lent.writes.apart.remove(object);
            if let (Some(apart), Some(prefab)) = (&apart, prefab) {
                reset_refused(object, slots, apart, prefab);
            }
            let mut source = StateSource {
                plan,
                tick,
                apart: apart.as_ref(),
                kept: &mut self.memory.kept,
                memory: &mut self.memory.translation,
            };
            lent.writes.permits.remove(object);
            let (read, kept) = replica.read_full(slots, &mut reader, replaces_all, &mut source);
            if kept {
                lent.writes.changed.insert(object);
            }
            let read = match read {
                Ok(()) if has_data(prefab, plan) => {
                    read_data(object, slots, plan, &mut reader, &mut lent.context.events)
                }
                read => read,
            };
            self.budget = reader.budget();
            read?;
            let role = reader.take_report().role;
            if let (Some(prefab), Some(role)) = (prefab, role) {
                reset_private(object, slots, prefab, is_owned, role, tick);
            }
            if let Some(before) = before {
                hooks = slots.hooks_since(object, before);
            }
        }
        reader.finish()?;
        replica.health = Health::Intact;
        lent.report_unfit(object, &mut self.memory.translation.unfit);
        Ok(Some(hooks))
    }
}

/// Gives refused fields the values of the prefab, for the snapshot may have no values for this client.
#[cold]
fn reset_refused(object: NetId, slots: &mut dyn Slots, apart: &WritesApart, prefab: &Prefab) {
    slots.reset_fields(
        object,
        |index, slot| apart.refused.of(index) & !slot.dirty_bits(),
        || prefab.make(),
    );
}

/// Gives the fields on unreliable channels the tick of their spawn.
#[inline]
fn track_ticks(
    at: Location,
    tick: u32,
    plan: Option<&PrefabPlan>,
    objects: &mut Objects,
    config: &ClientConfig,
) {
    let kinds = &config.channels;
    let is_unreliable = |channel: u8| kinds.get(usize::from(channel)) == Some(&Channel::Unreliable);
    let world = &mut objects.world;
    let has_unreliable = match plan {
        Some(plan) => plan.behaviours.iter().any(|it| is_unreliable(it.channel)),
        None => {
            let prefab = world.prefabs.get(world.pools.prefab(at.pool));
            prefab.is_some_and(|prefab| prefab.facts.channels.iter().copied().any(is_unreliable))
        }
    };
    if has_unreliable && let Some(slots) = world.pools.slots_mut(at) {
        slots.track_ticks(tick, is_unreliable);
    }
}

/// Sets the private fields that a snapshot for a role is not for to the values of the prefab.
fn reset_private(
    object: NetId,
    slots: &mut dyn Slots,
    prefab: &Prefab,
    is_owned: bool,
    role: Role,
    tick: Option<u32>,
) {
    // The client may have left the group since, or written to them without permission. The report of a lost
    // ownership resets the fields of the owner itself.
    let private = |policy: &PolicyBits| {
        let of_owner = if is_owned { 0 } else { policy.owner_only };
        (of_owner | policy.group) & !policy.readable(role)
    };
    slots.reset_fields(object, |_, slot| private(slot.policy()), || prefab.make());
    slots.set_ticks(tick.unwrap_or_default(), private);
}

/// Returns whether data follows the snapshots of an object.
fn has_data(prefab: Option<&Prefab>, plan: Option<&PrefabPlan>) -> bool {
    match plan {
        Some(plan) => plan.behaviours.iter().any(|it| it.has_data),
        None => prefab.is_some_and(|prefab| prefab.callbacks.synchronize),
    }
}

/// Reads the `on_synchronize` data of an object's behaviours.
fn read_data(
    object: NetId,
    slots: &mut dyn Slots,
    plan: Option<&PrefabPlan>,
    reader: &mut NetworkReader<'_>,
    events: &mut Events<ClientEvent>,
) -> Result<(), ReadError> {
    read_sections(object, slots, plan, reader, |failure| {
        let (behaviour, error) = (failure.behaviour, &failure.error);
        let (read, expected) = (failure.read, failure.expected);
        tracing::warn!(%object, behaviour, read, expected, %error, "unreadable on_synchronize data");
        events.push(ClientEvent::SynchronizeFailed(Box::new(failure)));
    })
}
