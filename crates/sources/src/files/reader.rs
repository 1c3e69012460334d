//! Reading on in one transcript.

use super::database::DatabaseFile;
use super::json_file::{JsonFile, Written};
use super::json_folder::JsonFolder;
use super::lines::{Line, Lines, Look};
use agents::{Agent, Observation, Records, Transcript};
use jiff::Timestamp;
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// About the most observations that are given at once.
const AT_ONCE: usize = 500;

/// The time for one piece, of which a slow disk reads many; one that takes longer hangs.
const PATIENCE: Duration = Duration::from_secs(30);

/// A reader of one file, folder or database of an agent's, which reads on when it has changed.
pub struct Reader {
    agent: &'static dyn Agent,
    path: PathBuf,
    since: Option<Timestamp>,
    since_in_database: Option<Timestamp>,
    /// Absent before the first look, and away while it reads; a look that was given up is begun anew.
    source: Option<Source>,
}

/// A transcript and its parser.
enum Source {
    Lines(Lines, Box<dyn Records>),
    File(JsonFile, Box<dyn Records>),
    Folder(JsonFolder, Box<dyn Records>),
    Database(DatabaseFile),
    /// Nothing that the agent reads.
    Nothing,
}

impl Reader {
    /// A reader of a transcript that [`super::transcripts`] or [`Agent::transcript_of`] has named; nothing is looked at
    /// yet.
    #[must_use]
    pub fn open(agent: &'static dyn Agent, path: &Path) -> Self {
        Self { agent, path: path.to_owned(), since: None, since_in_database: None, source: None }
    }

    /// Leaves out what happened before a time. A large database is then not read from its start.
    #[must_use]
    pub fn since(self, at: Timestamp) -> Self {
        Self { since: Some(at), ..self }
    }

    /// Leaves that out of a database, which holds all runs there ever were, and of nothing else.
    pub(crate) fn since_in_database(self, at: Timestamp) -> Self {
        Self { since_in_database: Some(at), ..self }
    }

    /// The next observations that are new, in order, and at most a few hundred: none means that nothing is new.
    /// Reading from the start gives the same again with the same times.
    ///
    /// # Errors
    /// When the file exists and cannot be opened or read. The next look goes on where this one stopped.
    pub async fn look(&mut self) -> io::Result<Vec<Observation>> {
        loop {
            let (mut observations, look) = self.read().await?;
            let is_end = observations.is_empty() && look == Look::End;
            observations.retain(|observation| self.since.is_none_or(|since| observation.at >= since));
            if is_end || !observations.is_empty() {
                return Ok(observations);
            }
        }
    }

    async fn read(&mut self) -> io::Result<(Vec<Observation>, Look)> {
        let (agent, path, known) = (self.agent, self.path.clone(), self.source.take());
        let mut source = match known {
            Some(Source::Database(database)) => Source::Database(database),
            known => {
                // A file system that hangs does so for the whole folder.
                let place = self.path.parent().unwrap_or(&self.path);
                let reading = careful::aside(place, PATIENCE, move || {
                    // An agent may look at what is beside a transcript.
                    let mut source = known.unwrap_or_else(|| Source::open(agent, &path));
                    let read = source.read(agent, &path);
                    (source, read)
                });
                let (source, read) = reading.await?;
                if !matches!(source, Source::Database(_)) {
                    self.source = Some(source);
                    return read;
                }
                self.since = self.since.or(self.since_in_database);
                source
            }
        };
        let mut observations = Vec::new();
        if let Source::Database(database) = &mut source {
            observations = database.read(self.since).await;
        }
        self.source = Some(source);
        Ok((observations, Look::End))
    }

    /// The reason why there is nothing to read in it, as far as it was read: it is not what it should be, or half written.
    #[must_use]
    pub fn unreadable(&self) -> Option<String> {
        match self.source.as_ref()? {
            Source::Lines(lines, _) => lines.unreadable(),
            Source::File(file, records) => file.unreadable().or_else(|| records.problem()),
            Source::Folder(folder, records) => folder.unreadable().or_else(|| records.problem()),
            Source::Database(database) => database.unreadable(),
            Source::Nothing => None,
        }
        .map(str::to_owned)
    }

    /// The number of lines or rows that were passed over, because they are too long or not JSON.
    #[must_use]
    pub fn passed_over(&self) -> u64 {
        match &self.source {
            Some(Source::Lines(lines, _)) => lines.passed_over(),
            Some(Source::Database(database)) => database.passed_over(),
            _ => 0,
        }
    }
}

impl Source {
    fn open(agent: &dyn Agent, path: &Path) -> Self {
        match agent.open_transcript(path) {
            Some(Transcript::Lines(records)) => Self::Lines(Lines::open(path), records),
            Some(Transcript::File(records)) => Self::File(JsonFile::open(path), records),
            Some(Transcript::Folder { is_part, records }) => Self::Folder(JsonFolder::open(path, is_part), records),
            Some(Transcript::Database(parser)) => Self::Database(DatabaseFile::open(path, parser)),
            None => Self::Nothing,
        }
    }

    fn read(&mut self, agent: &dyn Agent, path: &Path) -> io::Result<(Vec<Observation>, Look)> {
        let mut out = Vec::new();
        let (written, records) = match self {
            Self::Lines(lines, records) => {
                let read = lines.read(|line| {
                    match line {
                        Line::Begin => {
                            if let Some(Transcript::Lines(anew)) = agent.open_transcript(path) {
                                *records = anew;
                            }
                        }
                        Line::Record(record) => records.record(record, None, &mut out),
                    }
                    if out.len() >= AT_ONCE { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
                });
                // Records that were read before an error count; the next look meets the error again.
                return match read {
                    Err(error) if out.is_empty() => Err(error),
                    read => Ok((out, read.unwrap_or(Look::Piece))),
                };
            }
            Self::File(file, records) => (file.read()?, records),
            Self::Folder(folder, records) => (folder.read()?, records),
            Self::Database(_) | Self::Nothing => return Ok((out, Look::End)),
        };
        if let Some(Written { value, at }) = written {
            records.record(&value, Some(at), &mut out);
        }
        Ok((out, Look::End))
    }
}
