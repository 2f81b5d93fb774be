//! Target `values`.

#![no_main]

use libfuzzer_sys::fuzz_target;
use syncvar_fuzz::values;

fuzz_target!(|bytes: &[u8]| values::run(bytes));
