//! Programs by which a terminal is told to show one of its tabs or panes.

use super::super::open::found;
use super::outcome::refused;
use protocol::{Result, Text, say};
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;
use tokio::process::Command;

/// The time within which a terminal answers.
const PATIENCE: Duration = Duration::from_secs(3);

/// The time within which a person answers whether one app may control another: macOS asks once.
#[cfg(target_os = "macos")]
const USERS_PATIENCE: Duration = Duration::from_secs(60);

/// Characters of an answer that go into a message.
const SHOWN: usize = 300;

/// The program of a terminal, the first of these names that is there.
pub(super) struct RemoteControl {
    pub(super) program: PathBuf,
    patience: Duration,
}

impl RemoteControl {
    pub(super) fn of(names: &[&str]) -> Result<Self> {
        let program = found(names).map(|command| PathBuf::from(command.as_std().get_program()));
        let missing = || refused(say::raise_program(names[0]));
        Ok(Self { program: program.ok_or_else(missing)?, patience: PATIENCE })
    }

    /// Waits long enough for the system to ask the user.
    #[cfg(target_os = "macos")]
    pub(super) fn asking_the_user(self) -> Self {
        Self { patience: USERS_PATIENCE, ..self }
    }

    /// Runs it with these arguments, and gives its output.
    pub(super) async fn run<A: Into<OsString>>(&self, arguments: impl IntoIterator<Item = A>) -> Result<String> {
        let name = self.program.file_name().unwrap_or_default().to_string_lossy();
        let failed = |problem: Text| refused(say::raise_failed(&name, &problem).with("problem", &problem));
        let mut command = Command::new(&self.program);
        command.args(arguments.into_iter().map(Into::into));
        command.stdin(Stdio::null()).kill_on_drop(true);
        programs::without_window(command.as_std_mut());
        // It is not asked about the terminal that the gateway runs in.
        for variable in protocol::Terminal::OF_TERMINALS {
            command.env_remove(variable);
        }
        let output = match tokio::time::timeout(self.patience, command.output()).await {
            Ok(output) => output.map_err(|error| failed(error.to_string().into()))?,
            Err(_) => return Err(failed(say::raise_late(self.patience.as_secs()))),
        };
        if output.status.success() {
            return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
        }
        let said: String = String::from_utf8_lossy(&output.stderr).trim().chars().take(SHOWN).collect();
        Err(failed(if said.is_empty() { output.status.to_string() } else { todo::text::plain(&said) }.into()))
    }
}
