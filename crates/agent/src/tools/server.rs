//! A tool server as the user configures it.

use super::folder::Folder;
use crate::model::keys::Environment;
use protocol::{Text, say};
use std::collections::BTreeMap;

/// An MCP server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Server {
    /// The user's name for it, unique among the servers.
    pub name: String,
    pub transport: Transport,
}

/// The way to a server. The values of `env` and `headers` may name variables of the environment as `${NAME}`, so that no
/// secret is stored with them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Transport {
    /// A process of ours, over its standard input and output.
    Process {
        /// The program, looked for in `PATH`.
        command: String,
        args: Vec<String>,
        /// Variables in addition to the usual ones.
        env: BTreeMap<String, String>,
        /// The folder in which it runs; if there is none, that of the gateway.
        cwd: Option<Folder>,
        /// It writes to that folder only, and sees neither our data nor the user's secrets.
        confined: bool,
    },
    /// A server elsewhere, over streamable HTTP.
    Url {
        url: String,
        /// Headers of every request.
        headers: BTreeMap<String, String>,
    },
}

/// Replaces each `${NAME}` in a value by the variable's value.
///
/// # Errors
/// When a variable is not set.
pub(super) fn expand(value: &str, environment: &Environment) -> Result<String, Text> {
    let mut expanded = String::with_capacity(value.len());
    let mut rest = value;
    while let Some((before, after)) = rest.split_once("${") {
        expanded.push_str(before);
        match after.split_once('}').filter(|(name, _)| is_variable(name)) {
            Some((name, behind)) => {
                let found = environment(name);
                expanded.push_str(&found.ok_or_else(|| say::server_variable(name))?);
                rest = behind;
            }
            None => {
                expanded.push_str("${");
                rest = after;
            }
        }
    }
    expanded.push_str(rest);
    Ok(expanded)
}

fn is_variable(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}
