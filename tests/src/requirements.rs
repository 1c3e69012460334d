//! `docs/requirements.md` against the repository: the tests that it names, the rows that the code cites, and the few
//! requirements that are about the repository itself.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Folders with code that may cite a row.
const CODE: [&str; 7] = ["crates", "fuzz/fuzz_targets", "migrations", "src-tauri/src", "tests", "ui/src", "xtask"];
/// Folders in them that hold what others wrote, or what was built.
const NOT_OURS: [&str; 6] = ["__pycache__", "dist", "gen", "node_modules", "recordings", "target"];
const EXTENSIONS: [&str; 7] = ["mjs", "py", "rs", "sql", "svelte", "ts", "toml"];

/// One requirement, as the document has it.
#[derive(Debug, PartialEq)]
struct Row<'a> {
    name: &'a str,
    /// Paths and names of tests.
    proofs: Vec<(&'a str, &'a str)>,
    says_why_not: bool,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn rows(document: &str) -> Vec<Row<'_>> {
    let mut rows: Vec<Row<'_>> = Vec::new();
    for line in document.lines() {
        if let Some(name) = line.strip_prefix("### ") {
            rows.push(Row { name, proofs: Vec::new(), says_why_not: false });
        } else if let Some(row) = rows.last_mut() {
            let proof = line.strip_prefix("- `").and_then(|rest| rest.strip_suffix('`')?.split_once("::"));
            row.proofs.extend(proof);
            row.says_why_not |= line.starts_with("Not proven, because ");
        }
    }
    rows
}

/// Problems of the rows, given the text of each file that a proof names.
fn problems(rows: &[Row<'_>], text_of: impl Fn(&str) -> Option<String>) -> Vec<String> {
    let mut problems = Vec::new();
    for row in rows {
        if row.proofs.is_empty() && !row.says_why_not {
            problems.push(format!("{} has no proof and does not say why", row.name));
        }
        for (path, name) in &row.proofs {
            match text_of(path) {
                None => problems.push(format!("{}: there is no file {path}", row.name)),
                Some(text) if !has_test(path, &text, name) => {
                    problems.push(format!("{}: {path} has no test \"{name}\"", row.name));
                }
                Some(_) => {}
            }
        }
    }
    problems
}

/// True if a file has a test of that name: a function in Rust and Python, a title in TypeScript.
fn has_test(path: &str, text: &str, name: &str) -> bool {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    match Path::new(path).extension().and_then(|extension| extension.to_str()) {
        Some("rs") => lines.iter().enumerate().any(|(at, line)| {
            let declared = line.strip_prefix("async ").unwrap_or(line).strip_prefix("fn ");
            let marked = |above: &&str| ["#[test]", "#[rstest", "#[tokio::test"].iter().any(|it| above.starts_with(it));
            declared.is_some_and(|rest| rest.strip_prefix(name).is_some_and(|rest| rest.starts_with('(')))
                && lines[..at].iter().rev().take_while(|above| !above.is_empty()).any(marked)
        }),
        Some("py") => {
            let declared = [format!("def {name}("), format!("async def {name}(")];
            name.starts_with("test_") && text.lines().any(|line| declared.iter().any(|it| line.starts_with(it)))
        }
        Some("ts") => ['"', '\'', '`'].iter().any(|quote| {
            let title = format!("{quote}{name}{quote}");
            let declared = |before: &str| {
                let before = before.trim_end();
                // A test of several cases: `test.each(cases)("…")`, with its cases on one line or on several.
                let has_cases = before.rfind("test.each(") > before.rfind("\ntest(");
                before.ends_with("test(") || has_cases && before.ends_with(")(")
            };
            text.match_indices(&title).any(|(at, _)| declared(&text[..at]))
        }),
        _ => false,
    }
}

/// The rows that the comments of a text cite.
fn cited(text: &str) -> impl Iterator<Item = &str> {
    let is_comment = |line: &&str| ["//", "# ", "* ", "/*", "--", "\"\"\""].iter().any(|it| line.starts_with(it));
    let is_row = |word: &&str| {
        let digits = word.strip_prefix(['A', 'D', 'G', 'H', 'K', 'P', 'S', 'T']).unwrap_or_default();
        (1..=2).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit())
    };
    text.lines()
        .map(str::trim_start)
        .filter(is_comment)
        .flat_map(|line| line.split(|letter: char| !letter.is_alphanumeric()))
        .filter(is_row)
}

/// Every file of ours below a folder that may have comments.
fn code_below(folder: &Path, files: &mut Vec<PathBuf>) {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    for path in entries.map(|entry| entry.expect("an entry of the folder").path()) {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if path.is_dir() {
            if !name.starts_with('.') && !NOT_OURS.contains(&name) {
                code_below(&path, files);
            }
        } else if path.extension().and_then(|it| it.to_str()).is_some_and(|it| EXTENSIONS.contains(&it)) {
            files.push(path);
        }
    }
}

#[test]
fn every_row_is_proven_by_tests_that_are_there() {
    let document = read("docs/requirements.md");
    let problems = problems(&rows(&document), |path| fs::read_to_string(root().join(path)).ok());
    assert!(problems.is_empty(), "docs/requirements.md:\n{}", problems.join("\n"));
}

#[test]
fn every_row_that_the_code_cites_is_written_down() {
    let document = read("docs/requirements.md");
    let known: BTreeSet<&str> = rows(&document).iter().map(|row| row.name).collect();
    let mut files = Vec::new();
    CODE.iter().for_each(|folder| code_below(&root().join(folder), &mut files));
    let mut found = BTreeSet::new();
    for file in files {
        let text = fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        for row in cited(&text) {
            assert!(known.contains(row), "{} cites {row}, which docs/requirements.md lacks", file.display());
            found.insert(row.to_owned());
        }
    }
    assert!(found.len() > 40, "the citations are found: {found:?}");
}

#[test]
fn what_is_wrong_with_a_row_is_found() {
    let document = "### D1\n- `a.rs::there`\n- `a.rs::helper`\n- `a.rs::gone`\n- `b.py::test_there`\n### D2\nText.\n\
                    ### D3\nNot proven, because it is new.\n### D4\n- `c.ts::a title`\n- `c.ts::no title`\n";
    let text_of = |path: &str| match path {
        "a.rs" => Some("#[tokio::test]\nasync fn there() {\n\nfn helper() {\n".to_owned()),
        "c.ts" => Some("test(\n  \"a title\", async () => {\n    say(\"no title\")".to_owned()),
        _ => None,
    };
    let expected = [
        "D1: a.rs has no test \"helper\"",
        "D1: a.rs has no test \"gone\"",
        "D1: there is no file b.py",
        "D2 has no proof and does not say why",
        "D4: c.ts has no test \"no title\"",
    ];
    assert_eq!(problems(&rows(document), text_of), expected);
    let text =
        "// D1, T14: so\nlet p1 = \"D9\";\n# K3\n#[case(D8)]\n//! (requirement P10)\n// D100 X1 4D2\n// S7: so, A23";
    assert_eq!(cited(text).collect::<Vec<_>>(), ["D1", "T14", "K3", "P10", "S7", "A23"]);
}

// D7
#[test]
fn the_top_level_is_as_it_was_asked_for() {
    for name in ["Cargo.toml", "tauri.conf.json"] {
        assert!(root().join(name).is_file(), "{name}");
    }
    for name in ["migrations", "src-tauri", "tests", "ui"] {
        assert!(root().join(name).is_dir(), "{name}");
    }
}

// P9
#[test]
fn the_guide_has_an_example_of_every_command() {
    let guide = read("docs/guide.md");
    let section = guide.split("\n## ").find(|part| part.starts_with("Command bar")).expect("a section on commands");
    for usage in protocol::command::COMMANDS {
        let forms = [format!("`/todo {}", usage.name), format!("`/{} ", usage.name)];
        assert!(forms.iter().any(|form| section.contains(form)), "the guide has no example of {}", usage.name);
    }
}
