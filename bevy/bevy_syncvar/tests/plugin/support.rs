//! A server and a client in memory, in virtual time.

use std::mem;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bevy_app::App;
use bevy_ecs::prelude::*;
use bevy_syncvar::prelude::*;
use bevy_syncvar::syncvar::testing::Conditions;
use bevy_time::{TimePlugin, TimeUpdateStrategy};

/// Two apps with the same types.
pub(crate) struct Pair {
    pub(crate) server: App,
    pub(crate) client: App,
}

impl Pair {
    pub(crate) fn new(types: impl Fn(&mut App)) -> Self {
        Self::with(Conditions::default(), types)
    }

    /// Makes apps whose link has conditions.
    pub(crate) fn with(conditions: Conditions, types: impl Fn(&mut App)) -> Self {
        let listener = MemoryListener::new(conditions);
        let link = listener.link();
        let mut pair = Self {
            server: app(),
            client: app(),
        };
        pair.server.add_plugins(ServerPlugin::new(listener));
        pair.client.add_plugins(ClientPlugin::new(link));
        types(&mut pair.server);
        types(&mut pair.client);
        pair
    }

    /// Runs one frame of both.
    pub(crate) fn step(&mut self) {
        self.server.update();
        self.client.update();
    }

    /// Runs frames until everything has arrived on a good link.
    pub(crate) fn settle(&mut self) {
        for _ in 0..12 {
            self.step();
        }
    }

    /// Returns the entity of the client for an entity of the server.
    pub(crate) fn there(&self, here: Entity) -> Option<Entity> {
        let id = self.server.world().resource::<NetEntities>().id(here)?;
        self.client.world().resource::<NetEntities>().entity(id)
    }
}

/// An app with a clock that takes 1/60 s in each frame.
pub(crate) fn app() -> App {
    let mut app = App::new();
    app.add_plugins(TimePlugin);
    app.insert_resource(TimeUpdateStrategy::ManualDuration(
        Duration::from_secs(1) / 60,
    ));
    app
}

/// Values that observers have seen.
pub(crate) struct Log<T>(Arc<Mutex<Vec<T>>>);

impl<T> Log<T> {
    pub(crate) fn push(&self, value: T) {
        self.0.lock().unwrap().push(value);
    }

    /// Returns the values since the last call.
    pub(crate) fn take(&self) -> Vec<T> {
        mem::take(&mut *self.0.lock().unwrap())
    }
}

impl<T> Clone for Log<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T> Default for Log<T> {
    fn default() -> Self {
        Self(Arc::default())
    }
}
