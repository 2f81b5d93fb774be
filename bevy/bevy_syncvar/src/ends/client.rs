//! `Client`: the resource of the client.

use std::ops::{Deref, DerefMut};

use bevy_ecs::prelude::*;
use syncvar::prelude::EventReader;
use syncvar::{ClientEvent, NetworkClient};

/// The client. It dereferences to [`NetworkClient`].
#[derive(Resource)]
pub struct Client {
    /// `None` while a system of the plugin works on it, in which no code of the game runs.
    client: Option<Box<NetworkClient>>,
    reader: EventReader,
}

const PRESENT: &str = "the client is in its resource while code of the game runs";

impl Client {
    pub(crate) fn new(mut client: NetworkClient) -> Self {
        let reader = client.event_reader();
        Self {
            client: Some(Box::new(client)),
            reader,
        }
    }

    /// Takes the client out of the world, for a system that needs both.
    pub(crate) fn lend<R>(
        world: &mut World,
        work: impl FnOnce(&mut World, &mut NetworkClient) -> R,
    ) -> Option<R> {
        let mut client = world.get_resource_mut::<Self>()?.client.take()?;
        let result = work(world, &mut client);
        if let Some(mut resource) = world.get_resource_mut::<Self>() {
            resource.client = Some(client);
        }
        Some(result)
    }

    /// Returns the events since the last call.
    pub(crate) fn new_events(&mut self) -> impl Iterator<Item = &ClientEvent> {
        let client = self.client.as_deref().expect(PRESENT);
        client.read_events(&mut self.reader)
    }
}

impl Deref for Client {
    type Target = NetworkClient;

    fn deref(&self) -> &NetworkClient {
        self.client.as_deref().expect(PRESENT)
    }
}

impl DerefMut for Client {
    fn deref_mut(&mut self) -> &mut NetworkClient {
        self.client.as_deref_mut().expect(PRESENT)
    }
}
