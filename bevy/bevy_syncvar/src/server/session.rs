//! Events of a server to the world: connections, messages and calls.

use bevy_ecs::prelude::*;
use syncvar::join::{Decision, Payload};
use syncvar::prelude::EventReader;
use syncvar::{ClientEvent, ConnectionId, DisconnectReason, NetworkServer, ServerEvent};

use crate::{
    Away, ClientJoined, ClientLeft, Connection, Connections, JoinRequest, LocalClient, Ready,
};
use crate::{Server, calls, events};

/// Readers of the events of a server.
#[derive(Resource)]
pub(crate) struct ServerInbox {
    events: EventReader,
    /// Of the local client of a host.
    local: Option<EventReader>,
}

impl ServerInbox {
    pub(crate) fn new(server: &mut NetworkServer) -> Self {
        Self {
            events: server.event_reader(),
            local: server.local_event_reader(),
        }
    }
}

/// Gives the events of the server to the world.
pub(crate) fn dispatch(world: &mut World) {
    if !world.contains_resource::<Server>() || !world.contains_resource::<ServerInbox>() {
        return;
    }
    let (received, local) = world.resource_scope(|world, mut inbox: Mut<ServerInbox>| {
        let server = world.resource::<Server>();
        let received: Vec<_> = server.read_events(&mut inbox.events).cloned().collect();
        let local: Vec<_> = match &mut inbox.local {
            Some(reader) => server.read_local_events(reader).cloned().collect(),
            None => Vec::new(),
        };
        (received, local)
    });
    for event in received {
        handle(world, event);
    }
    for event in local {
        match event {
            ClientEvent::Message(message) => events::receive_on_client(world, &message),
            ClientEvent::Called(called) => calls::receive(world, None, &called),
            _ => {}
        }
    }
}

fn handle(world: &mut World, event: ServerEvent) {
    let entity = |world: &World, connection| world.resource::<Connections>().entity(connection);
    match event {
        ServerEvent::JoinRequested {
            connection,
            returning,
            payload,
            build,
            ..
        } => decide(
            world,
            JoinRequest::new(connection, returning, payload, build),
        ),
        ServerEvent::Connected { connection } => connect(world, connection),
        ServerEvent::Ready { connection } => {
            if let Some(entity) = entity(world, connection) {
                world.entity_mut(entity).insert(Ready);
                world.trigger(ClientJoined { entity });
            }
        }
        ServerEvent::Away { connection } => {
            if let Some(entity) = entity(world, connection) {
                world.entity_mut(entity).insert(Away);
            }
        }
        ServerEvent::Returned { connection, .. } => {
            if let Some(entity) = entity(world, connection) {
                world.entity_mut(entity).remove::<Away>();
            }
        }
        ServerEvent::Disconnected {
            connection, reason, ..
        } => disconnect(world, connection, reason),
        ServerEvent::Message {
            connection,
            message,
        } => {
            if let Some(entity) = entity(world, connection) {
                events::receive_on_server(world, entity, &message);
            }
        }
        ServerEvent::Called(called) => {
            let sender = called.sender();
            let client = sender.and_then(|sender| entity(world, sender));
            // The game has ended the connection of the sender.
            if client.is_some() == sender.is_some() {
                calls::receive(world, client, &called);
            }
        }
        _ => {}
    }
}

/// Asks the observers about a client.
fn decide(world: &mut World, mut request: JoinRequest) {
    world.trigger_ref(&mut request);
    let connection = request.connection;
    let Some(mut server) = world.get_resource_mut::<Server>() else {
        return;
    };
    // The client may have left, or an observer may have answered it.
    let _ = match request.into_decision() {
        Decision::Accept => server.accept(connection),
        Decision::Refuse(refusal) => server.refuse(connection, refusal),
        Decision::Wait => Ok(()),
    };
}

fn connect(world: &mut World, id: ConnectionId) {
    let server = world.resource::<Server>();
    let payload = server.join_payload(id).cloned();
    let is_local = server.is_local(id);
    // It is in the table before the observers of its components run.
    let entity = world.spawn_empty().id();
    world.resource_mut::<Connections>().insert(id, entity);
    let payload = payload.unwrap_or_else(Payload::default);
    let mut entity = world.entity_mut(entity);
    if is_local {
        entity.insert(LocalClient);
    }
    entity.insert(Connection { id, payload });
}

fn disconnect(world: &mut World, id: ConnectionId, reason: DisconnectReason) {
    let Some(entity) = world.resource_mut::<Connections>().remove(id) else {
        return;
    };
    world.trigger(ClientLeft { entity, reason });
    if let Ok(entity) = world.get_entity_mut(entity) {
        entity.despawn();
    }
}
