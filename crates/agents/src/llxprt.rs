//! llxprt: its lists, `todos/todo-ID.json` and for its subagents `todos/todo-ID-AGENT.json`. More is not known of it yet.

use crate::list_file::ListFile;
use crate::lists::ListTool;
use crate::transcript::{Run, Transcript, ends, is_in, stem};
use crate::{Agent, Environment, Facts};
use std::path::{Path, PathBuf};

/// The characters of a session's id.
const ID_CHARS: usize = 36;

pub struct Llxprt;

const FACTS: Facts = Facts {
    list_tools: &[ListTool::new("todo_write")],
    nested_transcripts: false,
    live_transcripts: false,
    ..Facts::new("llxprt", "llxprt")
};

impl Agent for Llxprt {
    fn facts(&self) -> &'static Facts {
        &FACTS
    }

    fn transcript_folders(&self, environment: &Environment) -> Vec<PathBuf> {
        let named = ["LLXPRT_DATA_HOME", "LLXPRT_CONFIG_HOME"].into_iter().find_map(|name| environment.folder(name));
        let data = environment.folder_or_home(&["XDG_DATA_HOME"], ".local/share");
        let at_home = |below: &str| environment.home.join(below);
        let usual = [data.join("llxprt-code"), at_home("Library/Application Support/llxprt-code"), at_home(".llxprt")];
        let windows = environment.folder("LOCALAPPDATA").map(|local| local.join("llxprt-code").join("Data"));
        named.into_iter().chain(usual).chain(windows).map(|root| root.join("todos")).collect()
    }

    fn transcript_of(&self, path: &Path) -> Option<PathBuf> {
        let is_list = is_in(path, "todos") && ends(path, "json") && stem(path).starts_with("todo-");
        is_list.then(|| path.to_owned())
    }

    fn open_transcript(&self, path: &Path) -> Option<Transcript> {
        let stem = stem(path);
        let id = stem.strip_prefix("todo-").unwrap_or(&stem);
        let run = Run { parent: agents_session(id).map(str::to_owned), ..Run::new(id) };
        Some(Transcript::File(Box::new(ListFile::new(&Llxprt, "todo_write", run, || false))))
    }
}

/// The session in a subagent's id, which is followed by the subagent's name.
fn agents_session(id: &str) -> Option<&str> {
    let (session, subagent) = (id.get(..ID_CHARS)?, id.get(ID_CHARS..)?);
    let is_id = session.bytes().all(|byte| byte == b'-' || byte.is_ascii_hexdigit());
    (is_id && subagent.len() > 1 && subagent.starts_with('-')).then_some(session)
}
