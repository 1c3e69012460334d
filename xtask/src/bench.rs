//! `cargo xtask bench`: measures the release build; what is measured is the business of `tests/`.

use crate::setup::{self, Purpose};
use crate::steps::Steps;
use crate::suites::Suites;
use crate::workspace::Workspace;
use crate::{call::Call, display, ratios};
use anyhow::{Context, Result};
use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Measure only the rules of the list, at 30 and at 256 items
    #[arg(long)]
    list: bool,
    /// Compare with what another run has written (target/bench.json, kept somewhere)
    #[arg(long, value_name = "FILE")]
    compare: Option<PathBuf>,
    /// What follows `--` goes to the measuring program
    #[arg(last = true)]
    rest: Vec<OsString>,
}

pub(crate) fn bench(steps: &mut Steps, workspace: &Workspace, options: Options) -> Result<()> {
    if options.list {
        return list(steps, workspace, options.rest);
    }
    setup::with_ui(steps, workspace, Some(Purpose::Tests))?;
    steps.step("Building the programs, optimised", || {
        workspace
            .cargo()
            .args(["build", "--release", "--locked", "--bins", "--example", "empty-window"])
            .args(["--package", "sightline-cli", "--package", "sightline-desktop", "--package", "scenarios"])
            .advice("mend what the compiler names above")
            .run()
    })?;
    let suites = Suites::prepare(steps, workspace, "release")?;
    let program = workspace.program("release", "bench");
    steps.step("Measuring", || {
        let call = if display::is_present() { Call::new(program) } else { display::virtual_screen().arg(program) };
        // It is named from where it was called, and read from elsewhere.
        let other = options.compare.map(std::path::absolute).transpose()?;
        let compare = other.into_iter().flat_map(|file| [OsString::from("--compare"), file.into_os_string()]);
        call.args(compare.chain(options.rest))
            .within(&workspace.root)
            .envs(suites.env())
            .advice("read what it says above; close what else is busy, and run it again")
            .run()
    })
}

/// Not how long the rules of the list take, which is the machine's, but how that grows with the list.
fn list(steps: &mut Steps, workspace: &Workspace, rest: Vec<OsString>) -> Result<()> {
    let measured = workspace.target.join("criterion");
    if measured.exists() {
        // What is measured no more is not to be judged.
        fs::remove_dir_all(&measured).with_context(|| format!("{} cannot be removed", measured.display()))?;
    }
    steps.step("Measuring the rules of the list", || {
        let short = ["--warm-up-time", "0.5", "--measurement-time", "1.5", "--sample-size", "30", "--noplot"];
        workspace
            .cargo()
            .args(["bench", "--locked", "--package", "sightline-todo", "--bench", "list", "--"])
            .args(short)
            .args(rest)
            .env("CRITERION_HOME", &measured)
            .advice("mend what the compiler names above")
            .run()
    })?;
    steps.step("Comparing 256 items with 30", || ratios::print(&measured))
}
