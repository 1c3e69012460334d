//! Providers of models: the built-in ones, and those that the user adds.

use genai::adapter::AdapterKind;

/// A provider of models.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Provider {
    /// The part before the colon of a model's name: `[a-z0-9_-]+`.
    pub name: String,
    pub kind: Kind,
    /// Its base address, such as `https://api.openai.com/v1`; if there is none, that of its kind.
    pub endpoint: Option<String>,
    pub key: KeyFrom,
    /// The origin to which the user sends the environment's key, beside the provider's own.
    pub environment: Option<String>,
}

/// The protocol of a provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// OpenAI's chat completions, which most other providers and local servers speak as well.
    OpenAi,
    /// Anthropic's messages.
    Anthropic,
    /// Google's Gemini.
    Gemini,
    /// Ollama's own protocol.
    Ollama,
}

/// The source of a provider's key.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum KeyFrom {
    /// The environment, by the usual name (`NAME_API_KEY`), else the stored key.
    #[default]
    Usual,
    /// The provider needs no key.
    Nowhere,
}

impl Provider {
    /// The providers that exist without configuration.
    #[must_use]
    pub fn built_in() -> [Self; 4] {
        let new = |name: &str, kind, key| Self { name: name.to_owned(), kind, endpoint: None, key, environment: None };
        [
            new("openai", Kind::OpenAi, KeyFrom::Usual),
            new("anthropic", Kind::Anthropic, KeyFrom::Usual),
            new("gemini", Kind::Gemini, KeyFrom::Usual),
            new("ollama", Kind::Ollama, KeyFrom::Nowhere),
        ]
    }

    /// The variables of the environment that may hold its key, in the order of preference.
    #[must_use]
    pub fn variables(&self) -> Vec<String> {
        match &self.key {
            KeyFrom::Nowhere => Vec::new(),
            KeyFrom::Usual => {
                let letter = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' };
                let mut names = vec![format!("{}_API_KEY", self.name.chars().map(letter).collect::<String>())];
                if self.name == "gemini" {
                    names.push("GOOGLE_API_KEY".to_owned());
                }
                names
            }
        }
    }

    /// Its base address, with a slash at the end.
    pub(super) fn base(&self) -> String {
        let address = self.endpoint.as_deref().map(str::trim).filter(|address| !address.is_empty());
        let address = address.unwrap_or_else(|| self.kind.base());
        if address.ends_with('/') { address.to_owned() } else { format!("{address}/") }
    }

    /// The origin to which its key belongs: scheme, host and port. None where its address is no web address.
    #[must_use]
    pub fn origin(&self) -> Option<String> {
        origin(&self.base())
    }

    /// The origin of a built-in provider that the user has not given another address.
    pub(super) fn own_origin(&self) -> Option<String> {
        let built_in = Self::built_in().into_iter().find(|built_in| built_in.name == self.name)?;
        origin(built_in.kind.base())
    }

    /// The environment's key may be sent to its address.
    pub(super) fn takes_environment(&self) -> bool {
        let origin = self.origin();
        origin.is_some() && (origin == self.own_origin() || origin == self.environment)
    }

    /// It does not answer without a key.
    #[must_use]
    pub fn wants_key(&self) -> bool {
        self.key != KeyFrom::Nowhere && (self.endpoint.is_none() || self.kind != Kind::OpenAi)
    }
}

impl Kind {
    fn base(self) -> &'static str {
        match self {
            Self::OpenAi => "https://api.openai.com/v1/",
            Self::Anthropic => "https://api.anthropic.com/v1/",
            Self::Gemini => "https://generativelanguage.googleapis.com/v1beta/",
            Self::Ollama => "http://127.0.0.1:11434/",
        }
    }

    pub(super) fn adapter(self) -> AdapterKind {
        match self {
            Self::OpenAi => AdapterKind::OpenAI,
            Self::Anthropic => AdapterKind::Anthropic,
            Self::Gemini => AdapterKind::Gemini,
            Self::Ollama => AdapterKind::Ollama,
        }
    }
}

fn origin(address: &str) -> Option<String> {
    let url = reqwest::Url::parse(address).ok()?;
    (matches!(url.scheme(), "http" | "https") && url.has_host()).then(|| url.origin().ascii_serialization())
}
