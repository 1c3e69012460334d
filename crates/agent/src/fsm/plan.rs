//! From the model's plan to items in the list (requirement T9).

use super::list::tool;
use super::run::{After, State};
use super::{
    AgentMachine, Archiving, Change, EditedStep, Effect, Notice, PLANNED, PlanStep, Policy, Preflight, Purpose, RunEnd,
    SHORTENINGS, TOOL,
};
use serde_json::Value;
use std::collections::BTreeMap;
use todo::{Draft, Fields, Item, Status};

/// The reason in the list for skipping a step that the user took out of the plan.
const LEFT_OUT: &str = "The user left it out of the plan.";

impl AgentMachine {
    pub(super) fn planned(&mut self, steps: Vec<Draft>) {
        let adds_nothing = steps.is_empty();
        let steps = tidy(steps, &self.list.items);
        // The open items are the plan then. Steps of which nothing can be read are none.
        let goes_on = adds_nothing && self.list.open().next().is_some();
        if steps.is_empty() && !goes_on {
            return self.end(RunEnd::Unplanned);
        }
        let mut steps = self.not_listed(steps);
        if steps.len() > PLANNED && self.run.shortened < SHORTENINGS {
            self.run.shortened += 1;
            self.run.grounds.too_long = Some(steps.len());
            self.effects.push(Effect::Tell(Notice::TooLong { steps: steps.len() }));
            return self.ask(State::Planning, Purpose::Plan(self.run.grounds.clone()));
        }
        let rest = steps.split_off(PLANNED.min(steps.len()));
        if !rest.is_empty() {
            self.effects.push(Effect::Tell(Notice::Postponed { steps: rest.len() }));
        }
        self.checkpoint.postponed = rest.into_iter().map(|step| step.fields.content.clone()).collect();
        self.check(steps);
    }

    /// The steps that are not in the list already.
    fn not_listed(&self, steps: Vec<Draft>) -> Vec<Draft> {
        let is_there = |step: &Draft| self.list.open().any(|item| item.content.trim() == step.content);
        steps.into_iter().filter(|step| !is_there(step)).collect()
    }

    /// Asks the user about a plan if one of its tools needs approval. Until the plan is in the list or refused it waits,
    /// also after the end of the run.
    pub(super) fn check(&mut self, steps: Vec<Draft>) {
        let steps = self.not_listed(steps);
        self.checkpoint.plan.clone_from(&steps);
        self.checkpoint.unanswered = false;
        let asks = |step: &Draft| tool(step).is_some_and(|tool| self.policy(tool) == Policy::Ask);
        if steps.iter().any(asks) {
            let shown = steps.iter().map(|step| self.shown(step)).collect();
            self.request(State::Checking, |id| Effect::Preflight { id, steps: shown });
        } else {
            self.add(steps);
        }
    }

    fn shown(&self, step: &Draft) -> PlanStep {
        let tool = tool(step).map(str::to_owned);
        let policy = tool.as_deref().map_or(Policy::Auto, |tool| self.policy(tool));
        PlanStep { content: step.content.clone(), tool, policy }
    }

    pub(super) fn checked(&mut self, answer: Preflight) {
        if answer == Preflight::Expired {
            return self.unanswered();
        }
        let steps = std::mem::take(&mut self.checkpoint.plan);
        let steps = match answer {
            Preflight::Edited(edits) => edited(steps, edits),
            Preflight::Refused => Vec::new(),
            Preflight::Approved | Preflight::Expired => steps,
        };
        let wanted = || steps.iter().filter(|step| step.status == Status::Pending);
        if wanted().next().is_none() {
            return self.end(RunEnd::Refused);
        }
        // With the user's changes, in case it does not come to the list in this run.
        self.checkpoint.plan = wanted().cloned().collect();
        let asked = wanted().filter_map(tool).filter(|tool| self.policy(tool) == Policy::Ask);
        let granted: Vec<_> = asked.map(str::to_owned).collect();
        self.run.granted.extend(granted);
        // G4: a stream that starts after an approval leaves a list behind that was finished meanwhile. What is open in
        // it came since the prompt, and stays.
        let is_finished = todo::is_finished(&self.list.items);
        if !self.run.has_started && is_finished && self.settings.archiving != Archiving::Never {
            self.change(After::Add(steps), Change::Archive);
        } else {
            self.add(steps);
        }
    }

    pub(super) fn add(&mut self, steps: Vec<Draft>) {
        self.start();
        if steps.is_empty() {
            self.checkpoint.plan.clear();
            return self.next();
        }
        self.run.adds_plan = true;
        self.change(After::Next, Change::Add(steps));
    }
}

/// Steps as they may become items: without the fields that only the list sets, and depending only on earlier steps, so that
/// no plan waits for itself.
fn tidy(steps: Vec<Draft>, items: &[Item]) -> Vec<Draft> {
    let contents: Vec<String> = steps.iter().map(|step| step.content.trim().to_owned()).collect();
    let is_item = |said: &str| items.iter().any(|item| item.id == said || item.content == said);
    let mut tidied = Vec::new();
    for (at, mut step) in steps.into_iter().enumerate() {
        let before = contents.get(..at).unwrap_or_default();
        let means = |said: &String| {
            let said = said.trim();
            match said.parse::<usize>() {
                Ok(number) => number.checked_sub(1).and_then(|place| before.get(place)).cloned(),
                Err(_) => Some(said.to_owned()).filter(|text| before.contains(text) || is_item(text)),
            }
        };
        step.depends_on = step.depends_on.iter().filter_map(means).filter(|text| !text.is_empty()).collect();
        tidied.extend(new(step));
    }
    tidied
}

/// The step as one that nobody has begun; none if it has no text.
fn new(step: Draft) -> Option<Draft> {
    let content = step.content.trim().to_owned();
    let subtasks = step.subtasks.into_iter().filter_map(new).collect();
    let fields =
        Fields { content, status: Status::Pending, status_raw: None, reason: None, ..(*step.fields).clone() }.into();
    let fresh = Draft { uid: None, id: None, fields, deleted: false, subtasks, ..step };
    Some(fresh).filter(|step| !step.content.is_empty())
}

/// The plan with the user's changes; see [`Preflight::Edited`].
fn edited(steps: Vec<Draft>, edits: Vec<EditedStep>) -> Vec<Draft> {
    let in_place = steps.len() == edits.len();
    let mut left: Vec<Option<Draft>> = steps.into_iter().map(Some).collect();
    let mut renamed = BTreeMap::new();
    let mut now = Vec::new();
    for (at, edit) in edits.into_iter().enumerate() {
        let text = edit.content.trim();
        let same = |step: &Option<Draft>| step.as_ref().is_some_and(|step| step.content == text);
        let place = if in_place { Some(at) } else { left.iter().position(same) };
        let known = place.and_then(|place| left.get_mut(place)).and_then(Option::take);
        let mut step = known.unwrap_or_else(|| Draft::new(text));
        if !text.is_empty() && text != step.content {
            renamed.insert(std::mem::replace(&mut step.content, text.to_owned()), text.to_owned());
            step.active_form = None;
        }
        match edit.tool {
            Some(tool) => step.extra.insert(TOOL.to_owned(), Value::String(tool)),
            None => step.extra.remove(TOOL),
        };
        if edit.skip {
            step.status = Status::Skipped;
            step.reason = Some(LEFT_OUT.to_owned());
        }
        now.push(step);
    }
    for said in now.iter_mut().flat_map(|step| &mut step.depends_on) {
        if let Some(text) = renamed.get(said) {
            said.clone_from(text);
        }
    }
    now.retain(|step| !step.content.is_empty());
    now
}
