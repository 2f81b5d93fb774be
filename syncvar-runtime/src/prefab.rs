//! `Prefabs`: the registry of the two ends.

mod entry;
mod error;
mod former;
mod measures;
pub mod message;
mod schema;
mod untyped;

pub use entry::{Prefab, PrefabCallbacks, PrefabFacts};
pub use error::{PrefabError, SpawnError};

use std::any::{Any, TypeId};
use std::fmt;
use std::sync::OnceLock;
use std::time::Duration;

use rustc_hash::FxHashMap;

use crate::call::ObjectCalls;
use crate::motion::InputKind;
use crate::object::{BehaviourList, BehaviourSet, Behaviours, Slot};
use crate::{NetworkHash128, SyncValue};
use entry::Makers;
use message::Messages;
use schema::SchemaText;

/// Name of the message with the inputs of clients.
const INPUT: &str = "input";

/// Registry of the spawnable objects: names, and functions that create their behaviours. The server
/// and every client build the same registry, and compare it at connect.
///
/// A prefab travels as its asset id: 16 bytes, the hash of its name, equal in every build.
///
/// ```
/// use syncvar::{prelude::*, values::NetworkHash128};
///
/// #[derive(NetworkBehaviour, Default)]
/// struct Player;
/// #[derive(NetworkBehaviour, Default)]
/// struct Door;
/// #[derive(NetworkBehaviour, Default)]
/// struct Loot;
///
/// let prefabs = Prefabs::new()
///     .register::<Player>("player")
///     .register::<(Door, Loot)>("chest"); // several behaviours on one object, in this order
/// assert_eq!(prefabs.asset_id("player"), Some(NetworkHash128::of("player")));
/// ```
#[derive(Default)]
pub struct Prefabs {
    entries: Vec<Prefab>,
    by_asset_id: FxHashMap<NetworkHash128, usize>,
    by_types: FxHashMap<Vec<TypeId>, usize>,
    /// Names of behaviours in the schema, where they differ from those of their classes.
    behaviour_names: FxHashMap<TypeId, String>,
    messages: Messages,
    input: Option<InputKind>,
    /// Prefabs by the type of the row of their behaviours, except lists: the row of a list has varying
    /// types. A spawn then builds no list of types.
    by_row: FxHashMap<TypeId, usize>,
    /// Text of the schema, made at its first use.
    schema_text: OnceLock<SchemaText>,
}

impl Prefabs {
    /// Creates an empty registry.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a prefab: a behaviour, or a tuple of up to eight, created by `Default` on the client. For more
    /// behaviours, up to 64, nest tuples: `((A, B, C, D, E, F, G, H), (I, J))`.
    ///
    /// # Panics
    ///
    /// When the name is already taken.
    #[must_use]
    pub fn register<S: BehaviourSet + Default>(self, name: &str) -> Self {
        self.register_with(name, S::default)
    }

    /// Adds a prefab with a function that creates its behaviours: for values beside `Default`,
    /// and for a [`BehaviourList`].
    ///
    /// # Panics
    ///
    /// When the name is already taken.
    #[must_use]
    pub fn register_with<S: BehaviourSet>(
        self,
        name: &str,
        make: impl Fn() -> S + Send + Sync + 'static,
    ) -> Self {
        self.register_asset(name, NetworkHash128::of(name), make)
    }

    /// Adds a prefab under an asset id of your choice, for instance one from Unity. With an asset id of
    /// zero, the prefab is found by its name and its behaviours only.
    ///
    /// # Panics
    ///
    /// When the name or the asset id is already taken.
    #[must_use]
    pub fn register_asset<S: BehaviourSet>(
        mut self,
        name: &str,
        asset_id: NetworkHash128,
        make: impl Fn() -> S + Send + Sync + 'static,
    ) -> Self {
        assert!(
            self.entries.iter().all(|entry| entry.name != name),
            "a prefab named `{name}` is already registered"
        );
        former::assert_not_former(name, self.entries.iter().map(|entry| &entry.was));
        assert!(!name.is_empty(), "a prefab needs a name");
        let index = self.entries.len();
        if asset_id != NetworkHash128::default() {
            let other = self.by_asset_id.insert(asset_id, index);
            assert!(
                other.is_none(),
                "asset id {asset_id} of prefab `{name}` is already registered"
            );
        }
        let sample = make().into_behaviours();
        let types = sample.slots().type_ids();
        let first = *self.by_types.entry(types.clone()).or_insert(index);
        let row = Any::type_id(sample.slots());
        if row != TypeId::of::<BehaviourList>() {
            self.by_row.insert(row, first);
        }
        let first_behaviour = self.behaviour_count();
        self.entries.push(Prefab {
            index: u32::try_from(index).expect("fewer prefabs than 2^32"),
            name: name.into(),
            was: Vec::new(),
            asset_id,
            infos: sample.slots().iter().map(Slot::info).collect(),
            types,
            first_behaviour,
            facts: PrefabFacts::of(sample.slots()),
            callbacks: PrefabCallbacks::of(sample.slots()),
            calls: ObjectCalls::of(sample.slots()),
            makers: Makers::new(make),
        });
        self.changed()
    }

    /// Adds a type of messages without an object, which both ends send by this name: chat, votes, the
    /// state of a lobby. Both ends register the same names and types, and compare them at connect.
    ///
    /// ```
    /// use syncvar::prelude::*;
    ///
    /// #[derive(SyncValue, Clone)]
    /// struct Chat {
    ///     text: String,
    /// }
    ///
    /// let prefabs = Prefabs::new().message::<Chat>("chat");
    /// ```
    ///
    /// # Panics
    ///
    /// When the name or the type is already taken.
    #[must_use]
    pub fn message<M: SyncValue>(mut self, name: &str) -> Self {
        self.messages.register::<M>(name, None);
        self.changed()
    }

    /// Adds a type of messages with its number on the wire: the message id of a real UNet. Other
    /// messages have the free numbers from 48 on, in the order of their names.
    ///
    /// # Panics
    ///
    /// When the name, the type or the number is already taken, and for a number below 48.
    #[must_use]
    pub fn message_as<M: SyncValue>(mut self, name: &str, number: i16) -> Self {
        self.messages.register::<M>(name, Some(number));
        self.changed()
    }

    /// Sets the type of the inputs that clients send in each tick, as `NetworkClient::set_input` and
    /// `NetworkServer::input` use it. It is a part of the schema: the message `input`.
    ///
    /// ```
    /// use syncvar::prelude::*;
    ///
    /// #[derive(SyncValue, Clone, Default)]
    /// struct Move {
    ///     x: f32,
    ///     jump: bool,
    /// }
    ///
    /// let prefabs = Prefabs::new().input::<Move>();
    /// ```
    ///
    /// # Panics
    ///
    /// When a type of inputs is already set, or a message has the name `input` or this type.
    #[must_use]
    pub fn input<M: SyncValue>(mut self) -> Self {
        self.messages.register::<M>(INPUT, None);
        self.input = Some(InputKind::of::<M>());
        self.changed()
    }

    /// Forgets the text of the schema.
    fn changed(mut self) -> Self {
        self.schema_text = OnceLock::new();
        self
    }

    /// Returns the type of the inputs.
    pub fn input_kind(&self) -> Option<InputKind> {
        self.input
    }

    /// Returns the registered types of messages.
    pub fn messages(&self) -> &Messages {
        &self.messages
    }

    /// Returns the asset id of a prefab.
    pub fn asset_id(&self, name: &str) -> Option<NetworkHash128> {
        Some(self.by_name(name)?.asset_id)
    }

    /// Returns the name of the prefab with this asset id.
    #[inline]
    pub fn name(&self, asset_id: NetworkHash128) -> Option<&str> {
        Some(&self.by_asset_id(asset_id)?.name)
    }

    /// Returns all prefabs ordered by name, the order that both ends share.
    pub fn by_rank(&self) -> impl Iterator<Item = &Prefab> {
        let mut entries: Vec<_> = self.entries.iter().collect();
        entries.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        entries.into_iter()
    }

    /// Warns of send intervals that are shorter than the tick of an end: its behaviours are sent with
    /// each tick.
    pub fn warn_of_intervals(&self, tick_rate: u32) {
        let tick = Duration::from_secs(1) / tick_rate.max(1);
        let intervals = self
            .entries
            .iter()
            .filter_map(|entry| entry.facts.shortest_interval);
        for (interval, behaviour) in intervals.filter(|(interval, _)| *interval < tick) {
            tracing::warn!(
                behaviour,
                ?interval,
                tick_rate,
                "`send_interval` is shorter than a tick: 0 says the same, or raise `tick_rate`"
            );
        }
    }

    /// Returns the sum of the behaviours of every prefab.
    pub fn behaviour_count(&self) -> usize {
        let last = self.entries.last();
        last.map_or(0, |last| last.first_behaviour + last.infos.len())
    }

    /// Returns all prefabs, in the order of registration.
    #[inline]
    pub fn entries(&self) -> &[Prefab] {
        &self.entries
    }

    /// Returns, for each prefab in the order of registration, its position in the order of names.
    pub fn ranks(&self) -> Vec<u32> {
        let mut ranks = vec![0; self.entries.len()];
        for (rank, entry) in (0..).zip(self.by_rank()) {
            ranks[entry.index as usize] = rank;
        }
        ranks
    }

    /// Returns the prefab at a position in the order of registration.
    #[inline]
    pub fn get(&self, index: u32) -> Option<&Prefab> {
        self.entries.get(index as usize)
    }

    /// Returns the prefab with this name.
    #[inline]
    pub fn by_name(&self, name: &str) -> Option<&Prefab> {
        self.entries.iter().find(|entry| entry.name == name)
    }

    /// Returns the prefab with this asset id.
    #[inline]
    pub fn by_asset_id(&self, asset_id: NetworkHash128) -> Option<&Prefab> {
        self.entries.get(*self.by_asset_id.get(&asset_id)?)
    }

    /// Returns the prefab of some behaviours: the prefab of a name, or the first prefab registered with behaviours
    /// of these types in this order.
    ///
    /// # Errors
    ///
    /// When no prefab has the name or the types, or when the types of the prefab differ.
    pub fn find(
        &self,
        behaviours: &Behaviours,
        name: Option<&str>,
    ) -> Result<&Prefab, PrefabError> {
        let Some(name) = name else {
            let prefab = match self.by_row.get(&Any::type_id(behaviours.slots())) {
                Some(index) => self.entries.get(*index),
                None => self.by_types(&behaviours.slots().type_ids()),
            };
            return prefab.ok_or_else(|| PrefabError::NotRegistered(format!("{behaviours:?}")));
        };
        let prefab = self.by_name(name);
        let prefab = prefab.ok_or_else(|| PrefabError::UnknownName(name.into()))?;
        if prefab.types == behaviours.slots().type_ids() {
            Ok(prefab)
        } else {
            Err(PrefabError::OtherBehaviours {
                prefab: name.into(),
                behaviours: format!("{behaviours:?}"),
            })
        }
    }

    /// Returns the first prefab registered with behaviours of these types.
    #[inline]
    pub fn by_types(&self, types: &[TypeId]) -> Option<&Prefab> {
        self.entries.get(*self.by_types.get(types)?)
    }
}

impl fmt::Debug for Prefabs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.entries.iter().map(|entry| &entry.name);
        f.debug_list().entries(names).finish()
    }
}
