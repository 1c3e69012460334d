//! `cargo xtask bench`: measures an optimised build, by the program in `tests/src/bin/bench`.

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

/// The example in `crates/app/examples`.
const COUNTED: &str = "counted";

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Measure only the rules of the list, at 30 and at 256 items
    #[arg(long)]
    list: bool,
    /// Count what a call costs, with a debug build, and fail where that is more than it may be
    #[arg(long, conflicts_with = "list")]
    counts: bool,
    /// Measure the build of the packages, which takes minutes to make
    #[arg(long, conflicts_with_all = ["list", "counts"])]
    dist: bool,
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
    if options.counts {
        setup::with_ui(steps, workspace, None)?;
        return counts(steps, workspace);
    }
    setup::with_ui(steps, workspace, Some(Purpose::Tests))?;
    let profile = if options.dist { Profile::Dist } else { Profile::Release };
    steps.step("Building the programs, optimised", || {
        workspace
            .build_programs(profile, &["sightline", "sightline-desktop", "bench"])
            .args(["--example", "empty-window"])
            .run()
    })?;
    let suites = Suites::prepare(steps, workspace, profile)?;
    let program = workspace.program(profile, "bench");
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

/// Counts what a call costs; a count is the same on every machine.
pub(crate) fn counts(steps: &mut Steps, workspace: &Workspace) -> Result<()> {
    steps.step("Building a gateway that counts", || {
        workspace.build_programs(Profile::Debug, &["bench"]).args(["--example", COUNTED]).run()
    })?;
    steps.step("Counting what a call costs", || {
        Call::new(workspace.program(Profile::Debug, "bench"))
            .arg("--counts")
            .arg(workspace.example(Profile::Debug, COUNTED))
            .within(&workspace.root)
            .advice("look for what the change allocates, writes or prepares anew; tests/src/bin/bench/counts.rs has the budgets")
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
