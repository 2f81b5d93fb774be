//! The server's entry of an object.

use syncvar_runtime::object::{Location, Nanos, Pools, Slot, Slots};
use syncvar_runtime::world::WorldObject;
use syncvar_runtime::{Area, ConnectionId, Vector3};

use crate::SceneId;
use crate::server::MirrorSpawnOptions;
use crate::server::observers::audience::{AudienceId, Audiences};
use crate::server::world::scene::LoadedScene;

/// Visibility of an object, above the interest management. Mirror's `Visibility`.
///
/// ```
/// use syncvar::mirror::{MirrorSpawnOptions, Visibility};
///
/// let inventory = MirrorSpawnOptions {
///     visibility: Visibility::ForceHidden, // the owner sees it
///     ..MirrorSpawnOptions::default()
/// };
/// assert_ne!(inventory.visibility, Visibility::ForceShown);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Visibility {
    /// Visible by the interest management; to all connections without one.
    #[default]
    ByDefault,
    /// Visible to the owner only.
    ForceHidden,
    /// Visible to all.
    ForceShown,
}

/// Viewers of an object by the interest management.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::server) enum Viewers {
    /// All connections.
    #[default]
    All,
    /// Connections that see an area.
    Area(Area),
    /// Connections of the last rebuild, ascending.
    Chosen(Vec<ConnectionId>),
}

impl Viewers {
    pub(in crate::server) fn area(&self) -> Option<Area> {
        match self {
            Self::Area(area) => Some(*area),
            Self::All | Self::Chosen(_) => None,
        }
    }

    /// Adds or removes a chosen connection. Returns whether that is a change.
    pub(in crate::server) fn choose(&mut self, connection: ConnectionId, sees: bool) -> bool {
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
pub(in crate::server) struct FormerOwner(pub(in crate::server) Option<ConnectionId>);

/// The server's entry of an object.
#[derive(Debug)]
pub struct Observed {
    /// Row of its behaviours; empty while checked out.
    pub(in crate::server) at: Location,
    /// Position in the registry.
    pub(in crate::server) prefab: u32,
    /// Scene id; 0 for objects that clients create from a prefab.
    pub(in crate::server) scene_id: SceneId,
    pub(in crate::server) scale: Vector3,
    pub(in crate::server) owner: Option<ConnectionId>,
    /// Key among the objects of its owner.
    pub(in crate::server) owned_index: u64,
    /// Observers: ready connections that received the spawn.
    pub(in crate::server) audience: AudienceId,
    pub(in crate::server) visibility: Visibility,
    pub(in crate::server) viewers: Viewers,
    /// Scene on the server.
    pub(in crate::server) scene: LoadedScene,
    /// Explicit `show` and `hide` by connection.
    pub(in crate::server) overrides: Vec<(ConnectionId, bool)>,
    /// Set after its spawn callbacks; it has no observers before.
    pub(in crate::server) spawned: bool,
    /// The object is in the list of possible changes.
    pub(in crate::server) queued: bool,
    /// A spawn could not be sent, and the object has not changed since.
    pub(in crate::server) spawn_failed: bool,
    /// Components written by the owner that its new owner receives once.
    pub(in crate::server) transferred: u64,
    /// Owner before a transfer during a callback.
    pub(in crate::server) former_owner: Option<FormerOwner>,
    /// Components whose next delta has all fields. Mirror's `SetDirty`.
    pub(in crate::server) fully_dirty: u64,
    /// Upper limit of the pending operations that sent snapshots announce.
    pub(in crate::server) announced: usize,
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
    pub(in crate::server) fn new(at: Location, prefab: u32, options: &MirrorSpawnOptions) -> Self {
        Self {
            at,
            prefab,
            scene_id: options.scene_id.unwrap_or(SceneId::NONE),
            scale: options.scale.unwrap_or(Vector3::new(1.0, 1.0, 1.0)),
            owner: options.owner,
            owned_index: 0,
            audience: Audiences::EMPTY,
            visibility: options.visibility,
            viewers: Viewers::All,
            scene: options.scene,
            overrides: Vec::new(),
            spawned: false,
            queued: false,
            spawn_failed: false,
            transferred: 0,
            former_owner: None,
            fully_dirty: 0,
            announced: 0,
        }
    }

    /// Returns the explicit visibility for a connection.
    #[inline]
    pub(in crate::server) fn visibility_override(&self, connection: ConnectionId) -> Option<bool> {
        let view = self
            .overrides
            .iter()
            .find(|(known, _)| *known == connection);
        view.map(|(_, visible)| *visible)
    }

    /// Marks the changes of these components as sent, or as without receiver.
    #[inline]
    pub(in crate::server) fn mark_sent(
        &mut self,
        slots: &mut dyn Slots,
        components: u64,
        now: Nanos,
    ) {
        self.fully_dirty &= !components;
        self.transferred &= !components;
        for_each_of(slots, components, |slot| slot.mark_sent(now, None));
        self.update_announced(slots);
    }

    /// Clears the changes of these components and keeps their time of the last send.
    pub(in crate::server) fn clear_changes(&mut self, slots: &mut dyn Slots, components: u64) {
        self.fully_dirty &= !components;
        self.transferred &= !components;
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

    /// Stops recording operations: the object has no observers.
    #[inline]
    pub(in crate::server) fn end_observation(&mut self, pools: &mut Pools) {
        self.announced = 0;
        if let Some(slots) = pools.slots_mut(self.at) {
            slots.for_each_mut(|slot| slot.set_observed(false));
        }
    }

    /// Returns whether the object has no observers and could get some: it is not checked out.
    #[inline]
    pub(in crate::server) fn is_unobserved(&self, pools: &Pools) -> bool {
        self.audience == Audiences::EMPTY && pools.slots(self.at).is_some()
    }

    /// Returns whether a change is pending; the behaviours are `None` while checked out.
    #[inline]
    pub(in crate::server) fn is_dirty(&self, slots: Option<&dyn Slots>) -> bool {
        self.fully_dirty != 0
            || slots.is_some_and(|slots| slots.iter().any(|slot| slot.dirty_bits() != 0))
    }
}

/// Marks the changes of these components as sent; they stay dirty.
#[inline]
pub(in crate::server) fn mark_repeated(slots: &mut dyn Slots, components: u64, now: Nanos) {
    for_each_of(slots, components, |slot| slot.mark_repeated(now));
}

/// Calls an action for these components.
#[inline]
pub(in crate::server) fn for_each_of(
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
