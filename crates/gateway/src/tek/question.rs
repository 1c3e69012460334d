//! Messages of the older protocol that a request of Sightline's answers, and the form of their answers.

use super::forms;
use protocol::{
    ChatModelList, ChatModels, ChatProviderModels, Code, Error, ProviderKind, Reply, Request, Settings, SettingsGet,
};
use serde::Deserialize;
use serde_json::{Value, json};

/// A message whose answer has fields that only the older protocol has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Question {
    Config,
    /// The models of a provider.
    Models(String),
    /// A try of a provider's key: its models are asked for.
    KeyTest(String),
    /// A provider's key was set or deleted.
    KeyKept(String),
}

#[derive(Deserialize)]
struct AboutProvider {
    provider: String,
}

impl Question {
    /// Reads a question, and the request that answers it.
    pub(super) fn read(kind: &str, fields: Value) -> Result<(Request, Self), Error> {
        if kind == "config.get" {
            return Ok((SettingsGet {}.into(), Self::Config));
        }
        let Ok(AboutProvider { provider }) = serde_json::from_value(fields) else {
            let problem = format!("\"{kind}\" needs \"provider\", the name of a provider of models");
            return Err(Error::new(Code::InvalidMessage, problem));
        };
        let question = if kind == "vault.keys.test" { Self::KeyTest(provider) } else { Self::Models(provider) };
        Ok((ChatModels {}.into(), question))
    }

    /// Returns the question behind a request that both protocols have, where the answer alone does not tell enough.
    pub(super) fn of(request: &Request) -> Option<Self> {
        match request {
            Request::VaultKeysSet(ask) => Some(Self::KeyKept(ask.provider.clone())),
            Request::VaultKeysDelete(ask) => Some(Self::KeyKept(ask.provider.clone())),
            _ => None,
        }
    }

    /// Returns the answer.
    pub(super) fn answer(&self, reply: &Reply, id: Option<&str>, port: u16) -> Value {
        match (self, reply) {
            (Self::Config, Reply::SettingsGet(settings)) => {
                forms::answer("config.get.result", id, json!({ "config": config(settings, port) }))
            }
            (Self::Models(provider), Reply::ChatModels(list)) => match find(list, provider) {
                Ok(found) => {
                    let models: Vec<Value> = found.models.iter().map(|model| form(&found.name, model)).collect();
                    let fields = json!({ "provider": provider, "models": models });
                    forms::answer("provider.models.list.result", id, fields)
                }
                Err(problem) => forms::error(id, &Code::ProviderNotConfigured, &problem),
            },
            (Self::KeyTest(provider), Reply::ChatModels(list)) => {
                let mut fields = json!({ "provider": provider, "success": true });
                if let Err(problem) = find(list, provider) {
                    fields["success"] = false.into();
                    fields["error"] = problem.into();
                }
                forms::answer("vault.keys.test.result", id, fields)
            }
            (Self::KeyKept(provider), reply) => {
                let mut form = forms::reply(reply, id);
                form["provider"] = provider.as_str().into();
                form["success"] = true.into();
                form
            }
            (_, reply) => forms::reply(reply, id),
        }
    }
}

fn config(settings: &Settings, port: u16) -> Value {
    let is_ollama = |provider: &&protocol::ChatProvider| provider.kind == ProviderKind::Ollama;
    let endpoints = settings.chat_providers.iter().filter(is_ollama);
    let endpoints: Vec<Value> = endpoints.map(|one| json!({ "name": one.name, "url": one.endpoint })).collect();
    json!({
        "apiEndpoint": { "host": "127.0.0.1", "port": port },
        "defaultModel": settings.chat_model,
        "ollamaEndpoints": endpoints,
        "onboardingComplete": true,
    })
}

/// Finds a provider that can be asked, or says why there is none.
fn find<'a>(list: &'a ChatModelList, provider: &str) -> Result<&'a ChatProviderModels, String> {
    let Some(found) = list.providers.iter().find(|known| known.name == provider) else {
        let names: Vec<&str> = list.providers.iter().map(|known| known.name.as_str()).collect();
        let provider = todo::text::plain(&todo::short(provider));
        return Err(format!("there is no provider \"{provider}\"; there are {}", names.join(", ")));
    };
    found.problem.clone().map_or(Ok(found), Err)
}

/// A model; the older protocol sorts models into tiers, which Sightline does not.
fn form(provider: &str, model: &str) -> Value {
    let name = model.strip_prefix(provider).and_then(|rest| rest.strip_prefix(':')).unwrap_or(model);
    json!({ "modelId": name, "name": name, "tier": "standard" })
}
