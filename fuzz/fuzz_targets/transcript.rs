//! Calls `sources::fuzz::transcript` with what libFuzzer makes up.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| sources::fuzz::transcript(bytes));
