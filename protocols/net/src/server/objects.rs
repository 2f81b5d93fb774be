//! Objects of the server: the world, and the facts that all rooms above need.

pub(super) mod assign;
pub(super) mod callbacks;
pub(super) mod ended_ids;
pub(super) mod following;
pub(super) mod guard;
mod history;
mod ids;
pub(super) mod journaled;
pub(super) mod owner;
pub(super) mod owner_write;
pub(super) mod parent;
pub(super) mod prefab_info;
pub(super) mod private_fields;
mod removal;
mod replicas;
pub(super) mod replicated;
pub(super) mod schedule;
pub(super) mod spawn;
mod steps;
#[cfg(test)]
mod tests;

use syncvar_runtime::schema::PolicyBits;
use syncvar_runtime::unstable::object::{Nanos, Slots};
use syncvar_runtime::unstable::ordered::Ids;
use syncvar_runtime::unstable::world::World;
use syncvar_runtime::{Callbacks, NetId, Prefabs};

use crate::server::ServerConfig;
use crate::server::ledger::field_set::FieldSet;
use crate::server::objects::ended_ids::EndedIds;
use crate::server::objects::following::Following;
use crate::server::objects::journaled::JournalChanges;
use crate::server::objects::prefab_info::PrefabInfo;
use crate::server::objects::private_fields::PrivateChanges;
use crate::server::objects::replicated::{Replicated, State};
use crate::server::objects::schedule::Schedule;

/// The world of the server, below all other rooms.
#[derive(Debug)]
pub(crate) struct Objects {
    pub(crate) world: World<Replicated>,
    /// Facts about each prefab, in the order of registration.
    pub(crate) prefab_infos: Vec<PrefabInfo>,
    /// Highest permit of a removed object: an object that takes a former id begins above the number.
    last_permit: u32,
    /// Objects that the next update visits.
    pub(crate) schedule: Schedule,
    /// Ids that wait for the end of their removed objects.
    pub(crate) ended_ids: EndedIds,
    /// Objects with a possible change for the local client: of the view, or of the owner. `None`
    /// without a local client.
    local_changes: Option<Ids<NetId>>,
    /// Changes for the next record of a journal; `None` without one.
    journal: Option<Box<JournalChanges>>,
    /// Changes of private fields, for a gateway.
    private: Option<Box<PrivateChanges>>,
    /// Records of another server from which the objects come; `None` for a server with objects of its own.
    pub(crate) following: Option<Box<Following>>,
    /// Longest send interval of the behaviours with a history so far.
    pub(crate) longest_interval: Nanos,
}

impl Objects {
    /// Returns a world without objects.
    pub(crate) fn new(prefabs: Prefabs, callbacks: Callbacks) -> Self {
        Self {
            prefab_infos: PrefabInfo::of_all(&prefabs),
            world: World::new(prefabs).with_callbacks(callbacks),
            last_permit: 0,
            schedule: Schedule::default(),
            ended_ids: EndedIds::default(),
            local_changes: None,
            journal: None,
            private: None,
            following: None,
            longest_interval: 0,
        }
    }

    /// Returns the highest permit of a removed object.
    pub(crate) fn last_permit(&self) -> u32 {
        self.last_permit
    }

    /// Continues the permits of an earlier run.
    pub(crate) fn continue_permits(&mut self, last: u32) {
        self.last_permit = last;
    }

    /// Returns the facts about the prefab of a pool.
    #[inline]
    pub(crate) fn prefab_info(&self, pool: u32) -> Option<&PrefabInfo> {
        self.prefab_infos
            .get(self.world.pools.prefab(pool) as usize)
    }

    /// Returns the field policies of an object's prefab.
    pub(crate) fn policy(&self, id: NetId) -> Option<PolicyBits> {
        let replicated = self.world.objects.get(id.0)?;
        Some(self.prefab_info(replicated.at.pool)?.policy)
    }

    /// Returns whether the objects of a pool have restricted fields.
    pub(crate) fn is_restricted(&self, pool: u32) -> bool {
        let info = self.prefab_info(pool);
        info.is_some_and(|info| info.policy.any())
    }

    /// Returns an object that its audience has received. Until its announcement, an id in a write record or a backlog
    /// names a removed object.
    #[inline]
    pub(crate) fn announced(&self, id: NetId) -> Option<&Replicated> {
        let replicated = self.world.objects.get(id.0);
        replicated.filter(|replicated| replicated.is(State::Announced))
    }

    /// Gives the fields of a new object on unreliable channels the present tick.
    pub(crate) fn track_ticks(&mut self, id: NetId, tick: u32, config: &ServerConfig) {
        if config.has_ticks()
            && let Some(slots) = self.world.slots_mut(id)
        {
            slots.track_ticks(tick, |channel| config.is_lossy(channel));
            if let Some(replicated) = self.world.objects.get_mut(id.0) {
                replicated.framed = tick;
            }
        }
    }

    /// Returns whether an object has changes on unreliable channels that wait for the next frame. A snapshot would have the
    /// changes, and the frame would repeat them.
    pub(crate) fn awaits_frame(&self, id: NetId, config: &ServerConfig) -> bool {
        let slots = self.world.slots(id).into_iter().flat_map(<dyn Slots>::iter);
        let mut lossy = slots.filter(|slot| config.is_lossy(slot.info().channel));
        lossy.any(|slot| slot.dirty_bits() != 0)
    }

    /// Returns whether changes of any announced object wait for the next frame.
    pub(crate) fn await_frame(&self, config: &ServerConfig) -> bool {
        let mut objects = self.world.objects.iter();
        objects.any(|(number, replicated)| {
            replicated.is(State::Announced) && self.awaits_frame(NetId(number), config)
        })
    }

    /// Returns the number of the behaviours of an object.
    pub(crate) fn behaviours_of(&self, id: NetId) -> usize {
        self.world.slots(id).map_or(0, Slots::len)
    }

    /// Returns the fields of a set whose last frame was the frame of a tick or an earlier one.
    pub(crate) fn changed_until(&self, set: &FieldSet, tick: u32) -> u64 {
        let slots = self.world.slots(set.net_id);
        let slot = slots.and_then(|slots| slots.slot(set.behaviour.into()));
        let ticks = slot.and_then(|slot| slot.ticks());
        ticks.map_or(0, |ticks| ticks.changed_until(set.fields, tick))
    }

    /// Queues an object whose `on_synchronize` changed a field while a snapshot was written.
    #[inline]
    pub(crate) fn requeue_if_dirty(&mut self, id: NetId, synchronize: bool) {
        if synchronize && self.world.is_dirty(id) {
            self.schedule.queue_dirty(id);
        }
    }

    /// Begins or ends the record of the changes for a local client.
    pub(crate) fn track_local_changes(&mut self, has_local: bool) {
        self.local_changes = has_local.then(Ids::default);
    }

    /// Records a possible change of an object for the local client.
    #[inline]
    pub(crate) fn note_local_change(&mut self, id: NetId) {
        if let Some(changes) = &mut self.local_changes {
            changes.insert(id);
        }
    }

    /// Returns whether the local client has a possible change.
    pub(crate) fn has_local_changes(&self) -> bool {
        self.local_changes.as_ref().is_some_and(|it| !it.is_empty())
    }

    /// Takes the objects with a possible change for the local client, ascending.
    pub(crate) fn take_local_changes(&mut self) -> Ids<NetId> {
        self.local_changes
            .as_mut()
            .map(std::mem::take)
            .unwrap_or_default()
    }
}
