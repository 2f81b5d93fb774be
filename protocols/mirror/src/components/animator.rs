//! `NetworkAnimator`: parameters, states and triggers of an animator.

mod behaviour;
mod calls;
mod layers;
mod parameters;

pub use layers::{AnimatorLayer, AnimatorState, AnimatorTransition};
pub use parameters::AnimatorValue;

use std::collections::VecDeque;

use syncvar_runtime::SyncVar;

use layers::Layers;
use parameters::AnimatorParameters;

/// Limit of triggers that the program has not taken.
const MAX_TRIGGERS: usize = 256;

/// A trigger that was set or reset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnimatorTrigger {
    /// Set, by the hash of its name.
    Set(i32),
    /// Reset, by the hash of its name.
    Reset(i32),
}

/// Parameters, states and triggers of an animator, equal to Mirror's component bit for bit.
///
/// There is no animator here: the end that writes the component (the server; with
/// [`SyncDirection::ClientToServer`](crate::SyncDirection::ClientToServer) the owner) sets parameters, layers
/// and speed, and each frame sends the changes. The remaining ends read them. Parameters have the order of the
/// animator's controller, without those that a curve drives.
///
/// ```
/// use syncvar::mirror::components::{
///     AnimatorLayer, AnimatorState, AnimatorValue, NetworkAnimator, animator_hash,
/// };
/// use syncvar::mirror::{MirrorPrefab, MirrorPrefabs, MirrorServer};
///
/// fn animator() -> NetworkAnimator {
///     let idle = AnimatorState { hash: animator_hash("Base Layer.Idle"), normalized_time: 0.0 };
///     NetworkAnimator::new(
///         [AnimatorValue::Float(0.0), AnimatorValue::Trigger], // Speed, Jump
///         [AnimatorLayer::new(idle)],
///     )
/// }
///
/// let prefabs = MirrorPrefabs::new().register_with(MirrorPrefab::new("Ann", 1001.into()), animator);
/// let mut server = MirrorServer::new(prefabs);
/// let ann = server.spawn(animator());
/// let mut animator = server.get_mut::<NetworkAnimator>(ann).unwrap();
/// animator.parameters_mut()[0] = AnimatorValue::Float(2.5);
/// animator.set_trigger(animator_hash("Jump"));
/// ```
#[derive(Debug)]
pub struct NetworkAnimator {
    parameters: AnimatorParameters,
    layers: Layers,
    /// Speed of the animator; 1 by default.
    pub speed: f32,
    /// The animator runs: nothing is sent and no state is played otherwise.
    pub enabled: bool,
    /// Mirror's only `SyncVar` of the component.
    animator_speed: SyncVar<f32>,
    previous_speed: f32,
    /// Time of the next parameters.
    next_send: f64,
    /// Triggers for the next frame.
    outgoing: Vec<AnimatorTrigger>,
    triggers: VecDeque<AnimatorTrigger>,
}

impl Default for NetworkAnimator {
    fn default() -> Self {
        Self::new([], [])
    }
}

impl NetworkAnimator {
    /// Creates an animator with parameters and layers, at most 64 and 255.
    pub fn new(
        parameters: impl IntoIterator<Item = AnimatorValue>,
        layers: impl IntoIterator<Item = AnimatorLayer>,
    ) -> Self {
        Self {
            parameters: AnimatorParameters::new(parameters),
            layers: Layers::new(layers),
            speed: 1.0,
            enabled: true,
            animator_speed: SyncVar::new(1.0),
            previous_speed: 1.0,
            next_send: 0.0,
            outgoing: Vec::new(),
            triggers: VecDeque::new(),
        }
    }

    /// Returns the parameters.
    pub fn parameters(&self) -> &[AnimatorValue] {
        self.parameters.values()
    }

    /// Returns the parameters for writing. A parameter keeps its type.
    pub fn parameters_mut(&mut self) -> &mut [AnimatorValue] {
        self.parameters.values_mut()
    }

    /// Returns the layers.
    pub fn layers(&self) -> &[AnimatorLayer] {
        self.layers.all()
    }

    /// Returns the layers for writing.
    pub fn layers_mut(&mut self) -> &mut [AnimatorLayer] {
        self.layers.all_mut()
    }

    /// Sets a trigger by the [hash](animator_hash) of its name, on the end that writes the component. It is sent
    /// in the next frame, and later observers do not see it.
    pub fn set_trigger(&mut self, hash: i32) {
        self.request(AnimatorTrigger::Set(hash));
    }

    /// Resets a trigger.
    pub fn reset_trigger(&mut self, hash: i32) {
        self.request(AnimatorTrigger::Reset(hash));
    }

    /// Returns the oldest trigger that was set or reset, here or by the remote end. At most 256 wait.
    pub fn poll_trigger(&mut self) -> Option<AnimatorTrigger> {
        self.triggers.pop_front()
    }

    fn request(&mut self, trigger: AnimatorTrigger) {
        if self.outgoing.len() < MAX_TRIGGERS {
            self.outgoing.push(trigger);
        }
        self.add_trigger(trigger);
    }

    fn add_trigger(&mut self, trigger: AnimatorTrigger) {
        if self.triggers.len() >= MAX_TRIGGERS {
            self.triggers.pop_front();
        }
        self.triggers.push_back(trigger);
    }
}

/// Returns the hash of a parameter's or state's name. Unity, `Animator.StringToHash`: the CRC-32 of its UTF-8.
///
/// ```
/// use syncvar::mirror::components::animator_hash;
///
/// assert_eq!(animator_hash("123456789"), 0xcbf4_3926_u32.cast_signed());
/// ```
pub fn animator_hash(name: &str) -> i32 {
    let step = |sum: u32| (sum >> 1) ^ if sum & 1 == 1 { 0xedb8_8320 } else { 0 };
    let sum = name.bytes().fold(u32::MAX, |sum, byte| {
        (0..8).fold(sum ^ u32::from(byte), |sum, _| step(sum))
    });
    (!sum).cast_signed()
}
