//! What both ends share: registration, system sets, schedules.

use bevy_app::{App, PostUpdate, PreUpdate};
use bevy_ecs::intern::Interned;
use bevy_ecs::prelude::*;
use bevy_ecs::schedule::ScheduleLabel;

use crate::registry::Registry;
use crate::relations;
use crate::time::NetClock;
use crate::{NetEntities, Replicate};

/// System sets of the plugins, in the order of a frame.
#[derive(SystemSet, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SyncVarSystems {
    /// Packets from the link to the end, in [`Schedules::receive`].
    Receive,
    /// Client: received changes from the pools to the components, behind [`Receive`](Self::Receive).
    Apply,
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

impl Schedules {
    /// Prepares an app for an end.
    pub(crate) fn build(self, app: &mut App) {
        app.init_resource::<Registry>()
            .init_resource::<NetEntities>()
            .init_resource::<NetClock>();
        let (receive, apply) = (SyncVarSystems::Receive, SyncVarSystems::Apply);
        app.configure_sets(self.receive, (receive, apply).chain());
        let (collect, send) = (SyncVarSystems::Collect, SyncVarSystems::Send);
        app.configure_sets(self.send, (collect, send).chain());
        relations::build(app);
    }
}

/// Registration of replicated types, on [`App`].
pub trait ReplicateApp {
    /// Replicates a component on all [`Replicated`](crate::Replicated) entities. Both ends register the same
    /// components, in any order, before their first update.
    ///
    /// # Panics
    ///
    /// When the type is already registered, after the first update, and with more than 64 types.
    fn replicate<C: Replicate>(&mut self) -> &mut Self;
}

impl ReplicateApp for App {
    fn replicate<C: Replicate>(&mut self) -> &mut Self {
        let mut registry = self.world_mut().get_resource_or_init::<Registry>();
        registry.add_component::<C, C::Shadow>();
        crate::server::observe_removals::<C>(self);
        self
    }
}
