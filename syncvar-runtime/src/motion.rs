//! Motion: values between received ones, by tick.

mod correction;
mod foreign;
mod inputs;
mod interpolate;
mod interpolation;
mod settled;
mod shown;
mod track;

pub use inputs::{AnyInputs, Input, InputKind, Inputs, KEPT_INPUTS};
pub use interpolate::{Interpolate, Spherical};
pub use interpolation::{Interpolation, Span};
pub use settled::SettledTicks;
pub use shown::{Shown, Viewed};
pub use track::{AnyTrack, MAX_SAMPLES, Moment, Track};
