//! Mirror's components: transforms, animators, predicted bodies, interpolation and lag compensation.
//!
//! Without the feature `components` of the crate (`mirror-components` of `syncvar`) the module has the interpolation
//! alone, which servers and clients contain.

#[cfg(feature = "components")]
mod animator;
#[cfg(feature = "components")]
mod compression;
#[cfg(feature = "components")]
mod lag;
#[cfg(feature = "components")]
mod math;
#[cfg(feature = "components")]
mod predicted_rigidbody;
#[cfg(feature = "components")]
mod prediction;
#[cfg(feature = "components")]
mod statistics;
#[cfg(feature = "components")]
mod transform;

pub use crate::interpolation::{
    AccurateInterval, ConnectionQuality, InterpolationSettings, MovingAverage, Sample, Snapshot,
    SnapshotBuffer, Timeline, adjusted_multiplier, adjusted_speed, clamped_time,
};
#[cfg(feature = "components")]
pub use animator::{
    AnimatorLayer, AnimatorState, AnimatorTransition, AnimatorTrigger, AnimatorValue,
    NetworkAnimator, animator_hash,
};
#[cfg(feature = "components")]
pub use compression::{from_steps, read_differences, to_steps, write_differences};
#[cfg(feature = "components")]
pub use lag::{Bounds, Capture, Captured, HistoryBounds, LagHistory, LagSample, estimated_view};
#[cfg(feature = "components")]
pub use predicted_rigidbody::{
    PredictedRigidbody, PredictionEvent, PredictionMode, PredictionSettings,
};
#[cfg(feature = "components")]
pub use prediction::{BodyState, PredictedState, PredictionHistory, PredictionSample};
#[cfg(feature = "components")]
pub use statistics::{NetworkPingDisplay, NetworkStatistics, QualityMethod, Traffic};
#[cfg(feature = "components")]
pub use transform::{
    CoordinateSpace, Hybrid, NetworkRigidbodyHybrid, NetworkRigidbodyReliable,
    NetworkRigidbodyUnreliable, NetworkTransform, NetworkTransformHybrid, NetworkTransformReliable,
    NetworkTransformUnreliable, Pose, ReceivedTransform, Reliable, TransformCommands,
    TransformMethod, TransformRpcs, TransformSettings, TransformTarget, Unreliable,
};
