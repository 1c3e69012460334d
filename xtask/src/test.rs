//! `cargo xtask test`: all tests, from the rules of a list to the real window.

use crate::build::{self, Profile};
use crate::run::PROGRAMS;
use crate::setup::{self, Purpose};
use crate::steps::Steps;
use crate::suites::Suites;
use crate::workspace::Workspace;
use crate::{bench, npm, tools};
use anyhow::Result;

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Leave out the window, the browser, and the clients and agents that others wrote
    #[arg(long)]
    fast: bool,
    /// Test these agents as well, with a comma between them (sdk: those built with an SDK), or all: 3.5 GB of packages
    #[arg(long, conflicts_with = "fast", value_name = "NAMES", num_args = 0..=1, require_equals = true,
          value_delimiter = ',', default_missing_value = "all")]
    agents: Vec<String>,
    /// Only these agents: the programs are built, and nothing else is tested
    #[arg(long, requires = "agents")]
    only: bool,
}

pub(crate) fn test(steps: &mut Steps, workspace: &Workspace, options: &Options) -> Result<()> {
    setup::with_ui(steps, workspace, (!options.fast).then_some(Purpose::Tests))?;
    if options.only {
        let programs = workspace.build_programs(Profile::Debug, &PROGRAMS);
        steps.step("Building the programs", || build::ensure_built(programs))?;
        return Suites::prepare(steps, workspace, Profile::Debug)?.agents(steps, &options.agents);
    }
    steps.step("Tests of the UI", || npm::script(workspace, "ui", "test", "mend the tests that failed above"))?;
    rust(steps, workspace, options.fast)?;
    if options.fast {
        return Ok(());
    }
    let suites = Suites::prepare(steps, workspace, Profile::Debug)?;
    suites.clients(steps)?;
    suites.web(steps, &options.agents)
}

/// Builds all programs and tests, and runs the tests.
fn rust(steps: &mut Steps, workspace: &Workspace, fast: bool) -> Result<()> {
    let without: &[&str] = if fast { &["--exclude", "sightline-desktop"] } else { &[] };
    tools::nextest(steps, workspace)?;
    steps.step("Building the programs and their tests", || workspace.build_tests().args(without).run())?;
    steps.step("Tests of the Rust", || {
        workspace
            .cargo_workspace(&["nextest", "run"])
            .args(without)
            .env("SIGHTLINE_BIN", workspace.program(Profile::Debug, "sightline"))
            .advice("mend the tests that failed above; `cargo nextest run NAME` runs one of them")
            .run()
    })?;
    bench::counts(steps, workspace)?;
    if fast {
        return Ok(());
    }
    steps.step("What `cargo xtask run` builds is built", || {
        build::ensure_built(workspace.build_programs(Profile::Debug, &PROGRAMS))
    })
}
