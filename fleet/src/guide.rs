//! Pages of `guide/` about fleets, compiled and run as doc tests.

#[doc = include_str!("../../guide/src/relays.md")]
mod relays {}

#[doc = include_str!("../../guide/src/zones.md")]
mod zones {}

#[doc = include_str!("../../guide/src/gateway.md")]
mod gateway {}
