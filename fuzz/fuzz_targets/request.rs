//! Calls `protocol::fuzz::request` with what libFuzzer makes up.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| protocol::fuzz::request(bytes));
