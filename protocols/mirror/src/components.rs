//! Mirror's components: motion, time and their compression.

mod compression;
mod interpolation;

pub use compression::{from_steps, read_differences, to_steps, write_differences};
pub(crate) use interpolation::send_interval;
pub use interpolation::{
    AccurateInterval, ConnectionQuality, InterpolationSettings, MovingAverage, Sample, Snapshot,
    SnapshotBuffer, Timeline, adjusted_multiplier, adjusted_speed, clamped_time,
};
