//! Our lines in a project's instructions, which make an agent keep its list with our tool.

use crate::error::Result;
use crate::plan::{Owner, Plan};
use crate::source::{Source, refuse_outside};
use crate::text::{append, lines};
use agents::Agent;
use std::ops::Range;
use std::path::Path;

const BEGIN: &str = "<!-- sightline: begin -->";
const END: &str = "<!-- sightline: end -->";
const SAY: &str = "Keep the todo list of any work of three steps or more with the tool `todo_write` of the MCP server \
                   `sightline`, not with a built-in one. Send the whole list whenever a step begins or ends.";

/// Adds our lines to the instructions in a project's folder: AGENTS.md, CLAUDE.md, GEMINI.md or QWEN.md.
///
/// # Errors
/// The reasons why the file cannot be edited.
pub fn instruct(project: &Path, agent: &dyn Agent) -> Result<Plan> {
    plan(project, agent, |source| Ok(source.with(&with(source.body()))))
}

/// Takes our lines out. AGENTS.md is read by Codex and opencode: taking it from one takes it from both.
///
/// # Errors
/// As [`instruct`].
pub fn uninstruct(project: &Path, agent: &dyn Agent) -> Result<Plan> {
    plan(project, agent, |source| source.undone(|text| Ok(with(text)), |text| Ok(without(text))))
}

fn plan(project: &Path, agent: &dyn Agent, edit: impl Fn(&Source) -> Result<Option<String>>) -> Result<Plan> {
    let path = project.join(agent.facts().instructions);
    refuse_outside(&path, project)?;
    let source = Source::read(&path)?;
    let after = edit(&source)?;
    let mut plan = Plan::default();
    plan.edit(source, after, &Owner { private: false, root: project.to_owned(), folder: None, is_program: false })?;
    Ok(plan)
}

fn with(text: &str) -> String {
    match ours(text) {
        // The user may have changed its words, its place and what is around it.
        Some(_) => text.to_owned(),
        None => append(text, &[BEGIN, SAY, END].map(str::to_owned)),
    }
}

fn without(text: &str) -> String {
    match ours(text) {
        Some(place) => {
            let place = lines(text, place, true);
            without(&format!("{}{}", &text[..place.start], &text[place.end..]))
        }
        None => text.to_owned(),
    }
}

/// Our lines, between two marks that belong together. A first mark without its second does not say where they end.
fn ours(text: &str) -> Option<Range<usize>> {
    let (begin, end) = text.match_indices(END).find_map(|(end, _)| Some((text[..end].rfind(BEGIN)?, end)))?;
    Some(begin..end + END.len())
}
