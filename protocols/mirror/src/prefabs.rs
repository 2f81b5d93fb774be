//! `MirrorPrefabs`: what objects there are, as both sides know them.

mod component;
mod entry;
#[cfg(test)]
mod tests;

use std::any::TypeId;
use std::fmt;

use rustc_hash::FxHashMap;
use syncvar_runtime::{BehaviourSet, CallKind, NetworkBehaviour};

pub(crate) use component::Settings;
pub use component::{Component, SyncDirection, SyncMode};
pub(crate) use entry::Entry;
pub use syncvar_runtime::SyncMethod;

use crate::message::{MirrorMessage, UserMessages};
use crate::names::CSharpNames;
use crate::{AssetId, GuidError};

/// What objects can be spawned: how Unity knows the prefab, and how to make the behaviours.
///
/// The components of an object are its behaviours, in order: that of Unity's `GetComponentsInChildren`,
/// those of the root first. A prefab that has another number of them, or in another order, on the other
/// side is not noticed by Mirror and is not understood.
///
/// ```
/// use std::time::Duration;
/// use syncvar::mirror::{AssetId, Component, MirrorPrefab, MirrorPrefabs, SyncMode};
/// use syncvar::prelude::*;
///
/// #[derive(NetworkBehaviour, Default)]
/// struct Player {
///     #[sync_var]
///     health: SyncVar<i32>,
/// }
/// # #[derive(NetworkBehaviour, Default)] struct Door {}
/// # #[derive(NetworkBehaviour, Default)] struct Loot {}
///
/// let slow = Component::new().sync_interval(Duration::from_millis(500));
/// let prefabs = MirrorPrefabs::new()
///     .namespace("Game.Net") // `Player` is `Game.Net.Player` in C#
///     .register::<Player>(MirrorPrefab::new("Player", 1001.into()))
///     .register::<(Door, Loot)>(
///         MirrorPrefab::guid("Chest", "d6f1e0c2a3b4f5968778695a4b3c2d1e")?
///             .component(0, slow)
///             .component(1, Component::new().sync_mode(SyncMode::Owner)),
///     )
///     .register::<Door>(MirrorPrefab::scene("Door")); // stands in a scene that clients load
/// assert_eq!(prefabs.asset_id("Player"), Some(AssetId(1001)));
/// assert_eq!(prefabs.asset_id("Door"), Some(AssetId::NONE));
/// # Ok::<(), syncvar::mirror::GuidError>(())
/// ```
///
/// # What Mirror cannot say
///
/// Who reads and who writes is said of a whole component there ([`SyncMode`], [`SyncDirection`]). What a
/// prefab does not say of its components comes from the fields' own rules: where the owner reads all of
/// them (`#[sync_var(read = owner)]`), or writes all of them (`write = owner`), that goes for the component;
/// `#[network_behaviour(sync_mode = owner)]` and `#[network_behaviour(sync_direction = client_to_server)]`
/// say so of the whole struct. If it holds for some of them only, or if a field is for `others`, the behaviour
/// has to be split, or the prefab must say what is to be done: then the fields are not asked.
///
/// When a field is sent is said of the component, too ([`Component::sync_interval`]). What the rules of a
/// field say about that (`initial_only`, intervals, thresholds) is not asked: each change is sent.
///
/// How it is sent, too: [`Component::sync_method`].
#[derive(Default)]
pub struct MirrorPrefabs {
    entries: Vec<Entry>,
    by_asset_id: FxHashMap<AssetId, u32>,
    by_types: FxHashMap<Vec<TypeId>, u32>,
    names: CSharpNames,
    messages: UserMessages,
}

/// How one prefab is known, and how its components are synchronised.
#[derive(Clone, Debug)]
#[must_use]
pub struct MirrorPrefab {
    name: String,
    /// None for an object of a scene.
    asset_id: Option<AssetId>,
    components: Vec<(usize, Component)>,
}

/// A remote call of a prefab, as it is known on the wire.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MirrorCall {
    /// The position of the component.
    pub component: u8,
    /// What kind of call it is.
    pub kind: CallKind,
    /// The name of the method in Rust.
    pub method: &'static str,
    /// The full name of the method in C#.
    pub name: String,
    /// What names it on the wire: [`hash16`](crate::hash16) of the full name.
    pub hash: u16,
}

impl MirrorPrefab {
    /// A prefab under the asset id that Unity's editor gave it, and a name to find it by.
    pub fn new(name: &str, asset_id: AssetId) -> Self {
        Self {
            name: name.into(),
            asset_id: Some(asset_id),
            components: Vec::new(),
        }
    }

    /// A prefab under the GUID that stands in the `.meta` file beside it.
    ///
    /// # Errors
    ///
    /// When the text is no GUID.
    pub fn guid(name: &str, guid: &str) -> Result<Self, GuidError> {
        Ok(Self::new(name, AssetId::from_guid(guid)?))
    }

    /// An object of a scene, which clients have when they have loaded the scene: it has no asset id, and
    /// is found by its name or by the types of its behaviours.
    pub fn scene(name: &str) -> Self {
        Self {
            asset_id: None,
            ..Self::new(name, AssetId::NONE)
        }
    }

    /// How the component at this position is synchronised, counted from 0. What is said twice, counts as
    /// said last.
    pub fn component(mut self, index: usize, component: Component) -> Self {
        self.components.push((index, component));
        self
    }
}

impl MirrorPrefabs {
    /// An empty registry.
    pub fn new() -> Self {
        Self::default()
    }

    /// The C# namespace of the behaviours, structs and enumerations of all prefabs that are registered
    /// from here on, but for those that have a [name of their own](Self::csharp_name). Empty, as in the
    /// beginning: none.
    #[must_use]
    pub fn namespace(mut self, namespace: &str) -> Self {
        self.names.set_namespace(namespace);
        self
    }

    /// The full C# name, with its namespace, of a behaviour, struct or enumeration, of which the name in
    /// Rust is given: for all prefabs that are registered from here on. Only remote calls depend on it,
    /// which are named by class and argument types. A type inside another is `Outer/Inner`.
    ///
    /// The types that both languages have are known: integers, floats, texts, Unity's vectors and the like;
    /// `Vec<T>` is `T[]`, an `Option` of a value is `Nullable`, `NetRef` is `NetworkIdentity`. A method that
    /// takes something else in C# (a `List`, a `GameObject`, a connection), or a tuple or array here, says
    /// itself what it is called: `#[command(mirror = "System.Void Player::CmdChat(System.String,...)")]`.
    #[must_use]
    pub fn csharp_name(mut self, rust: &str, csharp: &str) -> Self {
        self.names.give(rust, csharp);
        self
    }

    /// [`csharp_name`](Self::csharp_name) of a behaviour.
    #[must_use]
    pub fn class<B: NetworkBehaviour>(self, csharp: &str) -> Self {
        self.csharp_name(B::SCHEMA.name, csharp)
    }

    /// Adds a prefab: a behaviour, or a tuple of up to eight, made by `Default` on the client.
    ///
    /// # Panics
    ///
    /// As [`register_with`](Self::register_with).
    #[must_use]
    pub fn register<S: BehaviourSet + Default>(self, prefab: MirrorPrefab) -> Self {
        self.register_with(prefab, S::default)
    }

    /// Adds a prefab whose behaviours are made by a function: for values other than `Default`, and for a
    /// [`BehaviourList`](syncvar_runtime::BehaviourList).
    ///
    /// # Panics
    ///
    /// - When the name or the asset id is already taken, or the asset id is 0.
    /// - When there are more than 64 behaviours, or the prefab speaks of one that is not there.
    /// - When the rules of some fields have no counterpart in Mirror: see [above](Self#what-mirror-cannot-say).
    /// - When a component is to be [`SyncMethod::Hybrid`] and has collections, or is not
    ///   [`RESENDABLE`](NetworkBehaviour::RESENDABLE): its changes cannot be sent again and again.
    /// - When two remote calls of a behaviour have the same hash: one of the methods needs another name.
    #[must_use]
    pub fn register_with<S: BehaviourSet>(
        mut self,
        prefab: MirrorPrefab,
        make: impl Fn() -> S + Send + Sync + 'static,
    ) -> Self {
        let MirrorPrefab {
            name,
            asset_id,
            components,
        } = prefab;
        assert!(
            self.by_name(&name).is_none(),
            "a prefab named `{name}` is already registered"
        );
        let index = u32::try_from(self.entries.len()).expect("fewer prefabs than 2^32");
        if let Some(asset_id) = asset_id {
            assert!(
                asset_id != AssetId::NONE,
                "prefab `{name}` has asset id 0, which stands for none: an object of a scene is a \
                 `MirrorPrefab::scene`"
            );
            if let Some(other) = self.name(asset_id) {
                panic!(
                    "asset id {asset_id} of prefab `{name}` is already registered: it is that of `{other}`"
                );
            }
            self.by_asset_id.insert(asset_id, index);
        }
        let make = Box::new(move || make().into_behaviours());
        let identity = (index, name, asset_id.unwrap_or_default());
        let entry = Entry::new(identity, &components, &self.names, make);
        self.by_types.entry(entry.types.clone()).or_insert(index);
        self.entries.push(entry);
        self
    }

    /// Adds a message of the game, which either side can send.
    ///
    /// # Panics
    ///
    /// When its id is already taken, by one of Mirror's or of the game's: it needs another name.
    #[must_use]
    pub fn message<M: MirrorMessage>(mut self) -> Self {
        self.messages.register::<M>();
        self
    }

    /// The asset id of a prefab; 0 for an object of a scene.
    pub fn asset_id(&self, name: &str) -> Option<AssetId> {
        Some(self.by_name(name)?.asset_id)
    }

    /// The name of the prefab that has this asset id.
    pub fn name(&self, asset_id: AssetId) -> Option<&str> {
        Some(&self.by_asset_id(asset_id)?.name)
    }

    /// The remote calls of a prefab: to compare with what Unity's weaver says, if a call is not
    /// understood.
    pub fn calls(&self, name: &str) -> impl Iterator<Item = MirrorCall> {
        self.by_name(name)
            .into_iter()
            .flat_map(Entry::described_calls)
    }

    /// The messages of the game.
    pub(crate) fn messages(&self) -> &UserMessages {
        &self.messages
    }

    /// The prefab that was registered at this position.
    pub(crate) fn get(&self, index: u32) -> Option<&Entry> {
        self.entries.get(usize::try_from(index).ok()?)
    }

    pub(crate) fn by_name(&self, name: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.name == name)
    }

    pub(crate) fn by_asset_id(&self, asset_id: AssetId) -> Option<&Entry> {
        self.get(*self.by_asset_id.get(&asset_id)?)
    }

    /// The first prefab registered with behaviours of these types.
    pub(crate) fn by_types(&self, types: &[TypeId]) -> Option<&Entry> {
        self.get(*self.by_types.get(types)?)
    }
}

impl fmt::Debug for MirrorPrefabs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self
            .entries
            .iter()
            .map(|entry| (&entry.name, entry.asset_id));
        f.debug_map().entries(names).finish()
    }
}
