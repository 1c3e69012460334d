use crate::table::rows;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

fn messages(language: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ui/messages").join(language).join("gateway.json")
}

/// The parameters that a text names, in order.
fn named(text: &str) -> BTreeSet<&str> {
    text.split('{').skip(1).filter_map(|rest| Some(rest.split_once('}')?.0)).collect()
}

#[test]
fn the_english_texts_are_those_of_the_table() {
    let texts: BTreeMap<String, &str> = rows().map(|row| (format!("gateway_{}", row.name), row.english)).collect();
    assert_eq!(texts.len(), rows().count(), "a name stands there once");
    let wanted = serde_json::to_string_pretty(&texts).expect("it is JSON") + "\n";
    let file = messages("en");
    if std::env::var_os("SIGHTLINE_WRITE_TYPES").is_some() {
        std::fs::write(&file, &wanted).expect("the file can be written");
    }
    let is_current = std::fs::read_to_string(&file).is_ok_and(|committed| committed == wanted);
    assert!(is_current, "{} is stale: run `cargo xtask types` and commit it", file.display());
}

#[test]
fn every_text_is_there_in_every_language_with_its_parameters() {
    for language in ["de", "es", "ja", "zh-Hans"] {
        let file = std::fs::read_to_string(messages(language)).expect("it is there");
        let texts: BTreeMap<String, String> = serde_json::from_str(&file).expect("it is a catalogue");
        for row in rows() {
            let text = texts.get(&format!("gateway_{}", row.name));
            let text = text.unwrap_or_else(|| panic!("{} has no text in {language}", row.name));
            assert_eq!(named(text), row.params.iter().copied().collect(), "{} in {language}", row.name);
        }
        assert_eq!(texts.len(), rows().count(), "{language} has texts that are not in the table");
    }
}

/// Errors that only programs and agents read, and defects of ours: their English is enough. By file, so many.
const FOR_PROGRAMS: &[(&str, usize)] = &[
    ("agent/src/driver/host.rs", 1),
    ("agent/src/driver/list.rs", 1),
    ("agent/src/driver/mod.rs", 1),
    ("agent/src/driver/requests.rs", 3),
    ("app/src/machine/answers.rs", 1),
    ("app/src/machine/environment.rs", 1),
    ("app/src/machine/files.rs", 2),
    ("app/src/machine/list.rs", 1),
    ("app/src/machine/open.rs", 1),
    ("app/src/machine/plans.rs", 2),
    ("hub/src/ask/command.rs", 1),
    ("hub/src/ask/feed.rs", 2),
    ("hub/src/ask/answers.rs", 1),
    ("hub/src/ask/sessions.rs", 3),
    ("hub/src/change/edits.rs", 4),
    ("hub/src/change/ending.rs", 1),
    ("hub/src/change/forwarded.rs", 1),
    ("hub/src/change/later.rs", 1),
    ("hub/src/change/lists.rs", 1),
    ("hub/src/change/loads.rs", 1),
    ("hub/src/change/marks.rs", 1),
    ("hub/src/change/mirrored.rs", 1),
    ("hub/src/change/once.rs", 5),
    ("hub/src/change/permissions.rs", 8),
    ("hub/src/change/removed.rs", 1),
    ("hub/src/change/writes.rs", 2),
    ("hub/src/evidence.rs", 4),
    ("hub/src/exchange.rs", 1),
    ("hub/src/sessions.rs", 3),
    ("hub/src/writer.rs", 3),
    ("protocol/src/proof.rs", 1),
    ("protocol/src/request/chat/settings.rs", 1),
    ("protocol/src/request/class.rs", 1),
    ("protocol/src/request/mod.rs", 2),
];

/// The calls in a source that make an error of words that are not in the table.
fn own_words(source: &str) -> usize {
    // A module of tests in a file of its own may be named above the code.
    let source = source.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let calls = [
        "Failure::refused(",
        "Error::new(Code::",
        "Error::new(ErrorCode::",
        "Error::new(\n",
        " invalid(",
        "(invalid(",
        "(refused(",
    ];
    let is_worded = |call: &&str| {
        let mut depth = 1;
        let end = call.find(|letter| {
            depth += i32::from(letter == '(') - i32::from(letter == ')');
            depth == 0
        });
        let call = call.get(..end.unwrap_or(call.len())).unwrap_or_default();
        // A variable of that name was made by the table, or handed on.
        ["say::", "text", "of_setup", "of_gave_up"].iter().any(|word| call.contains(word))
    };
    calls.iter().flat_map(|call| source.split(call).skip(1)).filter(|call| !is_worded(call)).count()
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("it is a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() && !path.ends_with("tests") && !path.ends_with("generated") {
            sources(&path, found);
        } else if path.extension().is_some_and(|end| end == "rs") && !path.ends_with("tests.rs") {
            found.push(path);
        }
    }
}

#[test]
fn an_error_for_people_is_in_the_table() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut wrong = Vec::new();
    for name in ["agent", "app", "hub", "protocol"] {
        let mut files = Vec::new();
        sources(&crates.join(name).join("src"), &mut files);
        for file in files {
            let shown = file.strip_prefix(&crates).expect("it is below").display().to_string().replace('\\', "/");
            let found = own_words(&std::fs::read_to_string(&file).expect("it is text"));
            let allowed = FOR_PROGRAMS.iter().find(|(file, _)| *file == shown).map_or(0, |(_, count)| *count);
            if found != allowed {
                wrong.push(format!("{shown}: {found} errors with words of their own, {allowed} are listed"));
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new(), "make them by `say::…` of crates/texts/src/table, or list them here");
}
