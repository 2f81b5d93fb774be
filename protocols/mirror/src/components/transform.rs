//! `NetworkTransform`: position, rotation and scale of an object, as Mirror's components send them.

mod behaviour;
mod calls;
mod hybrid;
mod method;
mod pose;
mod receive;
mod reliable;
mod schedule;
mod settings;
mod sync_data;
mod unreliable;

pub use behaviour::ReceivedTransform;
pub use calls::{TransformCommands, TransformRpcs};
pub use hybrid::Hybrid;
pub use method::TransformMethod;
pub use pose::Pose;
pub use reliable::Reliable;
pub use settings::{CoordinateSpace, TransformSettings, TransformTarget};
pub use unreliable::Unreliable;

use std::fmt;

use syncvar_runtime::{ConnectionId, Quaternion, Vector3};

use super::{Snapshot, SnapshotBuffer};
use pose::TransformMotion;
use schedule::Schedule;

/// Position, rotation and scale of an object, equal to Mirror's component of the same delivery bit for bit.
///
/// The values are ordinary fields. On the end that writes them, changes are sent: on the server; with
/// [`SyncDirection::ClientToServer`](crate::SyncDirection::ClientToServer) on the owner of the object. On all
/// remote ends each frame ([`MirrorClient::frame`](crate::MirrorClient::frame),
/// [`update`](crate::MirrorClient::update)) sets them to the values at the
/// [shown time](crate::MirrorClient::timeline), between two received states.
///
/// ```
/// use std::time::Duration;
/// use syncvar::mirror::components::NetworkTransformReliable;
/// use syncvar::mirror::{
///     Limits, MirrorClient, MirrorPrefab, MirrorPrefabs, MirrorServer, MirrorServerConfig, SpawnPolicy,
/// };
/// use syncvar::prelude::*;
///
/// #[derive(NetworkBehaviour, Default)]
/// struct Car {
///     #[sync_var]
///     fuel: SyncVar<f32>,
/// }
///
/// // The components of the prefab, in Unity's order.
/// fn prefabs() -> MirrorPrefabs {
///     MirrorPrefabs::new()
///         .register::<(NetworkTransformReliable, Car)>(MirrorPrefab::new("Car", 1001.into()))
/// }
///
/// let config = MirrorServerConfig { spawn_policy: SpawnPolicy::WhenReady, ..Default::default() };
/// let mut server = MirrorServer::with_config(prefabs(), config);
/// let mut client = MirrorClient::new(prefabs());
/// let connection = server.handle_connect(Limits::TELEPATHY);
/// client.handle_connect(Limits::TELEPATHY);
/// let car = server.spawn((NetworkTransformReliable::default(), Car::default()));
/// for tick in 1..60 {
///     let now = Duration::from_secs(1) / 60 * tick;
///     server.get_mut::<NetworkTransformReliable>(car).unwrap().position.x += 0.1;
///     server.update(now);
///     while let Some(transmit) = server.poll_transmit() {
///         client.handle_packet(transmit.channel, &transmit.to_bytes()).unwrap();
///     }
///     client.update(now);
///     while let Some(packet) = client.poll_transmit() {
///         server.handle_packet(connection, packet.channel, &packet.bytes).unwrap();
///     }
/// }
/// let behind = 5.9 - client.get::<NetworkTransformReliable>(car).unwrap().position.x;
/// assert!((0.1..0.4).contains(&behind), "{behind}"); // smooth, and a little later
/// ```
///
/// # Deliveries
///
/// | | |
/// |---|---|
/// | [`NetworkTransformReliable`] | differences in whole steps, reliably |
/// | [`NetworkTransformUnreliable`] | changed values, unreliably; a lost value is not repeated |
/// | [`NetworkTransformHybrid`] | differences to a reliable baseline each second, unreliably |
///
/// # Teleports
///
/// `server.calls::<NetworkTransformReliable>(id).teleport(position)` moves the object on the server and on
/// all observers without interpolation, and so does a command of an owner that writes it:
/// `client.calls::<NetworkTransformReliable>(id).teleport(position)`.
///
/// # Limits of Mirror
///
/// The settings must be equal on both ends: the messages do not describe them. The server believes an owner
/// that writes; a game that does not sends commands instead. A reliable transform that its owner teleports
/// with a rotation while it moves is displaced afterwards: both ends begin anew at different moments.
pub struct NetworkTransform<M: TransformMethod> {
    /// Position.
    pub position: Vector3,
    /// Rotation, of length 1.
    pub rotation: Quaternion,
    /// Scale.
    pub scale: Vector3,
    settings: TransformSettings,
    motion: TransformMotion,
    /// Received states.
    buffer: SnapshotBuffer<Pose>,
    schedule: Schedule,
    /// Place that later observers receive with the spawn; `None` before the first frame.
    published: Option<Pose>,
    /// The object is spawned: the bases are set.
    has_begun: bool,
    /// The first frame of a server has passed.
    has_run: bool,
    /// Owner in the last frame, on a server.
    owner: Option<ConnectionId>,
    method: M,
}

/// A transform with reliable differences. Mirror, `NetworkTransformReliable`.
pub type NetworkTransformReliable = NetworkTransform<Reliable>;
/// A transform with unreliable values. Mirror, `NetworkTransformUnreliable`.
pub type NetworkTransformUnreliable = NetworkTransform<Unreliable>;
/// A transform with unreliable differences to a reliable baseline. Mirror, `NetworkTransformHybrid`.
pub type NetworkTransformHybrid = NetworkTransform<Hybrid>;

/// The transform of a body. Mirror, `NetworkRigidbodyReliable` and `NetworkRigidbodyReliable2D`, whose
/// messages are those of the transform: no velocity travels.
pub type NetworkRigidbodyReliable = NetworkTransformReliable;
/// The transform of a body. Mirror, `NetworkRigidbodyUnreliable` and `NetworkRigidbodyUnreliable2D`.
pub type NetworkRigidbodyUnreliable = NetworkTransformUnreliable;
/// The transform of a body. Mirror, `NetworkRigidbodyHybridCORE`.
pub type NetworkRigidbodyHybrid = NetworkTransformHybrid;

impl<M: TransformMethod> Default for NetworkTransform<M> {
    fn default() -> Self {
        Self::new(TransformSettings::default())
    }
}

impl<M: TransformMethod> NetworkTransform<M> {
    /// Creates a transform at the origin.
    pub fn new(settings: TransformSettings) -> Self {
        let Pose {
            position,
            rotation,
            scale,
        } = Pose::default();
        let mut transform = Self {
            position,
            rotation,
            scale,
            settings,
            motion: TransformMotion::default(),
            buffer: SnapshotBuffer::default(),
            schedule: Schedule::default(),
            published: None,
            has_begun: false,
            has_run: false,
            owner: None,
            method: M::default(),
        };
        if settings.coordinate_space == CoordinateSpace::World {
            transform.settings.sync_scale = false;
        }
        transform.reset();
        transform
    }

    /// Places the transform, before its spawn.
    #[must_use]
    pub fn at(mut self, pose: Pose) -> Self {
        self.set_pose(pose);
        self.reset();
        self
    }

    /// Returns the settings.
    pub fn settings(&self) -> &TransformSettings {
        &self.settings
    }

    /// Returns position, rotation and scale.
    pub fn pose(&self) -> Pose {
        Pose {
            position: self.position,
            rotation: self.rotation,
            scale: self.scale,
        }
    }

    /// Returns the received states that are not shown yet, and the last shown one, oldest first.
    pub fn snapshots(&self) -> &[Snapshot<Pose>] {
        self.buffer.as_slice()
    }

    /// Drops the received states and begins anew with the present values. Mirror, `ResetState`: needed
    /// where a program enables a component again.
    pub fn reset(&mut self) {
        self.buffer.clear();
        M::reset(self);
    }

    fn set_pose(&mut self, pose: Pose) {
        Pose {
            position: self.position,
            rotation: self.rotation,
            scale: self.scale,
        } = pose;
    }

    /// Moves at once.
    fn teleport(&mut self, position: Vector3, rotation: Option<Quaternion>) {
        self.position = position;
        self.buffer.clear();
        if let Some(rotation) = rotation {
            self.rotation = rotation;
            self.reset();
        }
    }
}

impl<M: TransformMethod> fmt::Debug for NetworkTransform<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct(M::NAME)
            .field("position", &self.position)
            .field("rotation", &self.rotation)
            .field("scale", &self.scale)
            .field("snapshots", &self.buffer.len())
            .finish_non_exhaustive()
    }
}
