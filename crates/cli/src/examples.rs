//! Examples of every command: `--help` prints them, the guide shows them, and `tests/clients/test_examples.py` runs them.

use clap::{Command, CommandFactory};

/// A line that works.
struct Example {
    /// The command that it is of: `todo add`.
    command: &'static str,
    line: &'static str,
    does: &'static str,
}

const EXAMPLES: [Example; 56] = [
    example("serve", "sightline serve", "the gateway and its page, without a window"),
    example("open", "sightline open", "the page's address, with a code that pairs a browser once"),
    example("key new", "sightline key new backup --rights look", "a key for a script that reads"),
    example("key list", "sightline key list", "the keys, and when each was used"),
    example("key renew", "sightline key renew backup", "a new secret; the old one ends"),
    example("key revoke", "sightline key revoke backup", "ends it, and its connections"),
    example(
        "host add",
        "sightline host add box ssh box sightline dial-stdio",
        "its sessions here, once you confirm it",
    ),
    example("host list", "sightline host list", "the other machines, and whether each answers"),
    example("host key", "sightline host key box", "asks for its key, which is never shown"),
    example("host install", "sightline host install box", "copies this program there, after asking"),
    example("host test", "sightline host test box", "connects anew, and says what came of it"),
    example("host remove", "sightline host remove box", "its sessions stay"),
    example("audit", "sightline audit", "who did what: settings, keys, connections, approvals"),
    example("status", "sightline status", "all sessions as they are now"),
    example("watch", "sightline watch", "all sessions, live on one screen; q ends it"),
    example("connect", "sightline connect codex --dry-run", "only the changes; without it, asks, connects and tests"),
    example("agents", "sightline agents", "the agents of this machine"),
    example("agents", "sightline agents codex", "one of them; with --test, a list is sent as it does"),
    example("disconnect", "sightline disconnect codex --dry-run", "the way back"),
    example(
        "todo write",
        "sightline todo write --session api '[{\"content\": \"Read\"}, {\"content\": \"Fix\"}]'",
        "a whole list, as an agent does",
    ),
    example("todo show", "sightline todo show", "the list of the one current session"),
    example("todo list", "sightline todo list", "all sessions and their lists, numbered"),
    example("todo add", "sightline todo add 2 \"Use staging\"", "at position 1, last, 2.1 or 2.last"),
    example("todo set", "sightline todo set 2 blocked --reason \"no access\"", "one step, several (2-4) or all"),
    example("todo unset", "sightline todo unset 2", "back to pending"),
    example("todo edit", "sightline todo edit 2 --priority high \"Use production\"", "text and fields of a step"),
    example("todo move", "sightline todo move 2 1", "on its level"),
    example("todo indent", "sightline todo indent 3", "under the step above it, with its own subtasks beside it"),
    example("todo outdent", "sightline todo outdent 2.1", "out of the step that it belongs to"),
    example("todo assign", "sightline todo assign 2 codex", "where several agents share a list; nobody takes it back"),
    example("todo delete", "sightline todo delete last", "one step, several (2-4) or all"),
    example("todo undo", "sightline todo undo", "the last edit that was made in a terminal"),
    example("todo insist", "sightline todo insist", "sends an edit again that the agent went against"),
    example(
        "todo note",
        "sightline todo note \"Ask me before you push\"",
        "a message, delivered on the agent's next call",
    ),
    example("todo history", "sightline todo history 1", "the changes of a step; without a number, of the list"),
    example("todo load", "sightline todo load 1", "a list from `todo list` in the place of this one"),
    example("todo archive", "sightline todo archive", "into the history, and begins a new list"),
    example("todo clear", "sightline todo clear --session api", "empties the list"),
    example("note", "sightline note \"Ask me before you push\"", "a message, delivered on the agent's next call"),
    example("note", "sightline note --later \"Write the changelog, too\"", "the same, when the agent is idle"),
    example("later add", "sightline later add --step \"Bump the version\"", "a step for when the agent is idle"),
    example("later list", "sightline later list", "all that is kept for later, numbered"),
    example("later edit", "sightline later edit 2 \"Bump the minor version\"", "its text"),
    example("later move", "sightline later move 2 1", "in the order of delivery"),
    example("later delete", "sightline later delete 1", "before it is delivered"),
    example("raise", "sightline raise --session api", "the terminal of its agent, wherever it is"),
    example("tag", "sightline tag --session api release urgent", "tags to find it by; --remove takes them away"),
    example("search", "sightline search 'token pars'", "steps, notes, titles and folders, present and past"),
    example("export", "sightline export -o lists.json", "all sessions with their whole history"),
    example("import", "sightline import --file lists.json", "and back"),
    example("import", "sightline import codex", "lists in old transcripts"),
    example("chat", "sightline chat 'Tidy the changelog, then write a summary'", "the built-in agent works here"),
    example("ingest", "some-model | sightline ingest", "a list from the blocks in a model's output, live"),
    example("mcp", "sightline mcp --agent my-agent", "what an agent is told to start"),
    example("acp", "sightline acp -- opencode acp", "what an editor is told to start in the place of `opencode acp`"),
    example("hook", "sightline hook codex < event.json", "what an agent's hook runs"),
];

const fn example(command: &'static str, line: &'static str, does: &'static str) -> Example {
    Example { command, line, does }
}

/// The command line with the examples in its help.
pub(crate) fn command() -> Command {
    with_examples(crate::Cli::command(), "")
}

/// Adds to a command its own examples; to one that has commands, those of theirs.
fn with_examples(mut command: Command, path: &str) -> Command {
    let names: Vec<String> = command.get_subcommands().map(|sub| sub.get_name().to_owned()).collect();
    let is_group = !names.is_empty();
    for name in names {
        let below = format!("{path} {name}");
        command = command.mut_subcommand(&name, |sub| with_examples(sub, below.trim_start()));
    }
    let shown: Vec<&Example> = EXAMPLES
        .iter()
        .filter(|example| match example.command.strip_prefix(path).map(str::trim_start) {
            Some("") => true,
            Some(below) => is_group && !below.contains(' '),
            None => false,
        })
        .collect();
    if shown.is_empty() { command } else { command.after_help(help(&shown)) }
}

/// The lines as a shell takes them, each with its remark.
fn help(examples: &[&Example]) -> String {
    let width = examples.iter().map(|example| example.line.len()).max().unwrap_or_default();
    let lines = examples.iter().map(|example| format!("  {:width$}  # {}", example.line, example.does));
    format!("Examples:\n{}", lines.collect::<Vec<_>>().join("\n"))
}

#[cfg(test)]
mod tests {
    use super::{EXAMPLES, command};
    use clap::Command;

    fn paths(command: &Command, path: &str) -> Vec<String> {
        let below = |sub: &Command| paths(sub, format!("{path} {}", sub.get_name()).trim_start());
        if command.has_subcommands() {
            command.get_subcommands().filter(|sub| !sub.is_hide_set()).flat_map(below).collect()
        } else {
            vec![path.to_owned()]
        }
    }

    #[test]
    fn each_command_has_one_and_the_guide_shows_them_all() {
        let guide = include_str!("../../../docs/guide.md");
        let paths = paths(&command(), "");
        for path in &paths {
            assert!(EXAMPLES.iter().any(|example| example.command == path), "{path} has an example");
        }
        for example in EXAMPLES {
            assert!(paths.iter().any(|path| path == example.command), "{} is a command", example.command);
            assert!(example.line.contains(&format!("sightline {}", example.command)), "{} is of it", example.line);
            let shown = guide.lines().any(|line| line.split("  #").next().map(str::trim_end) == Some(example.line));
            assert!(shown, "the guide shows {}", example.line);
        }
    }

    #[test]
    fn help_has_them() {
        let help = |path: &[&str]| {
            let mut command = command();
            command.build();
            let mut at = &mut command;
            for name in path {
                at = at.find_subcommand_mut(name).expect(name);
            }
            at.render_long_help().to_string()
        };
        assert!(help(&[]).starts_with("Sightline shows the todo lists"), "{}", help(&[]));
        assert!(
            help(&[]).contains("  sightline connect codex --dry-run ") && !help(&[]).contains("sightline todo move")
        );
        assert!(help(&["todo"]).contains("  sightline todo move 2 1 ") && !help(&["todo"]).contains("sightline serve"));
        assert!(help(&["todo", "add"]).contains("Examples:\n  sightline todo add 2 \"Use staging\"  # at position"));
    }
}
