//! Events between the apps: `net_event`.

mod from_client;
mod net_event;
mod registry;
mod send;

pub use from_client::FromClient;
pub use net_event::NetEvent;
pub use registry::NetEventApp;
pub(crate) use registry::{EventTypes, receive_on_client, receive_on_server};
pub use send::{Recipients, ToClients, ToServer};
pub(crate) use send::{send_to_clients, send_to_server};
