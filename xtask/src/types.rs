//! `cargo xtask types`: the UI's TypeScript types and the protocol's page and schema, written from the protocol crate,
//! the English texts of the gateway, and the table of agents, from what their tests have seen.

use crate::steps::Steps;
use crate::workspace::Workspace;
use anyhow::Result;

/// The tests that fail when a file is stale also write it.
pub(crate) fn types(steps: &mut Steps, workspace: &Workspace) -> Result<()> {
    steps.step("Writing ui/src/protocol/types.ts, docs/protocol.md and docs/protocol.schema.json", || {
        workspace
            .cargo()
            .args(["test", "--locked", "--package", "sightline-protocol", "generated"])
            .env("SIGHTLINE_WRITE_TYPES", "1")
            .advice("mend what the compiler or the test names above")
            .run()
    })?;
    steps.step("Writing ui/messages/en/gateway.json", || {
        workspace
            .cargo()
            .args(["test", "--locked", "--package", "sightline-texts", "the_english_texts_are_those_of_the_table"])
            .env("SIGHTLINE_WRITE_TYPES", "1")
            .advice("mend what the compiler or the test names above")
            .run()
    })?;
    steps.step("Writing the table of docs/agents.md", || {
        workspace
            .cargo()
            .args(["test", "--locked", "--package", "scenarios", "--lib", "the_page_says_what_was_seen"])
            .env("SIGHTLINE_WRITE_TYPES", "1")
            .advice("mend what the compiler or the test names above")
            .run()
    })
}
