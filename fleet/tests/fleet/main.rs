//! Fleets in virtual time: an origin, levels of relays, spectators.

mod carriers;
mod moving;
mod relays;
mod schedules;
mod sockets;
mod stage;
mod zone_stage;
mod zone_world;
mod zones;
