//! Doing what a plan says: all of it or nothing.

use crate::error::{Error, Result};
use crate::plan::{Edit, Plan};
use crate::run::run;
use crate::source::{BACKUP, Source};
use jiff::Timestamp;
use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use tempfile::NamedTempFile;

/// How long an agent's own command may take; Claude Code's starts Node.
const PATIENCE: Duration = Duration::from_secs(30);

/// What was done.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Applied {
    /// The files that were written or removed.
    pub written: Vec<PathBuf>,
    /// The texts from before, beside them.
    pub backups: Vec<PathBuf>,
}

/// An edit that is ready: what is left is to give the new file its name.
struct Staged<'a> {
    edit: &'a Edit,
    new: Option<NamedTempFile>,
    backup: Option<PathBuf>,
}

impl Plan {
    /// Does it. A file is replaced as a whole or not at all; one that existed gets a backup beside it,
    /// `FILE.sightline-backup-YYYYMMDDTHHMMSSZ` (`now`), unless it held nothing but what we had put in. Permissions
    /// and links stay.
    ///
    /// # Errors
    /// [`Error::Changed`] where a file is not what it was when the plan was made, [`Error::Write`] and
    /// [`Error::Command`]: everything is then as before. [`Error::Restore`] where that failed, too.
    pub fn apply(&self, now: Timestamp) -> Result<Applied> {
        for edit in &self.edits {
            if Source::read(&edit.path)?.text != edit.before {
                return Err(Error::Changed { path: edit.path.clone() });
            }
        }
        let mut work = Work { staged: Vec::new(), kept: Vec::new(), folders: Vec::new(), written: 0 };
        let done = work.all(self, now);
        if let Err(error) = done {
            work.put_back()?;
            return Err(error);
        }
        for edit in self.edits.iter().filter(|edit| edit.after.is_none() && edit.own_folder) {
            // Only where nothing else is in it.
            let _ = edit.real.parent().map(fs::remove_dir);
        }
        Ok(Applied {
            written: self.edits.iter().map(|edit| edit.path.clone()).collect(),
            backups: work.staged.into_iter().filter_map(|staged| staged.backup).chain(work.kept).collect(),
        })
    }
}

struct Work<'a> {
    staged: Vec<Staged<'a>>,
    /// Backups of what commands change.
    kept: Vec<PathBuf>,
    /// Those that were made.
    folders: Vec<PathBuf>,
    /// How many of the staged edits have been carried out.
    written: usize,
}

impl<'a> Work<'a> {
    fn all(&mut self, plan: &'a Plan, now: Timestamp) -> Result<()> {
        for edit in &plan.edits {
            let failed = |source| Error::Write { path: edit.path.clone(), source };
            self.make_folder(&edit.real).map_err(failed)?;
            let new = edit.after.as_deref().map(|text| new_file(edit, text)).transpose().map_err(failed)?;
            self.staged.push(Staged { edit, new, backup: None });
        }
        for staged in &mut self.staged {
            // What is removed held nothing but ours.
            if let (Some(before), Some(_)) = (&staged.edit.before, &staged.edit.after) {
                let backup = back_up(&staged.edit.real, before, now);
                staged.backup = Some(backup.map_err(|source| Error::Write { path: staged.edit.path.clone(), source })?);
            }
        }
        for staged in &mut self.staged {
            let edit = staged.edit;
            let failed = |source| Error::Write { path: edit.path.clone(), source };
            match staged.new.take() {
                Some(new) => drop(new.persist(&edit.real).map_err(|error| failed(error.error))?),
                None => fs::remove_file(&edit.real).map_err(failed)?,
            }
            self.written += 1;
            sync_folder(&edit.real);
        }
        for path in &plan.kept {
            let source = Source::read(path)?;
            if let Some(text) = &source.text {
                let failed = |source| Error::Write { path: path.clone(), source };
                self.kept.push(back_up(&source.real, text, now).map_err(failed)?);
            }
        }
        for call in &plan.calls {
            let mut command = Command::new(&call.program);
            command.args(&call.args).envs(call.environment.iter().map(|(name, value)| (name, value)));
            let why = match run(&mut command, PATIENCE) {
                Some(ended) if ended.well => continue,
                Some(ended) => ended.output.trim().to_owned(),
                None => format!("it cannot be started, or took longer than {} s", PATIENCE.as_secs()),
            };
            let kept = self.kept.iter().map(|path| format!("; its file as it was before: {}", path.display()));
            return Err(Error::Command { command: call.shown(), why: why + &kept.collect::<String>() });
        }
        Ok(())
    }

    fn make_folder(&mut self, file: &Path) -> std::io::Result<()> {
        let missing: Vec<&Path> = file.ancestors().skip(1).take_while(|folder| !folder.exists()).collect();
        for folder in missing.into_iter().rev() {
            fs::create_dir(folder)?;
            self.folders.push(folder.to_owned());
        }
        Ok(())
    }

    /// Everything as it was, as well as it can be done; the first thing that fails is said.
    fn put_back(&mut self) -> Result<()> {
        let mut outcome = Ok(());
        for (number, staged) in self.staged.iter().enumerate() {
            let edit = staged.edit;
            let restored = match &edit.before {
                _ if number >= self.written => Ok(()),
                Some(before) => new_file(edit, before).and_then(|file| Ok(file.persist(&edit.real).map(drop)?)),
                None => fs::remove_file(&edit.real),
            };
            match (restored, &staged.backup) {
                (Ok(()), Some(backup)) => drop(fs::remove_file(backup)),
                (Ok(()), None) => {}
                (Err(source), backup) => {
                    let backup =
                        backup.as_ref().map_or("no backup, it was new".to_owned(), |path| path.display().to_string());
                    outcome = outcome.and(Err(Error::Restore { path: edit.path.clone(), source, backup }));
                }
            }
        }
        self.staged.clear();
        for folder in self.folders.iter().rev() {
            let _ = fs::remove_dir(folder);
        }
        outcome
    }
}

/// The new text in a file of another name, on the disk, with the permissions of the old one.
fn new_file(edit: &Edit, text: &str) -> std::io::Result<NamedTempFile> {
    let folder = edit.real.parent().ok_or(ErrorKind::InvalidInput)?;
    let mut builder = tempfile::Builder::new();
    builder.prefix(".sightline-");
    #[cfg(unix)]
    if !edit.private {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    let mut file = builder.tempfile_in(folder)?;
    file.write_all(text.as_bytes())?;
    if let Ok(old) = edit.real.metadata() {
        keep_owner(file.as_file(), &old);
        file.as_file().set_permissions(old.permissions())?;
    }
    file.as_file().sync_all()?;
    Ok(file)
}

/// Under `sudo` a file stays its user's; where that may not be set, it is one's own anyway.
#[cfg(unix)]
fn keep_owner(file: &File, old: &fs::Metadata) {
    use std::os::unix::fs::{MetadataExt, fchown};
    let _ = fchown(file, Some(old.uid()), Some(old.gid()));
}

#[cfg(not(unix))]
fn keep_owner(_: &File, _: &fs::Metadata) {}

/// Writes the text from before beside its file, over nothing that is there.
fn back_up(real: &Path, text: &str, now: Timestamp) -> std::io::Result<PathBuf> {
    let permissions = real.metadata()?.permissions();
    let name = format!("{}{BACKUP}{}", real.display(), now.strftime("%Y%m%dT%H%M%SZ"));
    for number in 1.. {
        let path = PathBuf::from(if number == 1 { name.clone() } else { format!("{name}-{number}") });
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = match options.open(&path) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => continue,
            file => file?,
        };
        let written = file.write_all(text.as_bytes()).and_then(|()| {
            file.set_permissions(permissions)?;
            file.sync_all()
        });
        if let Err(error) = written {
            let _ = fs::remove_file(&path);
            return Err(error);
        }
        return Ok(path);
    }
    Err(ErrorKind::AlreadyExists.into())
}

/// A new name is on the disk only when its folder is. Not every file system can do it.
fn sync_folder(file: &Path) {
    if let Some(folder) = file.parent().filter(|_| cfg!(unix)) {
        let _ = File::open(folder).and_then(|folder| folder.sync_all());
    }
}
