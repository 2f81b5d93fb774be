//! Mirror's components: transforms, animators, predicted bodies, interpolation and lag compensation.

mod animator;
mod compression;
mod lag;
mod math;
mod predicted_rigidbody;
mod prediction;
mod statistics;
mod transform;

pub use crate::interpolation::{
    AccurateInterval, ConnectionQuality, InterpolationSettings, MovingAverage, Sample, Snapshot,
    SnapshotBuffer, Timeline, adjusted_multiplier, adjusted_speed, clamped_time,
};
pub use animator::{
    AnimatorLayer, AnimatorState, AnimatorTransition, AnimatorTrigger, AnimatorValue,
    NetworkAnimator, animator_hash,
};
pub use compression::{from_steps, read_differences, to_steps, write_differences};
pub use lag::{Bounds, Capture, Captured, HistoryBounds, LagHistory, LagSample, estimated_view};
pub use predicted_rigidbody::{
    PredictedRigidbody, PredictionEvent, PredictionMode, PredictionSettings,
};
pub use prediction::{BodyState, PredictedState, PredictionHistory, PredictionSample};
pub use statistics::{NetworkPingDisplay, NetworkStatistics, QualityMethod, Traffic};
pub use transform::{
    CoordinateSpace, Hybrid, NetworkRigidbodyHybrid, NetworkRigidbodyReliable,
    NetworkRigidbodyUnreliable, NetworkTransform, NetworkTransformHybrid, NetworkTransformReliable,
    NetworkTransformUnreliable, Pose, ReceivedTransform, Reliable, TransformCommands,
    TransformMethod, TransformRpcs, TransformSettings, TransformTarget, Unreliable,
};
