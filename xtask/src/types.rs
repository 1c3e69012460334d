//! `cargo xtask types`: the UI's TypeScript types, written from the protocol crate.

use crate::steps::Steps;
use crate::workspace::Workspace;
use anyhow::Result;

/// The test that fails when the types are stale is also what writes them.
pub(crate) fn types(steps: &mut Steps, workspace: &Workspace) -> Result<()> {
    steps.step("Writing ui/src/protocol/types.ts", || {
        workspace
            .cargo()
            .args(["test", "--locked", "--package", "sightline-protocol", "typescript_is_current"])
            .env("SIGHTLINE_WRITE_TYPES", "1")
            .advice("mend what the compiler or the test names above")
            .run()
    })
}
