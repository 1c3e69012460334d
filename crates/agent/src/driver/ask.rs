//! One call of the model, until its answer is whole: what streams goes to the session as it comes.

use super::answer;
use super::requests::of_model;
use super::step::{Answered, Step, Steps};
use crate::fsm::{Answer, CALLS_AT_ONCE, Purpose, Reply, ToolCall};
use crate::model::{Call, Chunk, Cut, ErrorKind, Message, Model, ModelError, Request, Usage};
use crate::prompt::DONE_TOOL;
use crate::wat::{Limits, Scan};
use backon::{BackoffBuilder, ExponentialBuilder};
use futures_util::StreamExt;
use std::sync::Arc;
use std::time::Duration;
use todo::Draft;
use todo::text::{Token, Tokens};

/// How often an answer that broke off is asked for anew.
const AGAIN: usize = 2;

/// Before that; twice as long before the next time.
const PAUSE: Duration = Duration::from_secs(1);

/// Calls of one answer that are looked at; those beyond [`CALLS_AT_ONCE`] are answered, and not made.
const CALLS_KEPT: usize = 2 * CALLS_AT_ONCE;

/// Broken blocks of an answer that are told one by one.
const TOLD: usize = 3;

/// Blocks of an answer that change the list as they come; of further ones the last does.
const BLOCKS: usize = 50;

/// How often a model goes on with what was computed for it in one answer.
const COMPUTATIONS: u32 = 5;

/// What it is told then.
const GO_ON: &str = "Your computations are done: their results stand in <computed>. Go on with your answer from there; \
do not repeat it.";

/// A call to make.
pub(super) struct Job {
    pub(super) model: Arc<dyn Model>,
    pub(super) request: Request,
    pub(super) purpose: Purpose,
    /// Further calls that it may take.
    pub(super) more: u32,
    /// Makes ids for the tool calls: those of models are unique in their answer at most.
    pub(super) new_id: Arc<dyn Fn() -> String + Send + Sync>,
}

/// What a try has given.
#[derive(Default)]
struct Whole {
    text: String,
    prose: String,
    reasoning: String,
    calls: Vec<Call>,
    usage: Usage,
    /// Something was computed in it.
    computed: bool,
    /// Why it ends before its end.
    cut: Option<Cut>,
    blocks: usize,
    /// The newest block beyond [`BLOCKS`].
    last_block: Option<Vec<Draft>>,
    broken: usize,
}

impl Whole {
    fn add(&mut self, part: Self) {
        self.text.push_str(&part.text);
        self.prose.push_str(&part.prose);
        self.reasoning.push_str(&part.reasoning);
        self.calls.extend(part.calls);
        self.usage += part.usage;
        self.cut = part.cut;
    }
}

/// Makes the call; its last step is the answer.
pub(super) async fn ask(mut job: Job, steps: Steps) {
    let mut pauses = ExponentialBuilder::default().with_min_delay(PAUSE).with_max_times(AGAIN).build().enumerate();
    let mut computations = 0;
    let mut whole = Whole::default();
    loop {
        match attempt(&job, &steps).await {
            Ok(part) => {
                let goes_on = part.computed && part.calls.is_empty() && computations < COMPUTATIONS.min(job.more);
                if goes_on {
                    computations += 1;
                    job.request.messages.push(Message::Assistant { text: part.text.clone(), calls: Vec::new() });
                    job.request.messages.push(Message::User(GO_ON.to_owned()));
                }
                whole.add(part);
                if !goes_on {
                    break;
                }
            }
            Err(error) => {
                if error.kind == ErrorKind::Dropped
                    && let Some((at, pause)) = pauses.next()
                {
                    // What came of it before stays where people have read it.
                    whole.prose.clear();
                    whole.reasoning.clear();
                    let (wait, nth) = (pause.as_secs_f32().ceil(), at + 1);
                    let message = format!("{error} It is asked for once more in {wait} s, {nth} of {AGAIN}.");
                    steps.send(Step::Again { why: error.text, message }).await;
                    tokio::time::sleep(pause).await;
                    continue;
                }
                let has_tools = !job.request.tools.is_empty();
                return steps
                    .send(match has_tools && refuses_tools(&error) {
                        true => Step::NoTools,
                        false => Step::Failed(of_model(error)),
                    })
                    .await;
            }
        }
    }
    let Whole { text, prose, reasoning, mut calls, usage, cut, .. } = whole;
    let notice = cut.map(|cut| said_of(cut).to_owned());
    if !job.purpose.is_turn() {
        let said = Answered { usage, notice, ..Answered::default() };
        let answer = answer::read(&job.purpose, &text);
        return steps.send(Step::Answer(Box::new((answer, Some(said))))).await;
    }
    if text.trim().is_empty() && calls.is_empty() {
        steps.send(Step::Notice("The model has answered nothing.".to_owned())).await;
    }
    let done = calls.iter().any(|call| call.tool == DONE_TOOL);
    if calls.len() > CALLS_KEPT {
        let message =
            format!("The model calls {} tools at once; all after the first {CALLS_KEPT} are left out.", calls.len());
        steps.send(Step::Notice(message)).await;
        calls.truncate(CALLS_KEPT);
    }
    for call in &mut calls {
        call.id = (job.new_id)();
    }
    let others = calls.iter().filter(|call| call.tool != DONE_TOOL);
    let calls_made = others.map(|call| ToolCall { id: call.id.clone(), tool: call.tool.clone() }).collect();
    let reply = Reply { calls: calls_made, done, more_steps: computations };
    let said = Answered { text, prose, reasoning, calls, usage, notice };
    steps.send(Step::Answer(Box::new((Answer::Turned(reply), Some(said))))).await;
}

async fn attempt(job: &Job, steps: &Steps) -> Result<Whole, ModelError> {
    let mut whole = Whole::default();
    let mut tokens = Tokens::new();
    let mut found = Vec::new();
    let mut scan = Scan::new(Limits::default());
    let mut stream = job.model.stream(job.request.clone());
    while let Some(chunk) = stream.next().await {
        match chunk? {
            Chunk::Text(text) if job.purpose.is_turn() => {
                let text = scan.push(&text).await;
                whole.text.push_str(&text);
                tokens.push(&text, &mut found);
                tell(&mut whole, &mut found, steps).await;
            }
            Chunk::Text(text) => whole.text.push_str(&text),
            // Of what is no turn nobody reads the answer either.
            Chunk::Reasoning(_) if !job.purpose.is_turn() => {}
            Chunk::Reasoning(text) => {
                whole.reasoning.push_str(&text);
                steps.send(Step::Reasoning(text)).await;
            }
            Chunk::Retrying { attempt, of, wait, why } => {
                let wait = wait.as_secs_f32().ceil();
                let message = format!("{why} Trying again in {wait} s, {attempt} of {of}.");
                steps.send(Step::Retrying { why, message }).await;
            }
            Chunk::End { calls, usage, cut } => {
                whole.calls = calls;
                whole.usage = usage.unwrap_or_default();
                whole.cut = cut;
                break;
            }
        }
    }
    whole.computed = scan.blocks() > 0;
    let text = scan.finish().await;
    whole.text.push_str(&text);
    tokens.push(&text, &mut found);
    tokens.finish(&mut found);
    tell(&mut whole, &mut found, steps).await;
    if let Some(drafts) = whole.last_block.take() {
        steps.send(Step::Block(drafts)).await;
    }
    if let Some(more) = whole.broken.checked_sub(TOLD).filter(|more| *more > 0) {
        steps.send(Step::Notice(format!("{more} more todo blocks in the answer are left out."))).await;
    }
    Ok(whole)
}

/// Prose to people, lists to the hub.
async fn tell(whole: &mut Whole, found: &mut Vec<Token>, steps: &Steps) {
    for token in found.drain(..) {
        let step = match token {
            Token::Prose(prose) => {
                whole.prose.push_str(&prose);
                Step::Text(prose)
            }
            Token::Block { drafts, .. } => {
                whole.blocks += 1;
                if whole.blocks > BLOCKS {
                    whole.last_block = Some(drafts);
                    continue;
                }
                Step::Block(drafts)
            }
            // Only asked for by name.
            Token::Element(_) => continue,
            Token::Broken { problem, .. } => {
                whole.broken += 1;
                if whole.broken > TOLD {
                    continue;
                }
                Step::Notice(format!("A todo block in the answer is left out: {problem}"))
            }
        };
        steps.send(step).await;
    }
}

fn said_of(cut: Cut) -> &'static str {
    match cut {
        Cut::Length => "The model's answer is not whole: it has come to the limit for one answer.",
        Cut::Filter => "The model's answer is not whole: its provider withholds the rest.",
    }
}

/// Whether a provider says that its model has no tool calls.
fn refuses_tools(error: &ModelError) -> bool {
    let text = error.text.to_lowercase();
    NO_TOOLS.iter().any(|words| text.contains(words))
}

/// How providers say that, in small letters.
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
