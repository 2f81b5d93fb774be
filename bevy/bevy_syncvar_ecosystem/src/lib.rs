//! Examples of the plugin with physics and input crates, as libraries with tests.

pub mod avian;
pub mod avian3d;
pub mod inputs;
mod shadow;
