//! A file as it is now: its bytes, whether it may be changed, and what undoing a change would give back.

use crate::error::{Error, Result};
use crate::text::{Fault, without_mark};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use texts::all as say;

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
        let (real, is_there) = without_links(path)?;
        let text = is_there.then(|| text(path, &real)).transpose()?;
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

/// The end of a path's links, and whether it exists. Of one that does not, the folders that do are followed: a new file
/// goes to where they lead.
fn without_links(path: &Path) -> Result<(PathBuf, bool)> {
    let mut missing = Vec::new();
    for there in path.ancestors() {
        match dunce::canonicalize(there) {
            Ok(real) => {
                let whole = missing.iter().rev().fold(real, |real: PathBuf, name| real.join(name));
                return Ok((whole, missing.is_empty()));
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {
                if there.symlink_metadata().is_ok() {
                    let what = match there == path {
                        true => say::kind_broken_link(),
                        false => say::kind_below_broken_link(),
                    };
                    return Err(Error::NoFile { path: path.to_owned(), what: Box::new(what) });
                }
                missing.extend(there.file_name());
            }
            Err(source) => return Err(Error::Read { path: path.to_owned(), source }),
        }
    }
    Ok((path.to_owned(), false))
}

/// Returns whether links lead from a path below a folder to elsewhere.
///
/// # Errors
/// [`Error::Outside`] where the folder is a project's and they lead out of it: whoever wrote the project chose them.
pub(crate) fn follow_links(path: &Path, real: &Path, folder: &Path, is_project: bool) -> Result<bool> {
    let Some((below, root)) = path.strip_prefix(folder).ok().zip(dunce::canonicalize(folder).ok()) else {
        return Ok(path != real);
    };
    if is_project && !real.starts_with(&root) {
        return Err(Error::Outside { path: path.to_owned(), real: real.to_owned() });
    }
    Ok(root.join(below) != real)
}

/// Refuses a file of a project that links lead out of it, before anything of it is read.
///
/// # Errors
/// Those of [`follow_links`].
pub(crate) fn refuse_outside(path: &Path, project: &Path) -> Result<()> {
    let (real, _) = without_links(path)?;
    follow_links(path, &real, project, true).map(drop)
}

/// The text of a file that is one.
fn text(path: &Path, real: &Path) -> Result<String> {
    let path = || path.to_owned();
    let file = fs::metadata(real).map_err(|source| Error::Read { path: path(), source })?;
    if file.is_dir() {
        return Err(Error::NoFile { path: path(), what: Box::new(say::kind_folder()) });
    }
    if !file.is_file() {
        return Err(Error::NoFile { path: path(), what: Box::new(say::kind_no_file()) });
    }
    if file.len() > LIMIT {
        return Err(Error::TooLarge { path: path(), bytes: file.len(), limit: LIMIT });
    }
    let bytes = careful::read(real, LIMIT).map_err(|source| match source.kind() {
        // It became something else just now.
        ErrorKind::InvalidInput => Error::NoFile { path: path(), what: Box::new(say::kind_no_file()) },
        ErrorKind::FileTooLarge => Error::TooLarge { path: path(), bytes: LIMIT + 1, limit: LIMIT },
        _ => Error::Read { path: path(), source },
    })?;
    String::from_utf8(bytes).map_err(|error| Error::NoText { path: path(), at: error.utf8_error().valid_up_to() })
}
