//! `cargo xtask test`: every test there is, from the rules of a list to the real window.

use crate::setup::{self, Purpose};
use crate::steps::Steps;
use crate::suites::Suites;
use crate::workspace::Workspace;
use crate::{npm, tools};
use anyhow::Result;

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Leave out the window, the browser, and the clients and agents that others wrote
    #[arg(long)]
    fast: bool,
    /// Test Codex and Qwen Code as well, which are big to install (700 MB)
    #[arg(long, conflicts_with = "fast")]
    agents: bool,
}

pub(crate) fn test(steps: &mut Steps, workspace: &Workspace, options: &Options) -> Result<()> {
    setup::with_ui(steps, workspace, (!options.fast).then_some(Purpose::Tests))?;
    steps.step("Tests of the UI", || npm::script(workspace, "ui", "test", "mend the tests that failed above"))?;
    rust(steps, workspace, options.fast)?;
    if options.fast {
        return Ok(());
    }
    let suites = Suites::prepare(steps, workspace, "debug")?;
    suites.clients(steps)?;
    suites.web(steps)?;
    if options.agents { suites.more_agents(steps) } else { Ok(()) }
}

/// Programs and tests are built with one choice of packages and targets, so that cargo builds nothing twice.
fn rust(steps: &mut Steps, workspace: &Workspace, fast: bool) -> Result<()> {
    let packages: &[&str] = if fast { &["--workspace", "--exclude", "sightline-desktop"] } else { &["--workspace"] };
    tools::nextest(steps, workspace)?;
    steps.step("Building the programs and their tests", || {
        workspace
            .cargo()
            .args(["build", "--locked", "--bins", "--tests"])
            .args(packages)
            .advice("mend what the compiler names above")
            .run()
    })?;
    steps.step("Tests of the Rust", || {
        workspace
            .cargo()
            .args(["nextest", "run", "--locked"])
            .args(packages)
            .env("SIGHTLINE_BIN", workspace.program("debug", "sightline"))
            .advice("mend the tests that failed above; `cargo nextest run NAME` runs one of them")
            .run()
    })
}
