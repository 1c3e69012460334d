//! Paths as sessions say them: of this system or of another one, as agents in WSL and on other machines have them.

use typed_path::Utf8TypedPath;

/// Bytes of a path; Linux opens no longer one.
const BYTES: usize = 4_096;

/// True for a folder from the root: `/home/me`, `C:\me`, `\\server\share\me`.
pub(crate) fn is_folder(text: &str) -> bool {
    Utf8TypedPath::derive(text).is_absolute() && is_fit(text)
}

/// A folder from the root, without a separator at its end; `None` for what is none.
pub(crate) fn folder(text: &str) -> Option<String> {
    let is_end = |letter: char| letter == '/' || (letter == '\\' && Utf8TypedPath::derive(text).is_windows());
    let trimmed = text.trim_end_matches(is_end);
    // A root is nothing but its separator.
    [trimmed, text].into_iter().find(|folder| is_folder(folder)).map(str::to_owned)
}

/// The path of a file from the root; one that is not goes from the run's folder. However an agent writes it, it is the
/// same path: a file that two agents change is known by it.
pub(crate) fn file(text: &str, folder: Option<&str>) -> Option<String> {
    let path = Utf8TypedPath::derive(text);
    let whole = if path.is_absolute() { path.to_path_buf() } else { Utf8TypedPath::derive(folder?).join(text) };
    Some(whole.normalize().into_string()).filter(|path| is_fit(path))
}

fn is_fit(path: &str) -> bool {
    path.len() <= BYTES && !path.chars().any(char::is_control)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("/home/me", Some("/home/me"))]
    #[case("/home/me//", Some("/home/me"))]
    #[case("/", Some("/"))]
    #[case(r"C:\work\", Some(r"C:\work"))]
    #[case("C:/work/", Some("C:/work"))]
    #[case(r"C:\", Some(r"C:\"))]
    #[case(r"\\server\share\work\", Some(r"\\server\share\work"))]
    #[case("", None)]
    #[case("work", None)]
    #[case("C:", None)]
    #[case("C:work", None)]
    #[case("~/work", None)]
    #[case("/a\nb", None)]
    fn a_folder_begins_at_a_root_of_any_system(#[case] text: &str, #[case] expected: Option<&str>) {
        assert_eq!(folder(text).as_deref(), expected);
        assert_eq!(is_folder(text), expected.is_some());
    }

    #[rstest]
    #[case("src/lib.rs", Some("/home/me"), Some("/home/me/src/lib.rs"))]
    #[case("./src/../src/lib.rs", Some("/home/me/"), Some("/home/me/src/lib.rs"))]
    #[case("/etc/hosts", Some(r"C:\work"), Some("/etc/hosts"))]
    #[case("src/lib.rs", Some(r"C:\work"), Some(r"C:\work\src\lib.rs"))]
    #[case(r"src\lib.rs", Some("C:/work"), Some(r"C:\work\src\lib.rs"))]
    #[case("C:/work/src/lib.rs", None, Some(r"C:\work\src\lib.rs"))]
    #[case(r"\\server\share\a.rs", None, Some(r"\\server\share\a.rs"))]
    #[case(r"a\b.rs", Some("/home/me"), Some(r"/home/me/a\b.rs"))]
    #[case("src/lib.rs", None, None)]
    #[case("a\u{1b}[31m.rs", Some("/home/me"), None)]
    fn a_file_has_one_path_however_it_is_written(
        #[case] text: &str,
        #[case] folder: Option<&str>,
        #[case] expected: Option<&str>,
    ) {
        assert_eq!(file(text, folder).as_deref(), expected);
        assert_eq!(file(&"x".repeat(5_000), folder), None);
    }
}
