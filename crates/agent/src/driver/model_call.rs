//! One call of the model until its answer is complete. Text goes to the session as it streams.

use super::answer;
use super::update::{ModelAnswer, Update, UpdateSender};
use crate::fsm::{Answer, CALLS_AT_ONCE, ModelReply, Purpose, ToolCall};
use crate::model::{Call, Chunk, Cut, ErrorKind, Message, Model, ModelError, Request, Usage};
use crate::prompt::DONE_TOOL;
use crate::wat::{Limits, Reader, Scan, join};
use backon::{BackoffBuilder, ExponentialBuilder};
use futures_util::StreamExt;
use protocol::{Text, say};
use std::sync::Arc;
use std::time::Duration;
use todo::Draft;
use todo::text::Token;

/// Further requests for an answer that broke off.
const AGAIN: usize = 2;

/// The wait before the first of these; twice as long before the next.
const PAUSE: Duration = Duration::from_secs(1);

/// Tool calls of one answer that get a result; those beyond [`CALLS_AT_ONCE`] are rejected.
const CALLS_ANSWERED: usize = 2 * CALLS_AT_ONCE;

/// Broken blocks of an answer that are reported one by one.
const REPORTED: usize = 3;

/// Blocks of an answer that change the list as they come; of further blocks only the last does.
const BLOCKS: usize = 50;

/// Continuations of one answer with the results of the model's computations.
const COMPUTATIONS: u32 = 5;

/// The message that asks it to.
const GO_ON: &str = "Your computations are done: their results stand in <computed>. Go on with your answer from there; \
do not repeat it.";

/// A call of the model, to be made.
pub(super) struct ModelCall {
    pub(super) model: Arc<dyn Model>,
    pub(super) request: Request,
    pub(super) purpose: Purpose,
    /// Further calls that its answer may take.
    pub(super) more: u32,
    /// Makes ids for the tool calls: the model's own are at most unique within an answer.
    pub(super) new_id: Arc<dyn Fn() -> String + Send + Sync>,
}

/// The answer so far.
#[derive(Default)]
struct PartialAnswer {
    text: String,
    /// The text with each computation before its result.
    source: String,
    prose: String,
    reasoning: String,
    calls: Vec<Call>,
    usage: Usage,
    /// It has computations in it.
    computed: bool,
    /// The reason why it is cut short.
    cut: Option<Cut>,
    blocks: usize,
    /// The newest block beyond [`BLOCKS`].
    last_block: Option<Vec<Draft>>,
    broken: usize,
}

impl PartialAnswer {
    fn add(&mut self, part: Self) {
        join(&mut self.text, &part.text);
        join(&mut self.source, &part.source);
        join(&mut self.prose, &part.prose);
        self.reasoning.push_str(&part.reasoning);
        self.calls.extend(part.calls);
        self.usage += part.usage;
        self.cut = part.cut;
    }
}

/// Makes the call; its last update is the answer.
pub(super) async fn make(mut call: ModelCall, updates: UpdateSender) {
    let mut pauses = ExponentialBuilder::default().with_min_delay(PAUSE).with_max_times(AGAIN).build().enumerate();
    let mut computations = 0;
    let mut answer = PartialAnswer::default();
    loop {
        match attempt(&call, &updates).await {
            Ok(part) => {
                let goes_on = part.computed && part.calls.is_empty() && computations < COMPUTATIONS.min(call.more);
                if goes_on {
                    computations += 1;
                    call.request.messages.push(Message::Assistant { text: part.text.clone(), calls: Vec::new() });
                    call.request.messages.push(Message::User(GO_ON.to_owned()));
                }
                answer.add(part);
                if !goes_on {
                    break;
                }
            }
            Err(error) => {
                if error.kind == ErrorKind::Dropped
                    && let Some((at, pause)) = pauses.next()
                {
                    // People keep what they have read of it; the session records that.
                    answer.prose.clear();
                    answer.reasoning.clear();
                    let (wait, nth) = (pause.as_secs_f32().ceil(), at + 1);
                    let text = say::notice_once_more(&error, wait, nth, AGAIN);
                    updates.send(Update::Restarted { why: error.text, text }).await;
                    tokio::time::sleep(pause).await;
                    continue;
                }
                let has_tools = !call.request.tools.is_empty();
                let is_refused = has_tools && refuses_tools(&error);
                let update = if is_refused { Update::NoTools } else { Update::Failed(error.into()) };
                return updates.send(update).await;
            }
        }
    }
    let PartialAnswer { text, source, prose, reasoning, mut calls, usage, cut, .. } = answer;
    let notice = cut.map(cut_notice);
    if !call.purpose.is_turn() {
        let of_model = ModelAnswer { usage, notice, ..ModelAnswer::default() };
        let answer = answer::read(&call.purpose, &text);
        return updates.send(Update::Answer(Box::new((answer, Some(of_model))))).await;
    }
    if text.trim().is_empty() && calls.is_empty() {
        updates.send(Update::Notice(say::notice_no_answer())).await;
    }
    let done = calls.iter().any(|call| call.tool == DONE_TOOL);
    if calls.len() > CALLS_ANSWERED {
        updates.send(Update::Notice(say::notice_too_many_calls(calls.len(), CALLS_ANSWERED))).await;
        calls.truncate(CALLS_ANSWERED);
    }
    for tool_call in &mut calls {
        tool_call.id = (call.new_id)();
    }
    let others = calls.iter().filter(|call| call.tool != DONE_TOOL);
    let calls_made = others.map(|call| ToolCall { id: call.id.clone(), tool: call.tool.clone() }).collect();
    let reply = ModelReply { calls: calls_made, done, more_steps: computations };
    let source = Some(source).filter(|source| *source != text);
    let of_model = ModelAnswer { text, source, prose, reasoning, calls, usage, notice };
    updates.send(Update::Answer(Box::new((Answer::Turned(reply), Some(of_model))))).await;
}

async fn attempt(call: &ModelCall, updates: &UpdateSender) -> Result<PartialAnswer, ModelError> {
    let mut answer = PartialAnswer::default();
    let mut reader = Reader::new(Some(Scan::new(Limits::default())));
    let mut found = Vec::new();
    let mut stream = call.model.stream(call.request.clone());
    while let Some(chunk) = stream.next().await {
        match chunk? {
            Chunk::Text(text) if call.purpose.is_turn() => {
                answer.text.push_str(&reader.push(text.as_bytes(), &mut found).await);
                forward(&mut answer, &mut found, updates).await;
            }
            Chunk::Text(text) => answer.text.push_str(&text),
            // Outside of a turn nobody reads the answer, and so not the reasoning.
            Chunk::Reasoning(_) if !call.purpose.is_turn() => {}
            Chunk::Reasoning(text) => {
                answer.reasoning.push_str(&text);
                updates.send(Update::Reasoning(text)).await;
            }
            Chunk::Retrying { attempt, of, wait, why } => {
                let wait = wait.as_secs_f32().ceil();
                let text = say::notice_again(&why, wait, attempt, of);
                updates.send(Update::Retrying { why, text }).await;
            }
            Chunk::End { calls, usage, cut } => {
                answer.calls = calls;
                answer.usage = usage.unwrap_or_default();
                answer.cut = cut;
                break;
            }
        }
    }
    answer.computed = reader.computations() > 0;
    answer.text.push_str(&reader.finish(&mut found).await);
    answer.source = reader.source();
    forward(&mut answer, &mut found, updates).await;
    if let Some(drafts) = answer.last_block.take() {
        updates.send(Update::Block(drafts)).await;
    }
    if let Some(more) = answer.broken.checked_sub(REPORTED).filter(|more| *more > 0) {
        updates.send(Update::Notice(say::notice_more_left_out(more))).await;
    }
    Ok(answer)
}

/// Sends prose and lists on to the session.
async fn forward(answer: &mut PartialAnswer, found: &mut Vec<Token>, updates: &UpdateSender) {
    for token in found.drain(..) {
        let step = match token {
            Token::Prose(prose) => {
                answer.prose.push_str(&prose);
                Update::Text(prose)
            }
            Token::Block { drafts, .. } => {
                answer.blocks += 1;
                if answer.blocks > BLOCKS {
                    answer.last_block = Some(drafts);
                    continue;
                }
                Update::Block(drafts)
            }
            // No elements are asked for.
            Token::Element(_) => continue,
            Token::Broken { problem, .. } => {
                answer.broken += 1;
                if answer.broken > REPORTED {
                    continue;
                }
                Update::Broken(problem)
            }
        };
        updates.send(step).await;
    }
}

/// The line for people about an answer that is cut short.
fn cut_notice(cut: Cut) -> Text {
    match cut {
        Cut::Length => say::notice_cut(),
        Cut::Filter => say::notice_filtered(),
    }
}

/// The provider says that its model has no tool calls.
fn refuses_tools(error: &ModelError) -> bool {
    let text = error.text.to_lowercase();
    NO_TOOLS.iter().any(|words| text.contains(words))
}

/// The words of providers for that, in lower case.
const NO_TOOLS: [&str; 8] = [
    // Ollama, and servers like it.
    "does not support tools",
    "does not support function",
    "tools are not supported",
    "tool use is not supported",
    // OpenRouter: no provider of that model takes tools.
    "support tool use",
    // vLLM and llama.cpp, begun without their options for it.
    "--enable-auto-tool-choice",
    "tools param requires",
    // Groq.
    "tool calling` is not supported",
];

#[cfg(test)]
mod tests {
    use super::refuses_tools;
    use crate::model::{ErrorKind, ModelError};
    use rstest::rstest;

    #[rstest]
    #[case::ollama("registry.ollama.ai/library/gemma:2b does not support tools", true)]
    #[case::openrouter(
        "No endpoints found that support tool use. To learn more about provider routing, visit: x",
        true
    )]
    #[case::vllm("\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set", true)]
    #[case::llama_cpp("tools param requires --jinja flag", true)]
    #[case::groq("`tool calling` is not supported with this model", true)]
    #[case::another_fault("The tool's schema is not supported: it has no type", false)]
    fn a_model_without_tools_is_known_by_its_provider(#[case] said: &str, #[case] refuses: bool) {
        assert_eq!(refuses_tools(&ModelError::new(ErrorKind::Other, format!("p answered 400: {said}"))), refuses);
    }
}
