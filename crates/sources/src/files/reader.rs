//! Reading on in one file.

use super::Kind;
use super::claude::Claude;
use super::claude::folder::{Folder, is_task};
use super::codex::Codex;
use super::gemini::Gemini;
use super::lines::{Line, Lines};
use super::lists::List;
use super::opencode::Database;
use super::qwen::Qwen;
use super::told::Told;
use super::whole::Whole;
use jiff::Timestamp;
use serde_json::Value;
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// About how much is told at once.
const AT_ONCE: usize = 500;

/// The records of an agent's file.
pub(super) trait Records: Send {
    /// Takes the next one.
    fn record(&mut self, record: &Value, out: &mut Vec<Told>);
}

/// Reads one file, folder or database of an agent's, and reads on when it has changed.
pub struct Reader {
    kind: Kind,
    path: PathBuf,
    since: Option<Timestamp>,
    /// Away while it reads; a look that was given up is begun anew.
    source: Option<Source>,
}

enum Source {
    Lines {
        lines: Lines,
        state: Box<dyn Records>,
        kind: Kind,
        path: PathBuf,
    },
    /// A chat that is written whole.
    Chat(Whole, PathBuf, Option<Told>),
    List(List),
    Folder(Folder),
    Database(Box<Database>),
}

impl Reader {
    /// Opens what [`super::files`] or [`super::file_of`] has named; nothing is read yet.
    #[must_use]
    pub fn open(kind: Kind, path: &Path) -> Self {
        Self { kind, path: path.to_owned(), since: None, source: None }
    }

    /// Leaves out what happened before that. A large database is then not read from its start.
    #[must_use]
    pub fn since(self, at: Timestamp) -> Self {
        Self { since: Some(at), ..self }
    }

    /// The next that is new, in order, and at most a few hundred at once: nothing new is there when nothing is told.
    /// Reading from the start tells the same again with the same times.
    ///
    /// # Errors
    /// When the file is there and cannot be opened or read. The next look goes on where this one stopped.
    pub async fn look(&mut self) -> io::Result<Vec<Told>> {
        loop {
            let mut told = self.read().await?;
            let is_end = told.is_empty();
            told.retain(|told| self.since.is_none_or(|since| told.at >= since));
            if is_end || !told.is_empty() {
                return Ok(told);
            }
        }
    }

    async fn read(&mut self) -> io::Result<Vec<Told>> {
        let mut source = self.source.take().unwrap_or_else(|| Source::open(self.kind, &self.path, self.since));
        let (source, told) = if let Source::Database(database) = &mut source {
            let told = database.look().await;
            (source, Ok(told))
        } else {
            let reading = tokio::task::spawn_blocking(move || {
                let told = source.look();
                (source, told)
            });
            reading.await.map_err(io::Error::other)?
        };
        self.source = Some(source);
        told
    }

    /// Why there is nothing to read in it, as far as it was looked at: it is not what it should be, or half written.
    #[must_use]
    pub fn unreadable(&self) -> Option<String> {
        match self.source.as_ref()? {
            Source::Lines { lines, .. } => {
                lines.is_unreadable().then(|| "none of its lines is a JSON object".to_owned())
            }
            Source::Chat(file, ..) => file.unreadable().map(str::to_owned),
            Source::List(list) => list.unreadable().map(str::to_owned),
            Source::Folder(folder) => folder.unreadable().map(str::to_owned),
            Source::Database(database) => database.unreadable().map(str::to_owned),
        }
    }

    /// How many lines or rows were passed over, because they are too long or not JSON.
    #[must_use]
    pub fn passed_over(&self) -> u64 {
        match &self.source {
            Some(Source::Lines { lines, .. }) => lines.passed_over(),
            Some(Source::Database(database)) => database.passed_over(),
            _ => 0,
        }
    }
}

impl Source {
    fn open(kind: Kind, path: &Path, since: Option<Timestamp>) -> Self {
        let is_json = path.extension().is_some_and(|extension| extension == "json");
        match kind {
            Kind::Opencode => Self::Database(Box::new(Database::open(path, since))),
            Kind::Llxprt => Self::List(List::open(kind, path)),
            Kind::Qwen if is_json => Self::List(List::open(kind, path)),
            Kind::Gemini if is_json => Self::Chat(Whole::open(path), path.to_owned(), None),
            Kind::Claude if path.extension().is_none_or(|extension| extension != "jsonl") => {
                let folder = if is_task(path) { path.parent().unwrap_or(path) } else { path };
                Self::Folder(Folder::open(folder))
            }
            _ => Self::Lines { lines: Lines::open(path), state: records(kind, path), kind, path: path.to_owned() },
        }
    }

    fn look(&mut self) -> io::Result<Vec<Told>> {
        let mut out = Vec::new();
        match self {
            Self::Lines { lines, state, kind, path } => {
                let read = lines.read(|line| {
                    match line {
                        Line::Begin => *state = records(*kind, path),
                        Line::Record(record) => state.record(record, &mut out),
                    }
                    if out.len() >= AT_ONCE { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
                });
                // What was told by then is told; the next look meets the error again.
                if out.is_empty() {
                    read?;
                }
            }
            Self::Chat(file, path, last) => {
                if let Some(written) = file.read()? {
                    records(Kind::Gemini, path).record(&written.value, &mut out);
                    out.retain(|told| last.as_ref().is_none_or(|last| told.at > last.at));
                    *last = out.last().cloned().or_else(|| last.take());
                }
            }
            Self::List(list) => list.look(&mut out)?,
            Self::Folder(folder) => folder.look(&mut out)?,
            Self::Database(_) => {}
        }
        Ok(out)
    }
}

fn records(kind: Kind, path: &Path) -> Box<dyn Records> {
    match kind {
        Kind::Codex => Box::new(Codex::new(path)),
        Kind::Gemini => Box::new(Gemini::new(path)),
        Kind::Qwen => Box::new(Qwen::new(path)),
        _ => Box::new(Claude::new(path)),
    }
}

/// What the lines of a file tell, whatever they hold.
#[cfg(feature = "fuzz")]
pub(crate) fn told(kind: Kind, lines: &[u8]) -> Vec<Told> {
    let mut out = Vec::new();
    let mut state = records(kind, Path::new("session.jsonl"));
    for line in lines.split(|byte| *byte == b'\n') {
        if let Ok(record) = serde_json::from_slice(line) {
            state.record(&record, &mut out);
        }
    }
    out
}
