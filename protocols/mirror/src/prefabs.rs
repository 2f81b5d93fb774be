//! `MirrorPrefabs`: the prefab registry.

mod component;
mod entry;
#[cfg(test)]
mod tests;

use std::fmt;

use rustc_hash::FxHashMap;
use syncvar_runtime::behaviour::Presence;
use syncvar_runtime::{BehaviourSet, CallKind, NetworkBehaviour, NetworkHash128, Prefabs};

pub(crate) use component::Settings;
pub use component::{Component, SyncDirection, SyncMode};
pub(crate) use entry::PrefabEntry;
pub use syncvar_runtime::Delivery as SyncMethod;

use crate::message::{MirrorMessage, UserMessages};
use crate::names::CSharpNames;
use crate::{AssetId, GuidError};

/// Prefab registry: ids as Unity knows them, and constructors of the behaviours.
///
/// The components of an object are its behaviours in the order of Unity's
/// `GetComponentsInChildren`: the root's first. Mirror does not detect a different number or order on
/// the client; the messages are malformed then.
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
/// # Limits of Mirror
///
/// Mirror has one reader and one writer per component ([`SyncMode`], [`SyncDirection`]). Without
/// settings in the prefab, they follow from the fields: `#[sync_var(read = owner)]` or `write =
/// owner` on all fields sets the component; `#[network_behaviour(sync_mode = owner)]` and
/// `#[network_behaviour(sync_direction = client_to_server)]` set it for the whole struct. If only
/// some fields have such a policy, or one is for `others`, split the behaviour, or decide in the
/// prefab, which overrides the fields.
///
/// The interval also belongs to the component ([`Component::sync_interval`]). Intervals and thresholds of
/// fields are without effect: each change is sent. A field with `initial_only` travels with the spawn only.
///
/// So does the delivery: [`Component::sync_method`].
#[derive(Default)]
pub struct MirrorPrefabs {
    /// Core registry with the same indices; moves into the world of a server or client.
    core: Prefabs,
    entries: Vec<PrefabEntry>,
    by_asset_id: FxHashMap<AssetId, u32>,
    names: CSharpNames,
    messages: UserMessages,
}

/// Ids of a prefab, and the settings of its components.
///
/// ```
/// use syncvar::mirror::{Component, MirrorPrefab, SyncMode};
///
/// // The asset id is in Mirror's inspector; `MirrorPrefab::guid` computes it from a .meta file.
/// let player = MirrorPrefab::new("Player", 1001.into())
///     .component(0, Component::new().sync_mode(SyncMode::Owner));
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct MirrorPrefab {
    name: String,
    /// `None` for a scene object.
    asset_id: Option<AssetId>,
    components: Vec<(usize, Component)>,
}

/// A remote call of a prefab.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MirrorCall {
    /// The position of the component.
    pub component: u8,
    /// The kind of the call.
    pub kind: CallKind,
    /// The name of the method in Rust.
    pub method: &'static str,
    /// The full name of the method in C#.
    pub name: String,
    /// The id on the wire: [`hash16`](crate::hash16) of the full name.
    pub hash: u16,
}

impl MirrorPrefab {
    /// Creates a prefab with the asset id of Unity's editor, and a name.
    pub fn new(name: &str, asset_id: AssetId) -> Self {
        Self {
            name: name.into(),
            asset_id: Some(asset_id),
            components: Vec::new(),
        }
    }

    /// Creates a prefab with the GUID of its `.meta` file, saved by Unity 2021.2 or newer. For a prefab of an older
    /// editor, give [`AssetId::legacy_from_guid`] to [`new`](Self::new).
    ///
    /// # Errors
    ///
    /// Fails for a malformed GUID.
    pub fn guid(name: &str, guid: &str) -> Result<Self, GuidError> {
        Ok(Self::new(name, AssetId::from_guid(guid)?))
    }

    /// Creates a scene object, which clients have with the loaded scene: without an asset id, found
    /// by its name or the types of its behaviours.
    pub fn scene(name: &str) -> Self {
        Self {
            asset_id: None,
            ..Self::new(name, AssetId::NONE)
        }
    }

    /// Sets how the component at this position, counted from 0, is synchronised. The last setting
    /// wins.
    pub fn component(mut self, index: usize, component: Component) -> Self {
        self.components.push((index, component));
        self
    }
}

impl MirrorPrefabs {
    /// Creates an empty registry.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the C# namespace of behaviours, structs and enumerations, for prefabs registered later.
    /// A [full name](Self::csharp_name) has precedence. Empty by default: no namespace.
    #[must_use]
    pub fn namespace(mut self, namespace: &str) -> Self {
        self.names.set_namespace(namespace);
        self
    }

    /// Sets the full C# name of a behaviour, struct or enumeration with this Rust name, for prefabs
    /// registered later. It only affects remote calls, whose ids hash the class and argument types.
    /// A nested type is `Outer/Inner`.
    ///
    /// Common types have built-in names: integers, floats, strings, Unity's vectors and the like;
    /// `Vec<T>` is `T[]`, an `Option` of a value is `Nullable`, `NetRef` is `NetworkIdentity`. For
    /// other C# arguments (a `List`, a `GameObject`, a connection), and for tuples and arrays here,
    /// name the method in full: `#[command(mirror = "System.Void
    /// Player::CmdChat(System.String,...)")]`.
    #[must_use]
    pub fn csharp_name(mut self, rust: &str, csharp: &str) -> Self {
        self.names.give(rust, csharp);
        self
    }

    /// Sets the full C# name of a behaviour.
    #[must_use]
    pub fn class<B: NetworkBehaviour>(self, csharp: &str) -> Self {
        self.csharp_name(B::SCHEMA.name, csharp)
    }

    /// Adds a prefab: a behaviour, or a tuple of up to eight, created by `Default` on the client. For more
    /// behaviours, up to 64, nest tuples: `((A, B, C, D, E, F, G, H), (I, J))`.
    ///
    /// # Panics
    ///
    /// As [`register_with`](Self::register_with).
    #[must_use]
    pub fn register<S: BehaviourSet + Default>(self, prefab: MirrorPrefab) -> Self {
        self.register_with(prefab, S::default)
    }

    /// Adds a prefab with a constructor: for values that differ from `Default`, and for a
    /// [`BehaviourList`](syncvar_runtime::BehaviourList).
    ///
    /// # Panics
    ///
    /// - If the name or the asset id is in use, or the asset id is 0.
    /// - For more than 64 behaviours, and for settings of a missing component.
    /// - If field policies have no counterpart in Mirror: see [above](Self#limits-of-mirror).
    /// - For a behaviour that is [`Optional`](syncvar_runtime::Optional).
    /// - If a [`SyncMethod::Hybrid`] component has collections, or is not
    ///   [resendable](syncvar_runtime::BehaviourSchema::resendable): its changes cannot be sent repeatedly.
    /// - If two remote calls of a behaviour have the same hash: rename one of them.
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
                "prefab `{name}` has asset id 0, which means none: use `MirrorPrefab::scene` for a scene \
                 object"
            );
            if let Some(other) = self.name(asset_id) {
                panic!(
                    "asset id {asset_id} of prefab `{name}` is already registered for `{other}`"
                );
            }
            self.by_asset_id.insert(asset_id, index);
        }
        let asset_id = asset_id.unwrap_or_default();
        let sample = make().into_behaviours();
        for slot in sample.slots().iter() {
            let info = slot.info();
            assert!(
                info.presence == Presence::Always,
                "`{}` of prefab `{name}` comes and goes, which Mirror's components cannot: register its behaviour \
                 without `Optional`",
                info.schema.name
            );
        }
        let identity = (index, &*name, asset_id);
        let before = self.entries.last();
        let first = before.map_or(0, |it| it.first_behaviour + it.components.len());
        let entry = PrefabEntry::new(identity, first, &components, &self.names, &sample);
        self.entries.push(entry);
        self.core = self
            .core
            .register_asset(&name, NetworkHash128::from_u32(asset_id.0), make);
        self
    }

    /// Adds a user message, for both directions.
    ///
    /// # Panics
    ///
    /// Panics if its id is in use, by Mirror or by the game: rename the message.
    #[must_use]
    pub fn message<M: MirrorMessage>(mut self) -> Self {
        self.messages.register::<M>();
        self
    }

    /// Returns the asset id of a prefab; 0 for a scene object.
    pub fn asset_id(&self, name: &str) -> Option<AssetId> {
        Some(self.by_name(name)?.asset_id)
    }

    /// Returns the name of the prefab with this asset id.
    pub fn name(&self, asset_id: AssetId) -> Option<&str> {
        Some(&self.by_asset_id(asset_id)?.name)
    }

    /// Returns the remote calls of a prefab, for comparison with the output of Unity's weaver.
    pub fn calls(&self, name: &str) -> impl Iterator<Item = MirrorCall> {
        self.by_name(name)
            .into_iter()
            .flat_map(PrefabEntry::described_calls)
    }

    /// Returns whether a prefab works in frames.
    pub(crate) fn has_frames(&self) -> bool {
        self.entries.iter().any(|entry| entry.frames != 0)
    }

    /// Returns the user messages.
    pub(crate) fn messages(&self) -> &UserMessages {
        &self.messages
    }

    /// Returns the prefab at this position.
    pub(crate) fn get(&self, index: u32) -> Option<&PrefabEntry> {
        self.entries.get(usize::try_from(index).ok()?)
    }

    /// Returns all entries, in order of registration.
    pub(crate) fn entries(&self) -> &[PrefabEntry] {
        &self.entries
    }

    pub(crate) fn by_name(&self, name: &str) -> Option<&PrefabEntry> {
        self.entries.iter().find(|entry| entry.name == name)
    }

    pub(crate) fn by_asset_id(&self, asset_id: AssetId) -> Option<&PrefabEntry> {
        self.get(*self.by_asset_id.get(&asset_id)?)
    }

    /// Takes the core registry.
    pub(crate) fn take_core(&mut self) -> Prefabs {
        std::mem::take(&mut self.core)
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
