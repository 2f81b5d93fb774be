//! Public methods of [`NetworkServer`](super::NetworkServer), by noun.
//!
//! A method resolves its arguments, calls the rooms in their order, and hands the effects that they
//! return to the rooms above. Rooms do not know this module.
//!
//! ```text
//! api, server.rs      public methods; conductor of `update` and `handle_packet`
//! host, recording     calls, messages, players
//! datagrams           packets of unreliable channels, losses and their repair
//! replication         schedule, deltas, budgets
//! visibility          audiences, interest, groups, snapshots
//! outbound            chunks, queues, packets
//! sessions            connections, admission, sessions
//! objects             world, owners, permits, parents
//! context             events, statistics, time, settings
//! ```

mod behaviours;
mod calls;
mod delivery;
mod endpoint;
pub(super) mod excerpt;
mod following;
mod groups;
mod host;
mod inputs;
mod interest;
pub(super) mod local_client;
mod messages;
mod moving;
mod network_side;
mod objects;
mod ownership;
mod players;
pub(super) mod private_fields;
mod protocol;
mod recording;
mod remote;
mod requests;
mod rewind;
pub(super) mod rooms;
mod saving;
mod sessions;
mod steps;
mod transport;
mod untyped;
mod update;
mod visibility;
