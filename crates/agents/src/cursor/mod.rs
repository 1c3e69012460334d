//! Cursor, from its documentation of November 2026. The program itself was not tried.

use crate::{Agent, ConfigurationFiles, Environment, Facts, Scope, ServerForm};

pub struct Cursor;

const FACTS: Facts =
    Facts { mcp_clients: &["cursor"], server_form: Some(ServerForm::MCP_SERVERS), ..Facts::new("cursor", "Cursor") };

impl Agent for Cursor {
    fn facts(&self) -> &'static Facts {
        &FACTS
    }

    fn files(&self, environment: &Environment, scope: &Scope) -> ConfigurationFiles {
        let folder = match scope {
            Scope::User => environment.home.join(".cursor"),
            Scope::Project(project) => project.join(".cursor"),
        };
        ConfigurationFiles {
            servers: vec![folder.join("mcp.json")],
            own_folder: Some(folder),
            ..ConfigurationFiles::default()
        }
    }
}
