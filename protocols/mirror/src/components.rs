//! Mirror's components: motion, time and their compression.

mod compression;
mod interpolation;
mod math;
mod transform;

pub use compression::{from_steps, read_differences, to_steps, write_differences};
pub(crate) use interpolation::send_interval;
pub use interpolation::{
    AccurateInterval, ConnectionQuality, InterpolationSettings, MovingAverage, Sample, Snapshot,
    SnapshotBuffer, Timeline, adjusted_multiplier, adjusted_speed, clamped_time,
};
pub use transform::{
    CoordinateSpace, Hybrid, NetworkRigidbodyHybrid, NetworkRigidbodyReliable,
    NetworkRigidbodyUnreliable, NetworkTransform, NetworkTransformHybrid, NetworkTransformReliable,
    NetworkTransformUnreliable, Pose, ReceivedTransform, Reliable, TransformCommands,
    TransformMethod, TransformRpcs, TransformSettings, TransformTarget, Unreliable,
};
