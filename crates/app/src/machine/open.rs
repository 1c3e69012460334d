//! Opening an agent's folder in a file manager, a terminal or an editor, and the command that resumes its run.

#[cfg(windows)]
use crate::console;
use agents::{Agent, KNOWN, Registry};
use hub::Hub;
use protocol::{
    Ask, Backend, Caller, Code, Done, Error, GatewayThing, KeyCode, OpenWith, Result, ResumeCommand, Rights,
    SessionOpen, SessionResume, Settings, Text, Transport, say,
};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;
use tokio::process::Command;

/// The placeholder for the folder, or the file, in a command of the user's.
const FOLDER: &str = "{folder}";

/// The time within which a program ends that cannot work here.
const AT_ONCE: Duration = Duration::from_millis(500);

/// Terminals by their programs, the desktop's own choice first. Each starts in the folder that it is started in.
#[cfg(all(unix, not(target_os = "macos")))]
const TERMINALS: [&str; 14] = [
    "xdg-terminal-exec",
    "x-terminal-emulator",
    "ptyxis",
    "kgx",
    "gnome-terminal",
    "konsole",
    "xfce4-terminal",
    "ghostty",
    "kitty",
    "alacritty",
    "wezterm",
    "foot",
    "terminator",
    "xterm",
];

/// Editors by their programs; each takes the folder.
const EDITORS: [&str; 10] =
    ["cursor", "code", "zed", "zeditor", "windsurf", "codium", "code-insiders", "subl", "idea", "emacs"];

/// Opens the folder of a session.
///
/// # Errors
/// When there is no folder any more, no program that opens it, or the program says at once that it cannot.
pub(super) async fn open(hub: &Hub, ask: &SessionOpen) -> Result<Done> {
    let folder = folder(hub, &ask.session_id).await?;
    let settings = hub.settings();
    let refused = |error: std::io::Error| Error::new(Code::Unavailable, say::not_opened(folder.display(), error));
    match ask.with {
        // On macOS a folder may be an app, which would be started.
        OpenWith::Folder if cfg!(target_os = "macos") => open::with_detached(&folder, "Finder").map_err(refused)?,
        OpenWith::Folder => open::that_detached(&folder).map_err(refused)?,
        OpenWith::Terminal => start_in_terminal(terminal(&settings, &folder)?, &folder).await?,
        OpenWith::Editor => start(editor(&settings, &folder)?, &folder).await?,
        OpenWith::Diff => return Err(Error::new(Code::InvalidMessage, "a diff is that of a \"file\"")),
    }
    Ok(Done {})
}

/// Opens the data folder, or the page in a browser, which is paired by that.
pub(super) async fn open_gateway(hub: &Hub, data_dir: &Path, what: GatewayThing) -> Result<Done> {
    let place = match what {
        GatewayThing::DataFolder => data_dir.as_os_str().to_owned(),
        GatewayThing::Page => {
            let caller = Caller::user(Transport::Window, "the browser").with(Rights::Administer);
            let answer = hub.call(caller, KeyCode::default().into()).await?;
            KeyCode::answer(answer).map(|code| code.address.into()).unwrap_or_default()
        }
    };
    open::that_detached(&place)
        .map_err(|error| Error::new(Code::Unavailable, say::not_opened(place.to_string_lossy(), error)))?;
    Ok(Done {})
}

/// The command that resumes a session's run.
///
/// # Errors
/// When the agent's command or its own id for the run is not known.
pub(super) async fn resume(hub: &Hub, agents: Registry, ask: &SessionResume) -> Result<ResumeCommand> {
    let Run { agent, id, folder } = run(hub, agents, &ask.session_id).await?;
    let resume = agent.facts().resume.unwrap_or_default();
    let words: Vec<&str> =
        [agent.facts().program].into_iter().chain(resume.iter().copied()).chain([id.as_str()]).collect();
    let shell = setup::Shell::here();
    Ok(ResumeCommand {
        command: match &folder {
            Some(folder) => shell.line_in(folder, &words),
            None => shell.line(&words),
        },
    })
}

/// A run that its agent can resume.
pub(super) struct Run {
    pub(super) agent: &'static dyn Agent,
    /// The agent's own id.
    pub(super) id: String,
    pub(super) folder: Option<String>,
}

/// The run of a session.
///
/// # Errors
/// When the agent's command or its own id for the run is not known.
pub(super) async fn run(hub: &Hub, agents: Registry, session_id: &str) -> Result<Run> {
    let (mut session, mut ids) = hub.session_of_agent(session_id).await?;
    // A built-in list belongs to a run.
    if let Some(run) = session.own_tool.as_ref().and(session.parent_session_id.clone()) {
        (session, ids) = hub.session_of_agent(&run).await?;
    }
    let name = &session.agent.name;
    let known = agents.named(name);
    let agent = known
        .filter(|agent| agent.facts().resume.is_some())
        .ok_or_else(|| Error::new(Code::Unavailable, say::resume_unknown(name)))?;
    // A subagent is resumed by its agent.
    let id = ids
        .first()
        .map(|id| id.split('/').next().unwrap_or(id))
        .ok_or_else(|| Error::new(Code::Unavailable, say::resume_without_id(agent.title(), name)))?;
    // An id or a folder that an agent made up must not act in a command: neither as an option nor by control characters.
    let is_plain = |text: &str| !text.starts_with('-') && !text.chars().any(char::is_control);
    if !is_plain(id) || session.folder.as_deref().is_some_and(|folder| !is_plain(folder)) {
        return Err(Error::new(Code::Unavailable, say::resume_odd(name)));
    }
    Ok(Run { agent, id: id.to_owned(), folder: session.folder })
}

pub(super) async fn folder(hub: &Hub, session_id: &str) -> Result<PathBuf> {
    let (session, _) = hub.session_of_agent(session_id).await?;
    let folder = session.folder.ok_or_else(|| Error::new(Code::Unavailable, say::folder_not_said()))?;
    there(&folder).await
}

/// A folder that is there.
pub(super) async fn there(folder: &str) -> Result<PathBuf> {
    let path = PathBuf::from(folder);
    let there = path.clone();
    let is_folder = careful::aside(&path, careful::PATIENCE, move || there.is_dir()).await;
    if path.is_absolute() && is_folder == Ok(true) {
        return Ok(path);
    }
    Err(Error::new(Code::Unavailable, say::folder_missing(folder)))
}

pub(super) fn terminal(settings: &Settings, folder: &Path) -> Result<Command> {
    if !settings.terminal.is_empty() {
        return of_user(&settings.terminal, folder, false);
    }
    #[cfg(target_os = "macos")]
    {
        let mut command = Command::new("open");
        command.args(["-a", "Terminal"]).arg(folder);
        Ok(command)
    }
    #[cfg(windows)]
    {
        found(&["wt", "pwsh", "powershell"]).ok_or_else(|| missing(say::no_terminal()))
    }
    #[cfg(all(unix, not(target_os = "macos")))]
    {
        let own = std::env::var("TERMINAL").ok().filter(|own| !own.is_empty());
        let own = own.as_deref().and_then(|own| found(&[own]));
        own.or_else(|| found(&TERMINALS)).ok_or_else(|| missing(say::no_terminal()))
    }
}

pub(super) fn editor(settings: &Settings, folder: &Path) -> Result<Command> {
    if !settings.editor.is_empty() {
        return of_user(&settings.editor, folder, true);
    }
    let mut command = found(&EDITORS).ok_or_else(|| missing(say::no_editor()))?;
    command.arg(folder);
    Ok(command)
}

/// A command as the user wrote it; an editor's without the folder gets it at its end.
fn of_user(line: &str, folder: &Path, append: bool) -> Result<Command> {
    let words = programs::words(line).ok_or_else(|| Error::new(Code::Configuration, say::command_quotes(line)))?;
    let mut words = words.into_iter();
    let program = words.next().unwrap_or_default();
    let mut command = named(&program);
    let place = folder.to_string_lossy();
    for word in words {
        // In the middle of a word it may be read by a shell, and the folder's name is an agent's.
        if word.contains(FOLDER) && word != FOLDER && !word.ends_with(&format!("={FOLDER}")) {
            return Err(Error::new(Code::Configuration, say::command_folder(FOLDER, line)));
        }
        command.arg(word.replace(FOLDER, &place));
    }
    if append && !line.contains(FOLDER) {
        command.arg(folder);
    }
    Ok(command)
}

/// The first of these programs that is there.
pub(super) fn found(names: &[&str]) -> Option<Command> {
    names.iter().find_map(|name| programs::find(name, |variable| std::env::var(variable).ok())).map(Command::new)
}

/// A program that the user named.
pub(super) fn named(program: &str) -> Command {
    Command::new(programs::file(program, |variable| std::env::var(variable).ok()))
}

pub(super) async fn start(command: Command, folder: &Path) -> Result<()> {
    start_with(command, folder, ()).await
}

/// Starts what has a terminal, or is one.
#[cfg(not(windows))]
pub(super) async fn start_in_terminal(command: Command, folder: &Path) -> Result<()> {
    start(command, folder).await
}

/// Starts what needs a console of its own.
#[cfg(windows)]
#[allow(clippy::unused_async, reason = "elsewhere it waits for the program")]
pub(super) async fn start_in_terminal(command: Command, folder: &Path) -> Result<()> {
    let command = command.as_std();
    let name = command.get_program().to_string_lossy().into_owned();
    let failed = |how: Text| not_started(&name, &how);
    let words: Option<Vec<&str>> =
        std::iter::once(command.get_program()).chain(command.get_args()).map(std::ffi::OsStr::to_str).collect();
    let words = words.ok_or_else(|| failed(say::command_no_text()))?;
    let line = console::line(words);
    let flags = winsafe::co::CREATE::NEW_CONSOLE;
    console::start(&line, folder.to_str(), KNOWN.session_variables(), flags)
        .map_err(|error| failed(error.to_string().into()))
}

/// Starts a program, and holds something until it ends.
pub(super) async fn start_with(mut command: Command, folder: &Path, held: impl Send + 'static) -> Result<()> {
    let name = command.as_std().get_program().to_string_lossy().into_owned();
    command.current_dir(folder).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    // It is nobody's session that this is started from, and it goes on when we end.
    for variable in KNOWN.session_variables() {
        command.env_remove(variable);
    }
    #[cfg(unix)]
    command.process_group(0);
    programs::without_window(command.as_std_mut());
    let failed = |how: Text| not_started(&name, &how);
    let mut child = command.spawn().map_err(|error| failed(error.to_string().into()))?;
    match tokio::time::timeout(AT_ONCE, child.wait()).await {
        Ok(Ok(status)) if !status.success() => Err(failed(say::command_ended(status))),
        Ok(Err(error)) => Err(failed(error.to_string().into())),
        Ok(Ok(_)) => Ok(()),
        Err(_) => {
            // Somebody has to hear of its end.
            tokio::spawn(async move {
                let _held = held;
                child.wait().await
            });
            Ok(())
        }
    }
}

fn not_started(program: &str, problem: &Text) -> Error {
    Error::new(Code::Configuration, say::command_failed(program, problem).with("problem", problem))
}

fn missing(text: Text) -> Error {
    Error::new(Code::Configuration, text)
}
