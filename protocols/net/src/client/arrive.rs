//! Full states: objects that come, or come again.

use super::parent::some;
use super::{ClientEvent, NetworkClient, Replica, SpawnFailure};
use crate::Encoding;
use crate::events::Events;
use crate::message::{ObjectSpawn, ObjectSpawnScene, PARENT, SCENE_ID};
use crate::object::Slots;
use crate::object::list;
use crate::object::read_sections;
use crate::packet::Entries;
use crate::relations::{Place, Relation};
use crate::{
    Framing, MessageType, NetId, NetworkHash128, NetworkReader, NetworkSceneId, ReadError,
    ReadErrorKind,
};

/// The full state of an object that has been received.
struct Arrival<'a> {
    object: NetId,
    /// The position of its prefab in the registry, if it is known.
    prefab: Option<u32>,
    asset_id: NetworkHash128,
    place: Place,
    relation: Relation,
    framing: Framing,
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
            framing: Framing::Unet,
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
            framing: Framing::Unet,
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
        let mut reader = NetworkReader::with_encoding(said, Encoding::Compact);
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
            framing: Framing::Compact,
            state: reader.read_bytes(reader.remaining())?,
        })
    }

    fn arrive(&mut self, arrival: &Arrival<'_>, refused: Option<&ReadError>) {
        let object = arrival.object;
        let former = self.objects.get(object.0).map(|replica| replica.at.pool);
        let same = former.map(|pool| self.is_same(pool, arrival));
        let session = self.session;
        if same == Some(false) {
            self.forget(object, false);
        }
        if same != Some(true)
            && let Some(scene_id) = arrival.relation.scene_id
        {
            self.make_way(scene_id);
        }
        // A callback may have ended the connection, or begun another one.
        if same != Some(true) && !self.is_in(session) {
            return;
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
        let mut reader = NetworkReader::with_encoding(arrival.state, arrival.framing.encoding())
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
        let is_unsaid = scene_id.is_some() && arrival.framing == Framing::Unet;
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
