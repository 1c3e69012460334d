//! The folder of a session decides what runs where a server has none of its own: `python -m` begins there.

use super::options;
use crate::tools::{Folder, Server, Tools, Transport};
use rstest::rstest;
use std::collections::BTreeMap;
use std::fs::Permissions;
use std::os::unix::fs::{PermissionsExt, chown, symlink};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// A server that is whatever module the folder has; returns why it failed.
async fn why(path: &Path, of_session: bool) -> String {
    let transport = Transport::Process {
        command: "python3".to_owned(),
        args: vec!["-m".to_owned(), "server".to_owned()],
        env: BTreeMap::new(),
        cwd: Some(Folder { path: path.to_owned(), of_session }),
        confined: false,
    };
    let tools = Tools::connect(vec![Server { name: "module".to_owned(), transport }], options()).await;
    tools.failures()[0].why.english.clone()
}

/// A folder with a module that leaves a mark; returns the mark, too.
fn with_module() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let mark = folder.path().join("mark");
    std::fs::write(folder.path().join("server.py"), format!("open({:?}, 'w')", mark.display().to_string()))
        .expect("written");
    (folder, mark)
}

#[rstest]
#[case::own(0o755, None, "does not answer as an MCP server", true)]
#[case::of_the_own_group(0o775, None, "does not answer as an MCP server", true)]
#[case::all_may_write(0o777, None, "which other users can write to", false)]
#[case::all_may_write_and_delete_their_own(0o1777, None, "which other users can write to", false)]
#[case::another_group_may_write(0o775, Some((0, 4242)), "which other users can write to", false)]
#[case::another_users(0o755, Some((4242, 0)), "which belongs to another user", false)]
#[tokio::test]
async fn nothing_is_started_where_others_decide_what_runs(
    #[case] mode: u32,
    #[case] owner: Option<(u32, u32)>,
    #[case] said: &str,
    #[case] runs: bool,
) {
    let (folder, mark) = with_module();
    std::fs::set_permissions(folder.path(), Permissions::from_mode(mode)).expect("set");
    if let Some((user, group)) = owner
        && chown(folder.path(), Some(user), Some(group)).is_err()
    {
        // Only root gives a folder to somebody else.
        return;
    }
    let links = tempfile::tempdir().expect("a folder");
    let link = links.path().join("link");
    symlink(folder.path(), &link).expect("a link");
    for path in [folder.path(), &link] {
        let why = why(path, true).await;
        assert!(why.contains(said), "{why}");
        assert_eq!(std::fs::remove_file(&mark).is_ok(), runs);
    }
    // The server's own folder was chosen by somebody who administers.
    why(folder.path(), false).await;
    assert!(mark.exists());
}

#[tokio::test]
async fn a_folder_that_is_none_is_said() {
    let folder = tempfile::tempdir().expect("a folder");
    let pipe = folder.path().join("pipe");
    nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).expect("a pipe");
    let begun = Instant::now();
    for path in [folder.path().join("none"), pipe] {
        let why = why(&path, true).await;
        assert_eq!(why, format!("The folder that it is to run in is not there: {}.", path.display()));
    }
    assert!(begun.elapsed() < Duration::from_secs(20));
}
