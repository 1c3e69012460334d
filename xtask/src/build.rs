//! Builds, all with one choice of features, so that no command compiles again what another one has built.
//!
//! Cargo gives a library the features that the selected packages ask for, and counts their dev-dependencies only where
//! a test, a bench or an example is built too. So every build selects the whole workspace; one that needs programs
//! alone adds an empty example, and compiles nothing else for it.

use crate::call::Call;
use crate::workspace::Workspace;
use anyhow::{Context, Result, ensure};
use serde_json::Value;

/// The example in `xtask/examples`.
const EXAMPLE: [&str; 2] = ["--example", "features"];

/// Settings of the compiler.
#[derive(Clone, Copy)]
pub(crate) enum Profile {
    Debug,
    Release,
    /// As the packages are built.
    Dist,
}

impl Profile {
    /// The name of the folder that its programs are in.
    pub(crate) fn folder(self) -> &'static str {
        match self {
            Self::Debug => "debug",
            Self::Release => "release",
            Self::Dist => "dist",
        }
    }
}

impl Workspace {
    /// A call of a cargo command on the whole workspace.
    pub(crate) fn cargo_workspace(&self, command: &[&str]) -> Call {
        self.cargo().args(command).args(["--locked", "--workspace"]).advice("mend what the compiler names above")
    }

    /// A call that builds the programs of these names, and nothing that only tests need.
    pub(crate) fn build_programs(&self, profile: Profile, names: &[&str]) -> Call {
        let settings: &[&str] = match profile {
            Profile::Debug => &[],
            Profile::Release => &["--release"],
            Profile::Dist => &["--profile", "dist"],
        };
        let programs = names.iter().flat_map(|name| ["--bin", name]);
        self.cargo_workspace(&["build"]).args(EXAMPLE).args(settings).args(programs)
    }

    /// A call that builds all programs and all tests.
    pub(crate) fn build_tests(&self) -> Call {
        self.cargo_workspace(&["build", "--bins", "--tests"]).args(EXAMPLE)
    }
}

/// Makes a build that should find everything built.
///
/// # Errors
/// When something was compiled, naming it.
pub(crate) fn ensure_built(build: Call) -> Result<()> {
    let messages = build.args(["--message-format", "json"]).output().context("cargo could not build it")?;
    let compiled = compiled(&messages);
    ensure!(
        compiled.is_empty(),
        "compiled again: {}\n  What to do: build with the same features everywhere, as xtask/src/build.rs says",
        compiled.join(", ")
    );
    Ok(())
}

/// The names of the targets that cargo says it compiled.
fn compiled(messages: &str) -> Vec<String> {
    let messages = messages.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let stale = messages.filter(|message| message["reason"] == "compiler-artifact" && message["fresh"] == false);
    stale.filter_map(|message| message["target"]["name"].as_str().map(str::to_owned)).collect()
}

#[cfg(test)]
mod tests {
    use super::compiled;

    #[test]
    fn what_was_compiled_is_named_and_what_was_fresh_is_not() {
        let messages = r#"{"reason":"compiler-artifact","target":{"name":"todo"},"fresh":true}
{"reason":"compiler-artifact","target":{"name":"hub"},"fresh":false}
{"reason":"build-script-executed"}
{"reason":"build-finished","success":true}"#;
        assert_eq!(compiled(messages), ["hub"]);
    }
}
