//! Target `kcp`.

#![no_main]

use libfuzzer_sys::fuzz_target;
use syncvar_fuzz::kcp;

fuzz_target!(|bytes: &[u8]| kcp::run(bytes));
