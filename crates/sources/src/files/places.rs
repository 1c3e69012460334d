//! Where each agent keeps its files.

use super::claude::folder::is_task;
use super::{Kind, Machine};
use serde_json::Value;
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// How deep an agent's folders are looked into.
const DEEP: usize = 6;
/// The largest small file.
const SMALL_BYTES: u64 = 1024 * 1024;

/// The folders to watch for this agent's files, whether or not they are there yet; see [`is_deep`].
#[must_use]
pub fn folders(kind: Kind, machine: &Machine) -> Vec<PathBuf> {
    let at_home = |name: &str| machine.home.join(name);
    let below = |root: PathBuf, names: &[&str]| names.iter().map(|name| root.join(name)).collect::<Vec<_>>();
    match kind {
        Kind::Claude => {
            let root = machine.named("CLAUDE_CONFIG_DIR").unwrap_or_else(|| at_home(".claude"));
            below(root, &["projects", "tasks"])
        }
        Kind::Codex => {
            let root = machine.named("CODEX_HOME").unwrap_or_else(|| at_home(".codex"));
            below(root, &["sessions", "archived_sessions"])
        }
        Kind::Gemini => {
            let root = machine.named("GEMINI_CLI_HOME").unwrap_or_else(|| machine.home.clone());
            below(root.join(".gemini"), &["tmp"])
        }
        Kind::Opencode => {
            let data = machine.named("XDG_DATA_HOME").unwrap_or_else(|| at_home(".local/share"));
            vec![data.join("opencode")]
        }
        Kind::Qwen => {
            let roots = ["QWEN_RUNTIME_DIR", "QWEN_HOME"].into_iter().find_map(|name| machine.named(name));
            below(roots.unwrap_or_else(|| at_home(".qwen")), &["projects", "todos"])
        }
        Kind::Llxprt => {
            let said = ["LLXPRT_DATA_HOME", "LLXPRT_CONFIG_HOME"].into_iter().find_map(|name| machine.named(name));
            let data = machine.named("XDG_DATA_HOME").unwrap_or_else(|| at_home(".local/share"));
            let local = machine.named("LOCALAPPDATA").map(|local| local.join("llxprt-code").join("Data"));
            let usual =
                [data.join("llxprt-code"), at_home("Library/Application Support/llxprt-code"), at_home(".llxprt")];
            said.into_iter().chain(usual).chain(local).map(|root| root.join("todos")).collect()
        }
    }
}

/// Whether the folders below an agent's are to be watched as well. Beside opencode's database stand whole copies of
/// projects.
#[must_use]
pub fn is_deep(kind: Kind) -> bool {
    !matches!(kind, Kind::Opencode | Kind::Llxprt)
}

/// All that a [`super::Reader`] can be opened for in the folders of this agent, what has changed last at the end.
#[must_use]
pub fn files(kind: Kind, machine: &Machine) -> Vec<PathBuf> {
    files_in(kind, &folders(kind, machine))
}

/// The same in these folders of its only.
#[must_use]
pub fn files_in(kind: Kind, folders: &[PathBuf]) -> Vec<PathBuf> {
    let mut found = HashMap::new();
    let deep = if is_deep(kind) { DEEP } else { 0 };
    for folder in folders {
        walk(kind, folder, deep, &mut found);
    }
    let mut found: Vec<(SystemTime, PathBuf)> = found.into_iter().map(|(path, changed)| (changed, path)).collect();
    found.sort();
    found.into_iter().map(|(_, path)| path).collect()
}

/// Links are not followed, and what is no file is none; a folder of tasks is as new as what is newest in it.
fn walk(kind: Kind, folder: &Path, deep: usize, found: &mut HashMap<PathBuf, SystemTime>) {
    for entry in fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok) {
        let (path, Ok(metadata)) = (entry.path(), entry.metadata()) else { continue };
        if metadata.is_dir() {
            if deep > 0 {
                walk(kind, &path, deep - 1, found);
            }
        } else if metadata.is_file()
            && let Some(file) = file_of(kind, &path)
            && let Ok(modified) = metadata.modified()
        {
            let newest = found.entry(file).or_insert(modified);
            *newest = modified.max(*newest);
        }
    }
}

/// What to open a [`super::Reader`] for when this path has changed: the file, the folder of tasks or the database.
/// Nothing for what is none of these: locks, what is still being written, other files of the agent's.
#[must_use]
pub fn file_of(kind: Kind, path: &Path) -> Option<PathBuf> {
    let name = path.file_name()?.to_str()?;
    let stem = path.file_stem()?.to_str()?;
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    let is_below =
        |folder: &str| path.ancestors().skip(1).any(|above| above.file_name().is_some_and(|name| name == folder));
    let is_in = |folder: &str| path.parent()?.file_name().filter(|name| *name == folder);
    let whole = || Some(path.to_owned());
    match kind {
        Kind::Claude if is_task(path) => {
            let folder = path.parent()?;
            folder.parent()?.file_name().filter(|name| *name == "tasks")?;
            Some(folder.to_owned())
        }
        Kind::Claude => {
            let is_run =
                path.ancestors().nth(2).is_some_and(|above| above.file_name().is_some_and(|name| name == "projects"));
            let is_subagents = stem.starts_with("agent-") && is_below("projects");
            (extension == "jsonl" && (is_run || is_subagents)).then(whole)?
        }
        Kind::Codex => (extension == "jsonl" && name.starts_with("rollout-")).then(whole)?,
        Kind::Gemini => (matches!(extension, "jsonl" | "json") && is_below("chats")).then(whole)?,
        Kind::Opencode => {
            let database = name.strip_suffix("-wal").or_else(|| name.strip_suffix("-shm")).unwrap_or(name);
            let is_database = database.starts_with("opencode") && database.ends_with(".db");
            is_database.then(|| path.with_file_name(database))
        }
        Kind::Qwen if extension == "json" => is_in("todos").and_then(|_| whole()),
        Kind::Qwen => (extension == "jsonl" && (is_in("chats").is_some() || is_below("subagents"))).then(whole)?,
        Kind::Llxprt => {
            is_in("todos")?;
            (extension == "json" && stem.starts_with("todo-")).then(whole)?
        }
    }
}

/// The project's folder of a chat of Gemini's: beside the chats, or else in the list of all projects.
pub(super) fn gemini_folder(chat: &Path) -> Option<String> {
    let chats = chat.ancestors().find(|above| above.file_name().is_some_and(|name| name == "chats"))?;
    let project = chats.parent()?;
    if let Some(root) = small(&project.join(".project_root")) {
        return Some(root.trim().to_owned()).filter(|root| !root.is_empty());
    }
    let projects = small(&project.parent()?.parent()?.join("projects.json"))?;
    let projects = serde_json::from_str::<Value>(&projects).ok()?;
    let short = project.file_name()?.to_str()?;
    let mut folders = projects.get("projects")?.as_object()?.iter();
    folders.find(|(_, name)| name.as_str() == Some(short)).map(|(folder, _)| folder.clone())
}

fn small(path: &Path) -> Option<String> {
    let is_small = fs::metadata(path).ok()?.len() <= SMALL_BYTES;
    is_small.then(|| fs::read_to_string(path).ok())?
}
