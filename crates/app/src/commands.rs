//! Shell commands for people to copy, quoted so that they work with any name of the data folder.

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
    let program = sightline()?;
    Some(format!(
        "{} todo write --data-dir {} --session hello {}",
        quoted(&program.display().to_string()),
        quoted(&data_dir.display().to_string()),
        quoted(FIRST_LIST)
    ))
}

/// The command that starts the MCP server on stdio.
pub(crate) fn mcp(data_dir: &Path) -> Option<String> {
    let program = sightline()?;
    Some(format!(
        "{} mcp --data-dir {}",
        quoted(&program.display().to_string()),
        quoted(&data_dir.display().to_string())
    ))
}

/// A word for a shell, quoted if a shell would change it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+:=@%,".contains(c) || (cfg!(windows) && c == '\\');
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    if cfg!(windows) {
        return format!("\"{}\"", word.replace('"', "\\\""));
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(all(test, unix))]
mod tests {
    use super::quoted;

    #[test]
    fn words_for_a_shell() {
        assert_eq!(quoted("/usr/bin/sightline"), "/usr/bin/sightline");
        assert_eq!(quoted("/home/a b/it's"), r"'/home/a b/it'\''s'");
        assert_eq!(quoted("$(rm -rf .)"), "'$(rm -rf .)'");
        assert_eq!(quoted(""), "''");
    }
}
