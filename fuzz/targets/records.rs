//! Target `records`.

#![no_main]

use libfuzzer_sys::fuzz_target;
use syncvar_fuzz::records;

fuzz_target!(|bytes: &[u8]| records::run(bytes));
