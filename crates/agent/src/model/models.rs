//! Models by their names.

use super::fault::CallContext;
use super::remote::{Remote, client, key, quietly};
use super::{Chunk, ErrorKind, Keys, Limits, Message, Model, ModelError, Provider, Request};
use crate::http::Clients;
use futures_util::StreamExt;
use genai::resolver::{AuthData, Endpoint};
use protocol::say;
use secrecy::ExposeSecret;
use std::sync::Arc;
use std::time::Duration;

/// Time limit for a list of models.
const LISTING: Duration = Duration::from_secs(20);

#[derive(Debug, Clone)]
pub struct Models {
    providers: Vec<Provider>,
    keys: Arc<Keys>,
    clients: Arc<Clients>,
    limits: Limits,
}

impl Models {
    /// The built-in providers and the user's own. An own provider replaces a built-in one of the same name.
    #[must_use]
    pub fn new(own: Vec<Provider>, keys: Arc<Keys>) -> Self {
        Self { providers: Vec::new(), keys, clients: Arc::default(), limits: Limits::default() }.with_own(own)
    }

    /// The same with these providers of the user's own; open connections stay in use.
    #[must_use]
    pub fn with_own(mut self, own: Vec<Provider>) -> Self {
        let is_own = |built_in: &Provider| own.iter().any(|own| own.name == built_in.name);
        self.providers = Provider::built_in().into_iter().filter(|it| !is_own(it)).collect();
        self.providers.extend(own);
        self
    }

    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// All providers, the built-in ones first.
    #[must_use]
    pub fn providers(&self) -> &[Provider] {
        &self.providers
    }

    #[must_use]
    pub fn keys(&self) -> &Arc<Keys> {
        &self.keys
    }

    /// The model of this name, `provider:model`. Whether it exists, and whether there is a key, is only known when it is used.
    ///
    /// # Errors
    /// When the provider is unknown, the name has no model, or the provider's endpoint is no web address.
    pub fn model(&self, name: &str) -> Result<Arc<dyn Model>, ModelError> {
        Ok(Arc::new(self.remote(name, self.limits)?))
    }

    /// The names of a provider's models, without the provider, sorted.
    ///
    /// # Errors
    /// Those of an answer; there is only one try.
    pub async fn models(&self, provider: &str) -> Result<Vec<String>, ModelError> {
        let provider = self.provider(provider)?;
        let key = key(&self.keys, provider).await?;
        let asked = CallContext { provider, model: "", key: key.as_ref(), json: false };
        if key.is_none() && provider.wants_key() {
            return Err(asked.keyless());
        }
        let base = provider.base();
        let http = self.http(provider)?;
        let client = client(provider, key.as_ref(), http).map_err(|error| asked.read(&error).error)?;
        let auth = key.as_ref().map_or(AuthData::None, |key| AuthData::from_single(key.expose_secret()));
        let names = client.all_model_names(provider.kind.adapter(), (Endpoint::from_owned(base), auth));
        let Ok(names) = tokio::time::timeout(LISTING, quietly(names)).await else {
            let text = say::model_not_named(&provider.name);
            return Err(ModelError::new(ErrorKind::Unreachable, text));
        };
        let mut names = names.map_err(|error| asked.read(&error).error)?;
        names.sort_unstable();
        names.dedup();
        Ok(names)
    }

    /// Asks a model for one word, and waits for the beginning of its answer.
    ///
    /// # Errors
    /// Those of an answer; there is only one try.
    pub async fn test(&self, model: &str) -> Result<(), ModelError> {
        let model = self.remote(model, Limits { tries: 1, ..self.limits })?;
        let messages = vec![Message::User("Answer with the word ok.".to_owned())];
        let mut answer = model.stream(Request { messages, ..Request::default() });
        loop {
            match answer.next().await {
                Some(Ok(Chunk::Retrying { .. })) => {}
                Some(Ok(_)) => return Ok(()),
                Some(Err(error)) => return Err(error),
                None => return Err(ModelError::new(ErrorKind::Unreachable, say::model_no_answer())),
            }
        }
    }

    fn provider(&self, name: &str) -> Result<&Provider, ModelError> {
        self.providers.iter().find(|provider| provider.name == name).ok_or_else(|| {
            let names: Vec<&str> = self.providers.iter().map(|provider| provider.name.as_str()).collect();
            let text = say::model_no_provider(todo::short(name), names.join(", "));
            ModelError::new(ErrorKind::NoSuchModel, text)
        })
    }

    fn remote(&self, name: &str, limits: Limits) -> Result<Remote, ModelError> {
        let named = name.split_once(':').filter(|(provider, model)| !provider.is_empty() && !model.trim().is_empty());
        let Some((provider, model)) = named else {
            let text = say::model_name(todo::short(name));
            return Err(ModelError::new(ErrorKind::NoSuchModel, text));
        };
        let provider = self.provider(provider)?.clone();
        let http = self.http(&provider)?;
        Ok(Remote { provider, name: model.trim().to_owned(), keys: self.keys.clone(), http, limits })
    }

    fn http(&self, provider: &Provider) -> Result<reqwest::Client, ModelError> {
        let base = provider.base();
        if !reqwest::Url::parse(&base).is_ok_and(|url| matches!(url.scheme(), "http" | "https") && url.has_host()) {
            let text = say::model_no_address(&provider.name);
            return Err(ModelError::new(ErrorKind::Other, text));
        }
        self.clients.of(&base).map_err(|_| ModelError::new(ErrorKind::Other, say::model_no_certificates()))
    }
}
