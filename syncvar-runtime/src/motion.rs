//! Motion: values between received values, by tick.

mod correction;
mod foreign;
mod inputs;
mod interpolate;
mod interpolation;
mod lag;
mod settled;
mod shown;
mod track;
mod view_time;

pub use inputs::{AnyInputs, Input, InputKind, Inputs, KEPT_INPUTS};
pub use interpolate::{Interpolate, Spherical};
pub use interpolation::{Interpolation, Span};
pub use settled::SettledTicks;
pub use shown::{Shown, Viewed};
pub use track::{AnyTrack, MAX_SAMPLES, Moment, Track};
pub use view_time::{ViewTime, tick_length, ticks_of};
