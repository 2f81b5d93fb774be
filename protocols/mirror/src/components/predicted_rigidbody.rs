//! `PredictedRigidbody`: a body that clients simulate ahead of the server.
//!
//! A client shows a push at once, and the server's state of that moment arrives a round trip later: the two are compared at
//! the time of the state, not at the time of its arrival. Each frame of a moving body records place and velocities at the
//! predicted time of the server, and the differences to the record before.
//!
//! ```text
//! time          t0      t1      t2      t3      now
//! records       a ----> b ----> c ----> d ----> e
//! state of t1           B                         arrives now, and differs from b
//! corrected     a       B ----> c' ---> d' ---> e'   the recorded differences on top of B
//! body                                          e'
//! shown place                               e .. e'  follows in the next frames
//! ```
//!
//! A state within the records replaces the record of its time, and the recorded differences follow from it: the player's
//! own motion since then is kept. A state older than all records, or newer by more than the threshold, sets the
//! body directly. A state that agrees within the thresholds changes nothing: corrections below them would show as
//! tremble.
//!
//! A slow body is set into place and its records are dropped (Mirror's `snapThreshold`): a correction that follows from
//! differences of a resting body would move it again with each state. In [`PredictionMode::Smooth`] a moving body
//! has a second place that is drawn: it approaches the body by a part of the distance each frame, and jumps only beyond
//! the teleport distance.
//!
//! The time of a state is the time of its batch plus the length of the frame, because the server serialises before its
//! physics step; Mirror adds a further frame by default, and the setting keeps that.

mod behaviour;
mod correction;
mod settings;
mod smoothing;

pub use settings::{PredictionMode, PredictionSettings};

use std::collections::VecDeque;
use std::fmt;

use syncvar_runtime::{Quaternion, SyncVar, Vector3};

use super::math::square_length;
use super::{BodyState, PredictedState, PredictionHistory};
use smoothing::Smoothing;

/// Limit of events that the program has not taken.
const MAX_EVENTS: usize = 256;

/// Step of a prediction on a client. Mirror, the overridable methods of `PredictedRigidbody`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PredictionEvent {
    /// The body moves. Mirror, `OnBeginPrediction`.
    Began,
    /// The body rests. Mirror, `OnEndPrediction`.
    Ended,
    /// A slow body was set to a state, and its history dropped. Mirror, `OnSnappedIntoPlace`.
    SnappedIntoPlace,
    /// The body was set to a state. Mirror, `OnBeforeApplyState`.
    Applied,
    /// The history was corrected by a state of the server. Mirror, `OnCorrected`.
    Corrected,
}

/// Body that the server simulates, and each client ahead of it; equal to Mirror's component bit for bit.
///
/// There is no physics here. On both ends the program sets position, rotation and velocities after each step
/// of its physics, and reads them before the next: on a client, states of the server correct them. Each frame
/// of a client records the body at the predicted time of the server. A state of the server is compared with
/// the record of its time; if they differ, the records since then follow from the state, and the body takes the
/// last correction.
///
/// ```
/// use std::time::Duration;
/// use syncvar::mirror::components::PredictedRigidbody;
/// use syncvar::mirror::{
///     Limits, MirrorClient, MirrorPrefab, MirrorPrefabs, MirrorServer, MirrorServerConfig, SpawnPolicy,
/// };
/// use syncvar::prelude::*;
/// use syncvar::values::Vector3;
///
/// fn prefabs() -> MirrorPrefabs {
///     MirrorPrefabs::new().register::<PredictedRigidbody>(MirrorPrefab::new("Ball", 1001.into()))
/// }
///
/// let config = MirrorServerConfig { spawn_policy: SpawnPolicy::WhenReady, ..Default::default() };
/// let mut server = MirrorServer::with_config(prefabs(), config);
/// let mut client = MirrorClient::new(prefabs());
/// let connection = server.handle_connect(Limits::TELEPATHY);
/// client.handle_connect(Limits::TELEPATHY);
/// let ball = server.spawn(PredictedRigidbody::default());
/// for tick in 1..60 {
///     let now = Duration::from_secs(1) / 60 * tick;
///     let mut body = server.get_mut::<PredictedRigidbody>(ball).unwrap();
///     body.velocity = Vector3::new(6.0, 0.0, 0.0);
///     body.position.x += 0.1;
///     drop(body);
///     server.update(now);
///     while let Some(transmit) = server.poll_transmit() {
///         client.handle_packet(transmit.channel, &transmit.to_bytes()).unwrap();
///     }
///     client.update(now);
///     // The client has no physics in this example: the server's states alone move its body.
///     while let Some(packet) = client.poll_transmit() {
///         server.handle_packet(connection, packet.channel, &packet.bytes).unwrap();
///     }
/// }
/// let ball = client.get::<PredictedRigidbody>(ball).unwrap();
/// assert!((5.5..6.0).contains(&ball.position.x), "{ball:?}");
/// assert_eq!(ball.velocity.x, 6.0);
/// ```
///
/// The component has the direction server to client. A program that predicts its own actions applies the same
/// force at once, and on the server by a command.
pub struct PredictedRigidbody {
    /// Position.
    pub position: Vector3,
    /// Rotation, of length 1.
    pub rotation: Quaternion,
    /// Velocity per second.
    pub velocity: Vector3,
    /// Angular velocity in radians per second.
    pub angular_velocity: Vector3,
    settings: PredictionSettings,
    /// Newest state of the server; marked on the server when it is due.
    state: SyncVar<PredictedState>,
    record: BodyRecord,
    smoothing: Smoothing,
    events: VecDeque<PredictionEvent>,
    server: ServerSide,
    place: PublishedPlace,
}

/// Own states of a client.
#[derive(Debug)]
struct BodyRecord {
    history: PredictionHistory,
    last: BodyState,
    /// Shown time of the last state.
    shown: f64,
}

/// Schedule of a server.
#[derive(Debug, Default)]
struct ServerSide {
    /// Length of the frame in seconds.
    delta: f32,
    now: f64,
    /// Time of the last sent state; `None` before the first.
    sent: Option<f64>,
}

/// Place that later observers receive with the spawn.
#[derive(Debug)]
struct PublishedPlace {
    /// The object is spawned.
    has_begun: bool,
    pose: Option<(Vector3, Quaternion)>,
    scale: Vector3,
}

impl Default for PublishedPlace {
    fn default() -> Self {
        Self {
            has_begun: false,
            pose: None,
            scale: Vector3::new(1.0, 1.0, 1.0),
        }
    }
}

impl Default for PredictedRigidbody {
    fn default() -> Self {
        Self::new(PredictionSettings::default())
    }
}

impl PredictedRigidbody {
    /// Creates a body at rest at the origin.
    pub fn new(settings: PredictionSettings) -> Self {
        Self {
            position: Vector3::default(),
            rotation: Quaternion::IDENTITY,
            velocity: Vector3::default(),
            angular_velocity: Vector3::default(),
            settings,
            state: SyncVar::default(),
            record: BodyRecord {
                history: PredictionHistory::new(settings.history_limit),
                last: BodyState::default(),
                shown: 0.0,
            },
            smoothing: Smoothing::default(),
            events: VecDeque::new(),
            server: ServerSide::default(),
            place: PublishedPlace::default(),
        }
    }

    /// Places the body, before its spawn.
    #[must_use]
    pub fn at(mut self, position: Vector3, rotation: Quaternion) -> Self {
        (self.position, self.rotation) = (position, rotation);
        self
    }

    /// Returns the settings.
    pub fn settings(&self) -> &PredictionSettings {
        &self.settings
    }

    /// Returns the newest received state of the server, on a client.
    pub fn server_state(&self) -> &PredictedState {
        &self.state
    }

    /// Returns the recorded states, oldest first.
    pub fn history(&self) -> &[BodyState] {
        self.record.history.states()
    }

    /// Returns position and rotation to draw: in [`PredictionMode::Smooth`] they follow the body, and do not
    /// jump with its corrections. They are the body's own place and rotation on a server, at rest, and in
    /// [`PredictionMode::Fast`].
    pub fn shown(&self) -> (Vector3, Quaternion) {
        let followed = self.smoothing.shown();
        followed.unwrap_or((self.position, self.rotation))
    }

    /// Returns the oldest event. At most 256 wait; older events are dropped.
    pub fn poll_event(&mut self) -> Option<PredictionEvent> {
        self.events.pop_front()
    }

    /// Returns whether the body is faster than [`PredictionSettings::motion_velocity`] or
    /// [`motion_angular_velocity`](PredictionSettings::motion_angular_velocity).
    pub fn is_moving(&self) -> bool {
        let square = |number: f32| number * number;
        square_length(self.velocity) >= square(self.settings.motion_velocity)
            || square_length(self.angular_velocity) >= square(self.settings.motion_angular_velocity)
    }

    fn add_event(&mut self, event: PredictionEvent) {
        if self.events.len() >= MAX_EVENTS {
            self.events.pop_front();
        }
        self.events.push_back(event);
    }
}

impl fmt::Debug for PredictedRigidbody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PredictedRigidbody")
            .field("position", &self.position)
            .field("rotation", &self.rotation)
            .field("velocity", &self.velocity)
            .field("angular_velocity", &self.angular_velocity)
            .field("history", &self.history().len())
            .finish_non_exhaustive()
    }
}
