//! Target `collections`.

#![no_main]

use libfuzzer_sys::fuzz_target;
use syncvar_fuzz::collections;

fuzz_target!(|bytes: &[u8]| collections::run(bytes));
