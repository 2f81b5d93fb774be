//! Mirror's snapshot interpolation: received states, and the time at which they are shown.

mod average;
mod buffer;
mod interval;
mod quality;
mod timeline;

pub use average::MovingAverage;
pub use buffer::{Sample, Snapshot, SnapshotBuffer};
pub use interval::AccurateInterval;
pub use quality::ConnectionQuality;
pub(crate) use timeline::send_interval;
pub use timeline::{
    InterpolationSettings, Timeline, adjusted_multiplier, adjusted_speed, clamped_time,
};
