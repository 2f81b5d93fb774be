//! The client's methods: each hands its work to the parts, in their order.

mod calls;
mod endpoint;
mod events;
mod frame;
mod iterate;
mod lifecycle;
mod packets;
mod scenes;
mod side;
mod spawn;
mod transmit;
mod world;
mod write;
