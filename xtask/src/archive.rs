//! `cargo xtask archive`: makes a data folder with years of lists, by the program in `tests/src/bin/archive`.

use crate::build::Profile;
use crate::call::Call;
use crate::steps::Steps;
use crate::workspace::Workspace;
use anyhow::Result;
use std::ffi::OsString;

#[derive(clap::Args)]
#[command(disable_help_flag = true)]
pub(crate) struct Options {
    /// Options of the program that makes it
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    rest: Vec<OsString>,
}

pub(crate) fn archive(steps: &mut Steps, workspace: &Workspace, options: Options) -> Result<()> {
    steps
        .step("Building what makes it, optimised", || workspace.build_programs(Profile::Release, &["archive"]).run())?;
    steps.step("Making the archive", || {
        Call::new(workspace.program(Profile::Release, "archive"))
            .args(options.rest)
            .within(&workspace.root)
            .advice("read what it says above")
            .run()
    })
}
