//! Every word that the shell itself shows to people: menus, tray, notifications. One language so far; another one is
//! another set of these.
//!
//! Other people's words (titles, steps, what an agent waits for) come in as they are and are cut to one line here.

use crate::notices::End;
use agents::KNOWN;
use protocol::{NeedKind, Session};

pub(crate) const APP: &str = "Sightline";

pub(crate) const SHOW: &str = "Show Sightline";
pub(crate) const HIDE: &str = "Hide Sightline";
pub(crate) const COMPACT: &str = "Compact";
pub(crate) const SETTINGS: &str = "Settings …";
pub(crate) const QUIT: &str = "Quit Sightline";
pub(crate) const NEEDS_YOU: &str = "Needs you";
pub(crate) const WORKING: &str = "Working";
pub(crate) const OPEN: &str = "Open";
pub(crate) const OPEN_TERMINAL: &str = "Open terminal";

/// The longest line of the tray's menu, in characters.
const MENU_LINE: usize = 64;
/// The longest line of a notification.
const NOTICE_LINE: usize = 240;

pub(crate) mod menu {
    pub(crate) const FILE: &str = "File";
    pub(crate) const NEW_TASK: &str = "New Task";
    pub(crate) const NEW_STEP: &str = "New Step";
    pub(crate) const COPY_MARKDOWN: &str = "Copy List as Markdown";
    pub(crate) const CLOSE: &str = "Close Window";

    pub(crate) const EDIT: &str = "Edit";
    pub(crate) const UNDO: &str = "Undo";
    pub(crate) const CUT: &str = "Cut";
    pub(crate) const COPY: &str = "Copy";
    pub(crate) const PASTE: &str = "Paste";
    pub(crate) const SELECT_ALL: &str = "Select All";
    pub(crate) const FIND: &str = "Find";
    pub(crate) const PALETTE: &str = "Commands …";

    pub(crate) const VIEW: &str = "View";
    pub(crate) const NOW: &str = "Now";
    pub(crate) const HISTORY: &str = "History";
    pub(crate) const AGENTS: &str = "Agents";
    pub(crate) const ZOOM_IN: &str = "Zoom In";
    pub(crate) const ZOOM_OUT: &str = "Zoom Out";
    pub(crate) const ZOOM_RESET: &str = "Actual Size";
    pub(crate) const FULL_SCREEN: &str = "Full Screen";
    pub(crate) const THEME: &str = "Theme";
    pub(crate) const THEME_SYSTEM: &str = "As the System";
    pub(crate) const THEME_LIGHT: &str = "Light";
    pub(crate) const THEME_DARK: &str = "Dark";

    pub(crate) const SESSION: &str = "Session";
    pub(crate) const PREVIOUS: &str = "Previous Session";
    pub(crate) const NEXT: &str = "Next Session";
    pub(crate) const MARK: &str = "Mark Step";
    pub(crate) const TELL: &str = "Tell the Agent …";

    pub(crate) const HELP: &str = "Help";
    pub(crate) const KEYS: &str = "Keyboard Shortcuts";
    pub(crate) const GUIDE: &str = "Guide";

    /// The statuses that a step can be given: the page's action, and its name.
    pub(crate) const MARKS: [(&str, &str); 6] = [
        ("mark-completed", "Done"),
        ("mark-in_progress", "In Progress"),
        ("mark-pending", "Pending"),
        ("mark-blocked", "Blocked"),
        ("mark-skipped", "Skipped"),
        ("mark-cancelled", "Cancelled"),
    ];
}

/// `Codex · billing-api`: the agent, and where it works or what it is about.
pub(crate) fn name(session: &Session) -> String {
    let agent = agent(&session.agent.name);
    let place = session.project.as_deref().filter(|project| !project.is_empty()).unwrap_or(&session.title);
    let place = one_line(place, MENU_LINE / 2);
    if place.is_empty() { agent } else { format!("{agent} · {place}") }
}

/// The name for people of an agent.
fn agent(name: &str) -> String {
    KNOWN.title(name).map_or_else(|| one_line(name, MENU_LINE / 2), str::to_owned)
}

/// `3 of 5 working, 1 needs you`.
pub(crate) fn overview(working: usize, current: usize, needs: usize) -> String {
    let work = match (working, current) {
        (_, 0) => "Nothing is running".to_owned(),
        (working, current) => format!("{working} of {current} working"),
    };
    match needs {
        0 => work,
        1 => format!("{work}, 1 needs you"),
        needs => format!("{work}, {needs} need you"),
    }
}

/// A line of the tray's menu about what somebody does: `sightline · 3/8 · Fixing the parser`.
pub(crate) fn active(place: &str, done: Option<(u32, u32)>, step: &str) -> String {
    let done = done.map(|(completed, total)| format!("{completed}/{total}"));
    let parts = [Some(one_line(place, MENU_LINE / 3)), done, Some(step.to_owned())];
    let parts: Vec<String> = parts.into_iter().flatten().filter(|part| !part.is_empty()).collect();
    one_line(&parts.join(" · "), MENU_LINE)
}

/// A line of the tray's menu about what is needed: `Codex · billing-api: waits for approval`.
pub(crate) fn needed(session: &Session, kind: NeedKind, text: &str) -> String {
    one_line(&format!("{}: {}", name(session), need(kind, text)), MENU_LINE)
}

/// And `count` more than a menu shows.
pub(crate) fn more(count: usize) -> String {
    format!("{count} more …")
}

/// The line for a need, with its text where there is one.
pub(crate) fn need(kind: NeedKind, text: &str) -> String {
    let text = one_line(text, NOTICE_LINE);
    let (alone, before) = match kind {
        NeedKind::Permission => ("It asks for permission", "Asks for permission: "),
        NeedKind::Waiting => ("It waits for you", ""),
        NeedKind::Failed => ("It failed", "Failed: "),
        NeedKind::Unfinished => ("It ended, and a step of yours is not done", "Ended without your step: "),
        NeedKind::Blocked => ("A step is blocked", "Blocked: "),
        NeedKind::Overridden => ("It decided against your edit", "Decided against your edit: "),
        NeedKind::Ignored => ("It goes on without your edit", "Goes on without your edit: "),
        NeedKind::Drift => ("It works while its list stands still", "Works, but its list stands still: "),
        NeedKind::Overlap => ("Another session changes the same file", "Another session changes the same file: "),
        NeedKind::ToolOff => ("Its todo tool is off", "Its todo tool is off: "),
    };
    if text.is_empty() { alone.to_owned() } else { format!("{before}{text}") }
}

/// The title of a notification about one session that needs the user.
pub(crate) fn needs_title(name: &str) -> String {
    format!("{name} needs you")
}

/// Its words: what is needed first, and how much more there is.
pub(crate) fn needs_body(first: &str, others: usize) -> String {
    match others {
        0 => first.to_owned(),
        others => format!("{first}\nand {others} more"),
    }
}

/// The title of one notification about many sessions.
pub(crate) fn several_title(sessions: usize) -> String {
    format!("{sessions} sessions need you")
}

/// The names, one on each line: the first four, then the number of the others.
pub(crate) fn several_body(names: &[String]) -> String {
    const NAMED: usize = 4;
    let named = names.iter().take(NAMED).cloned().collect::<Vec<_>>().join("\n");
    match names.len().saturating_sub(NAMED) {
        0 => named,
        others => format!("{named}\nand {others} more"),
    }
}

/// `opencode · docs finished`, or how else it ended.
pub(crate) fn ended_title(name: &str, end: End) -> String {
    match end {
        End::Finished => format!("{name} finished"),
        End::Left => format!("{name} ended"),
        End::Failed => format!("{name} failed"),
    }
}

/// `7 of 7`, and why it ended where that is known.
pub(crate) fn ended_body(completed: u32, total: u32, reason: Option<&str>) -> String {
    let done = (total > 0).then(|| format!("{completed} of {total}"));
    let reason = reason.map(|reason| one_line(reason, NOTICE_LINE)).filter(|reason| !reason.is_empty());
    [done, reason].into_iter().flatten().collect::<Vec<_>>().join(" · ")
}

/// Many that ended at once; `all_done` where none of those that did not fail left work behind.
pub(crate) fn ended_several(ended: usize, failed: usize, all_done: bool) -> String {
    let how = if all_done { "finished" } else { "ended" };
    match (ended, failed) {
        (ended, 0) => format!("{ended} sessions {how}"),
        (0, failed) => format!("{failed} sessions failed"),
        (ended, failed) => format!("{ended} sessions {how}, {failed} failed"),
    }
}

/// Keys that everybody types.
pub(crate) fn shortcut_typed(keys: &str) -> String {
    format!("{} alone would be taken from every other app. Add Ctrl, Alt, Super or a function key", shown(keys))
}

/// Keys as they stand on the keyboard.
fn shown(keys: &str) -> String {
    let (control, command) = if cfg!(target_os = "macos") { ("Control", "Command") } else { ("Ctrl", "Super") };
    let name = |key: &str| match key {
        "CommandOrControl" | "CmdOrCtrl" => if cfg!(target_os = "macos") { command } else { control }.to_owned(),
        "Control" => control.to_owned(),
        "Command" | "Super" | "Meta" => command.to_owned(),
        key => key.strip_prefix("Key").or_else(|| key.strip_prefix("Digit")).unwrap_or(key).to_owned(),
    };
    keys.split('+').map(name).collect::<Vec<_>>().join("+")
}

/// Why the keys for everywhere do not work.
pub(crate) fn shortcut_refused(keys: &str) -> String {
    format!("The system does not give Sightline the keys {}: another app may have them. Choose others", shown(keys))
}

/// Where no program can have keys for everywhere.
pub(crate) const SHORTCUT_WAYLAND: &str = "Under Wayland no app can take keys for everywhere. Give `sightline-desktop` keys in the system's settings: a second start shows the window";

/// Why it does not start at login.
pub(crate) fn login_refused(error: &str) -> String {
    format!("The system's list of what starts at login could not be changed: {error}")
}

/// A folder that an entry of the system cannot name.
pub(crate) fn login_folder(folder: &str) -> String {
    format!(
        "The system's list of what starts at login cannot name the folder {folder}. Use a path without spaces, quotes and %"
    )
}

/// Words as one line of at most so many characters, without what is not seen.
pub(crate) fn one_line(words: &str, most: usize) -> String {
    let line = todo::text::plain(words).split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= most {
        return line;
    }
    let mut short: String = line.chars().take(most.saturating_sub(1)).collect();
    short.truncate(short.trim_end().len());
    short.push('…');
    short
}

#[cfg(test)]
mod tests {
    use super::{active, ended_body, needs_body, one_line, overview, several_body};
    use rstest::rstest;

    #[rstest]
    #[case(0, 0, 0, "Nothing is running")]
    #[case(3, 5, 1, "3 of 5 working, 1 needs you")]
    #[case(0, 2, 2, "0 of 2 working, 2 need you")]
    #[case(5, 5, 0, "5 of 5 working")]
    fn the_whole_in_words(#[case] working: usize, #[case] current: usize, #[case] needs: usize, #[case] words: &str) {
        assert_eq!(overview(working, current, needs), words);
    }

    #[rstest]
    #[case("  two\n\tlines ", 20, "two lines")]
    #[case("xxxxxxxxxxxx", 8, "xxxxxxx…")]
    #[case("one two three", 9, "one two…")]
    #[case("\u{202e}turned", 20, "\u{fffd}turned")]
    #[case("a\u{2067}\u{200b}b\u{e0041}\u{2028}c", 20, "ab c")]
    #[case("می\u{200c}خواهم", 20, "می\u{200c}خواهم")]
    #[case("مرحبا", 20, "مرحبا")]
    fn whatever_was_written_is_one_line(#[case] words: &str, #[case] most: usize, #[case] line: &str) {
        assert_eq!(one_line(words, most), line);
    }

    #[test]
    fn lines_of_a_menu_and_of_a_notification() {
        assert_eq!(active("docs", Some((3, 8)), "Writing"), "docs · 3/8 · Writing");
        assert_eq!(active("docs", None, ""), "docs");
        assert_eq!(needs_body("Run the tests?", 2), "Run the tests?\nand 2 more");
        assert_eq!(ended_body(7, 7, None), "7 of 7");
        assert_eq!(ended_body(0, 0, Some("quota")), "quota");
        let names: Vec<String> = (1..=6).map(|number| format!("agent {number}")).collect();
        assert_eq!(several_body(&names), "agent 1\nagent 2\nagent 3\nagent 4\nand 2 more");
    }
}
