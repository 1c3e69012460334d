//! `cargo xtask archive`: years of lists, made by the release build; what is in them is the business of `tests/`.

use crate::call::Call;
use crate::steps::Steps;
use crate::workspace::Workspace;
use anyhow::Result;
use std::ffi::OsString;

#[derive(clap::Args)]
#[command(disable_help_flag = true)]
pub(crate) struct Options {
    /// What the program that makes it takes
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    rest: Vec<OsString>,
}

pub(crate) fn archive(steps: &mut Steps, workspace: &Workspace, options: Options) -> Result<()> {
    steps.step("Building what makes it, optimised", || {
        workspace
            .cargo()
            .args(["build", "--release", "--locked", "--package", "scenarios", "--bin", "archive"])
            .advice("mend what the compiler names above")
            .run()
    })?;
    steps.step("Making the archive", || {
        Call::new(workspace.program("release", "archive"))
            .args(options.rest)
            .within(&workspace.root)
            .advice("read what it says above")
            .run()
    })
}
