//! Target `schema`.

#![no_main]

use libfuzzer_sys::fuzz_target;
use syncvar_fuzz::schema;

fuzz_target!(|bytes: &[u8]| schema::run(bytes));
