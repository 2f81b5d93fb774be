//! Examples of the plugin with physics and input crates, as libraries with tests.
#![allow(
    clippy::duplicate_mod,
    reason = "`ends.rs` is compiled with the crate of each dimension"
)]

pub mod avian;
pub mod avian3d;
pub mod inputs;
mod shadow;
