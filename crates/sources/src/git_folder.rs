//! The project and the branch of the folder that an agent works in.

use std::fs;
use std::path::{Path, PathBuf};

/// The most bytes of a file of git's that is read; these have one line.
const FILE_BYTES: u64 = 4096;

/// The project and the branch of a folder.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct GitFolder {
    /// The name of the folder that holds the repository, of a worktree's main one as well; without a repository the
    /// folder's own.
    pub project: Option<String>,
    /// The branch that is checked out; where none is, the first letters of the commit.
    pub branch: Option<String>,
}

impl GitFolder {
    /// Reads them for a folder, from at most a few small files (gitrepository-layout(5)).
    #[must_use]
    pub fn of(folder: &Path) -> Self {
        let found = folder.ancestors().find_map(|root| Some((root, git_folder(root)?)));
        let Some((root, git)) = found else { return Self { project: name(folder), branch: None } };
        // A worktree's files say where those of its repository are; a bare one has no folder around it.
        let common = line(&git.join("commondir")).and_then(|common| fs::canonicalize(git.join(common)).ok());
        let common = common.filter(|common| common.file_name().is_some_and(|name| name == ".git"));
        let main = common.as_deref().and_then(Path::parent);
        Self { project: name(main.unwrap_or(root)), branch: branch(&git) }
    }
}

/// The folder with the repository's files: `.git`, or the one that a file of that name gives.
fn git_folder(root: &Path) -> Option<PathBuf> {
    let git = root.join(".git");
    if git.is_dir() {
        return Some(git);
    }
    let said = line(&git)?;
    Some(root.join(said.strip_prefix("gitdir:")?.trim()))
}

fn branch(git: &Path) -> Option<String> {
    let head = line(&git.join("HEAD"))?;
    match head.strip_prefix("ref:") {
        Some(reference) => {
            let reference = reference.trim();
            Some(reference.strip_prefix("refs/heads/").unwrap_or(reference).to_owned())
        }
        None => head.get(..8).map(str::to_owned),
    }
}

/// The first line of a small file.
fn line(path: &Path) -> Option<String> {
    let is_small = fs::metadata(path).ok()?.len() <= FILE_BYTES;
    let text = is_small.then(|| fs::read_to_string(path).ok())??;
    Some(text.lines().next()?.trim().to_owned()).filter(|line| !line.is_empty())
}

fn name(folder: &Path) -> Option<String> {
    folder.file_name().map(|name| name.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    fn git(folder: &Path, arguments: &[&str]) {
        let configured = ["-c", "user.name=me", "-c", "user.email=me@example.invalid", "-c", "init.defaultBranch=main"];
        let ran = Command::new("git").current_dir(folder).args(configured).args(arguments).output();
        let ran = ran.expect("git is there");
        assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    }

    fn git_folder(project: &str, branch: Option<&str>) -> GitFolder {
        GitFolder { project: Some(project.to_owned()), branch: branch.map(str::to_owned) }
    }

    #[test]
    fn of_a_repository_its_worktree_and_a_commit() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().join("billing api");
        let deep = root.join("src").join("deep");
        fs::create_dir_all(&deep).expect("folders");
        assert_eq!(GitFolder::of(&deep), git_folder("deep", None), "no repository yet");
        git(&root, &["init", "--quiet"]);
        assert_eq!(GitFolder::of(&deep), git_folder("billing api", Some("main")), "before the first commit");
        git(&root, &["commit", "--quiet", "--allow-empty", "-m", "one"]);
        git(&root, &["switch", "--quiet", "-c", "feature/one"]);
        assert_eq!(GitFolder::of(&root), git_folder("billing api", Some("feature/one")));
        git(&root, &["worktree", "add", "--quiet", "../beside", "-b", "two"]);
        assert_eq!(GitFolder::of(&folder.path().join("beside")), git_folder("billing api", Some("two")));
        git(&root, &["switch", "--quiet", "--detach"]);
        let branch = GitFolder::of(&root).branch.expect("a commit");
        assert!(branch.len() == 8 && branch.chars().all(|c| c.is_ascii_hexdigit()), "{branch}");
    }

    #[test]
    fn of_what_is_broken_or_not_there() {
        let folder = tempfile::tempdir().expect("a folder");
        assert_eq!(GitFolder::of(Path::new("/")), GitFolder::default());
        assert_eq!(GitFolder::of(Path::new("relative")).project.as_deref(), Some("relative"));
        let root = folder.path().join("odd");
        fs::create_dir_all(&root).expect("a folder");
        for said in ["gitdir: /nowhere/at/all", "nonsense", "", &"x".repeat(5000)] {
            fs::write(root.join(".git"), said).expect("a file");
            assert_eq!(GitFolder::of(&root), git_folder("odd", None), "{said:.20}");
        }
    }
}
