//! The methods of `NetworkClient`: public methods of a few lines, and the steps of the conductor.

mod arrivals;
mod bursts;
mod callbacks;
mod calls;
mod connection;
mod endpoint;
mod learning;
pub(super) mod loading;
mod motion;
mod objects;
mod packets;
mod prediction;
mod protocol;
mod recorded;
mod records;
mod sessions;
mod side;
mod snapshots;
mod untyped;
