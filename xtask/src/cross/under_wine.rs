//! `cargo xtask cross --test`: the tests, built for Windows and run under Wine.

use super::WINDOWS;
use super::debian::Debian;
use super::wine::Wine;
use crate::steps::Steps;
use anyhow::Result;

/// Packages whose tests are of this system: the window needs WebView2, the others call programs of Unix.
const LEFT_OUT: [&str; 3] = ["sightline-desktop", "scenarios", "xtask"];

/// Tests that cannot succeed under Wine, each with the reason.
const UNFIT: &[(&str, &str)] = &[
    (
        "nobody_takes_the_name_of_a_pipe",
        "Wine makes a second pipe of a name, also where the first has to be the only one",
    ),
    ("what_anybody_says_comes_over", "its agent is `cat`"),
    ("an_agent_whose_editor_hangs_up_hears_it", "its agent is `cat`"),
    ("tools::tests::a_call", "its tool server is written in Python"),
    ("a_result_that_is_too_long_is_cut_between_characters", "its tool server is written in Python"),
    ("a_server_gets_what_it_is_given_and_no_key", "its tool server is written in Python"),
    ("every_tool_can_be_called_by_its_name", "its tool server is written in Python"),
    ("tools::tests::lives", "its tool servers are written in Python"),
    ("of_a_repository_its_worktree_and_a_commit", "it calls `git`"),
    ("what_an_agent_said_last_is_heard_and_its_end_is_told", "its agent is `sh`"),
];

/// Tests that are not built for Windows, by the reason.
#[cfg(test)]
const OF_UNIX: &[(&str, &[&str])] = &[
    (
        "its agents and programs are scripts for `sh`",
        &[
            "acp/tests/conversation/bytes.rs::an_agent_is_told_to_end",
            "app/src/machine/mod.rs::tests",
            "setup/src/shell.rs::bash_understands_what_is_for_both",
            "setup/src/tests/applying.rs::when_the_agents_own_command_fails_all_is_as_before",
            "setup/src/tests/connecting.rs::claudes_own_command_is_called_where_it_is",
            "setup/src/tests/looking.rs::a_program_that_hangs_is_not_waited_for",
            "setup/src/tests/looking.rs::the_version_that_it_says",
            "setup/src/tests/mod.rs::claude",
        ],
    ),
    (
        "its hook is a line for `sh`; the lines for Windows have tests of their own",
        &[
            "agents/src/cline/mod.rs::a_hook_is_a_script_for_each_event",
            "setup/src/tests/answers.rs::the_asking_event_waits_where_it_is_wished",
            "setup/src/tests/connecting.rs::gemini_gets_its_server_and_hooks",
            "setup/src/tests/forms.rs::lists_of_tables_there_and_back",
        ],
    ),
    (
        "its paths are those of Unix; those of Windows have cases of their own, or the run with each agent's files",
        &[
            "agents/src/cline/mod.rs::files_are_where_variables_say",
            "mcp/src/roots.rs::a_root_is_a_folder_of_this_machine",
            "setup/src/tests/editors.rs::agents_are_started_through_our_proxy_and_back",
        ],
    ),
    (
        "Windows lets only administrators make a link",
        &[
            "app/src/machine/files.rs::tests",
            "setup/src/tests/meanwhile.rs::one_file_by_two_names",
            "setup/src/tests/mod.rs::links",
        ],
    ),
    (
        "Windows has no modes of files",
        &[
            "agent/src/model/tests/keys.rs::the_file_is_its_owners_alone",
            "app/src/folder.rs::tests",
            "programs/src/find.rs::elsewhere_a_program_is_a_file_that_may_be_run",
            "setup/src/tests/applying.rs::a_link_stays_one_and_permissions_stay",
            "store/src/tests.rs::every_file_is_its_owners_alone",
        ],
    ),
    (
        "Windows neither removes nor renames a file that is open",
        &[
            "store/src/tests.rs::a_refused_database_is_closed_by_the_time_that_this_is_said",
            "store/src/tests/database_file.rs::a_connection_that_is_not_yet_one_to_what_was_put_back_becomes_one",
            "store/src/tests/database_file.rs::what_is_deleted_is_put_back",
            "store/src/tests/database_file.rs::what_is_in_its_place_is_left_alone",
            "store/src/tests/database_file.rs::what_was_acknowledged_goes_where_its_file_went",
        ],
    ),
    (
        "pipes, devices and sockets are no files there",
        &[
            "app/src/holder.rs::tests",
            "careful/src/lib.rs::tests",
            "careful/src/tests/mod.rs::a_file_that_says_no_size_is_read_up_to_its_bound_too",
            "sources/src/git_folder.rs::of_what_has_no_end_or_is_no_file",
        ],
    ),
    (
        "what it asks is Linux' or Unix' own: `/proc`, bubblewrap, signals, handles of folders, terminals",
        &[
            "agent/src/tools/tests/lives.rs::one_that_has_ended_meanwhile_is_begun_anew",
            "agent/src/tools/tests/mod.rs::confined",
            "agent/src/tools/tests/mod.rs::folder",
            "app/src/machine/raise/mod.rs::tests",
            "gateway/src/peer.rs::tests",
        ],
    ),
];

pub(super) fn test(steps: &mut Steps, debian: &Debian) -> Result<()> {
    let wine = Wine::new(debian);
    let cargo = |last: &[&str]| {
        let words = ["test", "--locked", "--no-fail-fast", "--workspace", "--target", WINDOWS.target];
        wine.cargo().args(words).args(LEFT_OUT.iter().flat_map(|package| ["--exclude", package])).args(last)
    };
    steps.step("The tests for Windows", || cargo(&["--no-run"]).advice("mend what is named above").run())?;
    steps.step(&format!("The tests under Wine, without {}", UNFIT.len()), || {
        let skipped = UNFIT.iter().flat_map(|(name, _)| ["--skip", name]);
        wine.stay()?;
        let done = cargo(&["--lib", "--bins", "--tests", "--"])
            .args(skipped)
            .advice("mend what failed; a test that cannot succeed there stands in xtask/src/cross/under_wine.rs with the reason")
            .run();
        wine.end()?;
        done
    })
}

#[cfg(test)]
mod tests {
    use super::{OF_UNIX, UNFIT};
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::Path;

    /// The sources of the crates, by their paths below `crates`.
    fn sources() -> Vec<(String, String)> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates");
        let (mut all, mut folders) = (Vec::new(), vec![root.clone()]);
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).expect("it is a folder").flatten() {
                let path = entry.path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|ending| ending == "rs") {
                    let below = path.strip_prefix(&root).expect("it is below").to_string_lossy().replace('\\', "/");
                    all.push((below, fs::read_to_string(&path).expect("it is text")));
                }
            }
        }
        all
    }

    #[test]
    fn each_test_that_wine_is_spared_is_there_and_has_its_reason() {
        let all: String = sources().into_iter().map(|(_, text)| text).collect();
        for (name, reason) in UNFIT {
            let function = name.rsplit("::").next().unwrap_or_default();
            let is_there = all.contains(&format!("fn {function}(")) || all.contains(&format!("mod {function}"));
            assert!(is_there, "there is no test {name}");
            assert!(reason.len() > 10, "{name} has no reason");
        }
    }

    /// The tests and modules of tests in a source that are not built for Windows.
    fn of_unix(file: &str, text: &str) -> Vec<String> {
        let is_above = |line: &&str| line.starts_with("#[") || line.starts_with("///");
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        let mut found = Vec::new();
        for (at, _) in
            lines.iter().enumerate().filter(|(at, line)| is_above(line) && (*at == 0 || !is_above(&lines[at - 1])))
        {
            let attributes: Vec<&str> = lines[at..].iter().copied().take_while(is_above).collect();
            let is_of_unix = |line: &&str| {
                let others = ["unix", "target_os = \"linux\"", "not(windows)"];
                others.iter().any(|other| {
                    [format!("#[cfg({other})]"), format!("#[cfg(all(test, {other}))]")].contains(&line.to_string())
                })
            };
            let is_test = attributes.iter().any(|line| line.contains("test"));
            let item = lines.get(at + attributes.len()).copied().unwrap_or_default();
            let mut words = item.split([' ', '(', ';']).skip_while(|word| !["fn", "mod"].contains(word));
            let (kind, name) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
            let holds_tests = is_test || (kind == "mod" && file.contains("/tests"));
            if attributes.iter().any(is_of_unix) && holds_tests && !name.is_empty() {
                found.push(format!("{file}::{name}"));
            }
        }
        found
    }

    #[test]
    fn each_test_that_is_not_built_for_windows_has_its_reason() {
        let found: BTreeSet<String> = sources().iter().flat_map(|(file, text)| of_unix(file, text)).collect();
        let listed: BTreeSet<String> =
            OF_UNIX.iter().flat_map(|(_, names)| *names).map(|name| (*name).to_owned()).collect();
        assert_eq!(found, listed);
    }
}
