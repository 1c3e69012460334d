//! The commands' needs of the machine: found, installed where that is permitted, otherwise named.

mod linux;
mod needs;

use crate::call::Call;
use crate::steps::Steps;
use crate::workspace::Workspace;
use crate::{display, npm, python, workspace};
use anyhow::{Context, Result, bail, ensure};
use needs::Need;
use std::env;

pub(crate) use needs::chromium;

/// The oldest Node that the UI's tools run on, as major and minor.
const NODE: (u32, u32) = (20, 19);

/// The purpose for which the machine is set up.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// To build and open the window.
    Window,
    /// To build everything and test it from outside too.
    Tests,
}

/// Installs what the system lacks for a purpose, if there is one, and builds the UI.
pub(crate) fn with_ui(steps: &mut Steps, workspace: &Workspace, purpose: Option<Purpose>) -> Result<()> {
    node(steps)?;
    if let Some(purpose) = purpose {
        system(steps, purpose)?;
    }
    npm::packages(steps, workspace, "ui")?;
    npm::build_ui(steps, workspace)
}

/// Checks Node and npm. They are not installed here, since people have their own ways to do that.
pub(crate) fn node(steps: &mut Steps) -> Result<()> {
    let (major, minor) = NODE;
    let way =
        format!("get Node {major}.{minor} or newer, with npm, from https://nodejs.org or by `nvm install {major}`");
    steps.step("Checking Node and npm", || {
        let version = Call::new("node").arg("--version").output();
        let version = version.with_context(|| format!("Node was not found\n  What to do: {way}"))?;
        let new_enough = numbers(&version).is_some_and(|found| found >= NODE);
        ensure!(new_enough, "Node {version} is too old\n  What to do: {way}");
        let npm = Call::new(workspace::npm()).arg("--version").succeeds();
        ensure!(npm, "npm was not found\n  What to do: {way}");
        Ok(())
    })
}

/// Checks the system's libraries and programs, and installs them on Linux where that is permitted.
pub(crate) fn system(steps: &mut Steps, purpose: Purpose) -> Result<()> {
    let needs = needed(purpose);
    match env::consts::OS {
        "linux" => linux::packages(steps, &needs),
        "macos" => steps.step("Checking the developer tools", || {
            let found = Call::new("xcode-select").arg("-p").succeeds();
            ensure!(found, "Xcode's command line tools are missing\n  What to do: xcode-select --install");
            others(purpose)
        }),
        "windows" => steps.step("Checking WebView2 and the compiler", || {
            windows()?;
            others(purpose)
        }),
        other => bail!("{other} is not a system that the window runs on; `sightline serve` may"),
    }
}

fn needed(purpose: Purpose) -> Vec<&'static Need> {
    let mut needs: Vec<&Need> = needs::WINDOW.iter().collect();
    match purpose {
        Purpose::Tests => {
            needs.extend(needs::TESTS.iter());
            if env::var_os("CI").is_some() {
                needs.push(&needs::SSH_SERVER);
                needs.extend(linux::is_debian().then_some(&needs::HEADLESS_SHELL));
            }
        }
        Purpose::Window if !display::has_session_bus() => needs.push(&needs::SESSION_BUS),
        Purpose::Window => {}
    }
    needs
}

/// Checks the needs of the tests on macOS and Windows, where nothing is installed automatically.
fn others(purpose: Purpose) -> Result<()> {
    if purpose == Purpose::Tests {
        chromium().context("no Chromium or Chrome was found\n  What to do: install one, or name it in CHROMIUM")?;
        python::interpreter()
            .context("no Python 3.10 or newer was found\n  What to do: install it from https://www.python.org")?;
    }
    Ok(())
}

fn windows() -> Result<()> {
    if cfg!(target_env = "gnu") {
        bail!(
            "the window needs Rust's MSVC toolchain\n  What to do: install Visual Studio's C++ build tools, then \
             `rustup default stable-msvc`"
        );
    }
    // Registry keys with WebView2's version: for all users (64 and 32 bit), and for this user.
    const CLIENT: &str = r"Microsoft\EdgeUpdate\Clients\{F3017226-FE2A-4295-8BDF-00C3A9A7E4C5}";
    let roots = [r"HKLM\SOFTWARE\WOW6432Node", r"HKLM\SOFTWARE", r"HKCU\Software"];
    let found =
        roots.iter().any(|root| Call::new("reg").args(["query", &format!(r"{root}\{CLIENT}"), "/v", "pv"]).succeeds());
    ensure!(
        found,
        "the WebView2 runtime is missing\n  What to do: install it from \
         https://developer.microsoft.com/microsoft-edge/webview2/"
    );
    Ok(())
}

/// The 20 and the 19 of `v20.19.4`.
fn numbers(version: &str) -> Option<(u32, u32)> {
    let mut parts = version.trim_start_matches('v').split('.');
    let major = parts.next()?.parse().ok()?;
    let minor = parts.next()?.parse().ok()?;
    Some((major, minor))
}

#[cfg(test)]
mod tests {
    use super::{NODE, numbers};

    #[test]
    fn a_version_is_old_or_new_by_its_numbers_and_not_by_its_letters() {
        assert_eq!(numbers("v20.19.4"), Some((20, 19)));
        assert!(numbers("v8.17.0").is_some_and(|found| found < NODE), "8 is less than 20");
        assert!(numbers("v20.2.0").is_some_and(|found| found < NODE), "2 is less than 19");
        assert_eq!(numbers("latest"), None);
    }
}
