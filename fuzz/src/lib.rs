//! Fuzz targets of `syncvar`.
//!
//! A target is a function of bytes that panics at a finding. libFuzzer runs them (`fuzz/run`), and the
//! program `corpus` replays inputs without it.

pub mod client;
pub mod collections;
pub mod foreign;
pub mod frames;
pub mod kcp;
pub mod limits;
pub mod logs;
pub mod objects;
pub mod packet;
pub mod pawn;
pub mod protocol;
pub mod records;
pub mod saves;
pub mod schema;
pub mod script;
pub mod seeds;
pub mod server;
pub mod udp;
pub mod values;
pub mod world;

use protocol::{Compact, Mirror, Unet};

/// Name and function of a target.
pub type Target = (&'static str, fn(&[u8]));

/// All targets.
pub const TARGETS: &[Target] = &[
    ("server_compact", server::run::<Compact>),
    ("server_unet", server::run::<Unet>),
    ("client_compact", client::run::<Compact>),
    ("client_unet", client::run::<Unet>),
    ("mirror_server", server::run::<Mirror>),
    ("mirror_client", client::run::<Mirror>),
    ("schema", schema::run),
    ("foreign", foreign::run),
    ("values", values::run),
    ("collections", collections::run),
    ("records", records::run),
    ("logs", logs::run),
    ("saves", saves::run),
    ("kcp", kcp::run),
    ("udp", udp::run),
    ("frames", frames::run),
];
