//! What behaviours are told of the life of their objects.

pub(crate) mod actor;
mod around;
mod classes;
mod failures;
mod hooks;
mod joining;
mod leaving;
mod nesting;
mod ownership;
mod spawning;
