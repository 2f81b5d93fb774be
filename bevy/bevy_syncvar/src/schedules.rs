//! Sets and schedules of the systems.

use bevy_app::{PostUpdate, PreUpdate};
use bevy_ecs::intern::Interned;
use bevy_ecs::prelude::*;
use bevy_ecs::schedule::ScheduleLabel;

/// System sets of the plugins, in the order of a frame.
#[derive(SystemSet, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SyncVarSystems {
    /// Packets from the link to the end, in [`Schedules::receive`].
    Receive,
    /// Client: received changes from the pools to the components, behind [`Receive`](Self::Receive).
    Apply,
    /// The fixed steps of the ticks that are due, with [`TickPlugin`](crate::TickPlugin), in
    /// [`RunFixedMainLoop`](bevy_app::RunFixedMainLoop).
    Ticks,
    /// Client: the view of the frame to the components of [`Predicted`](crate::Predicted) and
    /// [`Interpolated`](crate::Interpolated) entities, behind [`Ticks`](Self::Ticks).
    Show,
    /// Changes from the components to the pools: those of a server, and the fields of owners on a client, in [`Schedules::send`].
    Collect,
    /// The update of the end, and packets to the link, behind [`Collect`](Self::Collect).
    Send,
}

/// Schedules of the systems of an end.
#[derive(Clone, Copy, Debug)]
pub struct Schedules {
    /// Schedule of [`Receive`](SyncVarSystems::Receive) and [`Apply`](SyncVarSystems::Apply); [`PreUpdate`] by default.
    pub receive: Interned<dyn ScheduleLabel>,
    /// Schedule of [`Collect`](SyncVarSystems::Collect) and [`Send`](SyncVarSystems::Send); [`PostUpdate`] by default.
    pub send: Interned<dyn ScheduleLabel>,
}

impl Default for Schedules {
    fn default() -> Self {
        Self {
            receive: PreUpdate.intern(),
            send: PostUpdate.intern(),
        }
    }
}
