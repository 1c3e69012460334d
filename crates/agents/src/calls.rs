//! The subject of a call of a tool, and the file that it changes: by the names that agents give to the arguments.

use crate::lean;
use serde_json::value::RawValue;
use std::borrow::Cow;

/// The arguments that say best what a call is about, the best first.
const SUBJECTS: [&str; 12] = [
    "command",
    "file_path",
    "filePath",
    "notebook_path",
    "path",
    "url",
    "query",
    "pattern",
    "patch",
    "patchText",
    "input",
    "description",
];

/// Those of them that name a file.
const PATHS: std::ops::Range<usize> = 1..5;

/// Those of them that can be a patch, in the form that names its files in lines of their own.
const PATCHES: [usize; 4] = [0, 8, 9, 10];

/// Tools that change the file that they name, as the agents call them, in small letters.
const CHANGES: [&str; 15] = [
    "apply_patch",
    "create",
    "create_file",
    "edit",
    "edit_file",
    "multiedit",
    "notebookedit",
    "patch",
    "replace",
    "replace_in_file",
    "search_replace",
    "str_replace_editor",
    "write",
    "write_file",
    "write_to_file",
];

/// The beginnings of the lines that name a file in such a patch.
const PATCHED: [&str; 3] = ["*** Update File: ", "*** Add File: ", "*** Delete File: "];

/// Characters of a subject.
const CHARS: usize = 300;

/// The subject of a call on one line, and the file that it changes.
pub(crate) fn subject(tool: &str, input: &RawValue) -> (Option<String>, Option<String>) {
    let Ok(Some(members)) = lean::members(input.get().as_bytes(), SUBJECTS) else { return (None, None) };
    let texts = members.map(|member| member.and_then(lean::text).filter(|text| !text.trim().is_empty()));
    let is_change = CHANGES.contains(&tool.to_lowercase().as_str());
    let patched = || PATCHES.iter().find_map(|at| patched_file(texts[*at].as_deref()?));
    let file = if is_change { texts[PATHS].iter().flatten().next().map(Cow::to_string).or_else(patched) } else { None };
    let first = || texts.iter().flatten().next().map(Cow::to_string);
    let text = file.clone().or_else(first).map(|text| line(&text));
    (text, file)
}

fn patched_file(patch: &str) -> Option<String> {
    let file = patch.lines().find_map(|line| PATCHED.iter().find_map(|begin| line.strip_prefix(begin)))?;
    Some(file.trim().to_owned()).filter(|file| !file.is_empty())
}

/// The first line that says something.
fn line(text: &str) -> String {
    text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default().chars().take(CHARS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;
    use serde_json::{Value, json};

    #[rstest]
    #[case::a_command("Bash", json!({"description": "Run", "command": "cargo test\necho"}), Some("cargo test"), None)]
    #[case::an_edit("Edit", json!({"old_string": "a", "file_path": "/a/b.rs"}), Some("/a/b.rs"), Some("/a/b.rs"))]
    #[case::camels("edit", json!({"filePath": "b.rs", "oldString": "a"}), Some("b.rs"), Some("b.rs"))]
    #[case::what_is_read("Read", json!({"file_path": "/a/b.rs"}), Some("/a/b.rs"), None)]
    #[case::a_search("Grep", json!({"pattern": "fn main", "path": "src"}), Some("src"), None)]
    #[case::a_patch("apply_patch", json!({"input": "*** Begin Patch\n*** Update File: src/a.rs\n@@"}), Some("src/a.rs"), Some("src/a.rs"))]
    #[case::a_patch_as_a_command("apply_patch", json!({"command": "*** Begin Patch\n*** Add File: b.rs\n+x"}), Some("b.rs"), Some("b.rs"))]
    #[case::a_patch_of_nothing("apply_patch", json!({"input": "nothing"}), Some("nothing"), None)]
    #[case::nothing("Bash", json!({}), None, None)]
    #[case::no_text("Edit", json!({"file_path": 1}), None, None)]
    #[case::blank("Edit", json!({"file_path": "  "}), None, None)]
    #[case::no_object("Bash", json!(["ls"]), None, None)]
    fn a_call_is_about(
        #[case] tool: &str,
        #[case] input: Value,
        #[case] text: Option<&str>,
        #[case] file: Option<&str>,
    ) {
        let raw = serde_json::value::to_raw_value(&input).expect("JSON");
        assert_eq!(subject(tool, &raw), (text.map(str::to_owned), file.map(str::to_owned)));
    }

    #[test]
    fn a_long_subject_is_cut() {
        let raw = serde_json::value::to_raw_value(&json!({ "command": "x".repeat(5_000) })).expect("JSON");
        assert_eq!(subject("Bash", &raw).0.map(|text| text.len()), Some(CHARS));
    }
}
