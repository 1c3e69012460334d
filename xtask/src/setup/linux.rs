//! System packages on Linux: installed on Debian and Ubuntu where that is permitted, otherwise named with the command.

use super::needs::{Need, SHELL};
use crate::call::Call;
use crate::steps::Steps;
use anyhow::{Result, bail, ensure};
use std::fs;

/// A family of systems with the same package names and command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Family {
    Debian,
    /// Debian's names, except that of the browser.
    Ubuntu,
    Fedora,
    Arch,
    Other,
}

/// The right by which packages are installed.
#[derive(Clone, Copy)]
enum Right {
    Root,
    Sudo,
}

pub(super) fn packages(steps: &mut Steps, needs: &[&Need]) -> Result<()> {
    let missing = steps.step("Looking for system packages", || Ok(unmet(needs)))?;
    if missing.is_empty() {
        return Ok(());
    }
    let family = Family::here();
    let names = family.packages(&missing);
    let command = family.command(&names);
    println!("Missing: {}", names.join(" "));
    match (family, right()) {
        (Family::Debian | Family::Ubuntu, Some(right)) => install(steps, right, &names, &command)?,
        _ => bail!("system packages are missing, and this may not or cannot install them\n  What to do: {command}"),
    }
    let still: Vec<&str> = unmet(&missing).iter().map(|need| need.debian).collect();
    ensure!(
        still.is_empty(),
        "installed, but still not found: {}\n  What to do: see that PATH and PKG_CONFIG_PATH lead to them",
        still.join(" ")
    );
    Ok(())
}

pub(super) fn is_debian() -> bool {
    Family::here() == Family::Debian
}

fn unmet<'a>(needs: &[&'a Need]) -> Vec<&'a Need> {
    needs.iter().copied().filter(|need| !need.is_met()).collect()
}

fn right() -> Option<Right> {
    if Call::new("id").arg("-u").output().as_deref() == Some("0") {
        Some(Right::Root)
    } else if Call::new("sudo").args(["-n", "true"]).succeeds() {
        Some(Right::Sudo)
    } else {
        None
    }
}

fn install(steps: &mut Steps, right: Right, names: &[&str], command: &str) -> Result<()> {
    let apt = || {
        let call = match right {
            Right::Root => Call::new("env"),
            Right::Sudo => Call::new("sudo").args(["-n", "env"]),
        };
        let advice = format!("read apt's message above, then: {command}");
        call.args(["DEBIAN_FRONTEND=noninteractive", "apt-get", "-o", "DPkg::Lock::Timeout=300"]).advice(advice)
    };
    steps.step("Installing system packages", || {
        apt().arg("update").run()?;
        apt().args(["install", "-y", "--no-install-recommends"]).args(names).run()
    })
}

impl Family {
    fn here() -> Self {
        Self::named_in(&fs::read_to_string("/etc/os-release").unwrap_or_default())
    }

    /// Reads `ID` and `ID_LIKE` of an os-release file.
    fn named_in(os_release: &str) -> Self {
        let mut words = Vec::new();
        for line in os_release.lines() {
            if let Some((key, value)) = line.split_once('=')
                && matches!(key, "ID" | "ID_LIKE")
            {
                words.extend(value.trim_matches(['"', '\'']).split_whitespace());
            }
        }
        let is = |name: &str| words.contains(&name);
        if is("ubuntu") {
            Self::Ubuntu
        } else if is("debian") {
            Self::Debian
        } else if is("fedora") || is("rhel") {
            Self::Fedora
        } else if is("arch") {
            Self::Arch
        } else {
            Self::Other
        }
    }

    /// The names of the packages for these needs.
    fn packages(self, needs: &[&Need]) -> Vec<&'static str> {
        let mut names: Vec<&'static str> = Vec::new();
        for need in needs {
            let name = match self {
                Self::Ubuntu if need.debian == SHELL => "chromium-browser",
                Self::Debian | Self::Ubuntu | Self::Other => need.debian,
                Self::Fedora => need.fedora,
                Self::Arch => need.arch,
            };
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }

    /// The command that installs packages.
    fn command(self, names: &[&str]) -> String {
        let names = names.join(" ");
        match self {
            Self::Debian | Self::Ubuntu => {
                format!("sudo apt-get update && sudo apt-get install -y --no-install-recommends {names}")
            }
            Self::Fedora => format!("sudo dnf install {names}"),
            Self::Arch => format!("sudo pacman -S --needed {names}"),
            Self::Other => format!("install with your system's means what Debian calls {names}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::needs::{SESSION_BUS, TESTS, WINDOW};
    use super::{Family, Need, SHELL};

    #[test]
    fn a_system_is_known_by_its_name_or_by_what_it_is_like() {
        assert_eq!(Family::named_in("NAME=\"Debian GNU/Linux\"\nID=debian\n"), Family::Debian);
        assert_eq!(Family::named_in("ID=linuxmint\nID_LIKE=\"ubuntu debian\"\n"), Family::Ubuntu);
        assert_eq!(Family::named_in("ID=\"rocky\"\nID_LIKE=\"rhel centos fedora\"\n"), Family::Fedora);
        assert_eq!(Family::named_in("ID=manjaro\nID_LIKE=arch\n"), Family::Arch);
        assert_eq!(Family::named_in("VERSION_ID=debian\n"), Family::Other);
    }

    #[test]
    fn a_package_is_named_once_and_by_the_name_it_has_there() {
        let needs: Vec<&Need> = TESTS.iter().chain([&SESSION_BUS]).chain(&WINDOW[..1]).collect();
        let names = Family::Ubuntu.packages(&needs);
        assert_eq!(names.iter().filter(|name| **name == "dbus-x11").count(), 1);
        assert!(names.contains(&"chromium-browser") && !names.contains(&SHELL), "{names:?}");
        assert_eq!(Family::Arch.command(&Family::Arch.packages(&needs[..1])), "sudo pacman -S --needed webkitgtk-6.0");
    }
}
