//! Settings of components.

use std::time::Duration;

use syncvar_runtime::unstable::object::SlotInfo;
use syncvar_runtime::{BehaviourSchema, Delivery as SyncMethod};

/// Default interval of a behaviour, from UNet.
const UNSET: Duration = Duration::from_millis(100);

/// Reader of a component's fields. Mirror's `SyncMode`.
///
/// ```
/// use syncvar::mirror::{Component, SyncMode};
///
/// let inventory = Component::new().sync_mode(SyncMode::Owner);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SyncMode {
    /// All observers of the object.
    #[default]
    Observers,
    /// The owner of the object.
    Owner,
}

/// Writer of a component's fields. Mirror's `SyncDirection`.
///
/// ```
/// use syncvar::mirror::{Component, SyncDirection};
///
/// let movement = Component::new().sync_direction(SyncDirection::ClientToServer);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SyncDirection {
    /// The server.
    #[default]
    ServerToClient,
    /// The owner of the object; the server relays to the remaining observers.
    ClientToServer,
}

/// Settings of a component, as in Unity's inspector. Unset settings come from the behaviour: see
/// [`MirrorPrefabs`](crate::MirrorPrefabs).
///
/// ```
/// use std::time::Duration;
/// use syncvar::mirror::{Component, SyncDirection};
///
/// let movement = Component::new()
///     .sync_direction(SyncDirection::ClientToServer)
///     .sync_interval(Duration::from_millis(50));
/// ```
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::struct_field_names, reason = "as in Unity's inspector")]
#[must_use]
pub struct Component {
    sync_mode: Option<SyncMode>,
    sync_direction: Option<SyncDirection>,
    sync_method: Option<SyncMethod>,
    sync_interval: Option<Duration>,
}

/// Resolved settings of a component.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_field_names, reason = "as in Unity's inspector")]
pub(crate) struct Settings {
    pub(crate) sync_mode: SyncMode,
    pub(crate) sync_direction: SyncDirection,
    pub(crate) sync_method: SyncMethod,
    /// Minimum time between two sends; zero for each update.
    pub(crate) sync_interval: Duration,
}

impl Component {
    /// Creates settings without values: the behaviour decides.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the reader of its fields.
    pub fn sync_mode(self, sync_mode: SyncMode) -> Self {
        Self {
            sync_mode: Some(sync_mode),
            ..self
        }
    }

    /// Sets the writer of its fields.
    pub fn sync_direction(self, sync_direction: SyncDirection) -> Self {
        Self {
            sync_direction: Some(sync_direction),
            ..self
        }
    }

    /// Sets the delivery of its changes. The default comes from the behaviour
    /// (`#[network_behaviour(sync_method = hybrid)]`), and is reliable otherwise. A component with
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

    /// Sets the minimum time between two sends. The default comes from the behaviour
    /// (`#[network_behaviour(send_interval = 0.5)]`). Without one, or with UNet's default of 0.1 s,
    /// it is zero, as in Mirror: every update.
    pub fn sync_interval(self, sync_interval: Duration) -> Self {
        Self {
            sync_interval: Some(sync_interval),
            ..self
        }
    }

    /// Returns these settings, completed by earlier settings.
    pub(super) fn over(self, earlier: Self) -> Self {
        Self {
            sync_mode: self.sync_mode.or(earlier.sync_mode),
            sync_direction: self.sync_direction.or(earlier.sync_direction),
            sync_method: self.sync_method.or(earlier.sync_method),
            sync_interval: self.sync_interval.or(earlier.sync_interval),
        }
    }

    /// Returns these settings, completed by the behaviour.
    pub(super) fn settings(&self, behaviour: &SlotInfo) -> Settings {
        refuse_unsent(behaviour);
        let sync_direction = self.sync_direction;
        let sync_direction = sync_direction.unwrap_or_else(|| direction_of(behaviour));
        if sync_direction == SyncDirection::ClientToServer {
            refuse_checks(behaviour);
        }
        Settings {
            sync_mode: self.sync_mode.unwrap_or_else(|| mode_of(behaviour)),
            sync_direction,
            sync_method: method_of(self.sync_method, behaviour),
            sync_interval: self.interval(behaviour),
        }
    }

    /// Returns the minimum time between two sends.
    fn interval(&self, behaviour: &SlotInfo) -> Duration {
        let interval = { self.sync_interval }.unwrap_or_else(|| interval_of(behaviour));
        // Mirror's own components must send in the same frames as in Unity.
        if behaviour.on_frame.is_some() {
            as_float(interval)
        } else {
            interval
        }
    }
}

/// Returns the reader by the field policies.
fn mode_of(behaviour: &SlotInfo) -> SyncMode {
    let (schema, rules) = (&behaviour.schema, &behaviour.policy);
    if let Some(field) = first(schema, rules.others_only) {
        panic!(
            "`{field}` of `{}` is read by all but the owner, which Mirror does not support: move it \
             to another behaviour, or give the component a `sync_mode`",
            schema.name
        );
    }
    if let Some(field) = first(schema, rules.group) {
        panic!(
            "`{field}` of `{}` is read by a group, which Mirror does not support: move it to another \
             behaviour, or give the component a `sync_mode`",
            schema.name
        );
    }
    match of_all(schema, rules.owner_only) {
        Ok(false) => SyncMode::Observers,
        Ok(true) => SyncMode::Owner,
        Err((owned, other)) => panic!(
            "`{owned}` of `{}` is read by the owner alone and `{other}` is not: in Mirror all fields of a \
             component have the same readers. Move one of them to another behaviour, or give the component a \
             `sync_mode`",
            schema.name
        ),
    }
}

/// Returns the writer by the field policies.
fn direction_of(behaviour: &SlotInfo) -> SyncDirection {
    let (schema, rules) = (&behaviour.schema, &behaviour.policy);
    match of_all(schema, rules.owner_write) {
        Ok(false) => SyncDirection::ServerToClient,
        Ok(true) => SyncDirection::ClientToServer,
        Err((owned, other)) => panic!(
            "`{owned}` of `{}` is written by the owner and `{other}` is not: in Mirror all fields of a \
             component have the same writer. Move one of them to another behaviour, or give the \
             component a `sync_direction`",
            schema.name
        ),
    }
}

/// Refuses fields that never travel: each field of a component has its place in Mirror's bytes.
fn refuse_unsent(behaviour: &SlotInfo) {
    let (schema, rules) = (&behaviour.schema, &behaviour.policy);
    if let Some(field) = first(schema, rules.server_only) {
        panic!(
            "`{field}` of `{}` is read by no client, which Mirror does not support: move it to a field without \
             `#[sync_var]`",
            schema.name
        );
    }
}

/// Refuses checks of values that the owner writes: a server of Mirror's protocol does not run them.
fn refuse_checks(behaviour: &SlotInfo) {
    let (schema, rules) = (&behaviour.schema, &behaviour.policy);
    if let Some(field) = first(schema, rules.checked) {
        panic!(
            "`{field}` of `{}` has a `check`, which Mirror does not support: let the owner call a `#[command]`, \
             or make the component `SyncDirection::ServerToClient`",
            schema.name
        );
    }
}

/// Returns the given delivery, or that of the behaviour.
fn method_of(given: Option<SyncMethod>, behaviour: &SlotInfo) -> SyncMethod {
    let method = given.unwrap_or(behaviour.delivery);
    let (schema, collections) = (&behaviour.schema, behaviour.packed.collections);
    if method == SyncMethod::Reliable {
        return method;
    }
    if let Some(field) = first(schema, collections) {
        panic!(
            "`{field}` of `{}` is a collection, and a component with collections cannot be hybrid: their changes \
             are operations, which cannot be repeated. Move it to another behaviour, \
             or make the component `SyncMethod::Reliable`",
            schema.name
        );
    }
    assert!(
        behaviour.resendable,
        "`{}` cannot be hybrid, because its changes are not marked as repeatable: set \
         `FieldSchema::resendable` (or `SyncField::RESENDABLE` of its field) if they are values, or make \
         the component `SyncMethod::Reliable`",
        schema.name
    );
    method
}

/// Returns the interval of the behaviour; Mirror's zero instead of UNet's default.
fn interval_of(behaviour: &SlotInfo) -> Duration {
    let interval = Duration::from_nanos(behaviour.interval(0));
    if interval == UNSET {
        Duration::ZERO
    } else {
        interval
    }
}

/// Returns an interval as Mirror's `float`, which may be longer by some nanoseconds.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the cast saturates"
)]
fn as_float(interval: Duration) -> Duration {
    let nanos = f64::from(interval.as_secs_f32()) * 1e9;
    Duration::from_nanos(nanos.ceil() as u64)
}

/// Returns whether `fields` are all fields, and not none; an error names the first one in and the
/// first one outside.
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
