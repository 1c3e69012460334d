//! `cargo xtask pictures`: takes all pictures again, those that the tests compare with and those of the README.

use crate::build::Profile;
use crate::run::PROGRAMS;
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
    steps.step("Building the programs", || workspace.build_programs(Profile::Debug, &PROGRAMS).run())?;
    let suites = Suites::prepare(steps, workspace, Profile::Debug)?;
    suites.pictures(steps, options.readme)?;
    println!("\nLook at every picture that changed, in tests/web/pictures and docs/pictures, before you commit it.");
    Ok(())
}
