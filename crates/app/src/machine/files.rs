//! A file in the folder of a session, in an editor, or what has changed in it in a terminal.
//!
//! Its path is an agent's. It counts as what it leads to, and opens only where that is in the session's folder.

use super::open;
use super::starts::{StartFile, Starts};
use super::wording::of_gave_up;
use protocol::{Code, Done, Error, OpenWith, Result, SessionOpen, Text, say};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The arguments before the file. The folder's repository decides as little as it can over what is run: no hooks, helpers,
/// transports or programs for diffs. Filters that its configuration names are run all the same.
const DIFF: [&str; 15] = [
    "--no-optional-locks",
    "--literal-pathspecs",
    "-c",
    "core.fsmonitor=false",
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "protocol.allow=never",
    "-c",
    "core.pager=less -+F -R",
    "--paginate",
    "diff",
    "--no-ext-diff",
    "--no-textconv",
    "--",
];

/// Opens a file in the session's folder.
///
/// # Errors
/// When it is not in that folder, or is no file, or no program opens it.
pub(super) async fn open(starts: &Starts<'_>, ask: &SessionOpen, file: &str) -> Result<Done> {
    let folder = open::folder(starts.hub, &ask.session_id).await?;
    match ask.with {
        OpenWith::Editor => {
            let file = within(&folder, file, false).await?;
            open::start(open::editor(&starts.hub.settings(), &file)?, &folder).await?;
        }
        OpenWith::Diff => {
            let file = within(&folder, file, true).await?;
            let program =
                starts.environment.program("git").ok_or_else(|| Error::new(Code::Configuration, say::no_git()))?;
            let file = file.to_str().ok_or_else(|| refused(&say::file_name_no_text()))?.to_owned();
            let arguments = DIFF.into_iter().map(str::to_owned).chain([file]).collect();
            starts.run_in_terminal(StartFile { program, arguments, folder }).await?;
        }
        OpenWith::Folder | OpenWith::Terminal => {
            return Err(Error::new(Code::InvalidMessage, "\"file\" is for an editor or a diff"));
        }
    }
    Ok(Done {})
}

/// The file that a path leads to, in the folder. One that is gone is where its folder is.
async fn within(folder: &Path, file: &str, may_be_gone: bool) -> Result<PathBuf> {
    let (folder, path) = (folder.to_owned(), PathBuf::from(file));
    if !path.is_absolute() || file.chars().any(char::is_control) {
        return Err(refused(&say::file_path_part()));
    }
    if careful::is_elsewhere(&path) {
        return Err(refused(&say::file_outside()));
    }
    let place = folder.clone();
    let found = careful::aside(&place, careful::PATIENCE, move || {
        let folder = dunce::canonicalize(folder)?;
        let found = match dunce::canonicalize(&path) {
            Err(error)
                if may_be_gone && error.kind() == ErrorKind::NotFound && fs::symlink_metadata(&path).is_err() =>
            {
                let (above, name) = path.parent().zip(path.file_name()).ok_or(error)?;
                dunce::canonicalize(above)?.join(name)
            }
            found => {
                found.and_then(|file| if file.is_file() { Ok(file) } else { Err(ErrorKind::InvalidInput.into()) })?
            }
        };
        Ok::<_, std::io::Error>(Some(found).filter(|found| found.starts_with(&folder)))
    });
    match found.await {
        Ok(Ok(Some(file))) => Ok(file),
        Ok(Ok(None)) => Err(refused(&say::file_outside())),
        Ok(Err(error)) if error.kind() == ErrorKind::InvalidInput => Err(refused(&say::file_odd())),
        Ok(Err(error)) => Err(refused(&error.to_string().into())),
        Err(why) => Err(refused(&of_gave_up(&why))),
    }
}

fn refused(problem: &Text) -> Error {
    Error::new(Code::Unavailable, say::file_not_opened(problem).with("problem", problem))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[tokio::test]
    async fn only_files_in_the_folder_are_opened() {
        use std::os::unix::fs::symlink;
        let above = tempfile::tempdir().expect("a folder");
        let above = fs::canonicalize(above.path()).expect("its path");
        let folder = above.join("project");
        fs::create_dir_all(folder.join("src")).expect("folders");
        fs::write(above.join("secret"), "").expect("a file");
        fs::write(folder.join("-a b.rs"), "").expect("a file");
        fs::write(above.join("project-2"), "").expect("a file");
        symlink(above.join("secret"), folder.join("link")).expect("a link");
        symlink(&above, folder.join("up")).expect("a link");
        symlink(above.join("gone"), folder.join("broken")).expect("a link");
        symlink(folder.join("-a b.rs"), folder.join("inner")).expect("a link");
        let look = async |name: &str, may_be_gone: bool| {
            let path = folder.join(name);
            within(&folder, path.to_str().expect("a text"), may_be_gone).await.map_err(|error| error.message)
        };
        assert_eq!(look("-a b.rs", false).await, Ok(folder.join("-a b.rs")), "a whole path is no option");
        assert_eq!(look("inner", false).await, Ok(folder.join("-a b.rs")));
        assert_eq!(look("src/gone.rs", true).await, Ok(folder.join("src/gone.rs")));
        for (name, why) in [
            ("link", "outside"),
            ("up/secret", "outside"),
            ("../secret", "outside"),
            ("../project-2", "outside"),
            ("src", "no ordinary file"),
            ("broken", "No such file"),
            ("..", "no ordinary file"),
            ("a\nb", "no whole one"),
        ] {
            for may_be_gone in [false, true] {
                let refused = look(name, may_be_gone).await.expect_err(name);
                assert!(refused.contains(why), "{name}: {refused}");
            }
        }
        assert!(look("up/gone", true).await.expect_err("it is outside").contains("outside"));
        assert!(look("src/gone.rs", false).await.is_err());
        for relative in ["-a b.rs", "src/../-a b.rs", ""] {
            assert!(within(&folder, relative, true).await.is_err(), "{relative}");
        }
    }
}
