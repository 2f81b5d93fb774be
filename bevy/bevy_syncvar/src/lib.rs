//! Bevy components, replicated by [`syncvar`]: plain structs on the server's entities, single fields on the wire, the same
//! components on the clients' entities.
//!
//! ```
//! use bevy_app::prelude::*;
//! use bevy_ecs::prelude::*;
//! use bevy_syncvar::prelude::*;
//!
//! #[derive(Component, Replicate)]
//! struct Player {
//!     health: i32,
//! }
//!
//! let (listener, link) = MemoryLink::pair();
//! let mut server = App::new();
//! server.add_plugins(ServerPlugin::new(listener)).replicate::<Player>();
//! let mut client = App::new();
//! client.add_plugins(ClientPlugin::new(link)).replicate::<Player>();
//! server.world_mut().spawn((Replicated, Player { health: 100 }));
//! # let mut players = client.world_mut().query::<&Player>();
//! # while players.iter(client.world()).next().is_none() {
//! server.update();
//! client.update();
//! # }
//! # assert_eq!(players.single(client.world()).unwrap().health, 100);
//! ```
//!
//! # Design
//!
//! **The component is the truth, the object in the pool its shadow.** The server, the client, their packets, interest,
//! losses and predictions are those of `syncvar`, without any change for Bevy.
//!
//! | type | part |
//! | --- | --- |
//! | [`Replicate`], [`ShadowOf`] | a component and its shadow, made by the derive: `write` takes a component over, `read` and `create` give it back |
//! | [`NetValue`] | a value with entities, and its form on the wire |
//! | `Registry` | one `ReplicatedType` for each registered type: the functions that know the type. Prefabs are made from it |
//! | [`Replicated`], [`Remote`], [`Net`] | marker on the server, marker on the client, the id of the object of an entity |
//! | [`NetEntities`] | entities of ids, ids of entities |
//! | [`Server`], [`Client`] | resources: the ends |
//! | [`ServerLink`], [`ClientLink`] | the transports of the ends; [`MemoryLink`] has both ends in one process |
//!
//! The prefab `entity` has a place for each registered type, in the order of their names: an
//! [`Optional`](syncvar::behaviour::Optional) shadow. So an entity has any set of components, and components come and go.
//! [Bundles](ReplicateApp::replicate_bundle) are prefabs of their own, for entities with exactly their components.
//!
//! ## One frame of a server
//!
//! 1. [`Receive`](SyncVarSystems::Receive): packets to the server; fields written by owners to the components.
//! 2. The game.
//! 3. [`Collect`](SyncVarSystems::Collect), in `server/collect.rs`: despawns; ids for new entities, then their objects; removed
//!    components; for each type the components that Bevy calls changed are compared with their shadows, field by field; parents.
//! 4. [`Send`](SyncVarSystems::Send): the server's update, packets to the link.
//!
//! Bevy's ticks say which components to look at, a comparison with the shadow says which fields to send. So no change is
//! missed (`Mut`, `insert`, `mem::swap`, commands), and none is sent twice.
//!
//! ## One frame of a client
//!
//! 1. [`Receive`](SyncVarSystems::Receive): packets to the client.
//! 2. [`Apply`](SyncVarSystems::Apply), in `client/apply.rs`: entities of new objects are spawned first, entities of removed objects
//!    despawned; then parents and all values; then new components; at last the observers of [`Received`].
//! 3. The game.
//! 4. [`Collect`](SyncVarSystems::Collect): fields that this client writes as the owner, to the pools.
//! 5. [`Send`](SyncVarSystems::Send): the client's update, packets to the link.
//!
//! With a [`TickPlugin`], `FixedUpdate` is the tick of both ends, and the client's update comes before the ticks of the frame:
//!
//! - Server, `ticks/server.rs`: for each tick that the next update brings, the inputs of the clients to
//!   [`TickInput`], then `FixedMain`, then rounded values.
//! - Client, `ticks/client.rs`: [`HeldInput`] to the client, its update, new predictions; the states of the last tick, or of
//!   the tick that the server has corrected, to the components; for each tick `FixedMain` and a record of the results.
//!   [`Show`](SyncVarSystems::Show) writes the view of the frame over the fields with `interpolate`.
//!
//! Hooks and observers of the game run while [`Server`] and [`Client`] are in the world.
//!
//! ## Rooms
//!
//! | folder | duty |
//! | --- | --- |
//! | `registry/` | registered types, their prefabs |
//! | `ends/` | resources of the ends |
//! | `server/`, `client/` | plugins and systems of an end, events to the world |
//! | `connections/` | connections as entities, joins, owners |
//! | `events/`, `calls.rs` | events and calls between the apps |
//! | `ticks/` | the loop of the fixed steps, inputs |
//! | `prediction/` | data that goes back: predicted components, local data, spawns |
//! | `delivery/` | receivers of an entity: rules as components, interest |
//! | `link/` | packets of an end; links in memory |
//! | `relations/` | parents, entities of both ends |

extern crate self as bevy_syncvar; // the derives of own components name it

mod calls;
mod client;
mod connections;
mod delivery;
mod ends;
mod entities;
mod events;
#[cfg(doctest)]
mod guide;
pub mod link;
mod markers;
mod plugin;
mod prediction;
mod queue;
mod received;
mod registry;
mod relations;
mod replicate;
mod schedules;
mod server;
mod state;
mod ticks;
mod time;
mod value;

pub use bevy_syncvar_derive::{NetValue, Replicate};
pub use calls::{NetCall, NetCallApp};
pub use client::ClientPlugin;
pub use connections::{
    Away, ClientJoined, ClientLeft, Connection, Connections, Disconnected, JoinRequest,
    LocalClient, Owned, Owner, Owns, Ready,
};
#[cfg(feature = "transform")]
pub use delivery::Viewpoint;
pub use delivery::{Grid, Group, Groups, Interest, NetBudget, OnlyFor, Plane, Priority, Room};
pub use ends::{Client, Server};
pub use entities::{Net, NetEntities, Remote, Replicated};
pub use events::{FromClient, NetEvent, NetEventApp, Recipients, ToClients, ToServer};
pub use link::{ClientLink, MemoryConnector, MemoryLink, MemoryListener, NoLink, ServerLink};
pub use markers::{Interpolated, Predicted, Simulated};
pub use plugin::ReplicateApp;
pub use prediction::PredictApp;
pub use prediction::spawns::StepSpawn;
pub use received::Received;
pub use registry::ReplicateBundle;
pub use relations::scene::SceneId;
#[cfg(feature = "transform")]
pub use replicate::TransformShadow;
pub use replicate::{Replicate, ShadowOf};
pub use schedules::{Schedules, SyncVarSystems};
pub use server::{Past, RewindWorld, Rewound, ServerPlugin};
pub use state::{ClientSession, JoinState, joined, serving};
pub use syncvar;
#[cfg(all(feature = "web", target_arch = "wasm32"))]
pub use syncvar_web as web;
pub use ticks::{HeldInput, TickInput, TickPlugin, new_tick};
pub use time::Tick;
pub use value::NetValue;

/// Imports of most programs: `use bevy_syncvar::prelude::*;`.
pub mod prelude {
    pub use crate::{
        Away, Client, ClientJoined, ClientLeft, ClientLink, ClientPlugin, Connection, Connections,
        Disconnected, FromClient, HeldInput, Interpolated, JoinRequest, JoinState, LocalClient,
        MemoryLink, MemoryListener, Net, NetCall, NetCallApp, NetEntities, NetEventApp, NetValue,
        Owned, Owner, Owns, Past, PredictApp, Predicted, Ready, Received, Recipients, Remote,
        Replicate, ReplicateApp, Replicated, SceneId, Server, ServerLink, ServerPlugin, Simulated,
        StepSpawn, SyncVarSystems, Tick, TickInput, TickPlugin, ToClients, ToServer, joined,
        new_tick, serving,
    };
    pub use syncvar::{ConnectionId, NetId, NetRef, SyncValue, SyncVar, network_calls};
}

/// Names used by the derives. Not for use by hand; it changes without notice.
#[doc(hidden)]
pub mod __private {
    pub use crate::replicate::{
        give_mapped, give_value, read_mapped, read_value, write_mapped, write_value,
    };
}
