//! Programs for Windows: built with mingw, run by Wine.

use super::WINDOWS;
use super::debian::Debian;
use crate::call::Call;
use anyhow::{Context, Result, ensure};
use std::io::Write;
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::time::Duration;

/// The time for one program; a debug build under Wine needs seconds.
const PATIENCE: Duration = Duration::from_secs(120);

/// Linked programs have a folder of their own: beside what is only checked there are empty archives.
const LINKED: &str = "CARGO_TARGET_DIR=/box/linked";

/// Wine with its own C: in `/box/wine`.
pub(super) struct Wine<'a> {
    debian: &'a Debian,
}

impl<'a> Wine<'a> {
    pub(super) const fn new(debian: &'a Debian) -> Self {
        Self { debian }
    }

    /// A call of cargo that links for Windows, and runs under Wine what cargo runs.
    pub(super) fn cargo(&self) -> Call {
        let environment = [
            LINKED,
            "CARGO_PROFILE_DEV_DEBUG=0",
            "CARGO_TARGET_X86_64_PC_WINDOWS_GNU_LINKER=x86_64-w64-mingw32-gcc",
            "CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUNNER=timeout 300 wine",
            "WINEPREFIX=/box/wine",
            "WINEDEBUG=-all",
            "XDG_RUNTIME_DIR=/tmp",
        ];
        self.debian.call("/src", &environment).arg("cargo")
    }

    /// The place of a linked program on this system.
    pub(super) fn linked(&self, program: &str) -> PathBuf {
        self.debian.data.join("linked").join(WINDOWS.target).join("debug").join(program)
    }

    /// The folder that Windows' programs know as `C:`.
    pub(super) fn drive(&self) -> PathBuf {
        self.debian.data.join("wine/drive_c")
    }

    /// Starts a program with its input and output in pipes.
    pub(super) fn start(&self, words: &[&str]) -> Result<Child> {
        let environment = ["WINEPREFIX=/box/wine", "WINEDEBUG=-all", "XDG_RUNTIME_DIR=/tmp", "wine"];
        let mut command = self.debian.call("/box", &environment).args(words).into_command();
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().context("Wine cannot be started")
    }

    /// Runs a program with an input, and returns whether it succeeded, and its output with that on standard error.
    pub(super) fn ends(&self, words: &[&str], input: &str) -> Result<(bool, String)> {
        let mut child = self.start(words)?;
        child.stdin.take().context("it has an input")?.write_all(input.as_bytes())?;
        let id = child.id().to_string();
        let (done, waits) = std::sync::mpsc::channel();
        let output = std::thread::spawn(move || {
            let output = child.wait_with_output();
            let _ = done.send(());
            output
        });
        if waits.recv_timeout(PATIENCE).is_err() {
            Call::new("kill").args(["-9", &id]).run()?;
            anyhow::bail!("{words:?} has not ended after {} s", PATIENCE.as_secs());
        }
        let output = output.join().ok().context("a thread failed")??;
        let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
        Ok((output.status.success(), text))
    }

    /// Runs a program that has to succeed, and returns its output.
    pub(super) fn run(&self, words: &[&str]) -> Result<String> {
        self.run_with(words, "")
    }

    /// The same with an input.
    pub(super) fn run_with(&self, words: &[&str], input: &str) -> Result<String> {
        let (succeeded, text) = self.ends(words, input)?;
        ensure!(succeeded, "{words:?} failed:\n{text}");
        Ok(text)
    }
}
