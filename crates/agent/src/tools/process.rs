//! Servers that are processes of ours: what they inherit, and that nothing of them stays behind.

use super::Options;
use super::Transport;
use super::confined;
use super::pipe::{Pipe, TooLong};
use super::server::expand;
use futures_util::StreamExt;
use protocol::{Text, say};
use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::process::{ChildStderr, Command};
use tokio_util::codec::{FramedRead, LinesCodec};

/// The variables that every server gets: places and languages, no secrets.
const INHERITED: [&str; 27] = [
    "APPDATA",
    "COMSPEC",
    "HOME",
    "HOMEDRIVE",
    "HOMEPATH",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "LOCALAPPDATA",
    "LOGNAME",
    "PATH",
    "PATHEXT",
    "PROCESSOR_ARCHITECTURE",
    "PROGRAMFILES",
    "SHELL",
    "SYSTEMDRIVE",
    "SYSTEMROOT",
    "TEMP",
    "TERM",
    "TMP",
    "TMPDIR",
    "TZ",
    "USER",
    "USERNAME",
    "USERPROFILE",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
];

/// Bytes of one line of a server's standard error.
const LINE: usize = 2_000;

/// Lines of it that are logged.
const LINES: usize = 1_000;

/// Starts a server.
///
/// # Errors
/// When a variable is not set, or when the program cannot be started, or not confined as it is to be.
pub(super) async fn start(
    name: &str,
    transport: &Transport,
    options: &Options,
) -> Result<(Pipe, Group, TooLong), Text> {
    let Transport::Process { command: program, args, env, cwd, confined } = transport else {
        return Err("It is no process.".into());
    };
    let cwd = match cwd {
        Some(folder) => Some(folder.checked().await?),
        None => None,
    };
    let mut command = if *confined {
        confined::command(program, args, cwd.as_deref(), options).await?
    } else {
        let mut command = Command::new(programs::file(program, |name| (options.environment)(name)));
        command.args(args);
        command
    };
    command.env_clear().stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    for variable in INHERITED {
        if let Some(value) = (options.environment)(variable) {
            command.env(variable, value);
        }
    }
    for (variable, value) in env {
        command.env(variable, expand(value, &options.environment)?);
    }
    if let Some(cwd) = cwd {
        command.current_dir(cwd);
    }
    let wrong = |error: std::io::Error| say::server_not_started(program, error);
    let mut child = programs::together(command).map_err(wrong)?;
    let group = Group::new(child.id());
    if let Some(stderr) = child.stderr().take() {
        tokio::spawn(hear(name.to_owned(), stderr));
    }
    let too_long = TooLong::default();
    Ok((Pipe::new(child, too_long.clone()).map_err(wrong)?, group, too_long))
}

/// Logs a server's standard error. It is read on after the limit, so that the server is never held up.
async fn hear(server: String, stderr: ChildStderr) {
    let mut lines = FramedRead::new(stderr, LinesCodec::new_with_max_length(LINE));
    let mut heard = 0;
    while let Some(line) = lines.next().await {
        heard += 1;
        match line {
            Ok(line) if heard <= LINES => tracing::debug!(server, "{}", todo::text::plain(&line)),
            Err(tokio_util::codec::LinesCodecError::Io(_)) => break,
            _ => {}
        }
    }
}

/// The process group of a server; killed when its last holder is dropped, if not before.
#[derive(Debug, Clone)]
pub(super) struct Group(Arc<Leader>);

#[derive(Debug)]
struct Leader(Mutex<Option<u32>>);

impl Group {
    fn new(id: Option<u32>) -> Self {
        Self(Arc::new(Leader(Mutex::new(id))))
    }

    /// Kills the rest of the group; only once, since its number may belong to another process later.
    pub(super) fn kill(&self) {
        self.0.kill();
    }
}

impl Leader {
    fn kill(&self) {
        let Some(id) = self.0.lock().unwrap_or_else(PoisonError::into_inner).take() else { return };
        #[cfg(unix)]
        if let Ok(id) = i32::try_from(id) {
            let group = nix::unistd::Pid::from_raw(id);
            let _ = nix::sys::signal::killpg(group, nix::sys::signal::Signal::SIGKILL);
        }
        // Windows ends the whole job with its process.
        #[cfg(not(unix))]
        let _ = id;
    }
}

impl Drop for Leader {
    fn drop(&mut self) {
        self.kill();
    }
}
