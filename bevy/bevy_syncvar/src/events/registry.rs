//! The registered types of events.

use std::any::type_name;
use std::collections::BTreeMap;

use bevy_app::App;
use bevy_ecs::prelude::*;
use syncvar::Prefabs;
use syncvar::calls::ReceivedMessage;

use super::FromClient;
use super::net_event::NetEvent;
use super::send::{Outbox, queue_to_clients, queue_to_server};
use crate::NetEntities;

/// Registration of events, on [`App`].
pub trait NetEventApp {
    /// Lets an event travel: [`ToClients`](super::ToClients) triggers it in the apps of clients, [`ToServer`](super::ToServer)
    /// triggers [`FromClient`] in the app of the server. Both ends register the same events before their first update.
    ///
    /// ```
    /// # use bevy_app::prelude::*;
    /// # use bevy_ecs::prelude::*;
    /// use bevy_syncvar::prelude::*;
    ///
    /// #[derive(Event, NetValue, Clone)]
    /// struct Chat {
    ///     text: String,
    /// }
    ///
    /// # let mut app = App::new();
    /// app.net_event::<Chat>();
    /// // A server passes what a client says to all clients.
    /// app.add_observer(|said: On<FromClient<Chat>>, mut commands: Commands| {
    ///     commands.trigger(ToClients::all(said.event.clone()));
    /// });
    /// // A client says something, and prints what it hears.
    /// app.add_observer(|heard: On<Chat>| println!("{}", heard.text));
    /// app.add_systems(Startup, |mut commands: Commands| {
    ///     commands.trigger(ToServer::new(Chat { text: "hello".into() }));
    /// });
    /// ```
    ///
    /// # Panics
    ///
    /// When an event with the name of this type is already registered.
    fn net_event<M: NetEvent>(&mut self) -> &mut Self;

    /// Like [`net_event`](Self::net_event), for an event with a target entity. An event whose target does not exist in the app of
    /// the receiver is dropped.
    ///
    /// ```
    /// # use bevy_app::prelude::*;
    /// # use bevy_ecs::prelude::*;
    /// use bevy_syncvar::prelude::*;
    ///
    /// #[derive(EntityEvent, NetValue)]
    /// struct Hit {
    ///     entity: Entity,
    ///     damage: u32,
    /// }
    ///
    /// # let mut app = App::new();
    /// app.net_entity_event::<Hit>();
    /// ```
    ///
    /// # Panics
    ///
    /// As [`net_event`](Self::net_event).
    fn net_entity_event<M: NetEvent + EntityEvent>(&mut self) -> &mut Self;
}

impl NetEventApp for App {
    fn net_event<M: NetEvent>(&mut self) -> &mut Self {
        register::<M>(
            self,
            |world, client, event| {
                world.trigger(FromClient::<M> {
                    entity: client,
                    client,
                    event,
                });
            },
            |world, event| world.trigger(event),
        )
    }

    fn net_entity_event<M: NetEvent + EntityEvent>(&mut self) -> &mut Self {
        register::<M>(
            self,
            |world, client, event| {
                let entity = event.event_target();
                if has_target(world, entity) {
                    world.trigger(FromClient {
                        entity,
                        client,
                        event,
                    });
                }
            },
            |world, event| {
                if has_target(world, event.event_target()) {
                    world.trigger(event);
                }
            },
        )
    }
}

/// Functions that know a type of events.
#[derive(Debug)]
struct EventType {
    add: fn(Prefabs, &str) -> Prefabs,
    receive_on_server: fn(&mut World, Entity, &ReceivedMessage),
    receive_on_client: fn(&mut World, &ReceivedMessage),
}

/// The registered types, by their names.
#[derive(Resource, Debug, Default)]
pub(crate) struct EventTypes(BTreeMap<String, EventType>);

impl EventTypes {
    /// Adds the types to the prefabs of an end.
    pub(crate) fn add_to(&self, prefabs: Prefabs) -> Prefabs {
        let types = self.0.iter();
        types.fold(prefabs, |prefabs, (name, known)| (known.add)(prefabs, name))
    }
}

/// Name of a type without its path.
fn short_name<M>() -> String {
    let name = type_name::<M>();
    let (head, generics) = name.split_at(name.find('<').unwrap_or(name.len()));
    let head = head.rsplit("::").next().unwrap_or(head);
    format!("{head}{generics}")
}

fn has_target(world: &World, entity: Entity) -> bool {
    let exists = world.get_entity(entity).is_ok();
    if !exists {
        tracing::debug!("an event has no target here");
    }
    exists
}

/// Actions of a type at a received event.
#[derive(Resource)]
struct Deliver<M> {
    to_server: fn(&mut World, Entity, M),
    to_client: fn(&mut World, M),
}

fn register<M: NetEvent>(
    app: &mut App,
    to_server: fn(&mut World, Entity, M),
    to_client: fn(&mut World, M),
) -> &mut App {
    let known = EventType {
        add: |prefabs, name| prefabs.message::<M::Wire>(name),
        receive_on_server: |world, client, message| {
            if let Some(event) = read::<M>(world, message) {
                let deliver = world.resource::<Deliver<M>>().to_server;
                deliver(world, client, event);
            }
        },
        receive_on_client: |world, message| {
            if let Some(event) = read::<M>(world, message) {
                let deliver = world.resource::<Deliver<M>>().to_client;
                deliver(world, event);
            }
        },
    };
    app.insert_resource(Deliver::<M> {
        to_server,
        to_client,
    });
    app.init_resource::<Outbox>();
    let name = short_name::<M>();
    let mut types = app.world_mut().get_resource_or_init::<EventTypes>();
    let earlier = types.0.insert(name, known);
    assert!(
        earlier.is_none(),
        "an event `{}` is already registered",
        short_name::<M>()
    );
    app.add_observer(queue_to_clients::<M>)
        .add_observer(queue_to_server::<M>)
}

/// Makes the event of a message.
fn read<M: NetEvent>(world: &World, message: &ReceivedMessage) -> Option<M> {
    let entities = world.resource::<NetEntities>();
    let wire = message.get::<M::Wire>()?;
    Some(M::from_wire(wire, entities))
}

/// Server: triggers the event of a message of a client.
pub(crate) fn receive_on_server(world: &mut World, client: Entity, message: &ReceivedMessage) {
    let known = world.get_resource::<EventTypes>();
    let known = known.and_then(|types| types.0.get(message.name()));
    if let Some(receive) = known.map(|known| known.receive_on_server) {
        receive(world, client, message);
    }
}

/// Client: triggers the event of a message of the server.
pub(crate) fn receive_on_client(world: &mut World, message: &ReceivedMessage) {
    let known = world.get_resource::<EventTypes>();
    let known = known.and_then(|types| types.0.get(message.name()));
    if let Some(receive) = known.map(|known| known.receive_on_client) {
        receive(world, message);
    }
}
