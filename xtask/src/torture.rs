//! `cargo xtask torture`: tests a gateway under kills, a full disk, locks, damage and network faults, in more rounds
//! than `cargo xtask test` does.

use crate::build::Profile;
use crate::setup::{self, Purpose};
use crate::steps::Steps;
use crate::suites::Suites;
use crate::workspace::Workspace;
use anyhow::Result;

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Only the tests whose name has this in it
    test: Option<String>,
    /// Number of times that each fault comes
    #[arg(long, default_value_t = 20)]
    rounds: u32,
    /// Seed of the random choices: a failure names it, and can be repeated with it
    #[arg(long)]
    seed: Option<u32>,
}

pub(crate) fn torture(steps: &mut Steps, workspace: &Workspace, options: Options) -> Result<()> {
    setup::with_ui(steps, workspace, Some(Purpose::Tests))?;
    steps.step("Building the program", || workspace.build_programs(Profile::Debug, &["sightline"]).run())?;
    let mut rest = vec!["--torture-rounds".to_owned(), options.rounds.to_string()];
    rest.extend(options.seed.into_iter().flat_map(|seed| ["--torture-seed".to_owned(), seed.to_string()]));
    rest.extend(options.test.into_iter().flat_map(|test| ["-k".to_owned(), test]));
    Suites::prepare(steps, workspace, Profile::Debug)?.torture(steps, &rest)
}
