//! `cargo xtask torture`: kills, fills the disk, locks, damages, cuts the network, for longer than the tests do.

use crate::setup::{self, Purpose};
use crate::steps::Steps;
use crate::suites::Suites;
use crate::workspace::Workspace;
use anyhow::Result;

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Only the tests whose name has this in it
    test: Option<String>,
    /// How often each fault comes
    #[arg(long, default_value_t = 20)]
    rounds: u32,
    /// What chance begins with: a failure names it, and comes again with it
    #[arg(long)]
    seed: Option<u32>,
}

pub(crate) fn torture(steps: &mut Steps, workspace: &Workspace, options: Options) -> Result<()> {
    setup::with_ui(steps, workspace, Some(Purpose::Tests))?;
    steps.step("Building the program", || {
        workspace
            .cargo()
            .args(["build", "--locked", "--package", "sightline-cli"])
            .advice("mend what the compiler names above")
            .run()
    })?;
    let mut rest = vec!["--torture-rounds".to_owned(), options.rounds.to_string()];
    rest.extend(options.seed.into_iter().flat_map(|seed| ["--torture-seed".to_owned(), seed.to_string()]));
    rest.extend(options.test.into_iter().flat_map(|test| ["-k".to_owned(), test]));
    Suites::prepare(steps, workspace, "debug")?.torture(steps, &rest)
}
