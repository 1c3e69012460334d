//! Files that are one list: Qwen Code's `todos/ID.json`, and those of llxprt, `todos/todo-ID.json` and for its subagents
//! `todos/todo-ID-AGENT.json`. They say no times; the file's own is taken. An older llxprt wrote the bare array.

use super::told::{Run, Teller, Told};
use super::{Kind, whole::Whole};
use crate::calls::{Listed, list_of};
use serde_json::{Value, json};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The characters of a session's id.
const ID_CHARS: usize = 36;

/// One list's file.
pub(super) struct List {
    kind: Kind,
    path: PathBuf,
    file: Whole,
    teller: Teller,
    last: Option<Value>,
}

impl List {
    pub(super) fn open(kind: Kind, path: &Path) -> Self {
        let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        let id = stem.strip_prefix("todo-").filter(|_| kind == Kind::Llxprt).unwrap_or(&stem);
        let parent = id.get(..ID_CHARS).filter(|_| is_of_subagent(kind, id)).map(str::to_owned);
        let teller = Teller::new(Run { own_session: id.to_owned(), parent, ..Run::default() });
        Self { kind, path: path.to_owned(), file: Whole::open(path), teller, last: None }
    }

    pub(super) fn unreadable(&self) -> Option<&str> {
        self.file.unreadable()
    }

    pub(super) fn look(&mut self, out: &mut Vec<Told>) -> io::Result<()> {
        if self.kind == Kind::Qwen && self.has_chat() {
            return Ok(());
        }
        let Some(written) = self.file.read()? else { return Ok(()) };
        let input = match written.value {
            Value::Array(todos) => json!({ "todos": todos }),
            value => value,
        };
        let Some(Listed::Whole { tool, todos }) = list_of(self.kind, "todo_write", &input, &Value::Null) else {
            self.file.is_odd("it has no list \"todos\"");
            return Ok(());
        };
        if self.last.as_ref() != Some(&todos) {
            self.last = Some(todos.clone());
            self.teller.list(out, Some(written.at), tool, todos);
        }
        Ok(())
    }

    /// Whether the run is recorded, so that its chat tells the list.
    fn has_chat(&self) -> bool {
        let Some(root) = self.path.parent().and_then(Path::parent) else { return false };
        let name = format!("{}.jsonl", self.teller.run().own_session);
        let folders = fs::read_dir(root.join("projects")).into_iter().flatten().filter_map(Result::ok);
        folders.into_iter().any(|folder| folder.path().join("chats").join(&name).exists())
    }
}

/// Whether an id is a session's with an agent's after it.
fn is_of_subagent(kind: Kind, id: &str) -> bool {
    let is_id = |id: &str| id.bytes().all(|byte| byte == b'-' || byte.is_ascii_hexdigit());
    kind == Kind::Llxprt
        && id.get(..ID_CHARS).is_some_and(is_id)
        && id.get(ID_CHARS..).is_some_and(|agent| agent.len() > 1 && agent.starts_with('-'))
}
