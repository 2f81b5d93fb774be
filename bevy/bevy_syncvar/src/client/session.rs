//! Session of a client: its events to the world.

use std::mem;

use bevy_ecs::prelude::*;
use syncvar::{ClientEvent, DisconnectReason};

use crate::connections::{Disconnected, show_owned};
use crate::state::ClientSession;
use crate::{JoinState, calls, events};

/// Gives the events of the client to the world, behind its objects.
pub(super) fn dispatch(world: &mut World) {
    let Some(mut session) = world.get_resource_mut::<ClientSession>() else {
        return;
    };
    let received = mem::take(&mut session.events);
    for event in &received {
        session.state = match event {
            ClientEvent::Connected
            | ClientEvent::NotReady
            | ClientEvent::Returned { resumed: false } => JoinState::Connecting,
            ClientEvent::Ready | ClientEvent::Returned { resumed: true } => JoinState::Joined,
            ClientEvent::Refused { .. } | ClientEvent::Disconnected { .. } => JoinState::Left,
            _ => session.state,
        };
    }
    for event in received {
        handle(world, event);
    }
}

fn handle(world: &mut World, event: ClientEvent) {
    let end = |world: &mut World, reason: DisconnectReason| world.trigger(Disconnected { reason });
    match event {
        ClientEvent::Spawned { object } | ClientEvent::OwnerChanged { object, .. } => {
            show_owned(world, object);
        }
        ClientEvent::Refused { reason } | ClientEvent::Disconnected { reason } => {
            end(world, reason);
        }
        ClientEvent::Message(message) => events::receive_on_client(world, &message),
        ClientEvent::Called(called) => calls::receive(world, None, &called),
        _ => {}
    }
}
