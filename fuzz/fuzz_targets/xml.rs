//! Calls `todo::fuzz::xml` with what libFuzzer makes up.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| todo::fuzz::xml(bytes));
