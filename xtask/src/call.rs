//! Calls of other programs: a failed one names itself, its exit code and what to do.

use anyhow::{Error, Result};
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};

/// One call of a program, its output shown unless said otherwise.
pub(crate) struct Call {
    command: Command,
    advice: Option<String>,
}

impl Call {
    pub(crate) fn new(program: impl AsRef<OsStr>) -> Self {
        Self { command: Command::new(program), advice: None }
    }

    pub(crate) fn arg(mut self, argument: impl AsRef<OsStr>) -> Self {
        self.command.arg(argument);
        self
    }

    pub(crate) fn args<S: AsRef<OsStr>>(mut self, arguments: impl IntoIterator<Item = S>) -> Self {
        self.command.args(arguments);
        self
    }

    pub(crate) fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    pub(crate) fn envs(mut self, values: &[(&'static str, OsString)]) -> Self {
        for (name, value) in values {
            self.command.env(name, value);
        }
        self
    }

    /// The folder it runs in.
    pub(crate) fn within(mut self, folder: &Path) -> Self {
        self.command.current_dir(folder);
        self
    }

    /// Sets the advice that an error ends with.
    pub(crate) fn advice(mut self, advice: impl Into<String>) -> Self {
        self.advice = Some(advice.into());
        self
    }

    /// Runs it to its end.
    pub(crate) fn run(mut self) -> Result<()> {
        match self.command.status() {
            Ok(status) if status.success() => Ok(()),
            Ok(status) => Err(self.failure(&ending(status))),
            Err(error) => Err(self.failure(&format!("could not be started: {error}"))),
        }
    }

    /// Returns the command, for who speaks with it while it runs.
    pub(crate) fn into_command(self) -> Command {
        self.command
    }

    /// Runs it to its end without output, and returns whether it succeeded.
    pub(crate) fn succeeds(mut self) -> bool {
        let quiet = self.command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        quiet.status().is_ok_and(|status| status.success())
    }

    /// Runs it to its end and returns its standard output; none where it failed.
    pub(crate) fn output(mut self) -> Option<String> {
        let output = self.command.stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
    }

    /// Replaces this program with it, so that it gets the signals and gives the exit code.
    #[cfg(unix)]
    pub(crate) fn take_over(mut self) -> Result<()> {
        use std::os::unix::process::CommandExt;
        let error = self.command.exec();
        Err(self.failure(&format!("could not be started: {error}")))
    }

    /// Runs it to its end, as a program cannot be replaced on this system.
    #[cfg(not(unix))]
    pub(crate) fn take_over(self) -> Result<()> {
        self.run()
    }

    fn failure(&self, how: &str) -> Error {
        let mut text = format!("`{}` {how}", self.line());
        if let Some(folder) = self.command.get_current_dir() {
            text.push_str(&format!(" (in {})", folder.display()));
        }
        if let Some(advice) = &self.advice {
            text.push_str(&format!("\n  What to do: {advice}"));
        }
        Error::msg(text)
    }

    /// The call as one would type it.
    fn line(&self) -> String {
        let program = Path::new(self.command.get_program());
        let name = program.file_name().unwrap_or(program.as_os_str());
        let words = std::iter::once(name).chain(self.command.get_args());
        let words: Vec<String> = words.map(|word| quoted(&word.to_string_lossy())).collect();
        words.join(" ")
    }
}

fn ending(status: ExitStatus) -> String {
    match status.code() {
        Some(code) => format!("ended with exit code {code}"),
        None => "was ended by a signal".to_owned(),
    }
}

fn quoted(word: &str) -> String {
    if word.is_empty() || word.contains(char::is_whitespace) { format!("\"{word}\"") } else { word.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::Call;

    #[test]
    fn what_cannot_be_started_says_how_it_was_called_and_what_to_do() {
        let call = Call::new("no-such-program-anywhere").args(["-s", "a b"]).advice("install it");
        let text = call.run().expect_err("there is no such program").to_string();
        assert!(text.starts_with("`no-such-program-anywhere -s \"a b\"` could not be started: "), "{text}");
        assert!(text.ends_with("\n  What to do: install it"), "{text}");
    }
}
