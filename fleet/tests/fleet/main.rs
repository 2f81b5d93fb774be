//! Fleets in virtual time: an origin, levels of relays, spectators.

mod carriers;
mod gateway_links;
mod gateway_prediction;
mod gateway_sockets;
mod gateway_stage;
mod gateways;
mod moving;
mod relays;
mod schedules;
mod socket_zone;
mod sockets;
mod stage;
mod zone_stage;
mod zone_world;
mod zones;
