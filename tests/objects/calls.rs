//! Remote calls: commands, calls of clients, and events.

pub(crate) mod audience;
pub(crate) mod bases;
pub(crate) mod commands;
pub(crate) mod encoding;
pub(crate) mod hostile;
pub(crate) mod order;
pub(crate) mod refused;
pub(crate) mod running;
pub(crate) mod world;
