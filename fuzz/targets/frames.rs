//! Target `frames`.

#![no_main]

use libfuzzer_sys::fuzz_target;
use syncvar_fuzz::frames;

fuzz_target!(|bytes: &[u8]| frames::run(bytes));
