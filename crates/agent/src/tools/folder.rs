//! The folder that a server runs in. Whoever may edit chooses that of a session, and what is in it can decide what the
//! server does: `python -m` and `npx` look there first. So it is not one in which other users can write.

use careful::{GaveUp, PATIENCE, aside};
use protocol::{Text, say};
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
    pub(super) async fn checked(&self) -> Result<PathBuf, Text> {
        let Self { path, of_session } = self.clone();
        let looked = aside(&self.path, PATIENCE, move || {
            let path = dunce::canonicalize(path)?;
            let unsafe_since = if of_session { in_others_hands(&path)? } else { None };
            Ok::<_, std::io::Error>((path.is_dir(), path, unsafe_since))
        });
        let shown = self.path.display();
        match looked.await {
            Ok(Ok((true, path, None))) => Ok(path),
            Ok(Ok((true, _, Some(Hands::OfAnother)))) => Err(say::server_folder_of_other(shown)),
            Ok(Ok((true, _, Some(Hands::Several)))) => Err(say::server_folder_open(shown)),
            Ok(_) => Err(say::server_folder_missing(shown)),
            Err(GaveUp::Elsewhere) => Err(say::server_folder_elsewhere(shown)),
            Err(GaveUp::Hangs | GaveUp::TooMuchHangs | GaveUp::Failed) => Err(say::server_folder_silent(shown)),
        }
    }
}

/// Others who decide what is in a folder.
#[cfg_attr(not(unix), allow(dead_code, reason = "only Unix says whose a folder is"))]
enum Hands {
    /// It belongs to another user.
    OfAnother,
    /// Other users can write to it.
    Several,
}

/// Others who decide what is in a folder, if there are any. What is the system's own is trusted as the system is.
#[cfg(unix)]
fn in_others_hands(path: &Path) -> std::io::Result<Option<Hands>> {
    use std::os::unix::fs::MetadataExt;
    const GROUP_WRITES: u32 = 0o020;
    const ALL_WRITE: u32 = 0o002;
    let folder = path.metadata()?;
    let (user, group) = (nix::unistd::geteuid().as_raw(), nix::unistd::getegid().as_raw());
    let is_of_another = folder.uid() != user && folder.uid() != 0;
    let others_write = folder.mode() & ALL_WRITE != 0 || (folder.mode() & GROUP_WRITES != 0 && folder.gid() != group);
    Ok(if is_of_another {
        Some(Hands::OfAnother)
    } else if others_write {
        Some(Hands::Several)
    } else {
        None
    })
}

#[cfg(not(unix))]
fn in_others_hands(_: &Path) -> std::io::Result<Option<Hands>> {
    Ok(None)
}
