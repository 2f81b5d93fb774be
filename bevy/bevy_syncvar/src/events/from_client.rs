//! `FromClient`: the event of an event of a client.

use bevy_ecs::prelude::*;

/// Event of a server: a client has sent an event to the server.
///
/// Its target is the connection of the client, so that observers may watch a single client. The target of an
/// [entity event](crate::NetEventApp::net_entity_event) is the target of that event.
#[derive(EntityEvent, Clone, Debug)]
pub struct FromClient<M: Send + Sync + 'static> {
    /// Target of the event.
    pub entity: Entity,
    /// Connection of the client.
    pub client: Entity,
    /// The event.
    pub event: M,
}
