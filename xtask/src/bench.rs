//! `cargo xtask bench`: measures the release build, by the program in `tests/src/bin/bench`.

use crate::build::Profile;
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
    /// Arguments after `--` go to the measuring program
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
            .build_programs(Profile::Release, &["sightline", "sightline-desktop", "bench"])
            .args(["--example", "empty-window"])
            .run()
    })?;
    let suites = Suites::prepare(steps, workspace, Profile::Release)?;
    let program = workspace.program(Profile::Release, "bench");
    steps.step("Measuring", || {
        let call = if display::is_present() { Call::new(program) } else { display::virtual_screen().arg(program) };
        // The path is relative to the caller's folder, and the measuring program runs in another one.
        let other = options.compare.map(std::path::absolute).transpose()?;
        let compare = other.into_iter().flat_map(|file| [OsString::from("--compare"), file.into_os_string()]);
        call.args(compare.chain(options.rest))
            .within(&workspace.root)
            .envs(suites.env())
            .advice("read what it says above; close what else is busy, and run it again")
            .run()
    })
}

/// Measures how the time of the rules grows with the list; the time itself depends on the machine.
fn list(steps: &mut Steps, workspace: &Workspace, rest: Vec<OsString>) -> Result<()> {
    let measured = workspace.target.join("criterion");
    if measured.exists() {
        // Results of benchmarks that no longer exist are not to be judged.
        fs::remove_dir_all(&measured).with_context(|| format!("{} cannot be removed", measured.display()))?;
    }
    steps.step("Measuring the rules of the list", || {
        let short = ["--warm-up-time", "0.5", "--measurement-time", "1.5", "--sample-size", "30", "--noplot"];
        workspace
            .cargo_workspace(&["bench", "--bench", "list"])
            .arg("--")
            .args(short)
            .args(rest)
            .env("CRITERION_HOME", &measured)
            .run()
    })?;
    steps.step("Comparing 256 items with 30", || ratios::print(&measured))
}
