//! Steps in a text that a person pastes, before they are added.

use crate::error::Result;
use protocol::{PreviewedStep, PreviewedSteps, TodoPreview};
use todo::Draft;
use todo::text::read_steps;

pub(crate) fn preview(ask: &TodoPreview) -> Result<PreviewedSteps> {
    let step = |draft: &Draft, is_subtask| PreviewedStep {
        content: draft.fields.content.clone(),
        status: draft.fields.status,
        is_subtask,
    };
    let drafts = read_steps(&ask.text)?;
    let steps = drafts
        .iter()
        .flat_map(|draft| std::iter::once(step(draft, false)).chain(draft.subtasks.iter().map(|sub| step(sub, true))));
    Ok(PreviewedSteps { steps: steps.collect() })
}
