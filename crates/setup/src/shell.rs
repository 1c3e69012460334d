//! A command as one line for the shell that an agent hands it to, or a person, and back into words.
//!
//! On Unix that is `bash -c`, `sh -c` or `$SHELL -lc`. On Windows it is PowerShell for most: Gemini CLI and Copilot CLI
//! always take it, Codex where it finds it (it always does), and Claude Code and Qwen Code where a hook says
//! `"shell": "powershell"`; left alone the one takes Git Bash and the other `cmd`, which quote otherwise. Kimi Code always
//! takes `cmd`, and Mistral Vibe Git Bash where it finds one.

use agents::{Agent, WindowsShell};

/// The shell whose language a line is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shell {
    /// `sh`, `bash`, `zsh`.
    Posix,
    /// PowerShell, of Windows and of its own. What needs no quotes is the same for `cmd`.
    PowerShell,
}

/// The shell that an agent hands the line of a hook to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HookShell {
    /// One that people have, too.
    Of(Shell),
    /// `cmd`. It takes a variable's value for `%NAME%`, whatever the quotes.
    Cmd,
    /// `bash` on Windows, or PowerShell: a line has to mean the same to both.
    BashOrPowerShell,
}

/// The beginning of a line that hands another one to Windows' own PowerShell.
const HANDED_ON: [&str; 3] = ["powershell", "-NoProfile", "-Command"];

impl HookShell {
    /// That of an agent on this system.
    pub(crate) fn here(agent: &dyn Agent) -> Self {
        if cfg!(windows) { Self::on_windows(agent) } else { Self::Of(Shell::Posix) }
    }

    pub(crate) fn on_windows(agent: &dyn Agent) -> Self {
        match agent.facts().hooks.map(|hooks| hooks.windows_shell) {
            Some(WindowsShell::Cmd) => Self::Cmd,
            Some(WindowsShell::BashOrPowerShell) => Self::BashOrPowerShell,
            _ => Self::Of(Shell::PowerShell),
        }
    }

    /// The line that runs a program with its arguments. No word has a NUL, and none for `cmd` a double quote.
    pub(crate) fn line(self, words: &[&str]) -> String {
        match self {
            Self::Of(shell) => shell.line(words),
            Self::Cmd => words.iter().map(|word| cmd_quoted(word)).collect::<Vec<_>>().join(" "),
            Self::BashOrPowerShell => line_for_both(words),
        }
    }
}

/// A line that `bash` on Windows and PowerShell understand in the same way; one for PowerShell alone where there is none.
fn line_for_both(words: &[&str]) -> String {
    let for_both = |word: &&str| {
        // `bash` takes a `\` for a quote, and Windows a `/` for a `\`.
        let word = word.replace('\\', "/");
        match word {
            word if is_plain(&word) => Some(word),
            word if !word.contains(QUOTES) => Some(format!("'{word}'")),
            word if !word.contains(has_meaning) => Some(format!("\"{word}\"")),
            _ => None,
        }
    };
    let all: Option<Vec<String>> = words.iter().map(for_both).collect();
    // A quoted word is a program to the one, and a text to the other.
    if let Some(line) = all.filter(|all| all.first().is_some_and(|program| is_plain(program))) {
        return line.join(" ");
    }
    let line = Shell::PowerShell.line(words);
    if line.contains(has_meaning) || line.contains("\\\\") || line.ends_with('\\') {
        return line;
    }
    format!("{} \"{line}\"", HANDED_ON.join(" "))
}

/// True for a letter that means something within double quotes: PowerShell takes three more for such a quote.
fn has_meaning(letter: char) -> bool {
    ['"', '$', '`', '\u{201c}', '\u{201d}', '\u{201e}'].contains(&letter)
}

/// The letters that PowerShell takes for a single quote.
const QUOTES: [char; 5] = ['\'', '\u{2018}', '\u{2019}', '\u{201a}', '\u{201b}'];

impl Shell {
    /// The shell of this system's agents and people.
    #[must_use]
    pub const fn here() -> Self {
        if cfg!(windows) { Self::PowerShell } else { Self::Posix }
    }

    /// The line that runs a program with its arguments. No word has a NUL.
    #[must_use]
    pub fn line(self, words: &[&str]) -> String {
        match self {
            // A NUL is the one thing that cannot be quoted.
            Self::Posix => {
                words.iter().map(|word| shlex::try_quote(word).unwrap_or_default()).collect::<Vec<_>>().join(" ")
            }
            Self::PowerShell => {
                let line = words.iter().map(|word| power_quoted(word)).collect::<Vec<_>>().join(" ");
                // A quoted word alone is a text to PowerShell, not a program. Without quotes `cmd` understands it, too.
                if line.starts_with('\'') { format!("& {line}") } else { line }
            }
        }
    }

    /// The line that runs it in a folder, and does not run it elsewhere when the folder has gone.
    #[must_use]
    pub fn line_in(self, folder: &str, words: &[&str]) -> String {
        let line = self.line(words);
        match self {
            Self::Posix => format!("{} && {line}", self.line(&["cd", folder])),
            // Windows PowerShell has no `&&`, and reads brackets in a path as a pattern.
            Self::PowerShell => format!("cd -LiteralPath {} -ErrorAction Stop; {line}", power_quoted(folder)),
        }
    }

    /// The line that runs it with a text: as its last argument, or as its input, for which the program takes `-`. Windows
    /// PowerShell takes double quotes out of an argument.
    #[must_use]
    pub fn line_with_text(self, words: &[&str], text: &str) -> String {
        match self {
            Self::Posix => self.line(&[words, &[text]].concat()),
            Self::PowerShell => format!("{} | {}", power_quoted(text), self.line(&[words, &["-"]].concat())),
        }
    }

    /// The words of a line that one of the shells would run as a single command without looking anything up.
    pub(crate) fn words(line: &str) -> Vec<Vec<String>> {
        let mut found: Vec<Vec<String>> = shlex::split(line).into_iter().collect();
        let handed_on = found.iter().find_map(|words| words.strip_prefix(&HANDED_ON.map(str::to_owned)));
        let handed_on = handed_on.and_then(|rest| if let [line] = rest { power_words(line) } else { None });
        found.extend(handed_on);
        found.extend(power_words(line));
        found.extend(cmd_words(line));
        found
    }
}

/// True for a word that needs no quotes in any shell of Windows, but for a `\` in `bash`.
fn is_plain(word: &str) -> bool {
    !word.is_empty() && word.chars().all(|letter| letter.is_alphanumeric() || "\\/:._-".contains(letter))
}

/// Programs read a `\` before the last quote as one that quotes it.
fn cmd_quoted(word: &str) -> String {
    if is_plain(word) {
        return word.to_owned();
    }
    let end = if word.ends_with('\\') { "\\" } else { "" };
    format!("\"{word}{end}\"")
}

fn cmd_words(line: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut rest = line.trim();
    while !rest.is_empty() {
        let (word, after, meant) = match rest.strip_prefix('"') {
            // A variable is looked up within quotes, too.
            Some(quoted) => {
                let (word, after) = quoted.split_once('"')?;
                // As we quote the last one.
                let whole = word.strip_suffix(r"\\").map(|start| format!(r"{start}\"));
                (whole.unwrap_or_else(|| word.to_owned()), after, "%!\n")
            }
            None => {
                let (word, after) = rest.split_at(rest.find(char::is_whitespace).unwrap_or(rest.len()));
                (word.to_owned(), after, "%!\"&|<>^()")
            }
        };
        if word.contains(|letter| meant.contains(letter)) || after.starts_with(|next: char| !next.is_whitespace()) {
            return None;
        }
        words.push(word);
        rest = after.trim_start();
    }
    Some(words)
}

fn power_quoted(word: &str) -> String {
    // Windows PowerShell takes a `\` before the closing quote that it adds itself for a quoted quote.
    let whole = word.trim_end_matches('\\');
    let word = if whole.is_empty() || whole.ends_with(':') { word } else { whole };
    if is_plain(word) {
        return word.to_owned();
    }
    let letters =
        word.chars().flat_map(|letter| std::iter::repeat_n(letter, 1 + usize::from(QUOTES.contains(&letter))));
    format!("'{}'", letters.collect::<String>())
}

fn power_words(line: &str) -> Option<Vec<String>> {
    let mut rest = line.strip_prefix('&').unwrap_or(line).trim();
    let mut words = Vec::new();
    while let Some(first) = rest.chars().next() {
        let mut word = String::new();
        if QUOTES.contains(&first) {
            let mut letters = rest.char_indices().skip(1).peekable();
            let end = loop {
                let (at, letter) = letters.next()?;
                if QUOTES.contains(&letter) && letters.next_if(|(_, next)| QUOTES.contains(next)).is_none() {
                    break at + letter.len_utf8();
                }
                word.push(letter);
            };
            rest = &rest[end..];
        } else {
            let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
            word.push_str(&rest[..end]);
            // Any of these may have a meaning here.
            if word.contains(['\'', '"', '`', '$', '(', ')', ';', '&', '|', '<', '>', '{', '}', ',', '@', '#']) {
                return None;
            }
            rest = &rest[end..];
        }
        if rest.starts_with(|next: char| !next.is_whitespace()) {
            return None;
        }
        words.push(word);
        rest = rest.trim_start();
    }
    Some(words)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rstest::rstest;

    #[rstest]
    #[case::plain(&["C:\\Users\\me\\sightline.exe", "hook"], "C:\\Users\\me\\sightline.exe hook")]
    #[case::spaces(&["C:\\Program Files\\s.exe", "hook"], "& 'C:\\Program Files\\s.exe' hook")]
    #[case::only_an_argument(&["s.exe", "D:\\my data"], "s.exe 'D:\\my data'")]
    #[case::quotes(&["C:\\it's\u{2019}s\\s.exe"], "& 'C:\\it''s\u{2019}\u{2019}s\\s.exe'")]
    #[case::looked_up(&["C:\\a$b`(c)&d\\s.exe"], "& 'C:\\a$b`(c)&d\\s.exe'")]
    #[case::a_last_backslash(&["s.exe", "D:\\my data\\", "D:\\"], "s.exe 'D:\\my data' D:\\")]
    fn for_windows(#[case] words: &[&str], #[case] expected: &str) {
        assert_eq!(Shell::PowerShell.line(words), expected);
    }

    #[rstest]
    #[case::plain(&["C:\\Users\\me\\s.exe", "hook"], "C:\\Users\\me\\s.exe hook")]
    #[case::spaces(&["C:\\Program Files\\s.exe", "D:\\it's"], "\"C:\\Program Files\\s.exe\" \"D:\\it's\"")]
    #[case::a_last_backslash(&["s.exe", "D:\\my data\\", "D:\\"], "s.exe \"D:\\my data\\\\\" D:\\")]
    fn for_cmd(#[case] words: &[&str], #[case] expected: &str) {
        assert_eq!(HookShell::Cmd.line(words), expected);
        assert_eq!(
            cmd_words(expected).as_deref(),
            Some(&*words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>())
        );
    }

    #[rstest]
    #[case::plain(&["C:\\Users\\me\\s.exe", "hook"], "C:/Users/me/s.exe hook")]
    #[case::a_folder_with_a_blank(&["C:\\s.exe", "D:\\my data", "D:\\it's"], "C:/s.exe 'D:/my data' \"D:/it's\"")]
    #[case::a_program_with_a_blank(
        &["C:\\Program Files\\s.exe", "hook", "D:\\my data"],
        "powershell -NoProfile -Command \"& 'C:\\Program Files\\s.exe' hook 'D:\\my data'\""
    )]
    #[case::for_one_only(&["C:\\my $x\\s.exe", "hook"], "& 'C:\\my $x\\s.exe' hook")]
    #[case::a_last_backslash(&["C:\\a b\\s.exe", "D:\\"], "& 'C:\\a b\\s.exe' D:\\")]
    fn for_bash_or_powershell(#[case] words: &[&str], #[case] expected: &str) {
        let line = HookShell::BashOrPowerShell.line(words);
        assert_eq!(line, expected);
        let as_written =
            |word: &&str| if line.starts_with("C:") { word.replace('\\', "/") } else { (*word).to_owned() };
        let words: Vec<String> = words.iter().map(as_written).collect();
        assert!(Shell::words(&line).contains(&words), "{:?}", Shell::words(&line));
    }

    /// A real `bash` reads the line; what stands in for the program says its arguments.
    #[cfg(unix)]
    #[rstest]
    #[case::plain("s.exe", &["hook", "D:/my data", "D:/it's", "D:/$x`(y)"])]
    #[case::with_a_blank("my s.exe", &["-NoProfile", "-Command", "& 'C:/my s.exe' hook 'D:/my data' 'D:/it''s'"])]
    fn bash_understands_what_is_for_both(#[case] program: &str, #[case] expected: &[&str]) {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().expect("a folder can be made");
        std::fs::create_dir(folder.path().join("C:")).expect("it is made");
        let stand_in = "#!/bin/sh\nfor word; do printf '%s\\n' \"$word\"; done\n";
        for name in [format!("C:/{program}"), "powershell".to_owned()] {
            let file = folder.path().join(name);
            std::fs::write(&file, stand_in).expect("it is written");
            std::fs::set_permissions(file, PermissionsExt::from_mode(0o755)).expect("it is ours");
        }
        let program = format!("C:/{program}");
        let mut words = vec![program.as_str(), "hook", "D:/my data", "D:/it's"];
        words.extend(expected.contains(&"D:/$x`(y)").then_some("D:/$x`(y)"));
        let output = std::process::Command::new("bash")
            .args(["-c", &HookShell::BashOrPowerShell.line(&words)])
            .current_dir(folder.path())
            .env("PATH", std::env::join_paths([folder.path(), "/usr/bin".as_ref(), "/bin".as_ref()]).expect("a path"))
            .output()
            .expect("bash is there");
        let said = String::from_utf8_lossy(&output.stdout);
        assert_eq!(said.lines().collect::<Vec<_>>(), expected, "{output:?}");
    }

    #[test]
    fn a_command_for_a_person_is_written_for_their_shell() {
        let words = ["claude", "--resume", "1-a"];
        assert_eq!(Shell::Posix.line_in("/it's me", &words), "cd \"/it's me\" && claude --resume 1-a");
        let here = Shell::PowerShell.line_in("C:\\it's [me]", &words);
        assert_eq!(here, "cd -LiteralPath 'C:\\it''s [me]' -ErrorAction Stop; claude --resume 1-a");
        let (words, json) = (["C:\\my apps\\s.exe", "write"], r#"[{"content":"it's"}]"#);
        assert_eq!(
            Shell::PowerShell.line_with_text(&words, json),
            r#"'[{"content":"it''s"}]' | & 'C:\my apps\s.exe' write -"#
        );
        assert_eq!(Shell::Posix.line_with_text(&["s", "write"], "[{}]"), "s write '[{}]'");
        assert_eq!(Shell::Posix.line(&["$(rm -rf .)", ""]), "'$(rm -rf .)' ''");
    }

    #[rstest]
    #[case::chained("s.exe hook; del x")]
    #[case::redirected("s.exe hook > log")]
    #[case::open("& 'C:\\a")]
    #[case::glued("& 'C:\\a'b")]
    #[case::looked_up("s.exe $env:X")]
    fn more_than_one_command_has_no_words(#[case] line: &str) {
        assert_eq!(power_words(line), None);
    }

    proptest! {
        #[test]
        fn there_and_back(words in prop::collection::vec("[a-zA-Z:/.' \"$&;|%^!é\u{2019}\u{201b}-]{1,12}", 1..5)) {
            let line = Shell::PowerShell.line(&words.iter().map(String::as_str).collect::<Vec<_>>());
            prop_assert_eq!(power_words(&line), Some(words.clone()), "{}", line);
            let line = Shell::Posix.line(&words.iter().map(String::as_str).collect::<Vec<_>>());
            prop_assert!(Shell::words(&line).contains(&words), "{}", line);
        }
    }
}
