//! Agents that are started in a terminal: with a task, or to go on with a run.
//!
//! No part of an agent's command line goes through that of the terminal, which may hand it to a shell: it is written into a
//! file of ours. The terminal runs our own command with the file's name, and that becomes the agent's program.

use super::environment::{failed, named, server};
use super::open::{self, Run};
use crate::clock::new_uid;
use agents::{Agent, Environment, Registry};
use hub::{GoingOn, Hub};
use protocol::{
    AgentStarted, AgentsStart, Backend, Caller, Code, Error, Result, SessionContinue, StartedBy, Text, TodoDelivered,
    Transport, say,
};
use serde::{Deserialize, Serialize};
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use tokio::process::Command;

/// The folder of the files, in the data folder.
const FOLDER: &str = "starts";

/// Characters of a task.
const TASK_CHARS: usize = 16_000;

/// A program to be started, as it stands in a file.
#[derive(Debug, Serialize, Deserialize)]
pub struct StartFile {
    /// The program.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// The folder that it works in.
    pub folder: PathBuf,
}

impl StartFile {
    /// Takes the file of this id: it is good once.
    ///
    /// # Errors
    /// When there is none (any more), or it cannot be read.
    pub fn take(data_dir: &Path, id: &str) -> anyhow::Result<Self> {
        let id = uuid::Uuid::try_parse(id)?;
        let file = file(data_dir, &id.to_string());
        let text = fs::read_to_string(&file)?;
        fs::remove_file(&file)?;
        let _ = fs::remove_file(file.with_extension("command"));
        Ok(serde_json::from_str(&text)?)
    }

    fn save(&self, data_dir: &Path, id: &str) -> std::io::Result<()> {
        fs::create_dir_all(data_dir.join(FOLDER))?;
        write_new(&file(data_dir, id), serde_json::to_string(self)?.as_bytes(), 0o600)
    }
}

fn file(data_dir: &Path, id: &str) -> PathBuf {
    data_dir.join(FOLDER).join(format!("{id}.json"))
}

fn write_new(file: &Path, bytes: &[u8], mode: u32) -> std::io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, mode);
    #[cfg(not(unix))]
    let _ = mode;
    options.open(file)?.write_all(bytes)
}

/// Starts agents.
pub(super) struct Starts<'a> {
    pub(super) hub: &'a Hub,
    pub(super) agents: Registry,
    pub(super) environment: &'a Environment,
    pub(super) data_dir: &'a Path,
}

impl Starts<'_> {
    /// See [`AgentsStart`].
    pub(super) async fn begin(&self, ask: &AgentsStart) -> Result<AgentStarted> {
        let agent = named(self.agents, &ask.agent)?;
        let task = ask.task.trim();
        if task.is_empty() || task.chars().count() > TASK_CHARS {
            return Err(Error::new(Code::InvalidMessage, say::task_length(TASK_CHARS)));
        }
        let arguments = agent.start_with(task).ok_or_else(|| cannot(say::start_unknown(agent.title())))?;
        self.start(agent, arguments, open::there(&ask.folder).await?).await?;
        Ok(AgentStarted { by: StartedBy::Terminal })
    }

    /// See [`SessionContinue`].
    pub(super) async fn go_on(&self, ask: &SessionContinue) -> Result<AgentStarted> {
        let (session, _) = self.hub.session_of_agent(&ask.session_id).await?;
        let is_prompted = session.prompts && session.connected;
        // Nothing is handed over to an agent that cannot go on.
        let run = if is_prompted { None } else { Some(self.run(&ask.session_id).await?) };
        let resumed = match (self.hub.go_on(&ask.session_id).await?, run) {
            (GoingOn::Resumed(resumed), Some(run)) => (resumed, run),
            (GoingOn::Resumed(resumed), None) => (resumed, self.run(&ask.session_id).await?),
            (GoingOn::Sent, _) => return Ok(AgentStarted { by: StartedBy::Prompt }),
        };
        let (resumed, (run, folder)) = resumed;
        let edits: Vec<_> = resumed.edits.iter().map(|(_, edit)| edit.clone()).collect();
        let prompt = mcp::going_on(&resumed.todos, &edits);
        let agent = run.agent;
        let arguments =
            agent.resume_with(&run.id, &prompt.text).ok_or_else(|| cannot(say::continue_unknown(agent.title())))?;
        self.start(agent, arguments, folder).await?;
        // They are in the prompt. Where this fails they are told once more.
        for (session_id, edit) in resumed.edits.into_iter().filter(|(_, edit)| prompt.edits.contains(&edit.edit_id)) {
            let tool_call = Some("prompt".to_owned());
            let told = TodoDelivered { session_id, revision: None, edits: vec![edit.edit_id], tool_call };
            self.hub.call(Caller::user(Transport::Builtin, ""), told.into()).await?;
        }
        Ok(AgentStarted { by: StartedBy::Terminal })
    }

    /// A run that can go on with a prompt, and its folder, which is there.
    async fn run(&self, session_id: &str) -> Result<(Run, PathBuf)> {
        let run = open::run(self.hub, self.agents, session_id).await?;
        if run.agent.facts().prompt.is_none() {
            return Err(cannot(say::continue_unknown(run.agent.title())));
        }
        let folder = run.folder.as_deref().ok_or_else(|| Error::new(Code::Unavailable, say::continue_nowhere()))?;
        let folder = open::there(folder).await?;
        Ok((run, folder))
    }

    async fn start(&self, agent: &dyn Agent, arguments: Vec<String>, folder: PathBuf) -> Result<()> {
        let program = self
            .environment
            .program(agent.facts().program)
            .ok_or_else(|| Error::new(Code::Configuration, say::agent_missing(agent.title())))?;
        self.run_in_terminal(StartFile { program, arguments, folder }).await
    }

    /// Runs a program in a terminal.
    pub(super) async fn run_in_terminal(&self, start: StartFile) -> Result<()> {
        let ours = server(self.environment, self.data_dir).map_err(failed)?;
        let (id, folder) = (new_uid().to_string(), start.folder.clone());
        start.save(&ours.data_dir, &id).map_err(failed)?;
        let words =
            [ours.command.as_path(), Path::new("--data-dir"), &ours.data_dir, Path::new("start"), Path::new(&id)];
        let started = match in_terminal(self, &folder, &words, &file(&ours.data_dir, &id)) {
            Ok(command) => open::start_in_terminal(command, &folder).await,
            Err(error) => Err(error),
        };
        if started.is_err() {
            let _ = fs::remove_file(file(&ours.data_dir, &id));
        }
        started
    }
}

fn cannot(text: Text) -> Error {
    Error::new(Code::Unavailable, text)
}

/// The terminal with a command in it.
#[cfg(not(any(target_os = "macos", windows)))]
fn in_terminal(starts: &Starts<'_>, folder: &Path, words: &[&Path], _file: &Path) -> Result<Command> {
    let mut command = open::terminal(&starts.hub.settings(), folder)?;
    let program = command.as_std().get_program().to_owned();
    let name = Path::new(&program).file_name().unwrap_or_default().to_string_lossy().into_owned();
    let has_word = |word: &str| command.as_std().get_args().any(|known| known == word);
    let before: &[&str] = match name.as_str() {
        "gnome-terminal" | "ptyxis" | "kgx" => &["--"],
        "wezterm" if has_word("start") => &["--"],
        "wezterm" => &["start", "--"],
        "kitty" | "foot" | "xdg-terminal-exec" | "tmux" => &[],
        "xfce4-terminal" | "terminator" => &["-x"],
        _ => &["-e"],
    };
    command.args(before).args(words);
    Ok(command)
}

/// The terminal with a command in it: macOS opens a file that is one.
#[cfg(target_os = "macos")]
fn in_terminal(_starts: &Starts<'_>, _folder: &Path, words: &[&Path], file: &Path) -> Result<Command> {
    let words: Option<Vec<&str>> = words.iter().map(|word| word.to_str()).collect();
    let line = words.and_then(|words| shlex::try_join(words).ok());
    let line = line.ok_or_else(|| failed("the data folder's name cannot be written in a command"))?;
    let script = file.with_extension("command");
    write_new(&script, format!("#!/bin/sh\nexec {line}\n").as_bytes(), 0o700).map_err(failed)?;
    let mut command = Command::new("open");
    command.args(["-a", "Terminal"]).arg(script);
    Ok(command)
}

/// The command in a console of its own.
#[cfg(windows)]
fn in_terminal(_starts: &Starts<'_>, _folder: &Path, words: &[&Path], _file: &Path) -> Result<Command> {
    let mut command = Command::new(words[0]);
    command.args(&words[1..]);
    Ok(command)
}
