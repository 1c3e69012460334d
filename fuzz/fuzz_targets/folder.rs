//! Calls `sources::fuzz::folder` with what libFuzzer makes up.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| sources::fuzz::folder(bytes));
