//! `Prefab`: an entry of the registry.

use std::any::TypeId;
use std::sync::Arc;
use std::time::Duration;

use crate::behaviour::Arrival;
use crate::call::ObjectCalls;
use crate::object::{BehaviourSet, Behaviours, Location, Pools, Slot, SlotInfo, Slots};
use crate::schema::PolicyBits;
use crate::{NetId, NetworkBehaviour, NetworkHash128};

/// Entry of the registry.
pub struct Prefab {
    /// Position in the order of registration.
    pub index: u32,
    /// Name of the prefab.
    pub name: String,
    /// Former names, newest first.
    pub was: Vec<String>,
    /// Asset id.
    pub asset_id: NetworkHash128,
    /// Facts of the behaviours' types, in order.
    pub infos: Vec<&'static SlotInfo>,
    /// Types of the behaviours, in order.
    pub types: Vec<TypeId>,
    /// Position of the first behaviour among the behaviours of every prefab.
    pub first_behaviour: usize,
    /// Facts of the fields.
    pub facts: PrefabFacts,
    /// Callbacks of the behaviours.
    pub callbacks: PrefabCallbacks,
    /// Remote calls of the behaviours.
    pub calls: ObjectCalls,
    pub(super) makers: Makers,
}

/// Facts of the fields of a prefab's behaviours.
#[derive(Clone, Debug)]
pub struct PrefabFacts {
    /// Memory of an object in bytes, without the contents of its fields.
    pub memory: usize,
    /// Restricted fields of the behaviours.
    pub rules: PolicyBits,
    /// Shortest send interval of the behaviours, beside none and zero, with its behaviour.
    pub shortest_interval: Option<(Duration, &'static str)>,
    /// Channels of the behaviours, ascending.
    pub channels: Vec<u8>,
    /// Greatest number of later frames that repeat the changes of a behaviour.
    pub redundancy: u8,
    /// [`Arrival::AtOnce`] if a client applies the changes of a behaviour at once.
    pub arrival: Arrival,
    /// Set if all behaviours are [resendable](crate::BehaviourSchema::resendable).
    pub resendable: bool,
    /// Set if a server keeps previous values of a field.
    pub history: bool,
    /// Set if a field has values between its samples.
    pub interpolated: bool,
}

/// Callbacks of a prefab's behaviours.
#[derive(Clone, Copy, Debug)]
pub struct PrefabCallbacks {
    /// Set if a behaviour has a lifecycle.
    pub lifecycle: bool,
    /// Set if a hook also runs for the first state of an object.
    pub initial_hooks: bool,
    /// Set if a behaviour has data beside its fields.
    pub synchronize: bool,
}

/// Functions that create the behaviours of an object.
pub(super) struct Makers {
    make: Box<dyn Fn() -> Behaviours + Send + Sync>,
    insert: Box<Insert>,
}

/// Adds the behaviours of a new object to the pool of a prefab.
type Insert = dyn Fn(&mut Pools, NetId, u32) -> Location + Send + Sync;

impl PrefabFacts {
    /// Returns the facts of a new object.
    pub(super) fn of(slots: &dyn Slots) -> Self {
        let infos = || slots.iter().map(Slot::info);
        Self {
            memory: slots.memory(),
            rules: PolicyBits::of_any(infos().map(|info| info.policy)),
            shortest_interval: shortest_interval(slots),
            channels: channels(slots),
            redundancy: infos().map(|info| info.redundancy).max().unwrap_or(0),
            arrival: { infos().map(|info| info.arrival) }
                .find(|arrival| *arrival == Arrival::AtOnce)
                .unwrap_or_default(),
            resendable: infos().all(|info| info.resendable),
            history: infos().any(|info| info.history != 0),
            interpolated: infos().any(|info| info.interpolated != 0),
        }
    }
}

impl PrefabCallbacks {
    /// Returns the callbacks of a new object.
    pub(super) fn of(slots: &dyn Slots) -> Self {
        Self {
            lifecycle: slots.iter().any(|slot| slot.info().lifecycle),
            initial_hooks: slots.has_initial_hooks(),
            synchronize: slots.iter().any(|slot| slot.info().synchronize),
        }
    }
}

impl Makers {
    /// Makes the two functions from the function that the program has registered.
    pub(super) fn new<S: BehaviourSet>(make: impl Fn() -> S + Send + Sync + 'static) -> Self {
        let make = Arc::new(make);
        Self {
            insert: {
                let make = Arc::clone(&make);
                Box::new(move |pools, id, prefab| make().insert_into(pools, id, prefab))
            },
            make: Box::new(move || make().into_behaviours()),
        }
    }
}

impl Prefab {
    /// Returns the position of the first behaviour of a type, or else of the first
    /// [`Optional`](crate::Optional) one, present or not.
    pub fn position<B: NetworkBehaviour>(&self) -> Option<usize> {
        let searched = TypeId::of::<B>();
        let own = self.types.iter().position(|known| *known == searched);
        own.or_else(|| self.infos.iter().position(|info| info.holds(searched)))
    }

    /// Creates the behaviours of a new object.
    #[inline]
    pub fn make(&self) -> Behaviours {
        (self.makers.make)()
    }

    /// Adds the behaviours of a new object to their pool, and returns their place.
    #[inline]
    pub fn insert_into(&self, pools: &mut Pools, id: NetId) -> Location {
        (self.makers.insert)(pools, id, self.index)
    }
}

fn shortest_interval(slots: &dyn Slots) -> Option<(Duration, &'static str)> {
    let infos = slots.iter().map(Slot::info);
    let intervals = infos.filter_map(|info| Some((info.send_interval?, info.schema.name)));
    let (shortest, behaviour) = intervals.filter(|(interval, _)| *interval > 0).min()?;
    Some((Duration::from_nanos(shortest), behaviour))
}

fn channels(slots: &dyn Slots) -> Vec<u8> {
    let mut channels: Vec<_> = slots.iter().map(|slot| slot.info().channel).collect();
    channels.sort_unstable();
    channels.dedup();
    channels
}
