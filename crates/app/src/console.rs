//! Programs that have a console of their own on Windows, or none, and no handle of ours.

/// A command line of these words, which Windows takes as one text and programs take apart by the rules of C.
#[cfg(any(windows, test))]
pub(crate) fn line<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    words.into_iter().map(quoted).collect::<Vec<_>>().join(" ")
}

/// Backslashes before a quote count twice.
#[cfg(any(windows, test))]
fn quoted(word: &str) -> String {
    let mut quoted = String::from("\"");
    let mut backslashes = 0;
    for letter in word.chars() {
        if letter == '"' {
            quoted.push_str(&"\\".repeat(backslashes + 1));
        }
        backslashes = if letter == '\\' { backslashes + 1 } else { 0 };
        quoted.push(letter);
    }
    quoted.push_str(&"\\".repeat(backslashes));
    quoted.push('"');
    quoted
}

/// Starts a program by its command line, with the environment of this one but for some variables, and without a handle of
/// ours. The standard library's processes have all handles that can be inherited: an agent's pipes would stay open in them,
/// and an agent in a console of its own would not write to it.
#[cfg(windows)]
pub(crate) fn start<'a>(
    line: &str,
    folder: Option<&str>,
    without: impl Iterator<Item = &'a str>,
    flags: winsafe::co::CREATE,
) -> winsafe::SysResult<()> {
    let without: Vec<&str> = without.collect();
    let variables: Vec<(String, String)> = std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .filter(|(name, _)| !without.iter().any(|left_out| left_out.eq_ignore_ascii_case(name)))
        .collect();
    let variables: Vec<(&str, &str)> = variables.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let mut start = winsafe::STARTUPINFO::default();
    winsafe::CreateProcess(None, Some(line), None, None, false, flags, &variables, folder, &mut start).map(drop)
}

#[cfg(test)]
mod tests {
    use super::line;
    use rstest::rstest;

    #[rstest]
    #[case(r"C:\Users\Zoë\my data", r#""C:\Users\Zoë\my data""#)]
    #[case(r"D:\", r#""D:\\""#)]
    #[case(r"\\wsl.localhost\Debian\home\me\", r#""\\wsl.localhost\Debian\home\me\\""#)]
    #[case(r#"say "it""#, r#""say \"it\"""#)]
    #[case(r#"a\"b"#, r#""a\\\"b""#)]
    #[case("", r#""""#)]
    fn each_is_one_word(#[case] word: &str, #[case] quoted: &str) {
        assert_eq!(line(["serve", word]), format!("\"serve\" {quoted}"));
    }
}
