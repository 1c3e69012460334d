//! The texts for the built-in agent's model (requirements T7, T13, G5, K8, P2).
//!
//! Each text is made from the purpose of the call ([`Purpose`]) and the current list. The driver puts them together:
//! [`system`] once, [`ask`] as a user's message for each call of the model, and before it [`reminder`] as a system
//! message where [`crate::fsm::Effect::Ask`] says so.

use crate::fsm::{CALLS, Grounds, NEEDS_VERIFICATION, PLANNED, Purpose, TOOL};
use std::fmt::Write;
use todo::text::{plain, write_xml};
use todo::{Item, Status};
use uuid::Uuid;

/// The tool by which a model says that the whole task is complete: `done` of [`crate::fsm::ModelReply`]. It takes nothing,
/// and is no tool call for the machine.
pub const DONE_TOOL: &str = "task_done";

/// The description of that tool.
pub const DONE_DESCRIPTION: &str = "Say that everything the user asked for is done, with whatever is left in the todo \
list not needed any more. Do not call it to end a single item.";

/// Characters of an item in a sentence.
const ITEM_CHARS: usize = 200;

/// The way in which a model changes the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Voice {
    /// By tool calls.
    Tools,
    /// By `<todo>` blocks in its prose, since it has no tool calls.
    Prose,
}

/// The system prompt.
#[must_use]
pub fn system(voice: Voice) -> String {
    let how = match voice {
        Voice::Tools => TOOLS,
        Voice::Prose => PROSE,
    };
    format!("{RULES}\n\n{how}")
}

const RULES: &str = "You are an agent that works for a user who sees your todo list live and can change it at any time.

- Complex tasks of three steps or more have a todo list; keep it current. Simple tasks and questions have none: answer \
them at once.
- Look at the list as it is before you plan, and plan only what is not in it.
- Work on one item at a time, the one in progress.
- Complete an item as soon as it is done, and before you begin another. Skip it as soon as you know that it cannot be \
done, and say why. Where only the user can go on, mark it blocked with your question as the reason.
- When something new turns up that has to be done, add it to the list.
- When you are told that the list has changed, follow it: leave out what the user removed, do what the user added, and \
do not do again what is done.";

const TOOLS: &str = "todo_manager changes the list step by step (list, next, add_multiple, complete_multiple, skip); \
todo_write replaces it as a whole. Call task_done when everything the user asked for is done.";

const PROSE: &str = "Write the list into your answer as a block, early in the answer where the task is complex, and \
again as a whole whenever a status changes:

<todo>
<todo_item status=\"completed\">Read the configuration</todo_item>
<todo_item status=\"in_progress\" priority=\"high\">Fix the parser</todo_item>
<todo_item depends_on=\"Fix the parser\" estimated_time=\"30min\" category=\"testing\">Run the tests</todo_item>
</todo>

A block is the complete list: what is not in it is gone. Statuses are pending (when none is given), in_progress, \
completed, blocked and skipped; one item is in_progress. Blocks inside <think> or in code fences count for nothing, and \
the user reads your answer without its blocks.

What has to be computed exactly you may have computed, by a module in the text form of WebAssembly, without imports:

<wat_model args=\"8.5 5\">(module (func (export \"area\") (param f64 f64) (result f64) local.get 0 local.get 1 \
f64.mul))</wat_model>

What comes of it takes its place, as <computed>42.5</computed>: you are asked to go on from there. Never write \
<computed> yourself.";

/// For [`Purpose::Heed`] (P11).
const HEED: &str = "The user has said this since. Take it up: do what it asks for, or add what has to be done for it to \
the list. If nothing has to be done, say so in a sentence.";

/// The message for a purpose; none if the turn goes on with the results of its tool calls.
///
/// `task` is the user's last prompt. The answers in JSON are those of [`crate::fsm::Answer`]:
/// `{"complex": bool}`, `{"steps": […]}`, `{"done": bool, "reason": text, "suggestions": [text]}`.
#[must_use]
pub fn ask(purpose: &Purpose, task: &str, items: &[Item]) -> Option<String> {
    Some(match purpose {
        Purpose::GoOn => return None,
        Purpose::Answer => task.to_owned(),
        Purpose::Classify => classify(task),
        Purpose::Plan(grounds) => plan(grounds, task, items),
        Purpose::Work { item } => work(*item, task, items),
        Purpose::Continue { item } => continuation(*item, items),
        Purpose::Heed => HEED.to_owned(),
        Purpose::Redo { item, reason } => {
            format!("\"{}\" is not done yet: {}\nGo on with it.", named(*item, items), plain(reason))
        }
        Purpose::Verify { item } => verify(*item, task, items),
        Purpose::Validate => validate(task, items),
    })
}

/// The message for a prompt whose run was interrupted.
#[must_use]
pub fn again(task: &str) -> String {
    format!("The run was interrupted. Go on with this task, and do not repeat what was done for it already:\n{task}")
}

/// The reminder of the list after a change (T7).
#[must_use]
pub fn reminder(items: &[Item]) -> String {
    format!("TODO list updated. Current state:\n{}", write_xml(items))
}

/// The message after an answer with todo blocks that were left out, or of which something has to be said (K1, K3).
#[must_use]
pub fn about_blocks(sentences: &[String]) -> String {
    let mut text = "About the todo blocks in your last answer:".to_owned();
    for sentence in sentences {
        let _ = write!(text, "\n- {}", plain(sentence));
    }
    text
}

fn classify(task: &str) -> String {
    format!(
        "Is this task complex: does it take three steps or more, or several tools one after the other? A question, \
         or something that is done in one go, is simple.\n\n{}\n\nAnswer with JSON only: {{\"complex\": true}} or \
         {{\"complex\": false}}.",
        quoted(task)
    )
}

fn plan(grounds: &Grounds, task: &str, items: &[Item]) -> String {
    let mut text = format!("Plan this task.\n\n{}\n\n{}", quoted(task), state(items));
    if let Some(reason) = &grounds.reason {
        let _ = write!(text, "\n\nThere has to be another plan: {}", plain(reason));
    }
    if !grounds.suggestions.is_empty() {
        text.push_str("\n\nIt should take up:");
        for suggestion in &grounds.suggestions {
            let _ = write!(text, "\n- {}", plain(suggestion));
        }
    }
    if let Some(steps) = grounds.too_long {
        let _ = write!(text, "\n\nYour last plan had {steps} steps, which is too many: put small steps together.");
    }
    let _ = write!(
        text,
        "\n\nName the steps that are still to be added, in their order, at most {PLANNED}, each of them done with at \
         most {CALLS} tool calls. They come after what is open in the list, which you need not repeat: where that is all it takes, there are no \
         steps to add. Nothing that is done is done again, and nothing that the user removed comes back.\n\nAnswer with JSON only:\n\
         {{\"steps\": [{{\"content\": \"Fix the parser\", \"activeForm\": \"Fixing the parser\", \"dependsOn\": [1], \
         \"{TOOL}\": \"the tool it needs, where it needs one\", \"{NEEDS_VERIFICATION}\": true}}]}}\n\
         dependsOn has the numbers of earlier steps; {NEEDS_VERIFICATION} is for steps whose result has to be checked."
    );
    text
}

fn work(item: Uuid, task: &str, items: &[Item]) -> String {
    let mut text = format!("The task:\n\n{}\n\n", quoted(task));
    let _ = write!(text, "Work on this item now, and only on it: {}", named(item, items));
    for more in items.iter().filter(|it| it.uid == item).flat_map(|item| [&item.description, &item.notes]).flatten() {
        let _ = write!(text, "\n{}", plain(more));
    }
    let _ = write!(
        text,
        "\nIt may take {CALLS} tool calls, those for the list not counted. Complete it as soon as it is done; skip it \
         with the reason when it cannot be done, or when the task does not need it any more."
    );
    text
}

/// For [`Purpose::Continue`] (P2).
fn continuation(item: Uuid, items: &[Item]) -> String {
    format!(
        "You have an active task: {}\nGo on with it. If it is done, complete it now; if it cannot be done, skip it and \
         say why; if only the user can go on, mark it blocked with your question as the reason.",
        named(item, items)
    )
}

fn verify(item: Uuid, task: &str, items: &[Item]) -> String {
    format!(
        "The task:\n\n{}\n\nIs this item done: {}\nGo by what was really done and seen in this conversation, not by \
         what was meant to be done.\n\nAnswer with JSON only: {{\"done\": false, \"reason\": \"what is missing, or how \
         it is known\"}}.",
        quoted(task),
        named(item, items)
    )
}

fn validate(task: &str, items: &[Item]) -> String {
    format!(
        "Is this task complete?\n\n{}\n\n{}\n\nEvery item is done or skipped. Go by what was really done and seen; \
         what the user removed or skipped is not missing.\n\nAnswer with JSON only: {{\"done\": false, \"reason\": \
         \"why\", \"suggestions\": [\"what is still to be done\"]}}.",
        quoted(task),
        state(items)
    )
}

/// The list, with the reasons of skipped and blocked items.
fn state(items: &[Item]) -> String {
    if items.is_empty() {
        return "The todo list is empty.".to_owned();
    }
    let mut text = format!("The todo list as it is:\n{}", write_xml(items));
    for (at, item) in items.iter().enumerate() {
        let tells = matches!(item.status, Status::Skipped | Status::Blocked | Status::Cancelled);
        if let Some(reason) = item.reason.as_ref().filter(|_| tells) {
            let _ = write!(text, "\nItem {} is {}: {}", at + 1, item.status.name(), plain(reason));
        }
    }
    text
}

fn named(item: Uuid, items: &[Item]) -> String {
    let content = items.iter().find(|it| it.uid == item).map(|item| plain(&item.content)).unwrap_or_default();
    match content.char_indices().nth(ITEM_CHARS) {
        Some((end, _)) => format!("{}…", content.get(..end).unwrap_or_default()),
        None => content,
    }
}

/// The user's words as a quotation, apart from ours.
fn quoted(task: &str) -> String {
    task.lines().map(|line| format!("> {line}")).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests;
