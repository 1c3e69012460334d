//! Sessions of iTerm2 and tabs of Terminal on macOS, chosen by AppleScript. macOS asks the user once whether Sightline may
//! control these apps.
//!
//! Not run: no Mac has seen this yet. The scripts get ids as arguments, so that no id is read as a part of one.

use protocol::{Terminal, Text, say};

/// Brings a session of iTerm2 to the front by its id.
const ITERM: &str = r#"on run argv
    set wanted to item 1 of argv
    tell application id "com.googlecode.iterm2"
        repeat with aWindow in windows
            repeat with aTab in tabs of aWindow
                repeat with aSession in sessions of aTab
                    if (unique id of aSession) is wanted then
                        select aSession
                        select aTab
                        select aWindow
                        activate
                        return "raised"
                    end if
                end repeat
            end repeat
        end repeat
    end tell
    return "gone"
end run"#;

/// Brings a tab of Terminal to the front by the device that its programs write to.
const TERMINAL: &str = r#"on run argv
    set wanted to item 1 of argv
    tell application id "com.apple.Terminal"
        repeat with aWindow in windows
            repeat with aTab in tabs of aWindow
                if (tty of aTab) is wanted then
                    set selected of aTab to true
                    set frontmost of aWindow to true
                    activate
                    return "raised"
                end if
            end repeat
        end repeat
    end tell
    return "gone"
end run"#;

/// A place in an app that takes scripts.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ScriptedTab {
    /// The name for people.
    pub(super) name: Text,
    script: &'static str,
    id: String,
}

impl ScriptedTab {
    /// The session of iTerm2 that the variables name.
    pub(super) fn of_iterm(terminal: &Terminal) -> Option<Self> {
        // `w0t1p0:GUID`: the place in front of the id changes when tabs are moved.
        let (_, id) = terminal.variables.get("ITERM_SESSION_ID")?.split_once(':')?;
        let is_id = id.len() == 36 && id.chars().all(|letter| letter.is_ascii_hexdigit() || letter == '-');
        is_id.then(|| Self { name: say::raised_iterm(id), script: ITERM, id: id.to_owned() })
    }

    /// The tab of Terminal with the device in an answer of `ps -o tty=`, which has a line for each process.
    pub(super) fn of_terminal(answer: &str) -> Option<Self> {
        let is_device = |word: &&str| {
            word.strip_prefix("ttys")
                .is_some_and(|number| !number.is_empty() && number.chars().all(|c| c.is_ascii_digit()))
        };
        let device = answer.split_whitespace().find(is_device)?;
        Some(Self { name: say::raised_tab(device), script: TERMINAL, id: format!("/dev/{device}") })
    }

    /// The arguments for `osascript`.
    pub(super) fn arguments(&self) -> [&str; 3] {
        ["-e", self.script, &self.id]
    }
}

/// The arguments for `ps` that ask for the devices of the processes, the nearest first.
pub(super) fn devices_of(terminal: &Terminal) -> Option<[String; 4]> {
    let processes: Vec<String> = terminal.processes.iter().map(ToString::to_string).collect();
    let is_terminal = terminal.variables.get("TERM_PROGRAM").is_some_and(|name| name == "Apple_Terminal");
    (is_terminal && !processes.is_empty())
        .then(|| ["-o".to_owned(), "tty=".to_owned(), "-p".to_owned(), processes.join(",")])
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    fn terminal(name: &str, value: &str) -> Terminal {
        Terminal { processes: vec![42, 7], variables: [(name.to_owned(), value.to_owned())].into() }
    }

    const ID: &str = "3C1A9F5E-0B7D-4E57-9C39-1F2B3D4C5E6F";

    #[test]
    fn a_session_of_iterm_is_named_by_its_id_alone() {
        let tab = ScriptedTab::of_iterm(&terminal("ITERM_SESSION_ID", &format!("w0t1p0:{ID}"))).expect("it is one");
        let [option, script, id] = tab.arguments();
        assert_eq!((option, id), ("-e", ID));
        assert!(script.contains("com.googlecode.iterm2") && !script.contains(ID));
    }

    #[rstest]
    #[case("w0t0p0")]
    #[case("w0t0p0:")]
    #[case("w0t0p0:\" & (do shell script \"id\") & \"xx")]
    #[case("w0t0p0:3C1A9F5E-0B7D-4E57-9C39-1F2B3D4C5E6")]
    fn what_looks_like_no_id_leads_nowhere(#[case] value: &str) {
        assert_eq!(ScriptedTab::of_iterm(&terminal("ITERM_SESSION_ID", value)), None);
    }

    #[test]
    fn a_tab_of_terminal_is_found_by_its_device() {
        let asked = devices_of(&terminal("TERM_PROGRAM", "Apple_Terminal"));
        assert_eq!(asked.expect("it is Terminal").join(" "), "-o tty= -p 42,7");
        assert_eq!(devices_of(&terminal("TERM_PROGRAM", "vscode")), None);
        let tab = ScriptedTab::of_terminal("??      \nttys003\n").expect("there is one");
        assert_eq!((tab.name.english.as_str(), tab.arguments()[2]), ("Terminal tab ttys003", "/dev/ttys003"));
        assert_eq!(ScriptedTab::of_terminal("??\n"), None);
        assert_eq!(ScriptedTab::of_terminal("ttys0;x\n"), None);
    }

    #[test]
    fn scripts_close_what_they_open() {
        for script in [ITERM, TERMINAL] {
            let begun = ["on run", "tell ", "repeat ", "if "]
                .map(|word| script.lines().filter(|line| line.trim_start().starts_with(word)).count());
            let ended = script.lines().filter(|line| line.trim_start().starts_with("end ")).count();
            assert_eq!(begun.iter().sum::<usize>(), ended, "{script}");
            assert_eq!(script.matches('"').count() % 2, 0);
        }
    }
}
