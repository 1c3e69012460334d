//! opencode 1, read in the package of 1.18.33.

mod database;
mod rows;
mod runs;

use crate::lists::ListTool;
use crate::transcript::{Transcript, ends};
use crate::{
    Agent, ConfigurationFiles, Entry, EntryForm, Environment, Facts, Invocation, Scope, ServerForm, Syntax, TOOLS,
};
use serde_json::json;
use std::path::{Path, PathBuf};

/// opencode.
pub struct Opencode;

const FACTS: Facts = Facts {
    mcp_clients: &["opencode"],
    resume: Some(&["--session"]),
    server_form: Some(ServerForm::Entry(EntryForm {
        servers: "mcp",
        off: Some(("enabled", false)),
        entry,
        ..EntryForm::MCP_SERVERS
    })),
    list_tools: &[ListTool::new("todowrite")],
    // Beside the database are whole copies of projects.
    nested_transcripts: false,
    ..Facts::new("opencode", "opencode")
};

fn entry(program: &str, arguments: Vec<String>) -> Entry {
    let words: Vec<String> = std::iter::once(program.to_owned()).chain(arguments).collect();
    Entry(vec![("type", json!("local")), ("command", words.into()), ("enabled", json!(true))])
}

impl Agent for Opencode {
    fn facts(&self) -> &'static Facts {
        &FACTS
    }

    /// The prompt is its input: one that is an argument would be put in quotes.
    fn headless_call(&self, prompt: &str) -> Option<Invocation> {
        let permission = r#"{"*":"deny","sightline_todo_write":"allow"}"#;
        let variables = vec![("OPENCODE_PERMISSION", permission)];
        Some(Invocation { variables, input: Some(prompt.to_owned()), ..Invocation::new(&["run"]) })
    }

    /// It reads several files of a folder and merges them; its own `mcp add` writes into the first that exists.
    /// `OPENCODE_CONFIG` and `OPENCODE_CONFIG_DIR` name files that are read beside these, so they move nothing.
    fn files(&self, environment: &Environment, scope: &Scope) -> ConfigurationFiles {
        const NAMES: [&str; 2] = ["opencode.json", "opencode.jsonc"];
        let below = |folder: &Path| NAMES.map(|name| folder.join(name)).to_vec();
        let (servers, own) = match scope {
            Scope::User => {
                let folder = environment.folder_or_home(&["XDG_CONFIG_HOME"], ".config").join("opencode");
                (below(&folder), folder)
            }
            Scope::Project(project) => {
                let own = project.join(".opencode");
                ([below(project), below(&own)].concat(), own)
            }
        };
        ConfigurationFiles { servers, own_folder: Some(own), ..ConfigurationFiles::default() }
    }

    /// The model sees the server's name only: `sightline_todo_write`.
    fn is_our_tool(&self, tool: &str) -> bool {
        let prefix = TOOLS.iter().find_map(|ours| tool.strip_suffix(ours));
        prefix.is_some_and(|prefix| prefix.len() > 1 && prefix.ends_with('_'))
    }

    fn transcript_folders(&self, environment: &Environment) -> Vec<PathBuf> {
        vec![environment.folder_or_home(&["XDG_DATA_HOME"], ".local/share").join("opencode")]
    }

    fn transcript_of(&self, path: &Path) -> Option<PathBuf> {
        let name = path.file_name()?.to_str()?;
        let database = name.strip_suffix("-wal").or_else(|| name.strip_suffix("-shm")).unwrap_or(name);
        let is_database = database.starts_with("opencode") && ends(Path::new(database), "db");
        is_database.then(|| path.with_file_name(database))
    }

    fn open_transcript(&self, _path: &Path) -> Option<Transcript> {
        Some(Transcript::Database(Box::new(database::History::default())))
    }
}
