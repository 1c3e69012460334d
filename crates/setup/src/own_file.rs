//! A file that is ours as a whole: an extension, or a program that an agent runs as its hook.

use crate::server::Ours;
use crate::status::Registration;
use agents::ANSWERS;
use agents::OurCommand;
use texts::all as say;

/// The text of such a file.
pub(crate) type Text = fn(&OurCommand<'_>) -> String;

/// The state of a file with this text; empty where there is none.
pub(crate) fn look(text: &str, ours: &Ours, own: Text) -> Registration {
    match () {
        () if text.is_empty() => Registration::Absent,
        () if text == ours.file(own) => Registration::Ours,
        () if is_ours(text, ours) => Registration::Outdated(say::own_file_outdated()),
        () => Registration::Other(say::own_file_foreign()),
    }
}

/// Our text, unless the file is somebody else's and stays.
pub(crate) fn connect(text: &str, ours: &Ours, own: Text, replace: bool) -> String {
    if text.is_empty() || replace || is_ours(text, ours) { ours.file(own) } else { text.to_owned() }
}

/// Nothing, unless the file is somebody else's and stays.
pub(crate) fn disconnect(text: &str, ours: &Ours) -> String {
    if is_ours(text, ours) { String::new() } else { text.to_owned() }
}

/// The seconds for which a file of ours waits for an answer. `None` where the agent asks by itself.
pub(crate) fn answers(text: &str, ours: &Ours) -> Option<u32> {
    seconds(text).filter(|_| is_ours(text, ours))
}

/// The number after our option: in a line for a shell, or in a list of words.
fn seconds(text: &str) -> Option<u32> {
    let (_, after) = text.lines().find_map(|line| line.split_once(ANSWERS))?;
    let number = after.trim_start_matches([' ', ',', '"']);
    number.split(|letter: char| !letter.is_ascii_digit()).next()?.parse().ok()
}

/// Returns whether a text is ours at any version: it names our command for this agent.
fn is_ours(text: &str, ours: &Ours) -> bool {
    let named = |word| is_named(text, &format!("{word} {}", ours.agent_name()));
    text.to_lowercase().contains(agents::SERVER) && (named("hook") || named("connect"))
}

/// Returns whether words stand in a text, and not as the beginning of a longer word: `hook pi` is not in `hook pipe`.
fn is_named(text: &str, words: &str) -> bool {
    let goes_on = |next: char| next.is_alphanumeric() || matches!(next, '-' | '_');
    text.match_indices(words).any(|(at, found)| !text[at + found.len()..].starts_with(goes_on))
}

#[cfg(test)]
mod tests {
    use super::{is_named, seconds};
    use rstest::rstest;

    #[rstest]
    #[case("exec sightline hook cline --data-dir D --answers 0\n", Some(0))]
    #[case(r#"spawnSync("S", ["hook","cline","--data-dir","D","--answers","60"], options)"#, Some(60))]
    #[case("exec sightline hook cline --data-dir D\n", None)]
    #[case("asking = [...HOOK, \"--answers\", String(SECONDS)]", None)]
    fn the_seconds_stand_after_the_option(#[case] text: &str, #[case] expected: Option<u32>) {
        assert_eq!(seconds(text), expected);
    }

    #[rstest]
    #[case("exec sightline hook pi", true)]
    #[case("// `sightline connect pi`; `sightline hook pi --data-dir D`", true)]
    #[case("hook pipe, then hook pi", true)]
    #[case("exec sightline hook pipe", false)]
    #[case("exec sightline hook pi-next", false)]
    #[case("", false)]
    fn a_name_is_a_whole_word(#[case] text: &str, #[case] is_there: bool) {
        assert_eq!(is_named(text, "hook pi"), is_there);
    }
}
