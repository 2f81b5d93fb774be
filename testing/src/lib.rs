//! Worlds, behaviours and property-test settings shared by the tests of the workspace.

pub mod attacks;
mod behaviours;
mod bytes;
mod cases;
mod crowd;
#[cfg(feature = "golden")]
pub mod golden;
pub mod loss;
#[cfg(feature = "mirror")]
pub mod mirror;
mod network;
mod packets;
#[cfg(feature = "pages")]
pub mod pages;
mod pair;
pub mod programs;
pub mod schemas;
#[cfg(feature = "sockets")]
pub mod sockets;
mod twins;
mod view_change;

pub use behaviours::{
    Banner, Compass, Door, Player, Points, Score, prefabs, prefabs_with_scoreboard,
};
pub use bytes::{apply, frame, written};
pub use cases::cases;
pub use crowd::Crowd;
pub use network::{
    assert_all_equal, change, client, drain, hooks, network, networks_of_both_framings,
    server_events, spawn_for, spawn_owned, spawn_with_id, states, steps, token,
};
pub use packets::{
    ClientMessages, DATAGRAMS, ServerMessages, arrive, arrive_at_server, events, messages, packet,
};
pub use pair::{Packet, Pair};
pub use twins::Twins;
pub use view_change::{ViewChange, object_of};
