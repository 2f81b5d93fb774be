//! Target `mirror_client`.

#![no_main]

use libfuzzer_sys::fuzz_target;
use syncvar_fuzz::{client, protocol};

fuzz_target!(|bytes: &[u8]| client::run::<protocol::Mirror>(bytes));
