//! Opening the folder of a session that lives on a host: there, over the ssh that leads to it.

use super::open;
use super::starts::{StartFile, Starts};
use agents::Environment;
use hub::Ssh;
use protocol::{Code, Done, Error, OpenWith, Result, Settings, say};
use std::path::{Path, PathBuf};
use tokio::process::Command;

/// Editors that open `--remote ssh-remote+HOST FOLDER`.
const REMOTE: [&str; 5] = ["cursor", "code", "windsurf", "codium", "code-insiders"];

/// Editors that open `ssh://HOST/FOLDER`.
const ADDRESS: [&str; 2] = ["zed", "zeditor"];

/// Options that a shell for a person cannot have.
const NO_SHELL: [&str; 2] = ["-n", "-T"];

/// Opens a folder of a host in a terminal or an editor of this machine.
pub(super) async fn open(
    starts: &Starts<'_>,
    environment: &Environment,
    with: OpenWith,
    (ssh, folder): (&Ssh, &str),
) -> Result<Done> {
    // Another machine has said it.
    if !folder.starts_with('/') || folder.chars().any(char::is_control) {
        return Err(Error::new(Code::Unavailable, say::folder_in_command()));
    }
    if with == OpenWith::Editor {
        open::start(editor(&starts.hub.settings(), ssh, folder)?, &environment.home).await?;
        return Ok(Done {});
    }
    let program = PathBuf::from(&ssh.program);
    let program = if program.is_absolute() { program } else { environment.program(&ssh.program).unwrap_or(program) };
    let arguments = shell(ssh, folder)?;
    starts.run_in_terminal(StartFile { program, arguments, folder: environment.home.clone() }).await?;
    Ok(Done {})
}

/// The arguments of an `ssh` that gives a person a shell in a folder.
fn shell(ssh: &Ssh, folder: &str) -> Result<Vec<String>> {
    let quoted = shlex::try_quote(folder).map_err(|_| Error::new(Code::Unavailable, say::folder_in_command()))?;
    let options = ssh.options.iter().filter(|word| !NO_SHELL.contains(&word.as_str())).cloned();
    let there = format!("cd -- {quoted} && exec \"$SHELL\" -l");
    Ok(options.chain(["-t".to_owned(), "--".to_owned(), ssh.destination.clone(), there]).collect())
}

fn editor(settings: &Settings, ssh: &Ssh, folder: &str) -> Result<Command> {
    if !ssh.is_plain() {
        return Err(Error::new(Code::Unavailable, say::ssh_editor_options()));
    }
    let own = programs::words(&settings.editor).and_then(|words| words.into_iter().next());
    let name = |program: &str| Path::new(program).file_stem().map(|name| name.to_string_lossy().into_owned());
    let is_of = |names: &[&str], program: &str| name(program).is_some_and(|name| names.contains(&name.as_str()));
    let own = own.filter(|own| is_of(&REMOTE, own) || is_of(&ADDRESS, own)).map(|own| open::named(&own));
    let mut command = own
        .or_else(|| open::found(&REMOTE))
        .or_else(|| open::found(&ADDRESS))
        .ok_or_else(|| Error::new(Code::Configuration, say::no_ssh_editor()))?;
    if is_of(&ADDRESS, &command.as_std().get_program().to_string_lossy()) {
        command.arg(format!("ssh://{}{folder}", ssh.destination));
    } else {
        command.arg("--remote").arg(format!("ssh-remote+{}", ssh.destination)).arg(folder);
    }
    Ok(command)
}
