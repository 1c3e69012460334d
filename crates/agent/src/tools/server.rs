//! A tool server as the user configures it.

use crate::model::keys::Environment;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// An MCP server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Server {
    /// What the user calls it; names it among the servers.
    pub name: String,
    /// How it is reached.
    pub at: At,
}

/// How a server is reached. The values of `env` and `headers` may name variables of the environment, as `${NAME}`, so
/// that no secret is stored with them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum At {
    /// It is started, and spoken to over its standard input and output.
    Process {
        /// The program, looked for in `PATH`.
        command: String,
        /// Its arguments.
        args: Vec<String>,
        /// Variables beside the usual ones.
        env: BTreeMap<String, String>,
        /// The folder in which it runs; that of the gateway where there is none.
        cwd: Option<PathBuf>,
    },
    /// It runs elsewhere, and speaks streamable HTTP.
    Url {
        /// Its address.
        url: String,
        /// Headers of every request.
        headers: BTreeMap<String, String>,
    },
}

/// A value with each `${NAME}` in it looked up.
///
/// # Errors
/// When a variable is not set.
pub(super) fn expand(value: &str, environment: &Environment) -> Result<String, String> {
    let mut expanded = String::with_capacity(value.len());
    let mut rest = value;
    while let Some((before, after)) = rest.split_once("${") {
        expanded.push_str(before);
        match after.split_once('}').filter(|(name, _)| is_variable(name)) {
            Some((name, behind)) => {
                let found = environment(name);
                expanded.push_str(&found.ok_or_else(|| format!("The variable {name} is not set in the environment."))?);
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
