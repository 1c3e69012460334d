//! `gateway.json`: what lasts across restarts beside the database, namely the last port and whether transcripts were
//! imported. Keys are in the database.

use crate::folder::write_private;
use hub::Hub;
use serde::{Deserialize, Serialize};
use std::path::Path;

const FILE: &str = "gateway.json";

/// Name of the key that agents were connected with before each could have its own.
const BEFORE: &str = "agents connected before";

/// The content of `gateway.json`.
#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct GatewayFile {
    /// The agents' key of an earlier build. The user's key of that time opens nothing any more.
    #[serde(skip_serializing_if = "Option::is_none")]
    agent_token: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) port: Option<u16>,
    /// True if the transcripts that were there at the first start were imported.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) imported: bool,
}

impl GatewayFile {
    /// The file of a folder; empty where there is none, or none that can be read.
    pub(crate) fn load(folder: &Path) -> Self {
        let Ok(text) = std::fs::read_to_string(folder.join(FILE)) else { return Self::default() };
        serde_json::from_str(&text).unwrap_or_else(|error| {
            tracing::warn!(%error, "{FILE} cannot be read and is begun anew");
            Self::default()
        })
    }

    pub(crate) fn save(&self, folder: &Path) -> anyhow::Result<()> {
        write_private(folder, FILE, &serde_json::to_string_pretty(self)?)
    }

    /// Takes the agents' key of an earlier build over into the database, and out of the file.
    pub(crate) async fn adopt(&mut self, hub: &Hub, folder: &Path) -> anyhow::Result<()> {
        if let Some(secret) = self.agent_token.take() {
            hub.adopt_key(BEFORE, &secret).await?;
            self.save(folder)?;
        }
        Ok(())
    }
}
