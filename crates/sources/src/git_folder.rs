//! The project and the branch of the folder that an agent works in.

use std::path::{Path, PathBuf};

/// The most bytes of a file of git's that is read; these have one line.
const FILE_BYTES: u64 = 4096;

/// The most bytes of a folder's path, as on most systems; git finds nothing in a longer one either.
const PATH_BYTES: usize = 4096;

/// The most bytes of a branch's name.
const NAME_BYTES: usize = 255;

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
    /// Reads them for a folder that an agent names, from at most a few small files (gitrepository-layout(5)). Of a folder
    /// that does not answer only the name is known.
    pub async fn of(folder: &Path) -> Self {
        let path = folder.to_owned();
        let read = careful::aside(folder, careful::PATIENCE, move || Self::read(&path)).await;
        read.unwrap_or_else(|_| Self::of_no_repository(folder))
    }

    pub(crate) fn read(folder: &Path) -> Self {
        // A relative one would be below this process's own folder.
        let is_path = folder.is_absolute() && folder.as_os_str().len() <= PATH_BYTES;
        let above = is_path.then(|| folder.ancestors()).into_iter().flatten();
        let found = above.filter_map(|root| Some((root, git_folder(root)?))).next();
        let Some((root, git)) = found else { return Self::of_no_repository(folder) };
        // A worktree's files say where those of its repository are; a bare one has no folder around it.
        let common = line(&git.join("commondir")).map(|common| git.join(common));
        let common = common.filter(|common| !careful::is_elsewhere(common));
        let common = common.and_then(|common| dunce::canonicalize(common).ok());
        let common = common.filter(|common| common.file_name().is_some_and(|name| name == ".git"));
        let main = common.as_deref().and_then(Path::parent);
        Self { project: name(main.unwrap_or(root)), branch: branch(&git) }
    }

    fn of_no_repository(folder: &Path) -> Self {
        Self { project: name(folder), branch: None }
    }
}

/// The folder with the repository's files: `.git`, or the one that a file of that name gives.
fn git_folder(root: &Path) -> Option<PathBuf> {
    let git = root.join(".git");
    if git.is_dir() {
        return Some(git);
    }
    let said = line(&git)?;
    let named = root.join(said.strip_prefix("gitdir:")?.trim());
    Some(named).filter(|named| !careful::is_elsewhere(named))
}

/// The branch in `HEAD`, which an agent can make a link to any file: only a reference or a commit counts.
fn branch(git: &Path) -> Option<String> {
    let head = line(&git.join("HEAD"))?;
    match head.strip_prefix("ref:") {
        Some(reference) => {
            let reference = reference.trim();
            let is_name = |c: char| !c.is_whitespace() && !c.is_control();
            let is_reference = reference.starts_with("refs/") && reference.chars().all(is_name);
            let branch = reference.strip_prefix("refs/heads/").unwrap_or(reference);
            (is_reference && (1..=NAME_BYTES).contains(&branch.len())).then(|| branch.to_owned())
        }
        None => {
            let is_commit = matches!(head.len(), 40 | 64) && head.bytes().all(|byte| byte.is_ascii_hexdigit());
            is_commit.then(|| head[..8].to_owned())
        }
    }
}

/// The first line of a small file.
fn line(path: &Path) -> Option<String> {
    let text = careful::text(path, FILE_BYTES).ok()?;
    Some(text.lines().next()?.trim().to_owned()).filter(|line| !line.is_empty())
}

/// The name of a folder, of a length that a file system gives.
fn name(folder: &Path) -> Option<String> {
    let name = folder.file_name()?.to_string_lossy();
    (name.len() <= NAME_BYTES).then(|| name.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
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
        assert_eq!(GitFolder::read(&deep), git_folder("deep", None), "no repository yet");
        git(&root, &["init", "--quiet"]);
        assert_eq!(GitFolder::read(&deep), git_folder("billing api", Some("main")), "before the first commit");
        git(&root, &["commit", "--quiet", "--allow-empty", "-m", "one"]);
        git(&root, &["switch", "--quiet", "-c", "feature/one"]);
        assert_eq!(GitFolder::read(&root), git_folder("billing api", Some("feature/one")));
        git(&root, &["worktree", "add", "--quiet", "../beside", "-b", "two"]);
        assert_eq!(GitFolder::read(&folder.path().join("beside")), git_folder("billing api", Some("two")));
        git(&root, &["switch", "--quiet", "--detach"]);
        let branch = GitFolder::read(&root).branch.expect("a commit");
        assert!(branch.len() == 8 && branch.chars().all(|c| c.is_ascii_hexdigit()), "{branch}");
    }

    #[test]
    fn of_what_is_broken_or_not_there() {
        let folder = tempfile::tempdir().expect("a folder");
        assert_eq!(GitFolder::read(Path::new("/")), GitFolder::default());
        let long = "/a".repeat(1_000_000);
        assert_eq!(GitFolder::read(Path::new(&long)), git_folder("a", None), "and it takes no time");
        assert_eq!(GitFolder::read(Path::new("relative")).project.as_deref(), Some("relative"));
        let root = folder.path().join("odd");
        fs::create_dir_all(&root).expect("a folder");
        for said in ["gitdir: /nowhere/at/all", "nonsense", "", &"x".repeat(5000)] {
            fs::write(root.join(".git"), said).expect("a file");
            assert_eq!(GitFolder::read(&root), git_folder("odd", None), "{said:.20}");
        }
    }

    #[cfg(windows)]
    #[test]
    fn of_a_repository_that_is_elsewhere_by_its_name_nothing_is_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let (git, root) = (folder.path().join("git"), folder.path().join("project"));
        for made in [&git, &root] {
            fs::create_dir(made).expect("a folder");
        }
        fs::write(git.join("HEAD"), "ref: refs/heads/main").expect("a file");
        // The name of a device is the only one here that leads somewhere: the share of a machine would not answer.
        for (place, branch) in [("", Some("main")), (r"\\.\", None)] {
            fs::write(root.join(".git"), format!("gitdir: {place}{}", git.display())).expect("a file");
            assert!(Path::new(&format!("{place}{}", git.display())).join("HEAD").is_file(), "{place} leads there");
            assert_eq!(GitFolder::read(&root), git_folder("project", branch), "{place}");
        }
    }

    /// A hook hands over the names of files that an agent has made.
    #[test]
    #[cfg(unix)]
    fn of_what_has_no_end_or_is_no_file() {
        use std::os::unix::fs::symlink;
        use std::os::unix::net::UnixListener;
        let folder = tempfile::tempdir().expect("a folder");
        let pipe = |path: &Path| {
            let made = Command::new("mkfifo").arg(path).status();
            assert!(made.expect("mkfifo is there").success());
        };
        let zero = |path: &Path| symlink("/dev/zero", path).expect("a link");
        let circle = |path: &Path| symlink(path, path).expect("a link");
        let socket = |path: &Path| drop(UnixListener::bind(path).expect("a socket"));
        let inner = |path: &Path| fs::create_dir(path).expect("a folder");
        let large = |path: &Path| {
            fs::File::create(path).and_then(|file| file.set_len(100 * 1024 * 1024)).expect("a file");
        };
        let makes: [&dyn Fn(&Path); 6] = [&pipe, &zero, &circle, &socket, &inner, &large];
        for (number, make) in makes.into_iter().enumerate() {
            for odd in [".git", ".git/HEAD", ".git/commondir"] {
                let name = format!("{number} {}", odd.replace('/', " "));
                let root = folder.path().join(&name);
                fs::create_dir_all(&root).expect("a folder");
                if odd != ".git" {
                    fs::create_dir(root.join(".git")).expect("a folder");
                    fs::write(root.join(".git/HEAD"), "ref: refs/heads/main").expect("a file");
                    let _ = fs::remove_file(root.join(odd));
                }
                make(&root.join(odd));
                let branch = (odd == ".git/commondir").then_some("main");
                assert_eq!(GitFolder::read(&root), git_folder(&name, branch));
            }
        }
    }

    #[test]
    fn of_a_head_that_is_none_of_gits() {
        let folder = tempfile::tempdir().expect("a folder");
        let git = folder.path().join(".git");
        fs::create_dir(&git).expect("a folder");
        let secret = "hunter22:$6$saltsalt$0123456789abcdef:19000:0:99999:7:::";
        let long = format!("ref: refs/heads/{}", "x".repeat(256));
        for head in
            [secret, "ref: hunter22", "ref: refs/heads/one two", "ref: refs/heads/a\u{1b}[31m", &long, "abcdefgh"]
        {
            fs::write(git.join("HEAD"), head).expect("a file");
            assert_eq!(GitFolder::read(folder.path()).branch, None, "{head:.30}");
        }
    }

    #[tokio::test]
    async fn of_a_folder_that_does_not_answer() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().join("far away");
        // Something at this folder hangs.
        let (answer, answered) = std::sync::mpsc::channel::<()>();
        let limit = std::time::Duration::from_millis(1);
        let hangs = careful::aside(&root, limit, move || answered.recv().is_ok()).await;
        assert_eq!(hangs, Err(careful::GaveUp::Hangs));
        assert_eq!(GitFolder::of(&root).await, git_folder("far away", None));
        drop(answer);
    }
}
