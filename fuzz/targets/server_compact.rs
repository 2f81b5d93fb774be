//! Target `server_compact`.

#![no_main]

use libfuzzer_sys::fuzz_target;
use syncvar_fuzz::{protocol, server};

fuzz_target!(|bytes: &[u8]| server::run::<protocol::Compact>(bytes));
