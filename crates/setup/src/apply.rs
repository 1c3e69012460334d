//! Making the changes of a plan: all of them or none.

use crate::error::{Error, Result};
use crate::plan::{Edit, Plan, Registered};
use crate::source::{BACKUP, Source};
use jiff::Timestamp;
use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;
use texts::{Text, all as say};

/// The changes that were made.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Applied {
    /// The files that were written or removed.
    pub written: Vec<PathBuf>,
    /// The texts from before, beside them.
    pub backups: Vec<PathBuf>,
}

impl Plan {
    /// Makes the changes, also long after they were planned: what changed since is found out. A file is replaced as a whole or not at
    /// all; one that existed gets a backup beside it, `FILE.sightline-backup-YYYYMMDDTHHMMSSZ` (`now`), unless it held
    /// nothing but what we had put in. Permissions and links stay.
    ///
    /// # Errors
    /// [`Error::Changed`] where a file is not what it was when the plan was made, [`Error::Write`] and
    /// [`Error::Command`]: everything is then as before. [`Error::Restore`] where that failed, too, and
    /// [`Error::Newer`] where somebody else has written since what we had written.
    pub fn apply(&self, now: Timestamp) -> Result<Applied> {
        let mut work = Work::new(self);
        let done = work.stage(now).and_then(|()| work.call()).and_then(|()| work.write());
        if let Err(error) = done {
            return Err(work.put_back(error));
        }
        for folder in self.edits.iter().filter(|edit| edit.after.is_none()).flat_map(|edit| &edit.own_folders) {
            // Only where nothing else is in it, and where it is no link.
            let _ = fs::remove_dir(folder);
        }
        Ok(Applied {
            written: self.edits.iter().map(|edit| edit.path.clone()).collect(),
            backups: work.staged.into_iter().filter_map(|staged| staged.backup).chain(work.kept).collect(),
        })
    }
}

/// An edit that is ready but for the new file's name.
struct Staged<'a> {
    edit: &'a Edit,
    new: Option<NamedTempFile>,
    backup: Option<PathBuf>,
    written: bool,
}

/// A plan on its way, step by step.
pub(crate) struct Work<'a> {
    plan: &'a Plan,
    staged: Vec<Staged<'a>>,
    /// The backup of what the commands change.
    kept: Option<PathBuf>,
    /// The folders that were made.
    folders: Vec<PathBuf>,
    called: bool,
}

impl<'a> Work<'a> {
    pub(crate) fn new(plan: &'a Plan) -> Self {
        Self { plan, staged: Vec::new(), kept: None, folders: Vec::new(), called: false }
    }

    /// Writes everything beside what is there, so that little is left that can fail.
    pub(crate) fn stage(&mut self, now: Timestamp) -> Result<()> {
        for edit in &self.plan.edits {
            check(edit)?;
        }
        if let Some(registered) = &self.plan.registered {
            registered.check()?;
        }
        for edit in &self.plan.edits {
            let failed = |source| Error::Write { path: edit.path.clone(), source };
            self.make_folder(&edit.real).map_err(failed)?;
            let new = edit.after.as_deref().map(|text| new_file(edit, text)).transpose().map_err(failed)?;
            self.staged.push(Staged { edit, new, backup: None, written: false });
        }
        for staged in &mut self.staged {
            // A file that is removed held nothing but ours.
            if let (Some(before), Some(_)) = (&staged.edit.before, &staged.edit.after) {
                let backup = back_up(&staged.edit.real, before, now);
                staged.backup = Some(backup.map_err(|source| Error::Write { path: staged.edit.path.clone(), source })?);
            }
        }
        if let Some(Registered { path, .. }) = &self.plan.registered {
            let source = Source::read(path)?;
            if let Some(text) = &source.text {
                let failed = |source| Error::Write { path: path.clone(), source };
                self.kept = Some(back_up(&source.real, text, now).map_err(failed)?);
            }
        }
        Ok(())
    }

    /// Runs the agent's own command: it takes long and may fail, so nothing of ours has its name yet.
    pub(crate) fn call(&mut self) -> Result<()> {
        for call in &self.plan.calls {
            self.called = true;
            call.run().map_err(|why| Error::Command { command: call.named(), why })?;
        }
        Ok(())
    }

    /// Gives every new file its name, each looked at once more just before.
    pub(crate) fn write(&mut self) -> Result<()> {
        for staged in &mut self.staged {
            let edit = staged.edit;
            let failed = |source: std::io::Error| match source.kind() {
                ErrorKind::AlreadyExists => Error::Changed { path: edit.path.clone() },
                _ => Error::Write { path: edit.path.clone(), source },
            };
            check(edit)?;
            match (staged.new.take(), &edit.before) {
                (Some(new), Some(_)) => drop(new.persist(&edit.real).map_err(|error| failed(error.error))?),
                (Some(new), None) => drop(new.persist_noclobber(&edit.real).map_err(|error| failed(error.error))?),
                (None, _) => fs::remove_file(&edit.real).map_err(failed)?,
            }
            staged.written = true;
            sync_folder(&edit.real);
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

    /// Puts everything back as well as can be. Returns the first failure, with any that follow. Files that somebody else
    /// has written since are not touched.
    pub(crate) fn put_back(mut self, cause: Error) -> Error {
        let mut error = cause;
        for staged in self.staged.drain(..) {
            let edit = staged.edit;
            let backup = || Box::new(backup_named(staged.backup.as_deref()));
            let ours = !staged.written || Source::read(&edit.path).is_ok_and(|source| source.text == edit.after);
            if !ours {
                error = Error::Newer { path: edit.path.clone(), backup: backup(), cause: Box::new(error) };
                continue;
            }
            let restored = match &edit.before {
                _ if !staged.written => Ok(()),
                Some(before) => new_file(edit, before).and_then(|file| Ok(file.persist(&edit.real).map(drop)?)),
                None => fs::remove_file(&edit.real),
            };
            match restored {
                Ok(()) => drop(staged.backup.map(fs::remove_file)),
                Err(source) => {
                    let (path, backup) = (edit.path.clone(), backup());
                    error = Error::Restore { path, source, backup, cause: Box::new(error) };
                }
            }
        }
        if let (Some(registered), true) = (&self.plan.registered, self.called)
            && let Err(why) = registered.put_back()
        {
            let (path, source) = (registered.path.clone(), std::io::Error::other(why));
            let backup = Box::new(backup_named(self.kept.take().as_deref()));
            error = Error::Restore { path, source, backup, cause: Box::new(error) };
        }
        drop(self.kept.map(fs::remove_file));
        for folder in self.folders.iter().rev() {
            let _ = fs::remove_dir(folder);
        }
        error
    }
}

/// The name of a backup.
fn backup_named(path: Option<&Path>) -> Text {
    path.map_or_else(say::no_backup, |path| path.display().to_string().into())
}

/// Returns whether a file is still what the plan was made from.
fn check(edit: &Edit) -> Result<()> {
    let source = Source::read(&edit.path)?;
    if source.text == edit.before && source.real == edit.real {
        return Ok(());
    }
    Err(Error::Changed { path: edit.path.clone() })
}

/// The new text in a file of another name, on the disk, with the permissions of the old one.
fn new_file(edit: &Edit, text: &str) -> std::io::Result<NamedTempFile> {
    let folder = edit.real.parent().ok_or(ErrorKind::InvalidInput)?;
    let mut builder = tempfile::Builder::new();
    builder.prefix(".sightline-");
    #[cfg(unix)]
    if !edit.private || edit.is_program {
        use std::os::unix::fs::PermissionsExt;
        let mode = if edit.private { 0o600 } else { 0o666 };
        builder.permissions(fs::Permissions::from_mode(if edit.is_program {
            mode | (mode & 0o444) >> 2
        } else {
            mode
        }));
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
