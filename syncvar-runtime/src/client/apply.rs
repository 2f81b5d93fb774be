//! Spawns and updates: read everything first, then tell.

use std::sync::Mutex;

use super::owner::{RestoreOwn, SaveOwn};
use super::parent::some;
use super::references::{list, waits};
use super::{ChangedFields, ClientEvent, HookFailure, NetworkClient, Replica, SpawnFailure};
use crate::context::Panicked;
use crate::events::Events;
use crate::identity::{Entry, Place, ReadChanges, Relation, Slot, Slots, Visit};
use crate::message::{ObjectSpawn, ObjectSpawnScene};
use crate::segments::Entries;
use crate::server::{PARENT, SCENE_ID};
use crate::synchronize::read_sections;
use crate::table::Table;
use crate::{
    BehaviourSchema, Dialect, MessageType, NetId, NetworkHash128, NetworkReader, NetworkSceneId,
    ReadError, ReadErrorKind,
};

/// So many objects are found before the first of them is read.
const BATCH: usize = 128;

/// What becomes of changes that have been received.
#[derive(Debug)]
pub(crate) struct Reception<'a> {
    dialect: Dialect,
    channel: u8,
    max_elements: usize,
    /// The dirty masks of the object under way, a behaviour each.
    masks: &'a mut Vec<u64>,
    events: &'a mut Events<ClientEvent>,
    /// Objects that could not be read.
    failed: &'a mut Vec<(NetId, ReadError)>,
    /// What the references of the object under way refer to.
    targets: &'a mut Mutex<Vec<NetId>>,
    /// References to objects that are not there yet, and the objects that hold them.
    unresolved: &'a mut Vec<(NetId, NetId)>,
    objects: &'a Table<Replica>,
    joining: bool,
}

impl Reception<'_> {
    /// Has an object read its changes: all fields first, then the hooks, then the events.
    #[inline]
    pub(crate) fn read<S: Slots>(&mut self, entry: &Entry<'_>, slots: &mut S) {
        self.masks.clear();
        let mut reader = NetworkReader::with_dialect(entry.changes, self.dialect)
            .with_max_elements(self.max_elements)
            .with_references(self.targets);
        if entry.own {
            slots.visit(&mut SaveOwn);
        }
        let mut read = ReadChanges {
            channel: self.channel,
            reader: &mut reader,
            masks: self.masks,
            result: Ok(()),
        };
        slots.visit(&mut read);
        let result = read.result.and_then(|()| reader.finish());
        if !list(self.targets).is_empty() {
            self.note_references(entry.net_id, result.is_ok());
        }
        if entry.own {
            slots.visit(&mut RestoreOwn);
        }
        // If the application does not know the object yet, it will meet it with this state.
        slots.visit(&mut Tell {
            object: entry.net_id,
            hooks: result.is_ok() && entry.announced,
            masks: self.masks,
            events: self.events,
        });
        if let Err(error) = result {
            self.failed.push((entry.net_id, error));
        }
    }

    /// Lists those references that have been read whose targets are not there yet.
    #[inline(never)]
    fn note_references(&mut self, holder: NetId, is_read: bool) {
        for target in list(self.targets).drain(..) {
            if is_read && waits(self.objects, self.joining, (holder, target)) {
                self.unresolved.push((holder, target));
            }
        }
    }
}

/// Calls the hooks for what was read and makes the events, or forgets about it.
struct Tell<'a> {
    object: NetId,
    hooks: bool,
    masks: &'a [u64],
    events: &'a mut Events<ClientEvent>,
}

impl Visit for Tell<'_> {
    #[inline]
    fn slot<S: Slot + ?Sized>(&mut self, index: u32, slot: &mut S) {
        if !self.hooks {
            slot.skip_hooks();
            return;
        }
        let called = slot.call_hooks();
        let behaviour = index as usize;
        let dirty_bits = self.masks.get(behaviour).copied().unwrap_or_default();
        if let Err(Panicked(message)) = called {
            self.report(&slot.info().schema, dirty_bits, message);
        }
        if dirty_bits != 0 {
            self.events.push(ClientEvent::Changed {
                object: self.object,
                behaviour,
                fields: ChangedFields::new(&slot.info().schema, dirty_bits),
            });
        }
    }
}

impl Tell<'_> {
    #[cold]
    fn report(&mut self, schema: &'static BehaviourSchema, dirty_bits: u64, message: String) {
        let fields = ChangedFields::new(schema, dirty_bits);
        let failure = HookFailure::new(self.object, fields, message);
        self.events.push(ClientEvent::HookFailed(Box::new(failure)));
    }
}

/// The full state of an object that has been received.
struct Arrival<'a> {
    object: NetId,
    /// The position of its prefab in the registry, if it is known.
    prefab: Option<u32>,
    asset_id: NetworkHash128,
    place: Place,
    relation: Relation,
    dialect: Dialect,
    state: &'a [u8],
}

impl NetworkClient {
    pub(super) fn handle_spawn(
        &mut self,
        spawn: &ObjectSpawn<'_>,
        said_parent: Option<(NetId, NetId)>,
    ) {
        let prefab = self.prefabs.by_asset_id(spawn.asset_id);
        let arrival = Arrival {
            object: spawn.net_id,
            prefab: prefab.map(|prefab| prefab.index),
            asset_id: spawn.asset_id,
            place: Place {
                position: spawn.position,
                rotation: spawn.rotation,
            },
            relation: Relation {
                scene_id: None,
                parent: parent_of(spawn.net_id, said_parent),
            },
            dialect: Dialect::Unet,
            state: spawn.state,
        };
        self.arrive(&arrival, None);
    }

    pub(super) fn handle_scene_spawn(
        &mut self,
        spawn: &ObjectSpawnScene<'_>,
        said_parent: Option<(NetId, NetId)>,
    ) {
        let arrival = Arrival {
            object: spawn.net_id,
            prefab: None,
            asset_id: NetworkHash128::default(),
            place: Place {
                position: spawn.position,
                ..Place::default()
            },
            relation: Relation {
                scene_id: Some(spawn.scene_id),
                parent: parent_of(spawn.net_id, said_parent),
            },
            dialect: Dialect::Unet,
            state: spawn.state,
        };
        self.arrive(&arrival, None);
    }

    /// Takes the full states of several objects; what one of them says does not hurt the others.
    pub(super) fn handle_spawns(&mut self, payload: &[u8]) -> Result<(), ReadError> {
        let mut result = Ok(());
        let session = self.session;
        for entry in Entries::new(payload) {
            // A callback may have ended the connection, or begun another one.
            if !self.is_in(session) {
                break;
            }
            let (object, said) = entry?;
            self.stats.count_entry(MessageType::SpawnBatch);
            result = result.and(self.take_spawn(object, said, None));
        }
        result
    }

    /// Takes the full state of an object, or, with an error, only that there is such an object.
    pub(super) fn take_spawn(
        &mut self,
        object: NetId,
        said: &[u8],
        refused: Option<&ReadError>,
    ) -> Result<(), ReadError> {
        match self.read_arrival(object, said) {
            Ok(arrival) => self.arrive(&arrival, refused),
            Err(error) => match self.objects.get_mut(object.0) {
                Some(replica) => {
                    replica.fresh = true;
                    self.poison(object, error);
                }
                None => return Err(error),
            },
        }
        Ok(())
    }

    fn read_arrival<'a>(&self, object: NetId, said: &'a [u8]) -> Result<Arrival<'a>, ReadError> {
        let mut reader = NetworkReader::with_dialect(said, Dialect::Compact);
        let kind = reader.read_varint()?;
        let rank = usize::try_from(kind >> 3).ok();
        let index = rank.and_then(|rank| self.by_rank.get(rank));
        let prefab = index.and_then(|index| self.prefabs.get(*index));
        let Some(prefab) = prefab else {
            let (what, value) = ("number of a prefab", kind >> 3);
            return Err(reader.error(ReadErrorKind::InvalidValue { what, value }));
        };
        let mut relation = Relation::default();
        if kind & 4 != 0 {
            relation = read_extras(&mut reader)?;
        }
        let mut place = Place::default();
        if kind & 1 != 0 {
            place.position = reader.read()?;
        }
        if kind & 2 != 0 {
            place.rotation = reader.read()?;
        }
        Ok(Arrival {
            object,
            prefab: Some(prefab.index),
            asset_id: prefab.asset_id,
            place,
            relation,
            dialect: Dialect::Compact,
            state: reader.read_bytes(reader.remaining())?,
        })
    }

    fn arrive(&mut self, arrival: &Arrival<'_>, refused: Option<&ReadError>) {
        let object = arrival.object;
        let former = self.objects.get(object.0).map(|replica| replica.at.pool);
        let same = former.map(|pool| self.is_same(pool, arrival));
        if same == Some(false) {
            self.forget(object, false);
        }
        if same != Some(true)
            && let Err(reason) = self.make(arrival)
        {
            self.events.push(ClientEvent::SpawnFailed {
                object,
                asset_id: arrival.asset_id,
                reason,
            });
            self.late.remember_gone(object);
            self.drop_held(object, 0);
            return;
        }
        if arrival.place != Place::default() {
            self.places.insert(object, arrival.place);
        } else if same == Some(true) {
            self.places.remove(&object);
        }
        let Some(replica) = self.objects.get_mut(object.0) else {
            return;
        };
        replica.fresh = true;
        self.take_parent(object, arrival.relation.parent);
        self.late.remember_come(object);
        if same == Some(true) {
            self.late.drop_changes(object);
        }
        let Some(replica) = self.objects.get_mut(object.0) else {
            return;
        };
        let mut reader = NetworkReader::with_dialect(arrival.state, arrival.dialect)
            .with_max_elements(self.config.max_elements)
            .with_references(&self.targets);
        // UNet does not say what prefab a scene object is of.
        let prefab = self.prefabs.get(self.pools.prefab(replica.at.pool));
        let synchronize = prefab.is_some_and(|prefab| prefab.synchronize);
        let read = match (refused, self.pools.slots_mut(replica.at)) {
            (Some(error), _) => Err(error.clone()),
            (None, Some(slots)) => {
                // In the bytes of UNet alone no client writes.
                let all = self.joining || !self.config.compare_schemas;
                let (read, kept) = Self::read_full(replica, slots, &mut reader, all);
                if kept {
                    self.desk.writing.insert(object);
                }
                read.and_then(|()| {
                    if synchronize {
                        read_data(object, slots, &mut reader, &mut self.events)?;
                    }
                    Ok(())
                })
            }
            (None, None) => Ok(()),
        };
        let read = read.and_then(|()| reader.finish());
        match read {
            Ok(()) => {
                replica.poisoned = false;
                replica.asked = false;
                let announced = replica.announced;
                self.note_full_references(object);
                if announced {
                    self.events.push(ClientEvent::Restored { object });
                } else if !self.joining {
                    self.announce(object);
                }
                if !self.joining {
                    self.resolve(object);
                    self.release(object);
                }
            }
            Err(error) => {
                list(&mut self.targets).clear();
                self.late.drop_changes(object);
                self.poison(object, error);
            }
        }
    }

    /// Whether what has been received is about the object that is there under its id, whose behaviours
    /// are in this pool.
    fn is_same(&self, pool: u32, arrival: &Arrival<'_>) -> bool {
        let scene_id = arrival.relation.scene_id;
        // UNet does not say what prefab a scene object is of.
        let is_unsaid = scene_id.is_some() && arrival.dialect == Dialect::Unet;
        self.relations.scene_id(arrival.object) == scene_id
            && (is_unsaid || Some(self.pools.prefab(pool)) == arrival.prefab)
    }

    fn make(&mut self, arrival: &Arrival<'_>) -> Result<(), SpawnFailure> {
        if self.objects.len() >= self.config.max_objects {
            return Err(SpawnFailure::TooManyObjects);
        }
        let (prefab, behaviours) = match arrival.relation.scene_id {
            Some(scene_id) => self.wake(arrival.object, scene_id, arrival.prefab)?,
            None => {
                let prefab = arrival.prefab.and_then(|index| self.prefabs.get(index));
                let prefab = prefab.ok_or(SpawnFailure::UnknownPrefab)?;
                (prefab.index, prefab.make())
            }
        };
        let replica = Replica {
            at: self.pools.insert(prefab, behaviours),
            owned: false,
            owned_before: false,
            announced: false,
            told: false,
            poisoned: false,
            asked: false,
            fresh: true,
            lease: 0,
            lent: false,
            yields: false,
        };
        self.objects.insert(arrival.object.0, replica);
        Ok(())
    }

    /// Applies an `UpdateVars` message.
    pub(super) fn handle_update(&mut self, channel: u8, payload: &[u8]) -> Result<(), ReadError> {
        let mut reader = NetworkReader::new(payload);
        let object = NetId(reader.read_packed_u32()?);
        let changes = reader.read_bytes(reader.remaining())?;
        self.apply_changes(Dialect::Unet, channel, object, changes);
        Ok(())
    }

    /// Applies the changes of one object, now or when it is there.
    #[inline]
    pub(super) fn apply_changes(
        &mut self,
        dialect: Dialect,
        channel: u8,
        object: NetId,
        changes: &[u8],
    ) {
        match self.find(object, changes) {
            Some((pool, entry)) => self.read_entries(dialect, channel, pool, &[entry]),
            None => self.pass_over(dialect, channel, object, changes),
        }
    }

    /// Applies an `UpdateBatch` message.
    pub(super) fn handle_updates(&mut self, channel: u8, payload: &[u8]) -> Result<(), ReadError> {
        let mut run = [Entry::default(); BATCH];
        let (mut pool, mut length) = (0, 0);
        let mut result = Ok(());
        for entry in Entries::new(payload) {
            let (object, changes) = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    result = Err(error);
                    break;
                }
            };
            self.stats.count_entry(MessageType::UpdateBatch);
            let Some((next, entry)) = self.find(object, changes) else {
                self.pass_over(Dialect::Compact, channel, object, changes);
                continue;
            };
            if next != pool || length == BATCH {
                self.read_entries(Dialect::Compact, channel, pool, &run[..length]);
                (pool, length) = (next, 0);
            }
            run[length] = entry;
            length += 1;
        }
        self.read_entries(Dialect::Compact, channel, pool, &run[..length]);
        result
    }

    /// The object that changes are for, if it is there and they can be applied to it now.
    #[inline]
    pub(super) fn find<'a>(&self, object: NetId, changes: &'a [u8]) -> Option<(u32, Entry<'a>)> {
        let replica = self.objects.get(object.0)?;
        let behind = !replica.announced && self.late.holds(object);
        if replica.poisoned || behind {
            return None;
        }
        let entry = Entry {
            net_id: object,
            row: replica.at.row,
            announced: replica.announced,
            own: replica.owned && replica.lent && self.config.compare_schemas,
            changes,
        };
        Some((replica.at.pool, entry))
    }

    /// Changes have come for an object that is poisoned.
    pub(super) fn ask_again(&mut self, object: NetId) {
        let Some(replica) = self.objects.get_mut(object.0) else {
            return;
        };
        // The answer to the last question could not be read either.
        if !std::mem::replace(&mut replica.asked, true) {
            self.ask_for(object);
        }
    }

    fn read_entries(&mut self, dialect: Dialect, channel: u8, pool: u32, entries: &[Entry<'_>]) {
        let Some(pool) = self.pools.pool_mut(pool) else {
            return;
        };
        let mut reception = Reception {
            dialect,
            channel,
            max_elements: self.config.max_elements,
            masks: &mut self.masks,
            events: &mut self.events,
            failed: &mut self.failed,
            targets: &mut self.targets,
            unresolved: &mut self.unresolved,
            objects: &self.objects,
            joining: self.joining,
        };
        pool.read_changes(entries, &mut reception);
        self.note_references();
        if !self.failed.is_empty() {
            for (object, error) in std::mem::take(&mut self.failed) {
                self.poison(object, error);
            }
        }
    }

    /// An object could not be read: ask for all of it, once, until it has come. If this was the answer,
    /// ask again when the next change of the object comes, and not at once: one that can never be read
    /// must not be sent back and forth for ever.
    pub(super) fn poison(&mut self, object: NetId, error: ReadError) {
        let Some(replica) = self.objects.get_mut(object.0) else {
            return;
        };
        let ask = !std::mem::replace(&mut replica.poisoned, true);
        replica.asked = ask;
        tracing::warn!(%object, %error, "an object could not be read");
        self.events.push(ClientEvent::Poisoned { object, error });
        if ask {
            self.ask_for(object);
        }
    }
}

/// What a full state in `Unet` says about the parent: it is in the message before it, if there is one.
fn parent_of(object: NetId, said_parent: Option<(NetId, NetId)>) -> Option<NetId> {
    let (_, parent) = said_parent.filter(|(child, _)| *child == object)?;
    some(parent)
}

/// Reads which extras there are, and those.
fn read_extras(reader: &mut NetworkReader<'_>) -> Result<Relation, ReadError> {
    let invalid = |reader: &NetworkReader<'_>, what, value| {
        Err(reader.error(ReadErrorKind::InvalidValue { what, value }))
    };
    let flags = reader.read_varint()?;
    if flags & !(SCENE_ID | PARENT) != 0 {
        return invalid(reader, "extras of a full state", flags);
    }
    let mut relation = Relation::default();
    if flags & SCENE_ID != 0 {
        let scene_id: NetworkSceneId = reader.read()?;
        if scene_id == NetworkSceneId(0) {
            return invalid(reader, "scene id", 0);
        }
        relation.scene_id = Some(scene_id);
    }
    if flags & PARENT != 0 {
        relation.parent = some(reader.read()?);
        if relation.parent.is_none() {
            return invalid(reader, "parent", 0);
        }
    }
    Ok(relation)
}

/// Reads what the behaviours of an object have beside their fields.
fn read_data(
    object: NetId,
    slots: &mut dyn Slots,
    reader: &mut NetworkReader<'_>,
    events: &mut Events<ClientEvent>,
) -> Result<(), ReadError> {
    read_sections(object, slots, reader, |failure| {
        let (behaviour, error) = (failure.behaviour, &failure.error);
        let (read, expected) = (failure.read, failure.expected);
        tracing::warn!(%object, behaviour, read, expected, %error, "an on_synchronize could not read");
        events.push(ClientEvent::SynchronizeFailed(Box::new(failure)));
    })
}
