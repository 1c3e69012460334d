//! The meaning of a call that an agent asks a permission for, and of a rule for such calls.

use crate::{RuleCalls, RuleNew};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use std::path::{Component, Path};

/// Members of a call's arguments that change nothing about its command.
const HARMLESS: [&str; 5] = ["command", "description", "justification", "timeout", "timeout_ms"];

/// Characters of a command beside letters and digits in which no shell sees a second command, a redirection, a
/// substitution or a pattern.
const PLAIN: &str = " \t_-./:=,@+'\"";

/// A short form of a call's arguments, by which the end of a call is known to be that of a permission.
#[must_use]
pub fn input_digest(input: &str) -> String {
    Sha256::digest(input.as_bytes()).iter().take(12).map(|byte| format!("{byte:02x}")).collect()
}

/// The command that a call runs, where its arguments have one; and whether nothing else in them changes what it does.
#[must_use]
pub fn command_of(input: &str) -> Option<(String, bool)> {
    let members: Map<String, Value> = serde_json::from_str(input).ok()?;
    let command = match members.get("command")? {
        Value::String(command) => command.clone(),
        Value::Array(words) => {
            let words: Option<Vec<&str>> = words.iter().map(Value::as_str).collect();
            shlex::try_join(words?).ok()?
        }
        _ => return None,
    };
    let is_all = members.keys().all(|name| HARMLESS.contains(&name.as_str()));
    Some((command, is_all))
}

/// The words of a command where it is a single plain one: no pipe, no second command, no redirection, no substitution, no
/// pattern, on one line. `None` for any other.
#[must_use]
pub fn plain_words(command: &str) -> Option<Vec<String>> {
    let is_plain = |letter: char| letter.is_alphanumeric() || PLAIN.contains(letter);
    if !command.chars().all(is_plain) {
        return None;
    }
    shlex::split(command).filter(|words| !words.is_empty())
}

impl RuleCalls {
    /// The narrowest rule for a call: its command by its words where it is a plain one, else its arguments to the letter.
    #[must_use]
    pub fn narrowest(input: &str) -> Self {
        match command_of(input) {
            Some((command, true)) => match plain_words(&command) {
                Some(words) => Self::Command { words },
                None => Self::Input { input: command },
            },
            _ => Self::Input { input: input.to_owned() },
        }
    }

    fn covers(&self, input: &str) -> bool {
        let command = || command_of(input).filter(|(_, is_all)| *is_all).map(|(command, _)| command);
        match self {
            Self::Tool => true,
            Self::Input { input: known } => known == input || command().is_some_and(|command| command == *known),
            Self::Command { words } => {
                let said = command().and_then(|command| plain_words(&command));
                !words.is_empty() && said.is_some_and(|said| said.starts_with(words))
            }
        }
    }
}

impl RuleNew {
    /// True if the rule is for this call.
    #[must_use]
    pub fn covers(&self, agent: &str, session_id: &str, folder: Option<&str>, tool: &str, input: &str) -> bool {
        self.tool == tool
            && self.agent.as_deref().is_none_or(|known| known == agent)
            && self.session_id.as_deref().is_none_or(|known| known == session_id)
            && self.folder.as_deref().is_none_or(|known| folder.is_some_and(|folder| is_within(folder, known)))
            && self.calls.covers(input)
    }
}

/// True if a folder is the other one or below it. One whose path goes up somewhere is nowhere.
fn is_within(folder: &str, above: &str) -> bool {
    let folder = Path::new(folder);
    folder.starts_with(above) && !folder.components().any(|part| part == Component::ParentDir)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    fn rule(calls: RuleCalls) -> RuleNew {
        RuleNew { allow: true, agent: None, session_id: None, folder: None, tool: "Bash".to_owned(), calls }
    }

    fn words(words: &[&str]) -> RuleCalls {
        RuleCalls::Command { words: words.iter().map(|&word| word.to_owned()).collect() }
    }

    #[rstest]
    #[case::itself("cargo test", true)]
    #[case::with_more("cargo test -p hub --release", true)]
    #[case::with_quotes("cargo test 'a name'", true)]
    #[case::spaces("  cargo   test ", true)]
    #[case::another("cargo testing", false)]
    #[case::another_program("cargo-test", false)]
    #[case::fewer("cargo", false)]
    #[case::a_second_one("cargo test; rm -rf /", false)]
    #[case::and("cargo test && rm x", false)]
    #[case::or("cargo test || rm x", false)]
    #[case::background("cargo test & rm x", false)]
    #[case::pipe("cargo test | sh", false)]
    #[case::line("cargo test\nrm x", false)]
    #[case::carriage("cargo test\rrm x", false)]
    #[case::substitution("cargo test $(rm x)", false)]
    #[case::substitution_in_quotes("cargo test \"$(rm x)\"", false)]
    #[case::backtick("cargo test `rm x`", false)]
    #[case::variable("cargo test $X", false)]
    #[case::redirection("cargo test > /etc/passwd", false)]
    #[case::input("cargo test < x", false)]
    #[case::pattern("cargo test *", false)]
    #[case::braces("cargo test {a,b}", false)]
    #[case::backslash("cargo test \\; rm", false)]
    #[case::comment("cargo test # x", false)]
    #[case::history("cargo test !!", false)]
    #[case::home("cargo test ~", false)]
    #[case::open_quote("cargo test 'x", false)]
    #[case::variable_before("X=1 cargo test", false)]
    #[case::unseen("cargo\u{200b} test", false)]
    #[case::control("cargo test\u{7}", false)]
    #[case::empty("", false)]
    fn a_rule_for_a_command_is_for_one_plain_command(#[case] command: &str, #[case] covered: bool) {
        let input = serde_json::json!({ "command": command, "description": "Run the tests" }).to_string();
        let rule = rule(words(&["cargo", "test"]));
        assert_eq!(rule.covers("claude", "s", None, "Bash", &input), covered);
    }

    #[test]
    fn a_rule_for_a_command_is_for_none_that_runs_otherwise() {
        let rule = rule(words(&["cargo", "test"]));
        let covers = |input: &str| rule.covers("claude", "s", None, "Bash", input);
        assert!(covers(r#"{"command":"cargo test","timeout":1000}"#));
        assert!(covers(r#"{"command":["cargo","test"]}"#));
        assert!(!covers(r#"{"command":"cargo test","dangerouslyDisableSandbox":true}"#));
        assert!(!covers(r#"{"command":"cargo test","workdir":"/elsewhere"}"#));
        assert!(!covers(r#"{"command":["sh","-c","cargo test"]}"#));
        assert!(!covers(r#"["cargo","test"]"#) && !covers("cargo test") && !covers(""));
        let of_no_words = RuleNew { calls: words(&[]), ..rule.clone() };
        assert!(!of_no_words.covers("claude", "s", None, "Bash", r#"{"command":"ls"}"#));
    }

    #[test]
    fn a_rule_is_for_its_agent_session_folder_and_tool() {
        let rule = RuleNew {
            agent: Some("claude".to_owned()),
            session_id: Some("s".to_owned()),
            folder: Some("/home/me/billing".to_owned()),
            ..rule(RuleCalls::Tool)
        };
        let covers = |agent, session, folder, tool| rule.covers(agent, session, folder, tool, "{}");
        assert!(covers("claude", "s", Some("/home/me/billing"), "Bash"));
        assert!(covers("claude", "s", Some("/home/me/billing/api"), "Bash"));
        assert!(!covers("codex", "s", Some("/home/me/billing"), "Bash"));
        assert!(!covers("claude", "t", Some("/home/me/billing"), "Bash"));
        assert!(!covers("claude", "s", Some("/home/me/billing-old"), "Bash"));
        assert!(!covers("claude", "s", Some("/home/me/billing/../other"), "Bash"));
        assert!(!covers("claude", "s", None, "Bash"));
        assert!(!covers("claude", "s", Some("/home/me/billing"), "Edit"));
    }

    #[rstest]
    #[case::plain(r#"{"command":"cargo test -p hub"}"#, words(&["cargo", "test", "-p", "hub"]))]
    #[case::not_plain(r#"{"command":"a | b"}"#, RuleCalls::Input { input: "a | b".to_owned() })]
    #[case::more(r#"{"command":"a","x":1}"#, RuleCalls::Input { input: r#"{"command":"a","x":1}"#.to_owned() })]
    #[case::another(r#"{"path":"/x"}"#, RuleCalls::Input { input: r#"{"path":"/x"}"#.to_owned() })]
    fn the_narrowest_rule_covers_its_call(#[case] input: &str, #[case] expected: RuleCalls) {
        let calls = RuleCalls::narrowest(input);
        assert_eq!(calls, expected);
        assert!(calls.covers(input));
    }
}
