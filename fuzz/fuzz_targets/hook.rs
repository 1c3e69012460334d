//! Calls `sources::fuzz::hook` with what libFuzzer makes up.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| sources::fuzz::hook(bytes));
