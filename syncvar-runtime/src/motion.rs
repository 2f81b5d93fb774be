//! Motion: values between received ones, by tick.

mod foreign;
mod interpolate;
mod interpolation;
mod settled;
mod track;

pub use interpolate::{Interpolate, Spherical};
pub use interpolation::{Interpolation, Span};
pub use settled::SettledTicks;
pub use track::{AnyTrack, MAX_SAMPLES, Moment, Track};
