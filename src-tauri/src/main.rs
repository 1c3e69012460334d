//! The desktop window of Sightline.

#![cfg_attr(not(debug_assertions), windows_subsystem = "windows")]

use std::process::ExitCode;

fn main() -> ExitCode {
    sightline_desktop::run()
}
