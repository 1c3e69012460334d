//! One call of the model, until its answer is whole: what streams goes to the session as it comes.

use super::answer;
use super::step::{Answered, Step, Steps};
use crate::fsm::{Answer, Purpose, Reply, ToolCall};
use crate::model::{Call, Chunk, ErrorKind, Message, Model, ModelError, Request, Usage};
use crate::prompt::DONE_TOOL;
use crate::wat::{Limits, Scan};
use futures_util::StreamExt;
use std::sync::Arc;
use todo::text::{Token, Tokens};

/// How often an answer that broke off is asked for anew.
const AGAIN: u32 = 2;

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
}

impl Whole {
    fn add(&mut self, part: Self) {
        self.text.push_str(&part.text);
        self.prose.push_str(&part.prose);
        self.reasoning.push_str(&part.reasoning);
        self.calls.extend(part.calls);
        self.usage.input_tokens += part.usage.input_tokens;
        self.usage.output_tokens += part.usage.output_tokens;
    }
}

/// Makes the call; its last step is the answer.
pub(super) async fn ask(mut job: Job, steps: Steps) {
    let (mut tries, mut computations) = (0, 0);
    let mut whole = Whole::default();
    loop {
        match attempt(&job, &steps).await {
            Ok(part) => {
                let goes_on = part.computed && part.calls.is_empty() && computations < COMPUTATIONS;
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
            Err(error) if error.kind == ErrorKind::Dropped && tries < AGAIN => {
                tries += 1;
                steps.send(Step::Again(format!("{error} It is asked for once more, {tries} of {AGAIN}."))).await;
            }
            Err(error) => {
                let has_tools = !job.request.tools.is_empty();
                return steps
                    .send(match has_tools && refuses_tools(&error) {
                        true => Step::NoTools,
                        false => Step::Answer(Box::new((Answer::Failed(error.to_string()), None))),
                    })
                    .await;
            }
        }
    }
    let Whole { text, prose, reasoning, mut calls, usage, .. } = whole;
    if !job.purpose.is_turn() {
        let said = Answered { usage, ..Answered::default() };
        let answer = answer::read(&job.purpose, &text);
        return steps.send(Step::Answer(Box::new((answer, Some(said))))).await;
    }
    for call in &mut calls {
        call.id = (job.new_id)();
    }
    let done = calls.iter().any(|call| call.tool == DONE_TOOL);
    let others = calls.iter().filter(|call| call.tool != DONE_TOOL);
    let reply =
        Reply { calls: others.map(|call| ToolCall { id: call.id.clone(), tool: call.tool.clone() }).collect(), done };
    let said = Answered { text, prose, reasoning, calls, usage };
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
            Chunk::Reasoning(text) => {
                whole.reasoning.push_str(&text);
                steps.send(Step::Reasoning(text)).await;
            }
            Chunk::Retrying { attempt, of, wait, why } => {
                let wait = wait.as_secs_f32().ceil();
                steps.send(Step::Notice(format!("{why} Trying again in {wait} s, {attempt} of {of}."))).await;
            }
            Chunk::End { calls, usage } => {
                whole.calls = calls;
                whole.usage = usage.unwrap_or_default();
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
            Token::Block { drafts, .. } => Step::Block(drafts),
            // Only asked for by name.
            Token::Element(_) => continue,
            Token::Broken { problem, .. } => Step::Notice(format!("A todo block in the answer is left out: {problem}")),
        };
        steps.send(step).await;
    }
}

/// Whether a provider says that its model has no tool calls: Ollama's words, and those of servers like it.
fn refuses_tools(error: &ModelError) -> bool {
    let text = error.text.to_lowercase();
    ["does not support tools", "does not support function", "tools are not supported", "tool use is not supported"]
        .iter()
        .any(|words| text.contains(words))
}
