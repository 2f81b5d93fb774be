//! `BehaviourList`: behaviours of an object that are chosen at run time.

use std::fmt;

use prefetch_index::prefetch_index;

use super::behaviours::{BehaviourSet, Behaviours};
use super::pool::{Location, Pools};
use super::row::{ReadFull, WriteFull, through_visits};
use super::slot::{Slot, TypedSlot};
use super::slots::{Slots, Visit};
use crate::behaviour::Optional;
use crate::schema::MAX_BEHAVIOURS;
use crate::stats::BehaviourStats;
use crate::{NetId, NetworkBehaviour, NetworkReader, NetworkWriter, ReadError};

/// Behaviours of an object chosen at run time.
///
/// ```
/// use syncvar::{prelude::*, behaviour::{BehaviourList, BehaviourSet}};
///
/// #[derive(NetworkBehaviour, Default)]
/// struct Health;
/// #[derive(NetworkBehaviour, Default)]
/// struct Weapon;
///
/// let parts = BehaviourList::new().with(Health).with(Weapon);
/// assert_eq!(parts.into_behaviours().len(), 2);
/// ```
///
/// A prefab of many [optional](Self::with_optional) behaviours gives each of its objects any set of them. An absent one
/// takes 16 bytes of an object.
#[derive(Default)]
pub struct BehaviourList(Vec<ListPlace>);

/// Place of a behaviour.
enum ListPlace {
    /// An optional behaviour that is absent and was never present, without memory of its own.
    Absent(&'static AbsentSlot),
    Slot(Box<dyn Slot>),
}

/// Action on a slot.
type SlotAction<'a> = &'a mut dyn FnMut(&mut dyn Slot);

/// Slots of an absent optional behaviour of a type.
struct AbsentSlot {
    /// Slot for reading, of all objects.
    slot: &'static (dyn Slot + 'static),
    /// Lends a slot, and returns it if it has changed.
    lend: fn(SlotAction<'_>) -> Option<Box<dyn Slot>>,
    /// Makes a slot.
    make: fn() -> Box<dyn Slot>,
}

impl AbsentSlot {
    const fn of<B: NetworkBehaviour + Default>() -> &'static Self {
        const {
            &Self {
                slot: TypedSlot::<Optional<B>>::ABSENT,
                lend: |action| {
                    let mut slot = TypedSlot::<Optional<B>>::absent();
                    action(&mut slot);
                    (!slot.is_untouched()).then(|| Box::new(slot.on_object()) as Box<dyn Slot>)
                },
                make: || Box::new(TypedSlot::<Optional<B>>::absent().on_object()),
            }
        }
    }
}

impl ListPlace {
    /// Calls a function with the slot.
    #[inline]
    fn lend(&mut self, mut action: impl FnMut(&mut dyn Slot)) {
        match self {
            Self::Slot(slot) => action(&mut **slot),
            Self::Absent(absent) => {
                if let Some(slot) = (absent.lend)(&mut action) {
                    *self = Self::Slot(slot);
                }
            }
        }
    }

    fn slot(&self) -> &dyn Slot {
        match self {
            Self::Slot(slot) => &**slot,
            Self::Absent(absent) => absent.slot,
        }
    }

    fn slot_mut(&mut self) -> Option<&mut dyn Slot> {
        if let Self::Absent(absent) = self {
            *self = Self::Slot((absent.make)());
        }
        match self {
            Self::Slot(slot) => Some(&mut **slot),
            Self::Absent(_) => None,
        }
    }
}

impl BehaviourList {
    /// Creates a list without behaviours.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a behaviour at the end of the list.
    ///
    /// # Panics
    ///
    /// When the list already has 64 behaviours.
    #[must_use]
    pub fn with<B: NetworkBehaviour>(self, behaviour: B) -> Self {
        self.push(ListPlace::Slot(Box::new(TypedSlot::new(behaviour))))
    }

    /// Adds an [`Optional`] behaviour at the end of the list. An absent one takes no memory until it is added or its place
    /// is borrowed for writing.
    ///
    /// ```
    /// use syncvar::{prelude::*, behaviour::BehaviourList};
    ///
    /// #[derive(NetworkBehaviour, Default)]
    /// struct Health {
    ///     #[sync_var]
    ///     points: SyncVar<i32>,
    /// }
    /// #[derive(NetworkBehaviour, Default)]
    /// struct Weapon;
    ///
    /// let any = || BehaviourList::new().with_optional::<Health>(None).with_optional::<Weapon>(None);
    /// let mut net = MemoryNetwork::pair(move || Prefabs::new().register_with("any", any));
    /// let parts = BehaviourList::new()
    ///     .with_optional(Some(Health { points: 3.into() }))
    ///     .with_optional::<Weapon>(None);
    /// let id = net.server.spawn(parts);
    /// net.settle();
    /// assert_eq!(net.client(0).get::<Health>(id).unwrap().points, 3);
    /// assert!(net.client(0).get::<Weapon>(id).is_none());
    /// ```
    ///
    /// # Panics
    ///
    /// When the list already has 64 behaviours.
    #[must_use]
    pub fn with_optional<B: NetworkBehaviour + Default>(self, behaviour: Option<B>) -> Self {
        match behaviour {
            Some(behaviour) => self.with(Optional::from(Some(behaviour))),
            None => self.push(ListPlace::Absent(AbsentSlot::of::<B>())),
        }
    }

    fn push(mut self, place: ListPlace) -> Self {
        assert!(
            self.0.len() < MAX_BEHAVIOURS,
            "an object has at most 64 behaviours"
        );
        self.0.push(place);
        self
    }
}

impl fmt::Debug for BehaviourList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.0.iter().map(|place| place.slot().info().schema.name);
        f.debug_list().entries(names).finish()
    }
}

#[diagnostic::do_not_recommend]
impl BehaviourSet for BehaviourList {
    fn into_behaviours(mut self) -> Behaviours {
        self.0.shrink_to_fit();
        Behaviours::of_row(self)
    }

    fn insert_into(mut self, pools: &mut Pools, id: NetId, prefab: u32) -> Location {
        self.0.shrink_to_fit();
        pools.insert_row(id, prefab, self)
    }
}

impl Slots for BehaviourList {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn slot(&self, index: usize) -> Option<&dyn Slot> {
        Some(self.0.get(index)?.slot())
    }

    fn slot_mut(&mut self, index: usize) -> Option<&mut dyn Slot> {
        self.0.get_mut(index)?.slot_mut()
    }

    fn all_mut(&mut self) -> Vec<&mut dyn Slot> {
        self.0.iter_mut().filter_map(ListPlace::slot_mut).collect()
    }

    fn each_mut(&mut self, action: &mut dyn FnMut(&mut dyn Slot)) {
        for place in &mut self.0 {
            place.lend(&mut *action);
        }
    }

    through_visits!();

    /// The places, then their slots.
    fn loads() -> usize {
        2
    }

    #[inline]
    fn load(&self, step: usize) {
        if step == 0 {
            prefetch_index(&self.0, 0);
            return;
        }
        for place in &self.0 {
            if let ListPlace::Slot(slot) = place {
                slot.load();
            }
        }
    }

    fn visit<V: Visit>(&mut self, mut index: u32, visitor: &mut V) -> u32 {
        for place in &mut self.0 {
            place.lend(|slot| visitor.slot(index, slot));
            index += 1;
        }
        index
    }
}
