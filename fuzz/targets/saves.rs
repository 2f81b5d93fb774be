//! Target `saves`.

#![no_main]

use libfuzzer_sys::fuzz_target;
use syncvar_fuzz::saves;

fuzz_target!(|bytes: &[u8]| saves::run(bytes));
