//! Models that the built-in agent can use, their providers, and the providers' keys.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use texts::TextRef;
use ts_rs::TS;

/// Asks for the models of the built-in agent.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
pub struct ChatModels {}

/// The models of the built-in agent.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
pub struct ChatModelList {
    /// Their providers, those without configuration first.
    pub providers: Vec<ChatProviderModels>,
}

/// A provider and its models.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChatProviderModels {
    /// Name of the provider: the part of a model's name before the colon.
    pub name: String,
    /// Its models, each `provider:model`.
    pub models: Vec<String>,
    /// Why its models cannot be asked for, and what to do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub problem: Option<String>,
    /// The same in the catalogue, for clients that show it to people in their own language.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub problem_text: Option<TextRef>,
    /// Place of its key: `environment`, `keyring`, `file`, or empty where there is none.
    pub key: String,
    /// It does not answer without a key.
    pub needs_key: bool,
}

/// Tests a model with a short question.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
pub struct ChatTest {
    /// The model, `provider:model`.
    pub model: String,
}

/// Asks for the providers whose keys are kept. The keys themselves are never given out.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
pub struct VaultKeysList {}

/// Providers with a key.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct VaultKeys {
    /// Place of each provider's key, by the provider's name: `environment`, `keyring` or `file`.
    pub keys: BTreeMap<String, String>,
    /// Origin of each provider's address, such as `https://api.openai.com`, to which its key belongs.
    pub origins: BTreeMap<String, String>,
    /// Why the key of a provider is not sent to its address, by the provider's name, and what to do.
    pub withheld: BTreeMap<String, String>,
    /// The same in the catalogue, for clients that show it to people in their own language.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[ts(as = "Option<BTreeMap<String, TextRef>>", optional)]
    pub withheld_texts: BTreeMap<String, TextRef>,
}

/// Keeps a provider's key, in the system's keyring where there is one.
#[derive(Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
pub struct VaultKeysSet {
    /// Name of the provider.
    pub provider: String,
    /// The key.
    pub key: String,
    /// Origin that the key is for; refused where the provider has another address by now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub origin: Option<String>,
}

impl std::fmt::Debug for VaultKeysSet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("VaultKeysSet").field("provider", &self.provider).finish_non_exhaustive()
    }
}

/// Removes a provider's key.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
pub struct VaultKeysDelete {
    /// Name of the provider.
    pub provider: String,
}
