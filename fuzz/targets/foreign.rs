//! Target `foreign`.

#![no_main]

use libfuzzer_sys::fuzz_target;
use syncvar_fuzz::foreign;

fuzz_target!(|bytes: &[u8]| foreign::run(bytes));
