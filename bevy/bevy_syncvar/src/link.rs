//! Links: packets between an end and its transport.

mod memory;

use std::time::Duration;

use bevy_ecs::prelude::*;
use syncvar::{Endpoint, NetworkClient, NetworkServer};

pub use memory::{MemoryConnector, MemoryLink, MemoryListener};

/// Moves the packets of an end, once in each frame. No method waits.
pub trait Link<E: Endpoint>: Send + Sync + 'static {
    /// Passes the received packets to the end, at a time of its clock.
    fn receive(&mut self, end: &mut E, now: Duration);

    /// Takes the packets of the end, behind its update.
    fn transmit(&mut self, end: &mut E, now: Duration);
}

/// Link of the server of an app.
#[derive(Resource)]
pub struct ServerLink(Box<dyn Link<NetworkServer>>);

impl ServerLink {
    /// Makes the resource of a link.
    pub fn new(link: impl Link<NetworkServer>) -> Self {
        Self(Box::new(link))
    }

    pub(crate) fn receive(&mut self, server: &mut NetworkServer, now: Duration) {
        self.0.receive(server, now);
    }

    pub(crate) fn transmit(&mut self, server: &mut NetworkServer, now: Duration) {
        self.0.transmit(server, now);
    }
}

/// Link of the client of an app.
#[derive(Resource)]
pub struct ClientLink(Box<dyn Link<NetworkClient>>);

impl ClientLink {
    /// Makes the resource of a link.
    pub fn new(link: impl Link<NetworkClient>) -> Self {
        Self(Box::new(link))
    }

    pub(crate) fn receive(&mut self, client: &mut NetworkClient, now: Duration) {
        self.0.receive(client, now);
    }

    pub(crate) fn transmit(&mut self, client: &mut NetworkClient, now: Duration) {
        self.0.transmit(client, now);
    }
}
