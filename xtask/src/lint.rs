//! `cargo xtask lint`: checks the format and the code of the Rust and of the UI, and the dependencies.

use crate::call::Call;
use crate::setup::{self, Purpose};
use crate::steps::Steps;
use crate::workspace::Workspace;
use crate::{npm, suites};
use anyhow::Result;

/// Cargo's name for the compiler of our own crates.
pub(crate) const COMPILER: &str = "RUSTC_WORKSPACE_WRAPPER";
const NOT_INSTALLED: &str = "not installed here; the hosted workflow runs it";

pub(crate) fn lint(steps: &mut Steps, workspace: &Workspace) -> Result<()> {
    steps.step("Form of the Rust", || {
        let advice = "`cargo fmt --all` puts it right; `rustup component add rustfmt` if it is missing";
        workspace.cargo().args(["fmt", "--all", "--check"]).advice(advice).run()
    })?;
    setup::node(steps)?;
    setup::system(steps, Purpose::Window)?;
    npm::packages(steps, workspace, "ui")?;
    steps.step("Lint of the UI", || npm::script(workspace, "ui", "lint", "mend what is named above"))?;
    steps.step("Types of the UI", || npm::script(workspace, "ui", "check", "mend what is named above"))?;
    npm::packages(steps, workspace, suites::WEB)?;
    steps.step("Lint of the tests from outside", || {
        npm::script(workspace, suites::WEB, "lint", "mend what is named above")
    })?;
    dependencies(steps, workspace)?;
    // The gateway and the window embed the built UI, so their crates are not complete without it.
    npm::build_ui(steps, workspace)?;
    let call = if clippy_compiles() {
        workspace.cargo_workspace(&["build", "--all-targets"])
    } else {
        workspace.cargo_workspace(&["clippy", "--all-targets"]).args(["--", "-D", "warnings"])
    };
    let advice = "mend what clippy names above; `rustup component add clippy` if it is missing";
    steps.step("Lint of the Rust", || call.advice(advice).run())
}

/// True where clippy is the compiler, as in CI: a build lints what it compiles, and the tests find it built.
fn clippy_compiles() -> bool {
    std::env::var_os(COMPILER).is_some_and(|compiler| compiler == "clippy-driver")
}

/// Checks the dependencies and the spelling.
fn dependencies(steps: &mut Steps, workspace: &Workspace) -> Result<()> {
    // A test checks the licences and the sources, so nobody has to build this program first.
    let bans = "Licences, sources and bans of dependencies";
    if workspace.cargo().args(["deny", "--version"]).succeeds() {
        steps.step(bans, || {
            // Advisories need the network: the hosted workflow checks them.
            let arguments = ["deny", "--locked", "check", "bans", "licenses", "sources"];
            workspace.cargo().args(arguments).advice("mend what is named above, or allow it in deny.toml").run()
        })?;
    } else {
        steps.left_out(bans, NOT_INSTALLED);
    }
    let unused = "Unused dependencies";
    if workspace.find_program("cargo-machete").is_some() {
        steps.step(unused, || workspace.cargo().arg("machete").advice("mend what is named above").run())?;
    } else {
        steps.left_out(unused, NOT_INSTALLED);
    }
    let spelling = "Spelling";
    match workspace.find_program("typos") {
        Some(typos) => steps.step(spelling, || {
            let advice = "mend the words named above, or allow them in typos.toml";
            Call::new(typos).within(&workspace.root).advice(advice).run()
        })?,
        None => steps.left_out(spelling, NOT_INSTALLED),
    }
    Ok(())
}
