//! `cargo xtask pictures`: takes every picture anew, those that the tests compare with and those of the README.

use crate::setup::{self, Purpose};
use crate::steps::Steps;
use crate::suites::Suites;
use crate::workspace::Workspace;
use anyhow::Result;

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Take only the README's, in docs/pictures
    #[arg(long)]
    readme: bool,
}

pub(crate) fn pictures(steps: &mut Steps, workspace: &Workspace, options: &Options) -> Result<()> {
    setup::with_ui(steps, workspace, Some(Purpose::Tests))?;
    steps.step("Building the programs", || {
        workspace
            .cargo()
            .args(["build", "--locked", "--bins", "--package", "sightline-cli", "--package", "sightline-desktop"])
            .advice("mend what the compiler names above")
            .run()
    })?;
    let suites = Suites::prepare(steps, workspace, "debug")?;
    suites.pictures(steps, options.readme)?;
    println!("\nLook at every picture that changed, in tests/web/pictures and docs/pictures, before you commit it.");
    Ok(())
}
