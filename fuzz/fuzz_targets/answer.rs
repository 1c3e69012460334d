//! Calls `protocol::fuzz::answer` with what libFuzzer makes up.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| protocol::fuzz::answer(bytes));
