//! Worlds of `syncvar` past one machine.
//!
//! The nodes of a fleet exchange [tick records](syncvar_net::TickRecord) over a [`Carrier`]: publish and receive records,
//! ask a node for a keyframe, call a node, see the nodes that are alive. Everything above the carrier has neither sockets nor
//! a clock, as the ends of `syncvar`, so tests run in virtual time.
//!
//! ```text
//! gateway    players of all zones
//! relay      spectators of an origin                 zone: a part of a world; handovers, ghosts, leases
//! ──────────────────────────────────────────────────────────────────────────────────────────────
//! carrier    Carrier: records, questions, living nodes
//!            memory (virtual time, faults), link (the transports of `syncvar`; sockets)
//! ```

pub mod carrier;
mod endpoint;
pub mod gateway;
#[cfg(all(doctest, feature = "tcp"))]
mod guide;
pub mod link;
pub mod memory;
mod origin;
mod relay;
mod sealed;
#[cfg(feature = "tcp")]
pub mod sockets;
mod spectator_message;
mod world_state;
pub mod zone;

pub use carrier::{Carrier, CarrierEvent, Node, NodeId, Question, QuestionId, Role, Topic};
pub use origin::{NoIncarnation, Origin, SpectatorMessage};
pub use relay::{Relay, RelayConfig, RelayStats, WorldError};
pub use world_state::{WorldState, WorldStateError};
