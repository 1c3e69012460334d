//! The table of agents in `docs/agents.md`, from what the tests of the real programs wrote down, so that it says no more
//! than was seen. `cargo xtask types` writes it.

use agents::KNOWN;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Where the tests of real agents write down what they have seen, a file for each agent.
const SEEN: &str = "tests/web/more-agents/seen";
const PAGE: &str = "docs/agents.md";

/// The lines of the page between which the table stands.
const BEGIN: &str = "<!-- what was seen: begin -->";
const END: &str = "<!-- what was seen: end -->";

/// The facts seen of an agent, and the version of its program.
#[derive(Deserialize)]
struct Seen {
    version: String,
    facts: Vec<String>,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn seen() -> BTreeMap<String, Seen> {
    let files = fs::read_dir(root().join(SEEN)).expect("the folder is there");
    let read = |path: PathBuf| {
        let text = fs::read_to_string(&path).expect("it can be read");
        let name = path.file_stem().expect("it has a name").to_string_lossy().into_owned();
        (name, serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display())))
    };
    files.map(|file| read(file.expect("it is there").path())).collect()
}

fn table() -> String {
    let mut seen = seen();
    let mut lines = vec![
        "| agent | version | seen with the program itself | what it cannot do, and why |".to_owned(),
        "|---|---|---|---|".to_owned(),
    ];
    for agent in KNOWN.connectable() {
        let (version, facts) = match seen.remove(agent.name()) {
            Some(Seen { version, facts }) => (version, facts.join("; ")),
            None => (String::new(), "nothing: from its documentation only".to_owned()),
        };
        let limits = agent.limits().join("; ");
        lines.push(format!("| {} | {version} | {facts} | {limits} |", agent.title()));
    }
    assert!(seen.is_empty(), "{SEEN} has agents that are not known: {:?}", seen.keys());
    lines.join("\n")
}

#[test]
fn the_page_says_what_was_seen() {
    let path = root().join(PAGE);
    let page = fs::read_to_string(&path).expect("the page is there");
    let (before, rest) = page.split_once(BEGIN).expect("it has a place for the table");
    let (_, after) = rest.split_once(END).expect("it has an end of that place");
    let wanted = format!("{before}{BEGIN}\n{}\n{END}{after}", table());
    if std::env::var_os("SIGHTLINE_WRITE_TYPES").is_some() {
        fs::write(&path, wanted).expect("it can be written");
        return;
    }
    assert_eq!(page, wanted, "run `cargo xtask types`");
}

#[test]
fn the_version_of_an_agent_is_the_one_that_was_seen() {
    let seen = seen();
    for agent in KNOWN.connectable() {
        let version = seen.get(agent.name()).map(|seen| seen.version.as_str());
        assert_eq!(agent.facts().proven, version, "{}", agent.title());
    }
}
