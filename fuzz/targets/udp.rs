//! Target `udp`.

#![no_main]

use libfuzzer_sys::fuzz_target;
use syncvar_fuzz::udp;

fuzz_target!(|bytes: &[u8]| udp::run(bytes));
