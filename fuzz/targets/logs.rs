//! Target `logs`.

#![no_main]

use libfuzzer_sys::fuzz_target;
use syncvar_fuzz::logs;

fuzz_target!(|bytes: &[u8]| logs::run(bytes));
