//! Pages of the guide about Bevy, compiled and run as doc tests.

#[doc = include_str!("../../../guide/src/bevy.md")]
mod bevy {}

#[doc = include_str!("../../../guide/src/migrating-bevy-replicon.md")]
mod migrating_bevy_replicon {}

#[doc = include_str!("../../../guide/src/bevy-prediction.md")]
mod bevy_prediction {}
