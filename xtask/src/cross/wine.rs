//! Programs for Windows: built with mingw, run by Wine.

use super::WINDOWS;
use super::debian::Debian;
use crate::call::Call;
use anyhow::{Context, Result, ensure};
use std::io::Write;
use std::path::PathBuf;
use std::process::{Child, Output, Stdio};
use std::time::Duration;

/// The time for one program; a debug build under Wine needs seconds.
const PATIENCE: Duration = Duration::from_secs(120);

const ENVIRONMENT: [&str; 3] = ["WINEPREFIX=/box/wine", "WINEDEBUG=-all", "XDG_RUNTIME_DIR=/tmp"];

/// The program that all of Windows' programs are clients of; it is on no search path.
const SERVER: &str = "/usr/lib/x86_64-linux-gnu/wine/wineserver";

/// Linked programs have a folder of their own: beside what is only checked there are empty archives.
const LINKED: &str = "CARGO_TARGET_DIR=/box/linked";

/// Wine with its own C: in `/box/wine`.
pub(super) struct Wine<'a> {
    debian: &'a Debian,
    /// A process whose mounts its programs see, too.
    beside: Option<u32>,
}

impl<'a> Wine<'a> {
    pub(super) const fn new(debian: &'a Debian) -> Self {
        Self { debian, beside: None }
    }

    /// The same, with the mounts of a process. What Wine has running has to be ended before, since it opens the files.
    pub(super) const fn beside(&self, process: u32) -> Self {
        Self { debian: self.debian, beside: Some(process) }
    }

    fn call(&self) -> Call {
        let unshare = match self.beside {
            None => Call::new("unshare"),
            Some(process) => Call::new("nsenter").args(["--mount", "--target", &process.to_string(), "unshare"]),
        };
        self.debian.call_by(unshare, "/box", &ENVIRONMENT)
    }

    /// A call of cargo that links for Windows, and runs under Wine what cargo runs.
    pub(super) fn cargo(&self) -> Call {
        let environment = [
            LINKED,
            "CARGO_PROFILE_DEV_DEBUG=0",
            "CARGO_TARGET_X86_64_PC_WINDOWS_GNU_LINKER=x86_64-w64-mingw32-gcc",
            "CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUNNER=timeout 900 wine",
        ];
        self.debian.call("/src", &environment).args(ENVIRONMENT).arg("cargo")
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
        let mut command = self.call().arg("wine").args(words).into_command();
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().context("Wine cannot be started")
    }

    /// Makes what Windows' programs run in.
    pub(super) fn begin(&self) -> Result<()> {
        self.quietly(&["wineboot", "--init"])
    }

    /// Keeps the server between programs. One that begins while the last one's server ends is sometimes cut off.
    pub(super) fn stay(&self) -> Result<()> {
        self.quietly(&[SERVER, "--persistent"])
    }

    /// Ends whatever runs, the server with it, and waits until the files are let go.
    pub(super) fn end(&self) -> Result<()> {
        self.quietly(&["wineboot", "--kill"])?;
        // The server that stays ends by its own word alone. The word fails where the server has ended already.
        let _ended = self.quietly(&[SERVER, "--kill"]);
        self.quietly(&[SERVER, "--wait"])
    }

    /// Its services stay, so the output is in no pipe of ours.
    fn quietly(&self, words: &[&str]) -> Result<()> {
        let mut command = self.call().args(words).into_command();
        let ended = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status()?;
        ensure!(ended.success(), "{words:?} ended with {ended}");
        Ok(())
    }

    /// Runs a program with an input, and returns how it ended.
    fn ends(&self, words: &[&str], input: &str) -> Result<Output> {
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
        Ok(output.join().ok().context("a thread failed")??)
    }

    /// Runs a program that has to fail, and returns what it says.
    pub(super) fn fails(&self, words: &[&str], input: &str) -> Result<String> {
        let (succeeded, said) = self.says(words, input)?;
        ensure!(!succeeded, "{words:?} succeeded:\n{said}");
        Ok(said)
    }

    /// Runs a program, and returns whether it succeeded, and what it says.
    pub(super) fn says(&self, words: &[&str], input: &str) -> Result<(bool, String)> {
        let ended = self.ends(words, input)?;
        let said = String::from_utf8_lossy(&ended.stdout) + String::from_utf8_lossy(&ended.stderr);
        Ok((ended.status.success(), said.into_owned()))
    }

    /// Runs a program that has to succeed, and returns its output, without what it says on standard error.
    pub(super) fn run(&self, words: &[&str]) -> Result<String> {
        self.run_with(words, "")
    }

    /// The same with an input.
    pub(super) fn run_with(&self, words: &[&str], input: &str) -> Result<String> {
        let ended = self.ends(words, input)?;
        let (output, said) = (String::from_utf8_lossy(&ended.stdout), String::from_utf8_lossy(&ended.stderr));
        ensure!(ended.status.success(), "{words:?} failed:\n{output}{said}");
        Ok(output.into_owned())
    }
}
