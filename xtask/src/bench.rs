//! `cargo xtask bench`: measures the release build; what is measured is the business of `tests/`.

use crate::setup::{self, Purpose};
use crate::steps::Steps;
use crate::suites::Suites;
use crate::workspace::Workspace;
use crate::{call::Call, display, npm};
use anyhow::Result;
use std::ffi::OsString;

#[derive(clap::Args)]
pub(crate) struct Options {
    /// What follows `--` goes to the measuring program
    #[arg(last = true)]
    rest: Vec<OsString>,
}

pub(crate) fn bench(steps: &mut Steps, workspace: &Workspace, options: Options) -> Result<()> {
    setup::node(steps)?;
    setup::system(steps, Purpose::Tests)?;
    npm::packages(steps, workspace, "ui")?;
    npm::build_ui(steps, workspace)?;
    steps.step("Building the programs, optimised", || {
        workspace
            .cargo()
            .args(["build", "--release", "--locked", "--bins", "--package", "sightline-cli", "--package", "scenarios"])
            .advice("mend what the compiler names above")
            .run()
    })?;
    let suites = Suites::prepare(steps, workspace, "release")?;
    let program = workspace.program("release", "bench");
    steps.step("Measuring", || {
        let call = if display::is_present() { Call::new(program) } else { display::virtual_screen().arg(program) };
        call.args(options.rest)
            .within(&workspace.root)
            .envs(suites.env())
            .advice("read what it says above; close what else is busy, and run it again")
            .run()
    })
}
