//! The project's own commands: `cargo xtask run | test | lint | cross | bench | archive | fuzz | torture | pictures | types`.
//!
//! Each sets up what it needs, names its steps as it takes them, and gives advice when one fails.
//! The crate knows how the parts are built and started, and nothing of their content.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "its output is its purpose")]

mod archive;
mod bench;
mod build;
mod call;
mod cross;
mod display;
mod fingerprint;
mod fuzz;
mod lint;
mod npm;
mod pictures;
mod python;
mod ratios;
mod run;
mod setup;
mod steps;
mod suites;
mod test;
mod tools;
mod torture;
mod types;
mod workspace;

use anyhow::Result;
use clap::{Parser, Subcommand};
use std::process::ExitCode;
use steps::Steps;
use workspace::Workspace;

#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", about = "The project's own commands")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Sets up what is missing, builds and opens the window; without a display it serves the page instead
    Run(run::Options),
    /// Sets up what is missing and runs every test
    Test(test::Options),
    /// Checks the form and the sense of the Rust and of the UI
    Lint,
    /// Checks the types of all Rust for Windows and for macOS, on Debian
    Cross(cross::Options),
    /// Measures the release build, beside the floor of the same run
    Bench(bench::Options),
    /// Makes a data folder with years of lists in it, to try things on
    Archive(archive::Options),
    /// Makes up inputs for the parsers and for the changes of a list, and keeps those that break them
    Fuzz(fuzz::Options),
    /// Does to the gateway what a hard life would, over and over, and looks whether anything was lost
    Torture(torture::Options),
    /// Takes the pictures of every page and of the README anew, from the demo
    Pictures(pictures::Options),
    /// Writes the TypeScript types that the protocol crate declares
    Types,
}

fn main() -> ExitCode {
    match carry_out(Arguments::parse().command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("\n✗ {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn carry_out(command: Command) -> Result<()> {
    let workspace = Workspace::find()?;
    let mut steps = Steps::default();
    let outcome = match command {
        // The window or the server replaces this program, so there is no table at the end.
        Command::Run(options) => return run::run(&mut steps, &workspace, options),
        Command::Test(options) => test::test(&mut steps, &workspace, &options),
        Command::Lint => lint::lint(&mut steps, &workspace),
        Command::Cross(options) => cross::cross(&mut steps, &workspace, &options),
        Command::Bench(options) => bench::bench(&mut steps, &workspace, options),
        Command::Archive(options) => archive::archive(&mut steps, &workspace, options),
        Command::Fuzz(options) => fuzz::fuzz(&mut steps, &workspace, &options),
        Command::Torture(options) => torture::torture(&mut steps, &workspace, options),
        Command::Pictures(options) => pictures::pictures(&mut steps, &workspace, &options),
        Command::Types => types::types(&mut steps, &workspace),
    };
    println!("\n{}", steps.table());
    outcome
}
