//! A server and some clients in memory, in virtual time.

use bevy_app::App;
use bevy_ecs::prelude::*;
use bevy_syncvar::prelude::*;
use bevy_syncvar::syncvar::testing::Conditions;
use bevy_syncvar::{Interest, MemoryConnector};

use crate::support::{Log, app};

/// A server with clients.
pub(crate) struct Party {
    pub(crate) server: App,
    pub(crate) clients: Vec<App>,
    pub(crate) connector: MemoryConnector,
    types: fn(&mut App),
}

impl Party {
    /// Makes a server and clients that have joined.
    pub(crate) fn new(clients: usize, types: fn(&mut App)) -> Self {
        let listener = MemoryListener::new(Conditions::default());
        let connector = listener.connector();
        Self::with(connector, ServerPlugin::new(listener), clients, types)
    }

    /// Makes a host and clients that have joined.
    pub(crate) fn host(clients: usize, types: fn(&mut App)) -> Self {
        let listener = MemoryListener::new(Conditions::default());
        let connector = listener.connector();
        Self::with(connector, ServerPlugin::host(listener), clients, types)
    }

    /// Makes a server with an interest management, and clients that have joined.
    pub(crate) fn with_interest(interest: Interest, clients: usize, types: fn(&mut App)) -> Self {
        let listener = MemoryListener::new(Conditions::default());
        let connector = listener.connector();
        let mut plugin = ServerPlugin::new(listener);
        plugin.interest = interest;
        Self::with(connector, plugin, clients, types)
    }

    fn with(
        connector: MemoryConnector,
        plugin: ServerPlugin,
        clients: usize,
        types: fn(&mut App),
    ) -> Self {
        let mut server = app();
        server.add_plugins(plugin);
        types(&mut server);
        let mut party = Self {
            server,
            clients: Vec::new(),
            connector,
            types,
        };
        party.server.update();
        for _ in 0..clients {
            party.add_client();
            party.settle();
        }
        party
    }

    /// Adds a client, which joins in the next frames.
    pub(crate) fn add_client(&mut self) -> &mut App {
        self.add(ClientPlugin::new(self.connector.link()))
    }

    pub(crate) fn add(&mut self, plugin: ClientPlugin) -> &mut App {
        let mut client = app();
        client.add_plugins(plugin);
        (self.types)(&mut client);
        self.clients.push(client);
        self.clients.last_mut().unwrap()
    }

    /// Runs one frame of all.
    pub(crate) fn step(&mut self) {
        self.server.update();
        for client in &mut self.clients {
            client.update();
        }
    }

    pub(crate) fn settle(&mut self) {
        for _ in 0..12 {
            self.step();
        }
    }

    /// Returns the connections, in the order of their joins; the local one of a host is the first.
    pub(crate) fn connections(&mut self) -> Vec<Entity> {
        let world = self.server.world();
        let connections = world.resource::<Connections>();
        let ids = connections.ids().into_iter();
        ids.filter_map(|id| connections.entity(id)).collect()
    }

    /// Returns the entity of a client for an entity of the server.
    pub(crate) fn there(&self, client: usize, here: Entity) -> Option<Entity> {
        let id = self.server.world().resource::<NetEntities>().id(here)?;
        let entities = self.clients[client].world().resource::<NetEntities>();
        entities.entity(id)
    }

    /// Stops the server.
    pub(crate) fn stop(&mut self) {
        self.server.world_mut().remove_resource::<ServerLink>();
    }
}

/// Logs what an app observes.
pub(crate) fn observe<E, T>(app: &mut App, seen: fn(&E) -> T) -> Log<T>
where
    E: Event,
    T: Send + Sync + 'static,
{
    let log = Log::default();
    let own = log.clone();
    app.add_observer(move |event: On<E>| own.push(seen(event.event())));
    log
}
