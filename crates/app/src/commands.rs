//! Shell commands for people to copy, quoted so that they work with any name of the data folder.

use setup::Shell;
use std::path::{Path, PathBuf};

/// The list that the first command sends.
const FIRST_LIST: &str = r#"[{"content":"Send a first list","status":"completed"},{"content":"See it arrive","status":"in_progress","activeForm":"Seeing it arrive"},{"content":"Connect an agent"}]"#;

/// The `sightline` command: this process, or the one beside it.
pub(crate) fn sightline() -> Option<PathBuf> {
    let own = std::env::current_exe().ok()?;
    let name = format!("sightline{}", std::env::consts::EXE_SUFFIX);
    if own.file_name().is_some_and(|file| file == name.as_str()) {
        return Some(own);
    }
    Some(own.with_file_name(name)).filter(|beside| beside.exists())
}

/// The command that sends a first list.
pub(crate) fn first_list(data_dir: &Path) -> Option<String> {
    let (program, data_dir) = (sightline()?, data_dir.display().to_string());
    let program = program.display().to_string();
    let words: [&str; 7] = [&program, "todo", "write", "--data-dir", &data_dir, "--session", "hello"];
    Some(Shell::here().line_with_text(&words, FIRST_LIST))
}

/// The command that starts the MCP server on stdio.
pub(crate) fn mcp(data_dir: &Path) -> Option<String> {
    let (program, data_dir) = (sightline()?, data_dir.display().to_string());
    Some(Shell::here().line(&[&program.display().to_string(), "mcp", "--data-dir", &data_dir]))
}
