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
    use super::UNFIT;
    use std::fs;
    use std::path::Path;

    fn sources(folder: &Path, all: &mut String) {
        for entry in fs::read_dir(folder).expect("it is a folder").flatten() {
            let path = entry.path();
            if path.is_dir() {
                sources(&path, all);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                all.push_str(&fs::read_to_string(&path).expect("it is text"));
            }
        }
    }

    #[test]
    fn each_test_that_wine_is_spared_is_there_and_has_its_reason() {
        let mut all = String::new();
        sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates"), &mut all);
        for (name, reason) in UNFIT {
            let function = name.rsplit("::").next().unwrap_or_default();
            let is_there = all.contains(&format!("fn {function}(")) || all.contains(&format!("mod {function}"));
            assert!(is_there, "there is no test {name}");
            assert!(reason.len() > 10, "{name} has no reason");
        }
    }
}
