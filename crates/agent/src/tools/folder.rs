//! The folder that a server runs in. Whoever may edit chooses that of a session, and what is in it can decide what the
//! server does: `python -m` and `npx` look there first. So it is not one in which other users can write.

use careful::{GaveUp, PATIENCE, aside};
use std::path::{Path, PathBuf};

/// A folder, and who has chosen it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folder {
    pub path: PathBuf,
    /// It is the session's, and not the server's own from the settings.
    pub of_session: bool,
}

impl Folder {
    /// Looks at the folder, wherever it leads. Returns its path without links.
    ///
    /// # Errors
    /// When it is not there, does not answer, or is no folder for a server.
    pub(super) async fn checked(&self) -> Result<PathBuf, String> {
        let Self { path, of_session } = self.clone();
        let looked = aside(&self.path, PATIENCE, move || {
            let path = dunce::canonicalize(path)?;
            let unsafe_since = if of_session { in_others_hands(&path)? } else { None };
            Ok::<_, std::io::Error>((path.is_dir(), path, unsafe_since))
        });
        let shown = self.path.display();
        match looked.await {
            Ok(Ok((true, path, None))) => Ok(path),
            Ok(Ok((true, _, Some(why)))) => Err(format!(
                "It is not started in {shown}, which {why}: what they put there could run. Give it a folder of its own in \
                 Settings, or begin the task in another folder."
            )),
            Ok(_) => Err(format!("The folder that it is to run in is not there: {shown}.")),
            Err(GaveUp::Elsewhere) => Err(format!("The folder that it is to run in is on another machine: {shown}.")),
            Err(GaveUp::Hangs | GaveUp::TooMuchHangs | GaveUp::Failed) => {
                Err(format!("The folder that it is to run in does not answer: {shown}."))
            }
        }
    }
}

/// The reason why others decide what is in a folder, if they do. What is the system's own is trusted as the system is.
#[cfg(unix)]
fn in_others_hands(path: &Path) -> std::io::Result<Option<&'static str>> {
    use std::os::unix::fs::MetadataExt;
    const GROUP_WRITES: u32 = 0o020;
    const ALL_WRITE: u32 = 0o002;
    let folder = path.metadata()?;
    let (user, group) = (nix::unistd::geteuid().as_raw(), nix::unistd::getegid().as_raw());
    let is_of_another = folder.uid() != user && folder.uid() != 0;
    let others_write = folder.mode() & ALL_WRITE != 0 || (folder.mode() & GROUP_WRITES != 0 && folder.gid() != group);
    Ok(if is_of_another {
        Some("belongs to another user")
    } else if others_write {
        Some("other users can write to")
    } else {
        None
    })
}

#[cfg(not(unix))]
fn in_others_hands(_: &Path) -> std::io::Result<Option<&'static str>> {
    Ok(None)
}
