//! Bytes of Mirror's protocol.

mod collections;
mod examples;
mod payload;
mod values;
