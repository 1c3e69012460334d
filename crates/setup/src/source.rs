//! A file as it is now: its bytes, whether it may be changed, and what undoing a change would give back.

use crate::error::{Error, Result};
use crate::text::{Fault, without_mark};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The most bytes that a configuration file may have: Claude Code's also keeps what was done in every project.
pub const LIMIT: u64 = 64 * 1024 * 1024;

/// The part of a backup's name between the file's own name and a time.
pub(crate) const BACKUP: &str = ".sightline-backup-";

/// A file that was read.
#[derive(Debug)]
pub(crate) struct Source {
    pub(crate) path: PathBuf,
    /// The end of the path's links: a link stays one.
    pub(crate) real: PathBuf,
    /// None where there is no file.
    pub(crate) text: Option<String>,
}

impl Source {
    /// Reads a file that may be absent.
    ///
    /// # Errors
    /// The reasons why it is no text of a sensible size.
    pub(crate) fn read(path: &Path) -> Result<Self> {
        let real = match fs::canonicalize(path) {
            Ok(real) => real,
            Err(error) if error.kind() == ErrorKind::NotFound => {
                if path.symlink_metadata().is_ok() {
                    return Err(Error::NoFile { path: path.to_owned(), what: "a link to nothing" });
                }
                return Ok(Self { path: path.to_owned(), real: path.to_owned(), text: None });
            }
            Err(source) => return Err(Error::Read { path: path.to_owned(), source }),
        };
        let text = Some(text(path, &real)?);
        Ok(Self { path: path.to_owned(), real, text })
    }

    /// The text to edit, without a byte order mark; empty where there is no file.
    pub(crate) fn body(&self) -> &str {
        without_mark(self.text.as_deref().unwrap_or_default()).1
    }

    /// This text after an edit of its body.
    pub(crate) fn with(&self, edited: &str) -> Option<String> {
        if self.text.is_none() && edited.is_empty() {
            return None;
        }
        Some(format!("{}{edited}", without_mark(self.text.as_deref().unwrap_or_default()).0))
    }

    /// The text as it was before `forward`, as far as can be known; none where there was no file.
    ///
    /// `backward` takes out what is ours, but cannot know whether an empty object was there before, or the file
    /// itself. A backup tells, if going forward from it leads to exactly what is there now; so does an absent file.
    pub(crate) fn undone(
        &self,
        forward: impl Fn(&str) -> Result<String, Fault>,
        backward: impl Fn(&str) -> Result<String, Fault>,
    ) -> Result<Option<String>> {
        let body = self.body();
        let fault = |fault: Fault| fault.at(&self.path);
        let taken = backward(body).map_err(fault)?;
        if taken == body {
            return Ok(self.text.clone());
        }
        // Where paths changed since, the entries are brought up to date first.
        let Ok(now) = forward(body) else { return Ok(self.with(&taken)) };
        let leads_here = |before: &str| {
            backward(before).is_ok_and(|taken| taken == before) && forward(before).is_ok_and(|after| after == now)
        };
        for backup in self.backups() {
            let Ok(text) = text(&backup, &backup) else { continue };
            let (mark, before) = without_mark(&text);
            if mark == without_mark(self.text.as_deref().unwrap_or_default()).0 && leads_here(before) {
                return Ok(Some(text));
            }
        }
        // A link was made on purpose: both it and its target stay.
        Ok(if leads_here("") && !self.path.is_symlink() { None } else { self.with(&taken) })
    }

    /// The backups beside it, the newest first.
    fn backups(&self) -> Vec<PathBuf> {
        let (Some(folder), Some(name)) = (self.real.parent(), self.real.file_name()) else { return Vec::new() };
        let start = format!("{}{BACKUP}", name.to_string_lossy());
        let files = fs::read_dir(folder).into_iter().flatten().flatten();
        let ours = files.filter(|file| file.file_name().to_string_lossy().starts_with(&start));
        let mut backups: Vec<PathBuf> = ours.map(|file| file.path()).collect();
        backups.sort_by(|one, other| other.cmp(one));
        backups
    }
}

/// The text of a file that is one.
fn text(path: &Path, real: &Path) -> Result<String> {
    let path = || path.to_owned();
    let file = fs::metadata(real).map_err(|source| Error::Read { path: path(), source })?;
    if file.is_dir() {
        return Err(Error::NoFile { path: path(), what: "a folder" });
    }
    if !file.is_file() {
        return Err(Error::NoFile { path: path(), what: "no ordinary file" });
    }
    if file.len() > LIMIT {
        return Err(Error::TooLarge { path: path(), bytes: file.len(), limit: LIMIT });
    }
    let bytes = fs::read(real).map_err(|source| Error::Read { path: path(), source })?;
    String::from_utf8(bytes).map_err(|error| Error::NoText { path: path(), at: error.utf8_error().valid_up_to() })
}
