//! `Server`: the resource of the server.

use std::ops::{Deref, DerefMut};

use bevy_ecs::prelude::*;
use syncvar::prelude::EventReader;
use syncvar::{NetworkServer, ServerEvent};

/// The server. It dereferences to [`NetworkServer`].
///
/// Objects of [`Replicated`](crate::Replicated) entities belong to the plugin: change the components, not the objects.
#[derive(Resource)]
pub struct Server {
    /// `None` while a system of the plugin works on it, in which no code of the game runs.
    server: Option<Box<NetworkServer>>,
    reader: EventReader,
}

const PRESENT: &str = "the server is in its resource while code of the game runs";

impl Server {
    pub(crate) fn new(mut server: NetworkServer) -> Self {
        let reader = server.event_reader();
        Self {
            server: Some(Box::new(server)),
            reader,
        }
    }

    /// Takes the server out of the world, for a system that needs both.
    pub(crate) fn lend<R>(
        world: &mut World,
        work: impl FnOnce(&mut World, &mut NetworkServer) -> R,
    ) -> Option<R> {
        let mut server = world.get_resource_mut::<Self>()?.server.take()?;
        let result = work(world, &mut server);
        if let Some(mut resource) = world.get_resource_mut::<Self>() {
            resource.server = Some(server);
        }
        Some(result)
    }

    /// Returns the events since the last call.
    pub(crate) fn new_events(&mut self) -> impl Iterator<Item = &ServerEvent> {
        let server = self.server.as_deref().expect(PRESENT);
        server.read_events(&mut self.reader)
    }
}

impl Deref for Server {
    type Target = NetworkServer;

    fn deref(&self) -> &NetworkServer {
        self.server.as_deref().expect(PRESENT)
    }
}

impl DerefMut for Server {
    fn deref_mut(&mut self) -> &mut NetworkServer {
        self.server.as_deref_mut().expect(PRESENT)
    }
}
