//! `ChangedFields` and `Changed`: fields of a behaviour, by their bits and names.

use std::any::TypeId;
use std::fmt;
use std::marker::PhantomData;

use super::{BehaviourSchema, FieldBit, Inherits};
use crate::NetId;

/// Identity of a behaviour: its type and its schema.
#[derive(Clone, Copy, Debug)]
pub struct BehaviourClass {
    /// Type of the behaviour.
    pub id: TypeId,
    /// Schema of the behaviour.
    pub schema: BehaviourSchema,
}

/// A set of fields of a behaviour of any type. [`Changed`] is the typed form.
///
/// ```
/// use syncvar::prelude::*;
///
/// #[derive(NetworkBehaviour, Default)]
/// struct Door {
///     #[sync_var]
///     open: SyncVar<bool>,
///     #[sync_var]
///     locked: SyncVar<bool>,
/// }
///
/// let mut net = MemoryNetwork::pair(|| Prefabs::new().register::<Door>("door"));
/// let door = net.server.spawn(Door::default());
/// net.settle();
/// net.server.get_mut::<Door>(door).unwrap().locked.set(true);
/// net.settle();
/// let fields = std::iter::from_fn(|| net.client_mut(0).poll_event()).find_map(|event| match event {
///     ClientEvent::Changed { fields, .. } => Some(fields),
///     _ => None,
/// });
/// let fields = fields.expect("a change");
/// assert_eq!(fields.behaviour(), "Door");
/// assert!(fields.names().eq(["locked"]));
/// ```
///
/// Two sets of the same fields are equal, in whichever tick they changed.
#[derive(Clone, Copy)]
pub struct ChangedFields {
    class: &'static BehaviourClass,
    dirty_bits: u64,
    /// [`NO_TICK`] without one: an `Option` takes twice the space.
    tick: u64,
}

const NO_TICK: u64 = u64::MAX;

impl ChangedFields {
    /// Creates the set of the fields with these bits.
    pub fn new(class: &'static BehaviourClass, dirty_bits: u64) -> Self {
        Self {
            class,
            dirty_bits,
            tick: NO_TICK,
        }
    }

    /// Adds the tick of the change.
    #[must_use]
    pub fn in_tick(mut self, tick: Option<u64>) -> Self {
        self.tick = tick.unwrap_or(NO_TICK);
        self
    }

    /// Returns the tick of the server's update that sent the change, as in
    /// [`NetworkTime::tick`](crate::NetworkTime::tick); `None` if the protocol or the message is without a tick, and
    /// on a server.
    pub fn tick(&self) -> Option<u64> {
        (self.tick != NO_TICK).then_some(self.tick)
    }

    /// Returns the name of the behaviour.
    pub fn behaviour(&self) -> &'static str {
        self.class.schema.name
    }

    /// Returns the type of the behaviour.
    pub fn behaviour_type(&self) -> TypeId {
        self.class.id
    }

    /// Returns the set as dirty bits: bit *i* is field *i*, the fields of bases first.
    pub fn dirty_bits(&self) -> u64 {
        self.dirty_bits
    }

    /// Returns the names of the fields, in declaration order.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + use<> {
        self.class.schema.field_names(self.dirty_bits)
    }
}

impl PartialEq for ChangedFields {
    fn eq(&self, other: &Self) -> bool {
        // Classes without a compiled type share their id.
        self.class.id == other.class.id
            && self.class.schema.name == other.class.schema.name
            && self.dirty_bits == other.dirty_bits
    }
}

impl fmt::Debug for ChangedFields {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ", self.behaviour())?;
        f.debug_set().entries(self.names()).finish()
    }
}

/// Changed fields of the behaviour `B` of an object: the typed form of an event.
///
/// ```
/// use syncvar::prelude::*;
///
/// #[derive(NetworkBehaviour, Default)]
/// struct Player {
///     #[sync_var]
///     health: SyncVar<i32>,
///     #[sync_var]
///     name: SyncVar<String>,
/// }
///
/// let mut net = MemoryNetwork::pair(|| Prefabs::new().register::<Player>("player"));
/// let id = net.server.spawn(Player::default());
/// net.settle();
/// net.server.get_mut::<Player>(id).unwrap().health += 100;
/// net.settle();
/// let mut healed = Vec::new();
/// while let Some(event) = net.client_mut(0).poll_event() {
///     if let Some(changed) = event.changed::<Player>()
///         && changed.contains(Player::HEALTH)
///     {
///         healed.push(changed.object());
///     }
/// }
/// assert_eq!(healed, [id]);
/// ```
pub struct Changed<B> {
    object: NetId,
    position: usize,
    fields: ChangedFields,
    behaviour: PhantomData<fn() -> B>,
}

impl<B: 'static> Changed<B> {
    /// Returns the typed form of a set of fields of the behaviour at a position; `None` for the fields of a different behaviour.
    ///
    /// An object of a derived class lacks a behaviour of the type of its base.
    pub fn new(object: NetId, position: usize, fields: ChangedFields) -> Option<Self> {
        let is_of_type = fields.class.id == TypeId::of::<B>();
        is_of_type.then_some(Self {
            object,
            position,
            fields,
            behaviour: PhantomData,
        })
    }

    /// Returns the object.
    pub fn object(&self) -> NetId {
        self.object
    }

    /// Returns the position of the behaviour on its object.
    pub fn position(&self) -> usize {
        self.position
    }

    /// Returns the tick of the change: see [`ChangedFields::tick`].
    pub fn tick(&self) -> Option<u64> {
        self.fields.tick()
    }

    /// Returns whether a field of `B` or of a base has changed.
    pub fn contains<C, T>(&self, field: FieldBit<C, T>) -> bool
    where
        B: Inherits<C>,
    {
        self.fields.dirty_bits & field != 0
    }

    /// Returns the names of the fields, in declaration order.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + use<B> {
        self.fields.names()
    }

    /// Returns the set as dirty bits: bit *i* is field *i*, the fields of bases first.
    pub fn dirty_bits(&self) -> u64 {
        self.fields.dirty_bits
    }
}

impl<B> Clone for Changed<B> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<B> Copy for Changed<B> {}

impl<B> PartialEq for Changed<B> {
    fn eq(&self, other: &Self) -> bool {
        self.object == other.object
            && self.position == other.position
            && self.fields == other.fields
    }
}

impl<B> fmt::Debug for Changed<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {:?}", self.object, self.fields)
    }
}
