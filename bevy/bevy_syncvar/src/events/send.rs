//! `ToClients` and `ToServer`: events to the other apps.

use std::sync::Arc;

use bevy_ecs::prelude::*;
use syncvar::error::MessageError;
use syncvar::{ConnectionId, NetworkClient, NetworkServer};

use super::net_event::NetEvent;
use crate::connections::Connections;
use crate::{Client, NetEntities, Server};

/// Clients that receive an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recipients {
    /// All connections, ready or not.
    All,
    /// All connections without this one.
    AllBut(Entity),
    /// All connections whose clients have received their objects.
    Ready,
    /// One connection.
    One(Entity),
}

/// Event that a server triggers to send an event to its clients, the local client of a host among them. It leaves at the end of
/// the frame, behind the state: a client that receives it has the entities and values of that frame.
///
/// The event must be [registered](super::NetEventApp::net_event).
#[derive(Event, Debug)]
pub struct ToClients<M: Send + Sync + 'static> {
    /// The clients.
    pub to: Recipients,
    /// Channel of the server: 0 is reliable, 1 may lose the event.
    pub channel: u8,
    event: Arc<M>,
}

impl<M: Send + Sync + 'static> ToClients<M> {
    /// Makes an event for some clients.
    pub fn new(to: Recipients, event: M) -> Self {
        Self {
            to,
            channel: 0,
            event: Arc::new(event),
        }
    }

    /// Makes an event for all clients, ready or not.
    pub fn all(event: M) -> Self {
        Self::new(Recipients::All, event)
    }

    /// Makes an event for all clients without one of them.
    pub fn all_but(client: Entity, event: M) -> Self {
        Self::new(Recipients::AllBut(client), event)
    }

    /// Makes an event for all ready clients.
    pub fn ready(event: M) -> Self {
        Self::new(Recipients::Ready, event)
    }

    /// Makes an event for one client.
    pub fn one(client: Entity, event: M) -> Self {
        Self::new(Recipients::One(client), event)
    }

    /// Sets the channel.
    #[must_use]
    pub fn on(self, channel: u8) -> Self {
        Self { channel, ..self }
    }
}

/// Event that a client, or the local player of a host, triggers to send an event to the server. It leaves at the end of the
/// frame, behind the fields of owned entities.
///
/// The event must be [registered](super::NetEventApp::net_event).
#[derive(Event, Debug)]
pub struct ToServer<M: Send + Sync + 'static> {
    /// Channel of the server: 0 is reliable, 1 may lose the event.
    pub channel: u8,
    event: Arc<M>,
}

impl<M: Send + Sync + 'static> ToServer<M> {
    /// Makes an event for the server.
    pub fn new(event: M) -> Self {
        Self {
            channel: 0,
            event: Arc::new(event),
        }
    }

    /// Sets the channel.
    #[must_use]
    pub fn on(self, channel: u8) -> Self {
        Self { channel, ..self }
    }
}

type SendToClients = dyn Fn(&mut NetworkServer, &Connections, &NetEntities) -> Result<(), MessageError>
    + Send
    + Sync;
type SendToServer = dyn Fn(End<'_>, &NetEntities) -> Result<(), MessageError> + Send + Sync;

/// End that sends an event to the server.
pub(super) enum End<'a> {
    Client(&'a mut NetworkClient),
    Host(&'a mut NetworkServer),
}

/// Events of this frame, in the order of their triggers.
#[derive(Resource, Default)]
pub(crate) struct Outbox {
    to_clients: Vec<Box<SendToClients>>,
    to_server: Vec<Box<SendToServer>>,
}

pub(super) fn queue_to_clients<M: NetEvent>(
    sent: On<ToClients<M>>,
    server: Option<Res<Server>>,
    mut outbox: ResMut<Outbox>,
) {
    if server.is_none() {
        tracing::warn!("an event to clients is dropped: this app is no server");
        return;
    }
    let (to, channel, event) = (sent.to, sent.channel, sent.event.clone());
    outbox
        .to_clients
        .push(Box::new(move |server, connections, entities| {
            let recipients = recipients(to, server, connections);
            server.send_on(recipients, channel, &event.to_wire(entities))
        }));
}

pub(super) fn queue_to_server<M: NetEvent>(
    sent: On<ToServer<M>>,
    client: Option<Res<Client>>,
    server: Option<Res<Server>>,
    mut outbox: ResMut<Outbox>,
) {
    if client.is_none() && server.is_none() {
        tracing::warn!("an event to the server is dropped: this app is no client");
        return;
    }
    let (channel, event) = (sent.channel, sent.event.clone());
    outbox.to_server.push(Box::new(move |end, entities| {
        let wire = event.to_wire(entities);
        match end {
            End::Client(client) => client.send_on(channel, &wire),
            End::Host(server) => server.local_send(&wire),
        }
    }));
}

/// Returns the connections of an event.
fn recipients(
    to: Recipients,
    server: &NetworkServer,
    connections: &Connections,
) -> Vec<ConnectionId> {
    match to {
        Recipients::All => connections.ids(),
        Recipients::AllBut(entity) => {
            let mut all = connections.ids();
            let left_out = connections.id(entity);
            all.retain(|id| Some(*id) != left_out);
            all
        }
        Recipients::Ready => {
            let mut ready = connections.ids();
            ready.retain(|id| server.is_ready(*id));
            ready
        }
        Recipients::One(entity) => connections.id(entity).into_iter().collect(),
    }
}

/// Server: sends the events of the frame.
pub(crate) fn send_to_clients(world: &mut World, server: &mut NetworkServer) {
    let Some(mut outbox) = world.get_resource_mut::<Outbox>() else {
        return;
    };
    let (to_clients, to_server) = (
        std::mem::take(&mut outbox.to_clients),
        std::mem::take(&mut outbox.to_server),
    );
    let connections = world.resource::<Connections>();
    let entities = world.resource::<NetEntities>();
    for send in to_clients {
        report(send(server, connections, entities));
    }
    for send in to_server {
        report(send(End::Host(server), entities));
    }
}

/// Client: sends the events of the frame.
pub(crate) fn send_to_server(world: &mut World, client: &mut NetworkClient) {
    let Some(mut outbox) = world.get_resource_mut::<Outbox>() else {
        return;
    };
    let to_server = std::mem::take(&mut outbox.to_server);
    let entities = world.resource::<NetEntities>();
    for send in to_server {
        report(send(End::Client(client), entities));
    }
}

fn report(sent: Result<(), MessageError>) {
    if let Err(error) = sent {
        tracing::warn!(%error, "an event is dropped");
    }
}
