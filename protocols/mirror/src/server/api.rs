//! The server's methods: each hands its work to the parts, in their order.

mod calls;
mod connections;
mod endpoint;
mod events;
mod frame;
mod interest;
mod iterate;
mod messages;
mod owner;
mod packets;
mod players;
mod scenes;
mod side;
mod spawn;
pub(super) mod transmit;
mod unsent;
mod views;
mod world;
mod write;
