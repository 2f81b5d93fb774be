//! How a component is synchronised.

use std::time::Duration;

use syncvar_runtime::object::BehaviourInfo;
use syncvar_runtime::{BehaviourSchema, SyncMethod};

/// The interval of a behaviour that says nothing: UNet's.
const UNSAID: Duration = Duration::from_millis(100);

/// Who is given the fields of a component. Mirror's `SyncMode`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SyncMode {
    /// All who observe the object.
    #[default]
    Observers,
    /// The connection that owns the object.
    Owner,
}

/// Who writes to the fields of a component. Mirror's `SyncDirection`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SyncDirection {
    /// The server.
    #[default]
    ServerToClient,
    /// The connection that owns the object; the server sends on what it gets to all the others.
    ClientToServer,
}

/// How a component of a prefab is synchronised: what is set in Unity's inspector. What is not said here
/// comes from the behaviour: see [`MirrorPrefabs`](crate::MirrorPrefabs).
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::struct_field_names, reason = "as in Unity's inspector")]
#[must_use]
pub struct Component {
    sync_mode: Option<SyncMode>,
    sync_direction: Option<SyncDirection>,
    sync_method: Option<SyncMethod>,
    sync_interval: Option<Duration>,
}

/// What is decided about a component.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_field_names, reason = "as in Unity's inspector")]
pub(crate) struct Settings {
    pub(crate) sync_mode: SyncMode,
    pub(crate) sync_direction: SyncDirection,
    pub(crate) sync_method: SyncMethod,
    /// The shortest time between two updates; zero: none.
    pub(crate) sync_interval: Duration,
}

impl Component {
    /// All as the behaviour says.
    pub fn new() -> Self {
        Self::default()
    }

    /// Who is given its fields.
    pub fn sync_mode(self, sync_mode: SyncMode) -> Self {
        Self {
            sync_mode: Some(sync_mode),
            ..self
        }
    }

    /// Who writes to its fields.
    pub fn sync_direction(self, sync_direction: SyncDirection) -> Self {
        Self {
            sync_direction: Some(sync_direction),
            ..self
        }
    }

    /// How its changes travel. If this is not set, it is what the behaviour says
    /// (`#[network_behaviour(sync_method = hybrid)]`), and reliably where that says nothing. A component with
    /// collections cannot be [`SyncMethod::Hybrid`].
    ///
    /// ```
    /// use std::time::Duration;
    /// use syncvar::mirror::{Component, MirrorPrefab, MirrorPrefabs, SyncMethod};
    /// use syncvar::prelude::*;
    ///
    /// #[derive(NetworkBehaviour, Default)]
    /// struct Steering {
    ///     #[sync_var]
    ///     yaw: SyncVar<f32>,
    /// }
    ///
    /// // 20 times a second, and reliably once a second.
    /// let steering = Component::new()
    ///     .sync_method(SyncMethod::Hybrid)
    ///     .sync_interval(Duration::from_millis(50));
    /// let car = MirrorPrefab::new("Car", 1001.into()).component(0, steering);
    /// let prefabs = MirrorPrefabs::new().register::<Steering>(car);
    /// # assert_eq!(prefabs.asset_id("Car"), Some(1001.into()));
    /// ```
    pub fn sync_method(self, sync_method: SyncMethod) -> Self {
        Self {
            sync_method: Some(sync_method),
            ..self
        }
    }

    /// The shortest time between two updates of it. If this is not set, it is what the behaviour says
    /// (`#[network_behaviour(send_interval = 0.5)]`); where that says nothing, or 0.1 s, which is UNet's
    /// word for nothing, it is zero, as in Mirror: every update.
    pub fn sync_interval(self, sync_interval: Duration) -> Self {
        Self {
            sync_interval: Some(sync_interval),
            ..self
        }
    }

    /// What is said here, and for the rest what was said before.
    pub(super) fn over(self, earlier: Self) -> Self {
        Self {
            sync_mode: self.sync_mode.or(earlier.sync_mode),
            sync_direction: self.sync_direction.or(earlier.sync_direction),
            sync_method: self.sync_method.or(earlier.sync_method),
            sync_interval: self.sync_interval.or(earlier.sync_interval),
        }
    }

    /// What is said here, and for the rest what the behaviour says.
    pub(super) fn settings(&self, behaviour: &BehaviourInfo) -> Settings {
        Settings {
            sync_mode: self.sync_mode.unwrap_or_else(|| mode_of(behaviour)),
            sync_direction: self
                .sync_direction
                .unwrap_or_else(|| direction_of(behaviour)),
            sync_method: method_of(self.sync_method, behaviour),
            sync_interval: self.sync_interval.unwrap_or_else(|| interval_of(behaviour)),
        }
    }
}

/// Who reads the fields, as their rules have it.
fn mode_of(behaviour: &BehaviourInfo) -> SyncMode {
    let (schema, rules) = (&behaviour.schema, &behaviour.rules);
    if let Some(field) = first(schema, rules.others_only) {
        panic!(
            "`{field}` of `{}` is read by all but the owner, which cannot be said in Mirror: move it to \
             another behaviour, or give the component a `sync_mode`",
            schema.name
        );
    }
    match of_all(schema, rules.owner_only) {
        Ok(false) => SyncMode::Observers,
        Ok(true) => SyncMode::Owner,
        Err((owned, other)) => panic!(
            "`{owned}` of `{}` is read by the owner alone and `{other}` is not: in Mirror all fields of a \
             component are read by the same. Move one of them to another behaviour, or give the component a \
             `sync_mode`",
            schema.name
        ),
    }
}

/// Who writes to the fields, as their rules have it.
fn direction_of(behaviour: &BehaviourInfo) -> SyncDirection {
    let (schema, rules) = (&behaviour.schema, &behaviour.rules);
    match of_all(schema, rules.owner_write) {
        Ok(false) => SyncDirection::ServerToClient,
        Ok(true) => SyncDirection::ClientToServer,
        Err((owned, other)) => panic!(
            "`{owned}` of `{}` is written by the owner and `{other}` is not: in Mirror all fields of a \
             component are written by the same. Move one of them to another behaviour, or give the \
             component a `sync_direction`",
            schema.name
        ),
    }
}

/// How the changes travel: as is said, or as the behaviour says.
fn method_of(said: Option<SyncMethod>, behaviour: &BehaviourInfo) -> SyncMethod {
    let method = said.unwrap_or(behaviour.sync_method);
    let (schema, collections) = (&behaviour.schema, behaviour.sections.collections);
    if method == SyncMethod::Reliable {
        return method;
    }
    if let Some(field) = first(schema, collections) {
        panic!(
            "`{field}` of `{}` is a collection, and a component with collections cannot be hybrid: their changes \
             are operations, and what is sent unreliably is sent again and again. Move it to another behaviour, \
             or make the component `SyncMethod::Reliable`",
            schema.name
        );
    }
    assert!(
        behaviour.resendable,
        "`{}` cannot be hybrid, since it does not say that its changes can be sent again: set \
         `NetworkBehaviour::RESENDABLE` (or `SyncField::RESENDABLE` of its field) if they are values, or make the \
         component `SyncMethod::Reliable`",
        schema.name
    );
    method
}

/// What the behaviour says; Mirror's, which is none, where it says nothing.
fn interval_of(behaviour: &BehaviourInfo) -> Duration {
    let interval = Duration::from_nanos(behaviour.send_interval);
    if interval == UNSAID {
        Duration::ZERO
    } else {
        interval
    }
}

/// Whether these fields are all there are, and not none; if they are some, the first of them and the
/// first of the others.
fn of_all(schema: &BehaviourSchema, fields: u64) -> Result<bool, (&'static str, &'static str)> {
    let others = schema.dirty_bits() & !fields;
    match (first(schema, fields), first(schema, others)) {
        (Some(field), Some(other)) => Err((field, other)),
        (field, _) => Ok(field.is_some()),
    }
}

fn first(schema: &BehaviourSchema, fields: u64) -> Option<&'static str> {
    schema.field_names(fields).next()
}
