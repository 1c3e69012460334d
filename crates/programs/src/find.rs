//! Programs by their names on the search path.
//!
//! Windows itself looks only for `.exe`: `npx`, `code` and other programs of Node are `.cmd` files, which it runs when their
//! whole name is given.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The endings of programs on Windows, where `PATHEXT` does not say.
const ENDINGS: &str = ".COM;.EXE;.BAT;.CMD";

/// The file of the program of this name on the search path, or of this absolute path; `None` where there is none.
pub fn find(name: &str, variable: impl Fn(&str) -> Option<String>) -> Option<PathBuf> {
    let endings = cfg!(windows).then(|| variable("PATHEXT").unwrap_or_else(|| ENDINGS.to_owned()));
    let path = Path::new(name);
    if let Some(folder) = path.parent().filter(|_| path.is_absolute()) {
        return in_folders(path.file_name()?.to_str()?, [folder.to_owned()].into_iter(), endings.as_deref());
    }
    let folders = OsString::from(variable("PATH")?);
    in_folders(name, std::env::split_paths(&folders), endings.as_deref())
}

/// The file of a program, and its name where there is none: it may be a path, and else the system says so.
pub fn file(name: &str, variable: impl Fn(&str) -> Option<String>) -> PathBuf {
    find(name, variable).unwrap_or_else(|| name.into())
}

/// The first file in these folders that is the program. `endings` are those of Windows, in the form of `PATHEXT`.
fn in_folders(name: &str, folders: impl Iterator<Item = PathBuf>, endings: Option<&str>) -> Option<PathBuf> {
    if name.is_empty() || name.contains(['/', '\\']) {
        return None;
    }
    let names = match endings {
        None => vec![name.to_owned()],
        Some(endings) => {
            let endings: Vec<&str> = endings.split(';').filter(|ending| ending.starts_with('.')).collect();
            // Beside `npx.cmd` there is an `npx` without an ending, a script for other systems.
            let has_one =
                endings.iter().any(|ending| name.to_ascii_lowercase().ends_with(&ending.to_ascii_lowercase()));
            let whole = has_one.then(|| name.to_owned());
            whole
                .into_iter()
                .chain(endings.iter().map(|ending| format!("{name}{}", ending.to_ascii_lowercase())))
                .collect()
        }
    };
    // A relative folder would be one of the folder that we are in.
    let mut candidates = folders.filter(|folder| folder.is_absolute()).flat_map(|folder| {
        let files: Vec<PathBuf> = names.iter().map(|name| folder.join(name)).collect();
        files
    });
    candidates.find(|file| is_program(file))
}

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    path.is_file()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;
    use std::fs;

    fn make(folder: &Path, name: &str) {
        fs::write(folder.join(name), "").expect("it is written");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            fs::set_permissions(folder.join(name), fs::Permissions::from_mode(0o755)).expect("it is ours");
        }
    }

    #[rstest]
    #[case::a_script_of_node("npx", Some("npx.cmd"))]
    #[case::with_its_ending("npx.cmd", Some("npx.cmd"))]
    #[case::in_large_letters("node.EXE", None)]
    #[case::with_a_dot_in_its_name("python3.12", Some("python3.12.exe"))]
    #[case::both("code", Some("code.exe"))]
    #[case::a_text("notes", None)]
    #[case::a_path("bin\\npx", None)]
    #[case::nothing("", None)]
    fn windows_programs_have_endings(#[case] name: &str, #[case] found: Option<&str>) {
        let folder = tempfile::tempdir().expect("a folder can be made");
        for file in ["npx", "npx.cmd", "npx.ps1", "python3.12.exe", "code.cmd", "code.exe", "notes.txt"] {
            make(folder.path(), file);
        }
        let folders = [PathBuf::from("relative"), folder.path().to_owned()];
        let endings = ".COM;.EXE;.BAT;.CMD;;nonsense";
        assert_eq!(in_folders(name, folders.into_iter(), Some(endings)), found.map(|name| folder.path().join(name)));
    }

    #[test]
    fn an_earlier_folder_comes_before_an_earlier_ending() {
        let folders = [tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder")];
        make(folders[0].path(), "tool.cmd");
        make(folders[1].path(), "tool.exe");
        let all = folders.iter().map(|folder| folder.path().to_owned());
        assert_eq!(in_folders("tool", all, Some(".EXE;.CMD")), Some(folders[0].path().join("tool.cmd")));
    }

    #[cfg(unix)]
    #[test]
    fn elsewhere_a_program_is_a_file_that_may_be_run() {
        let folder = tempfile::tempdir().expect("a folder can be made");
        make(folder.path(), "tool");
        fs::write(folder.path().join("text"), "").expect("it is written");
        fs::create_dir(folder.path().join("folder")).expect("it is made");
        let find = |name| in_folders(name, [folder.path().to_owned()].into_iter(), None);
        assert_eq!(find("tool"), Some(folder.path().join("tool")));
        assert_eq!((find("text"), find("folder"), find("tool.cmd")), (None, None, None));
        let whole = folder.path().join("tool");
        assert_eq!(super::find(whole.to_str().expect("text"), |_| None), Some(whole));
        assert_eq!(
            super::find("bin/tool", |_| folder.path().to_str().map(str::to_owned)),
            None,
            "it is another's folder"
        );
    }
}
