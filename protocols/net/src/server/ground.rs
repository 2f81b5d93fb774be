//! `Ground`: the rooms below visibility, which the conductor lends together.

mod describe;
mod direct;
mod greeting;
mod recording;
mod shows;
mod ticks;

use crate::server::context::Context;
use crate::server::objects::Objects;
use crate::server::outbound::Outbound;
use crate::server::sessions::Sessions;

/// Context, objects, sessions and outbound bytes.
pub(crate) struct Ground<'a> {
    pub(crate) context: &'a mut Context,
    pub(crate) objects: &'a mut Objects,
    pub(crate) sessions: &'a mut Sessions,
    pub(crate) outbound: &'a mut Outbound,
}

impl Ground<'_> {
    /// Returns the tick of the last update; 0 before the first.
    #[inline]
    pub(crate) fn tick(&self) -> u32 {
        self.outbound.store.tick
    }
}
