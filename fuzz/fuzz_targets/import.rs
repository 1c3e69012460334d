//! Calls `hub::fuzz::import` with what libFuzzer makes up.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| hub::fuzz::import(bytes));
