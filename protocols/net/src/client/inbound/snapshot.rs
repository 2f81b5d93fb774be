//! `ReceivedSnapshot`: decoded spawn messages of both framings.

use crate::Framing;
use crate::client::objects::{Objects, Replica, parent_from_wire};
use crate::client::translation::{NO_PREFAB, Translation};
use crate::message::{ObjectSpawn, ObjectSpawnScene, PARENT, SCENE_ID};
use syncvar_runtime::unstable::relations::{Place, Relation};
use syncvar_runtime::{
    Encoding, NetId, NetworkHash128, NetworkReader, NetworkSceneId, Prefabs, ReadError,
    ReadErrorKind,
};

/// Received full state of an object.
#[derive(Debug)]
pub(crate) struct ReceivedSnapshot<'a> {
    pub(crate) object: NetId,
    /// Position of its prefab in the registry, if known.
    pub(crate) prefab: Option<u32>,
    pub(crate) asset_id: NetworkHash128,
    /// `None` at the origin.
    pub(crate) place: Option<Place>,
    pub(crate) relation: Relation,
    pub(crate) framing: Framing,
    /// State of all behaviours.
    pub(crate) state: &'a [u8],
}

impl<'a> ReceivedSnapshot<'a> {
    pub(super) fn from_spawn(
        spawn: &ObjectSpawn<'a>,
        prefabs: &Prefabs,
        translation: Option<&Translation>,
        announced_parent: Option<(NetId, NetId)>,
    ) -> Self {
        let own = || {
            prefabs
                .by_asset_id(spawn.asset_id)
                .map(|prefab| prefab.index)
        };
        Self {
            object: spawn.net_id,
            prefab: match translation {
                Some(translation) => translation.by_asset_id(spawn.asset_id),
                None => own(),
            },
            asset_id: spawn.asset_id,
            place: Some(Place {
                position: spawn.position,
                rotation: spawn.rotation,
            }),
            relation: Relation {
                scene_id: None,
                parent: parent_of(spawn.net_id, announced_parent),
            },
            framing: Framing::Unet,
            state: spawn.state,
        }
    }

    pub(crate) fn from_scene_spawn(
        spawn: &ObjectSpawnScene<'a>,
        announced_parent: Option<(NetId, NetId)>,
    ) -> Self {
        Self {
            object: spawn.net_id,
            prefab: None,
            asset_id: NetworkHash128::default(),
            place: Some(Place {
                position: spawn.position,
                ..Place::default()
            }),
            relation: Relation {
                scene_id: Some(spawn.scene_id),
                parent: parent_of(spawn.net_id, announced_parent),
            },
            framing: Framing::Unet,
            state: spawn.state,
        }
    }

    /// Decodes an entry of a `SpawnBatch`. Returns `None` for an object of a prefab that this build lacks.
    pub(crate) fn decode(
        object: NetId,
        bytes: &'a [u8],
        prefab_ranks: &[u32],
        prefabs: &Prefabs,
    ) -> Result<Option<Self>, ReadError> {
        let mut reader = NetworkReader::with_encoding(bytes, Encoding::Compact);
        let kind = reader.read_varint()?;
        let rank = usize::try_from(kind >> 3).ok();
        let index = rank.and_then(|rank| prefab_ranks.get(rank));
        let prefab = index.and_then(|index| prefabs.get(*index));
        let Some(prefab) = prefab else {
            if index == Some(&NO_PREFAB) {
                return Ok(None);
            }
            let (what, value) = ("number of a prefab", kind >> 3);
            return Err(reader.error(ReadErrorKind::InvalidValue { what, value }));
        };
        let mut relation = Relation::default();
        if kind & 4 != 0 {
            relation = read_relation(&mut reader)?;
        }
        let mut place = None;
        if kind & 3 != 0 {
            let place = place.insert(Place::default());
            if kind & 1 != 0 {
                place.position = reader.read()?;
            }
            if kind & 2 != 0 {
                place.rotation = reader.read()?;
            }
        }
        Ok(Some(Self {
            object,
            prefab: Some(prefab.index),
            asset_id: prefab.asset_id,
            place,
            relation,
            framing: Framing::Compact,
            state: reader.read_bytes(reader.remaining())?,
        }))
    }

    /// Returns whether the snapshot belongs to the object with its id: same scene id and prefab.
    pub(in crate::client) fn is_of(&self, replica: &Replica, objects: &Objects) -> bool {
        let scene_id = self.relation.scene_id;
        // `Unet` sends no prefab for a scene object.
        let has_no_prefab = scene_id.is_some() && self.framing == Framing::Unet;
        let prefab = objects.world.pools.prefab(replica.at.pool);
        objects.world.relations.scene_id(self.object) == scene_id
            && (has_no_prefab || Some(prefab) == self.prefab)
    }
}

/// Returns the parent in the `SetParent` right before a `Unet` snapshot.
fn parent_of(object: NetId, announced_parent: Option<(NetId, NetId)>) -> Option<NetId> {
    let (_, parent) = announced_parent.filter(|(child, _)| *child == object)?;
    parent_from_wire(parent)
}

/// Reads the optional scene id and parent.
fn read_relation(reader: &mut NetworkReader<'_>) -> Result<Relation, ReadError> {
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
        relation.parent = parent_from_wire(reader.read()?);
        if relation.parent.is_none() {
            return invalid(reader, "parent", 0);
        }
    }
    Ok(relation)
}
