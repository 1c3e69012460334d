//! The words that the shell itself shows to people, from the catalogue: menus, tray, notifications.
//!
//! Other people's words (titles, steps, what an agent waits for) come in as they are and are cut to one line here.

use crate::catalogue::{text, word};
use crate::notices::End;
use agents::KNOWN;
use protocol::{Need, NeedKind, Session, TextRef};

pub(crate) const APP: &str = "Sightline";

/// The longest line of the tray's menu, in characters.
const MENU_LINE: usize = 64;
/// The longest line of a notification.
const NOTICE_LINE: usize = 240;

/// The statuses that a step can be given: the page's action, and its name.
pub(crate) fn marks() -> [(&'static str, &'static str); 6] {
    [
        ("mark-completed", word("mark_completed")),
        ("mark-in_progress", word("mark_in_progress")),
        ("mark-pending", word("mark_pending")),
        ("mark-blocked", word("mark_blocked")),
        ("mark-skipped", word("mark_skipped")),
        ("mark-cancelled", word("mark_cancelled")),
    ]
}

/// `Codex · billing-api`: the agent, and where it works or what it is about.
pub(crate) fn name(session: &Session) -> String {
    let agent = agent(&session.agent.name);
    let place = session.project.as_deref().filter(|project| !project.is_empty()).unwrap_or(&session.title);
    let place = one_line(place, MENU_LINE / 2);
    let parts = [Some(agent), Some(place).filter(|place| !place.is_empty()), session.host.clone()];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" · ")
}

/// The name for people of an agent.
fn agent(name: &str) -> String {
    KNOWN.title(name).map_or_else(|| one_line(name, MENU_LINE / 2), str::to_owned)
}

/// `3 of 5 working, 1 needs you`.
pub(crate) fn overview(working: usize, current: usize, needs: usize) -> String {
    let work = match current {
        0 => word("nothing_running").to_owned(),
        current => text("working_of", &[("working", &working), ("current", &current)]),
    };
    match needs {
        0 => work,
        needs => {
            let needs = text("count_needs", &[("count", &needs)]);
            text("working_and_needs", &[("work", &work), ("needs", &needs)])
        }
    }
}

/// A line of the tray's menu about what somebody does: `sightline · 3/8 · Fixing the parser`.
pub(crate) fn active(place: &str, done: Option<(u32, u32)>, step: &str) -> String {
    let done = done.map(|(completed, total)| format!("{completed}/{total}"));
    let parts = [Some(one_line(place, MENU_LINE / 3)), done, Some(step.to_owned())];
    let parts: Vec<String> = parts.into_iter().flatten().filter(|part| !part.is_empty()).collect();
    one_line(&parts.join(" · "), MENU_LINE)
}

/// The subject of a need; words of ours are in the language of the desktop.
pub(crate) fn subject(need: &Need) -> String {
    sent(&need.text, need.words.as_ref())
}

/// The reason for the state of a session, in the same way.
pub(crate) fn reason(session: &Session) -> Option<String> {
    session.state_reason.as_ref().map(|reason| sent(reason, session.state_reason_text.as_ref()))
}

fn sent(english: &str, text: Option<&TextRef>) -> String {
    text.and_then(::catalogue::sent).unwrap_or_else(|| english.to_owned())
}

/// A line of the tray's menu about what is needed: `Codex · billing-api: waits for approval`.
pub(crate) fn needed(session: &Session, kind: NeedKind, words: &str) -> String {
    one_line(&text("needed", &[("name", &name(session)), ("need", &need(kind, words))]), MENU_LINE)
}

/// And `count` more than a menu shows.
pub(crate) fn more(count: usize) -> String {
    text("more", &[("count", &count)])
}

/// The line for a need, with its words where there are some.
pub(crate) fn need(kind: NeedKind, words: &str) -> String {
    let words = one_line(words, NOTICE_LINE);
    let kind = kind.word();
    if words.is_empty() {
        text("need", &[("kind", &kind)])
    } else {
        text("need_with", &[("kind", &kind), ("text", &words)])
    }
}

/// The title of a notification about one session that needs the user.
pub(crate) fn needs_title(name: &str) -> String {
    text("needs_title", &[("name", &name)])
}

/// Its words: what is needed first, and how much more there is.
pub(crate) fn needs_body(first: &str, others: usize) -> String {
    match others {
        0 => first.to_owned(),
        others => format!("{first}\n{}", and_more(others)),
    }
}

/// The title of one notification about many sessions.
pub(crate) fn several_title(sessions: usize) -> String {
    text("several_need", &[("count", &sessions)])
}

/// The names, one on each line: the first four, then the number of the others.
pub(crate) fn several_body(names: &[String]) -> String {
    const NAMED: usize = 4;
    let named = names.iter().take(NAMED).cloned().collect::<Vec<_>>().join("\n");
    match names.len().saturating_sub(NAMED) {
        0 => named,
        others => format!("{named}\n{}", and_more(others)),
    }
}

fn and_more(count: usize) -> String {
    text("and_more", &[("count", &count)])
}

/// `opencode · docs finished`, or how else it ended.
pub(crate) fn ended_title(name: &str, end: End) -> String {
    let end = match end {
        End::Finished => "finished",
        End::Left => "left",
        End::Failed => "failed",
    };
    text("ended", &[("end", &end), ("name", &name)])
}

/// `7 of 7`, and why it ended where that is known.
pub(crate) fn ended_body(completed: u32, total: u32, reason: Option<&str>) -> String {
    let done = (total > 0).then(|| text("done_of", &[("completed", &completed), ("total", &total)]));
    let reason = reason.map(|reason| one_line(reason, NOTICE_LINE)).filter(|reason| !reason.is_empty());
    [done, reason].into_iter().flatten().collect::<Vec<_>>().join(" · ")
}

/// Many that ended at once; `all_done` where none of those that did not fail left work behind.
pub(crate) fn ended_several(ended: usize, failed: usize, all_done: bool) -> String {
    if ended == 0 {
        return text("several_failed", &[("count", &failed)]);
    }
    let how = if all_done { "several_finished" } else { "several_ended" };
    let ended = text(how, &[("count", &ended)]);
    if failed == 0 { ended } else { text("several_some_failed", &[("ended", &ended), ("failed", &failed)]) }
}

/// Keys that everybody types.
pub(crate) fn shortcut_typed(keys: &str) -> String {
    text("shortcut_typed", &[("keys", &shown(keys))])
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
    text("shortcut_refused", &[("keys", &shown(keys))])
}

/// Where no program can have keys for everywhere.
pub(crate) fn shortcut_wayland() -> &'static str {
    word("shortcut_wayland")
}

/// Why it does not start at login.
pub(crate) fn login_refused(error: &str) -> String {
    text("login_refused", &[("error", &error)])
}

/// The problem of a Windows without WebView2.
#[cfg(windows)]
pub(crate) fn no_web_view() -> &'static str {
    word("no_web_view")
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
