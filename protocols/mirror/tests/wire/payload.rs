//! A behaviour's payload: its collections, and then the other fields of each class, as WIRE.md section 2
//! describes it. The bytes that are given with the name of a class are Mirror's own.

mod by_hand;
mod hooks;
mod robust;
mod sections;
pub(crate) mod support;
