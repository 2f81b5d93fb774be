//! Counterparts of Netcode's own tests, by the numbers of the checklist. Those about collections
//! stand in `tests/collections`, those about values in `tests/values`.

mod containers;
mod inheritance;
mod names;
mod objects;
mod packets;
mod readers;
mod types;
mod updates;
mod visibility;
mod writers;
