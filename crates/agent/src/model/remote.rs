//! A model at a provider: one answer as a stream, with further tries after one that failed before any part was passed on.

use super::fault::{CallContext, Fault, Retry};
use super::pieces::Pieces;
use super::{Call, Chunk, ChunkStream, ErrorKind, Keys, Kind, Model, ModelError, Provider, Request, Usage, wire};
use backon::{BackoffBuilder, ExponentialBackoff, ExponentialBuilder};
use futures_util::StreamExt;
use genai::ModelIden;
use genai::chat::{ChatStream, ChatStreamEvent, StreamEnd, ToolCall};
use genai::resolver::{AuthData, Endpoint, ServiceTargetResolver};
use protocol::say;
use secrecy::{ExposeSecret, SecretString};
use std::collections::HashMap;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

/// Limits of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Tries at most.
    pub tries: u32,
    /// The wait before the second try; twice as long before each further one.
    pub wait: Duration,
    /// The longest time without any data from the provider.
    pub silence: Duration,
    /// Bytes of text, reasoning and tool calls together.
    pub bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        let (wait, silence) = (Duration::from_millis(500), Duration::from_secs(120));
        Self { tries: 4, wait, silence, bytes: 4 * 1024 * 1024 }
    }
}

/// A model at a provider.
#[derive(Debug, Clone)]
pub(super) struct Remote {
    pub(super) provider: Provider,
    pub(super) name: String,
    pub(super) keys: Arc<Keys>,
    pub(super) http: reqwest::Client,
    pub(super) limits: Limits,
}

impl Model for Remote {
    fn stream(&self, request: Request) -> ChunkStream {
        let pauses = ExponentialBuilder::default()
            .with_min_delay(self.limits.wait)
            .with_max_times(self.limits.tries.saturating_sub(1) as usize)
            .build();
        let stream = AnswerStream {
            remote: self.clone(),
            json: request.json,
            request,
            key: None,
            pauses,
            tries: 1,
            pause: None,
            attempt: None,
            has_begun: false,
            over: false,
        };
        futures_util::stream::unfold(stream, AnswerStream::next).boxed()
    }
}

/// One answer, from the first try to the last.
struct AnswerStream {
    remote: Remote,
    request: Request,
    /// JSON is still asked for.
    json: bool,
    key: Option<SecretString>,
    pauses: ExponentialBackoff,
    /// Tries so far, with the one that is waited for.
    tries: u32,
    pause: Option<Duration>,
    attempt: Option<Attempt>,
    /// A part of the answer was passed on.
    has_begun: bool,
    over: bool,
}

/// One try.
struct Attempt {
    stream: ChatStream,
    pieces: Arc<Pieces>,
    /// Bytes of text and reasoning.
    bytes: usize,
    /// Bytes of the calls, by their ids: some adapters repeat earlier parts.
    calls: HashMap<String, usize>,
}

impl AnswerStream {
    async fn next(mut self) -> Option<(Result<Chunk, ModelError>, Self)> {
        if self.over {
            return None;
        }
        let chunk = match self.step().await {
            Ok(chunk) => Ok(chunk),
            Err(fault) => self.failed(fault),
        };
        self.over = matches!(chunk, Err(_) | Ok(Chunk::End { .. }));
        if self.over {
            self.attempt = None;
        }
        Some((chunk, self))
    }

    /// Prepares another try after a fault, or returns the error.
    fn failed(&mut self, fault: Fault) -> Result<Chunk, ModelError> {
        let Fault { mut error, again } = fault;
        self.attempt = None;
        if self.has_begun {
            if matches!(again, Retry::Soon | Retry::After(_) | Retry::Begun) && error.kind != ErrorKind::TooLarge {
                error.kind = ErrorKind::Dropped;
            }
            return Err(error);
        }
        let next = match again {
            Retry::No | Retry::Begun => None,
            Retry::Soon => self.pauses.next(),
            Retry::After(wait) => self.pauses.next().map(|_| wait),
            Retry::Plain => {
                self.json = false;
                self.pauses.next().map(|_| Duration::ZERO)
            }
        };
        let Some(wait) = next else {
            if self.tries > 1 {
                error.text.push_str(&format!(" ({} tries)", self.tries));
            }
            return Err(error);
        };
        self.tries += 1;
        self.pause = Some(wait);
        Ok(Chunk::Retrying { attempt: self.tries, of: self.remote.limits.tries, wait, why: error.text })
    }

    /// The next chunk of this try.
    async fn step(&mut self) -> Result<Chunk, Fault> {
        if let Some(pause) = self.pause.take() {
            tokio::time::sleep(pause).await;
        }
        if self.attempt.is_none() {
            self.attempt = Some(self.begin().await?);
        }
        let asked = CallContext {
            provider: &self.remote.provider,
            model: &self.remote.name,
            key: self.key.as_ref(),
            json: self.json,
        };
        let Some(answer) = &mut self.attempt else { return Err(asked.broken("")) };
        loop {
            let event = quietly(answer.stream.next()).await;
            match &event {
                Some(Ok(ChatStreamEvent::Chunk(chunk) | ChatStreamEvent::ReasoningChunk(chunk))) => {
                    answer.bytes += chunk.content.len();
                }
                Some(Ok(ChatStreamEvent::ToolCallChunk(chunk))) if self.remote.provider.kind != Kind::OpenAi => {
                    let call = &chunk.tool_call;
                    answer.calls.insert(call.call_id.clone(), size(call));
                }
                _ => {}
            }
            let bytes = answer.bytes + answer.pieces.bytes() + answer.calls.values().sum::<usize>();
            if bytes > self.remote.limits.bytes {
                return Err(too_large(&self.remote));
            }
            match event {
                Some(Ok(ChatStreamEvent::Chunk(chunk))) if !chunk.content.is_empty() => {
                    self.has_begun = true;
                    return Ok(Chunk::Text(chunk.content));
                }
                Some(Ok(ChatStreamEvent::ReasoningChunk(chunk))) if !chunk.content.is_empty() => {
                    self.has_begun = true;
                    return Ok(Chunk::Reasoning(chunk.content));
                }
                Some(Ok(ChatStreamEvent::End(end))) => {
                    return answer.end(self.remote.provider.kind, end).ok_or_else(|| asked.broken(""));
                }
                Some(Ok(_)) => {}
                Some(Err(error)) => return Err(asked.read(&error)),
                // Some servers leave out the mark of the end.
                None if answer.pieces.is_finished() => {
                    let (calls, cut) = (wire::distinct(answer.pieces.calls()), answer.pieces.cut());
                    return Ok(Chunk::End { calls, usage: None, cut });
                }
                None => return Err(asked.broken("")),
            }
        }
    }

    /// Begins a try. The connection is made when its stream is first polled.
    async fn begin(&mut self) -> Result<Attempt, Fault> {
        let Remote { provider, name, keys, http, limits } = &self.remote;
        self.key = key(keys, provider).await.map_err(|error| Fault { error, again: Retry::No })?;
        let asked = CallContext { provider, model: name, key: self.key.as_ref(), json: self.json };
        if self.key.is_none() && provider.wants_key() {
            return Err(Fault { error: asked.keyless(), again: Retry::No });
        }
        let pieces = Arc::new(Pieces::default());
        let mut options = wire::options(provider.kind, self.json)
            .with_stream_header_timeout(limits.silence)
            .with_stream_read_timeout(limits.silence);
        if provider.kind == Kind::OpenAi {
            options = options.with_raw_frame_sink_arc(pieces.clone());
        }
        if let (Kind::Ollama, Some(key)) = (provider.kind, &self.key) {
            // genai sends no key to Ollama; this is for a server behind a gate.
            options = options.with_extra_headers(bearer(key));
        }
        let client = client(provider, self.key.as_ref(), http.clone()).map_err(|error| asked.read(&error))?;
        let model = ModelIden::new(provider.kind.adapter(), name.as_str());
        let request = wire::request(provider.kind, &self.request);
        let answer = client.exec_chat_stream(model, request, Some(&options)).await;
        let stream = answer.map_err(|error| asked.read(&error))?.stream;
        Ok(Attempt { stream, pieces, bytes: 0, calls: HashMap::new() })
    }
}

impl Attempt {
    /// The end of the answer; none if the adapter made it up after the connection had broken.
    fn end(&self, kind: Kind, end: StreamEnd) -> Option<Chunk> {
        let is_made_up = match kind {
            Kind::OpenAi | Kind::Anthropic => false,
            Kind::Gemini => end.captured_stop_reason.is_none(),
            Kind::Ollama => end.captured_usage.is_none(),
        };
        if is_made_up {
            return None;
        }
        let tokens = |count: Option<i32>| count.and_then(|count| u64::try_from(count).ok());
        let usage = end.captured_usage.as_ref().and_then(|usage| {
            let (input, output) = (tokens(usage.prompt_tokens), tokens(usage.completion_tokens));
            let some = input.is_some() || output.is_some();
            let (input_tokens, output_tokens) = (input.unwrap_or(0), output.unwrap_or(0));
            some.then(|| Usage { input_tokens, output_tokens, cost: self.pieces.cost() })
        });
        let cut = end.captured_stop_reason.as_ref().and_then(wire::cut).or(self.pieces.cut());
        let calls: Vec<Call> = match kind {
            Kind::OpenAi => self.pieces.calls(),
            _ => wire::calls(end.captured_into_tool_calls().unwrap_or_default()),
        };
        Some(Chunk::End { calls: wire::distinct(calls), usage, cut })
    }
}

fn size(call: &ToolCall) -> usize {
    let args = call.fn_arguments.as_str().map_or_else(|| call.fn_arguments.to_string().len(), str::len);
    args + call.fn_name.len() + call.call_id.len()
}

fn too_large(remote: &Remote) -> Fault {
    let text = say::model_too_long(&remote.provider.name, remote.limits.bytes / 1024);
    Fault { error: ModelError::new(ErrorKind::TooLarge, text), again: Retry::No }
}

fn bearer(key: &SecretString) -> genai::Headers {
    ("Authorization".to_owned(), format!("Bearer {}", key.expose_secret())).into()
}

/// Polls a future of genai without its log: it logs whole error texts, in which a server may repeat the key.
pub(super) async fn quietly<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    poll_fn(|cx| tracing::dispatcher::with_default(&tracing::Dispatch::none(), || future.as_mut().poll(cx))).await
}

/// A provider's key, looked up on a thread of its own since that may block.
///
/// # Errors
/// When its key belongs to another address.
pub(super) async fn key(keys: &Arc<Keys>, provider: &Provider) -> Result<Option<SecretString>, ModelError> {
    let (keys, of) = (keys.clone(), provider.clone());
    let found = tokio::task::spawn_blocking(move || keys.get(&of)).await.unwrap_or(Ok(None));
    found.map_err(|withheld| ModelError::new(ErrorKind::NoKey, withheld.text(provider)))
}

/// A client of genai for this provider and nothing else.
pub(super) fn client(
    provider: &Provider,
    key: Option<&SecretString>,
    http: reqwest::Client,
) -> genai::Result<genai::Client> {
    let base = provider.base();
    let auth = match key {
        Some(key) => AuthData::from_single(key.expose_secret()),
        None if provider.kind == Kind::OpenAi => {
            // Without a key there is no header for it.
            AuthData::RequestOverride { url: format!("{base}chat/completions"), headers: genai::Headers::default() }
        }
        None => AuthData::from_single(""),
    };
    let target = move |mut target: genai::ServiceTarget| -> genai::resolver::Result<genai::ServiceTarget> {
        target.endpoint = Endpoint::from_owned(base);
        target.auth = auth;
        Ok(target)
    };
    genai::Client::builder()
        .with_reqwest(http)
        .with_adapter_kind(provider.kind.adapter())
        .with_service_target_resolver(ServiceTargetResolver::from_resolver_fn(target))
        .build()
}
