//! The server's entry of an object.

use syncvar_runtime::unstable::object::{Location, Nanos, Pools, Slot, Slots};
use syncvar_runtime::unstable::world::WorldObject;
use syncvar_runtime::{Area, ConnectionId, Vector3};

use crate::SceneId;
use crate::server::audiences::{AudienceId, Audiences};
use crate::server::objects::options::MirrorSpawnOptions;
use crate::server::objects::scene::LoadedScene;
use crate::server::objects::visibility::Visibility;

/// Viewers of an object by the interest management.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Viewers {
    /// All connections.
    #[default]
    All,
    /// Connections that see an area.
    Area(Area),
    /// Connections of the last rebuild, ascending.
    Chosen(Vec<ConnectionId>),
}

impl Viewers {
    pub(crate) fn area(&self) -> Option<Area> {
        match self {
            Self::Area(area) => Some(*area),
            Self::All | Self::Chosen(_) => None,
        }
    }

    /// Adds or removes a chosen connection. Returns whether that is a change.
    pub(crate) fn choose(&mut self, connection: ConnectionId, sees: bool) -> bool {
        let Self::Chosen(chosen) = self else {
            return false;
        };
        match chosen.binary_search(&connection) {
            Err(index) if sees => chosen.insert(index, connection),
            Ok(index) if !sees => {
                chosen.remove(index);
            }
            _ => return false,
        }
        true
    }
}

/// Owner before a transfer: a connection, or the server.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FormerOwner(pub(crate) Option<ConnectionId>);

/// The server's entry of an object.
#[derive(Debug)]
pub struct Observed {
    /// Row of its behaviours; empty while checked out.
    pub(crate) at: Location,
    /// Position in the registry.
    pub(crate) prefab: u32,
    /// Scene id; 0 for objects that clients create from a prefab.
    pub(crate) scene_id: SceneId,
    /// Scene on the server.
    pub(crate) scene: LoadedScene,
    pub(crate) scale: Vector3,
    pub(crate) owner: Option<ConnectionId>,
    pub(crate) ownership: Ownership,
    pub(crate) view: ObjectView,
    /// Set after its spawn callbacks; observers enter later.
    pub(crate) spawned: bool,
    /// The object is in the list of possible changes.
    pub(crate) queued: bool,
    /// Components whose next delta has all fields. Mirror's `SetDirty`.
    pub(crate) fully_dirty: u64,
    /// Upper limit of the pending operations that sent snapshots announce.
    pub(crate) announced: usize,
}

/// Observers of an object, and the rules about them.
#[derive(Debug)]
pub(crate) struct ObjectView {
    /// Observers: ready connections that received the spawn.
    pub(crate) audience: AudienceId,
    pub(crate) visibility: Visibility,
    pub(crate) viewers: Viewers,
    /// Explicit `show` and `hide` by connection.
    pub(crate) overrides: Vec<(ConnectionId, bool)>,
    /// A spawn could not be sent, and the object has not changed since.
    pub(crate) spawn_failed: bool,
}

/// Bookkeeping of the owner and of a transfer.
#[derive(Debug, Default)]
pub(crate) struct Ownership {
    /// Key among the objects of the owner.
    pub(crate) index: u64,
    /// Components written by the owner that a new owner receives once.
    pub(crate) transferred: u64,
    /// Owner before a transfer during a callback.
    pub(crate) former: Option<FormerOwner>,
}

impl WorldObject for Observed {
    #[inline]
    fn location(&self) -> Location {
        self.at
    }

    fn owner(&self) -> Option<ConnectionId> {
        self.owner
    }
}

impl Observed {
    /// Creates an entry without observers.
    pub(crate) fn new(at: Location, prefab: u32, options: &MirrorSpawnOptions) -> Self {
        Self {
            at,
            prefab,
            scene_id: options.scene_id.unwrap_or(SceneId::NONE),
            scale: options.scale.unwrap_or(Vector3::new(1.0, 1.0, 1.0)),
            scene: options.scene,
            owner: options.owner,
            ownership: Ownership::default(),
            view: ObjectView {
                audience: Audiences::EMPTY,
                visibility: options.visibility,
                viewers: Viewers::All,
                overrides: Vec::new(),
                spawn_failed: false,
            },
            spawned: false,
            queued: false,
            fully_dirty: 0,
            announced: 0,
        }
    }

    /// Returns the explicit visibility for a connection.
    #[inline]
    pub(crate) fn visibility_override(&self, connection: ConnectionId) -> Option<bool> {
        let mut overrides = self.view.overrides.iter();
        let view = overrides.find(|(known, _)| *known == connection);
        view.map(|(_, visible)| *visible)
    }

    /// Marks the changes of these components as sent, or as without receiver.
    #[inline]
    pub(crate) fn mark_sent(&mut self, slots: &mut dyn Slots, components: u64, now: Nanos) {
        self.fully_dirty &= !components;
        self.ownership.transferred &= !components;
        for_each_of(slots, components, |slot| slot.mark_sent(now, None));
        self.update_announced(slots);
    }

    /// Clears the changes of these components and keeps their time of the last send.
    pub(crate) fn clear_changes(&mut self, slots: &mut dyn Slots, components: u64) {
        self.fully_dirty &= !components;
        self.ownership.transferred &= !components;
        for_each_of(slots, components, |slot| {
            let last_send = slot.last_send();
            slot.mark_sent(last_send, None);
        });
        self.update_announced(slots);
    }

    /// Resets `announced` when no change is pending: all announced operations are sent.
    #[inline]
    fn update_announced(&mut self, slots: &dyn Slots) {
        if self.announced != 0 && !self.is_dirty(Some(slots)) {
            self.announced = 0;
        }
    }

    /// Stops recording operations: the last observer has left.
    #[inline]
    pub(crate) fn end_observation(&mut self, pools: &mut Pools) {
        self.announced = 0;
        if let Some(slots) = pools.slots_mut(self.at) {
            slots.for_each_mut(|slot| slot.set_observed(false));
        }
    }

    /// Returns whether the object is without observers and may get observers: it is not checked out.
    #[inline]
    pub(crate) fn is_unobserved(&self, pools: &Pools) -> bool {
        self.view.audience == Audiences::EMPTY && pools.slots(self.at).is_some()
    }

    /// Returns whether a change is pending; the behaviours are `None` while checked out.
    #[inline]
    pub(crate) fn is_dirty(&self, slots: Option<&dyn Slots>) -> bool {
        self.fully_dirty != 0
            || slots.is_some_and(|slots| slots.iter().any(|slot| slot.dirty_bits() != 0))
    }
}

/// Marks the changes of these components as sent; they stay dirty.
#[inline]
pub(crate) fn mark_repeated(slots: &mut dyn Slots, components: u64, now: Nanos) {
    for_each_of(slots, components, |slot| slot.mark_repeated(now));
}

/// Calls an action for these components.
#[inline]
pub(crate) fn for_each_of(
    slots: &mut dyn Slots,
    components: u64,
    mut action: impl FnMut(&mut dyn Slot),
) {
    let mut rest = components;
    while rest != 0 {
        let index = rest.trailing_zeros();
        rest &= rest - 1;
        if let Some(slot) = slots.slot_mut(index as usize) {
            action(slot);
        }
    }
}
