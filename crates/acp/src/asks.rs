//! Permissions and questions of an agent as they are asked here, and the answers in ACP's form.
//!
//! Only such are asked here whose answer is exact: *Allow* is allowing once, and there is a way to refuse.

use crate::form::{self, Choice};
use crate::message::{Elicitation, Permission, PermissionOption, ToolCall};
use protocol::{
    DoneCall, PERMISSION_SECONDS, PermissionAsk, PermissionDecided, Question, QuestionOption, input_digest,
};
use serde_json::{Map, Value, json};
use std::collections::HashSet;

/// Characters of a tool's name.
const TOOL_CHARS: usize = 200;

/// A request of the agent's that can be answered here.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Asked {
    /// The request's id, as it stands in a line.
    pub(crate) id: String,
    pub(crate) ask: PermissionAsk,
    form: Form,
}

/// The form of the answer.
#[derive(Debug, Clone, PartialEq)]
enum Form {
    /// The ids of the options that allow and refuse once.
    Call { allow: String, reject: String },
    /// One of several options, by its words.
    Options { options: Vec<PermissionOption>, reject: String },
    /// Values for the members of a form.
    Members(Vec<Member>),
}

/// A member of a form.
#[derive(Debug, Clone, PartialEq)]
struct Member {
    name: String,
    /// The values by their words; none where any text is a value.
    values: Vec<(String, Value)>,
    multiple: bool,
}

impl Asked {
    /// A permission for a call, of which more may have been told before.
    pub(crate) fn permission(
        id: &str,
        asked: &Permission<'_>,
        call: &ToolCall,
        before: Option<&ToolCall>,
    ) -> Option<Self> {
        let of_kind = |kind: &str| asked.options.iter().filter(|it| it.kind == kind).collect::<Vec<_>>();
        let reject = *of_kind("reject_once").first().or(of_kind("reject_always").first())?;
        let reject = reject.option_id.clone();
        let title = before.and_then(|call| call.title.clone()).or_else(|| call.title.clone()).unwrap_or_default();
        let kind = call.kind.as_deref().or_else(|| before.and_then(|call| call.kind.as_deref()));
        let input = call.input().or_else(|| before.and_then(ToolCall::input)).unwrap_or(asked.tool_call.get());
        let ask = PermissionAsk {
            tool: tool(&title, kind),
            input: input.to_owned(),
            wait_seconds: PERMISSION_SECONDS,
            ..PermissionAsk::default()
        };
        let others = asked.options.iter().filter(|it| !it.kind.starts_with("reject"));
        let is_usual = others.clone().all(|it| matches!(it.kind.as_str(), "allow_once" | "allow_always"));
        if let ([once], true) = (of_kind("allow_once").as_slice(), is_usual) {
            let form = Form::Call { allow: once.option_id.clone(), reject };
            return Some(Self { id: id.to_owned(), ask, form });
        }
        let options: Vec<PermissionOption> = others.cloned().collect();
        let question = Question {
            text: call.title.clone().unwrap_or(title),
            options: options.iter().map(|it| QuestionOption { label: it.name.clone(), description: None }).collect(),
            ..Question::default()
        };
        let is_clear = is_distinct(options.iter().map(|it| it.name.as_str()));
        (is_clear && !options.is_empty()).then(|| Self {
            id: id.to_owned(),
            ask: PermissionAsk { questions: vec![question], ..ask },
            form: Form::Options { options, reject },
        })
    }

    /// A form to fill in, of choices and plain texts only.
    pub(crate) fn elicitation(id: &str, asked: &Elicitation<'_>) -> Option<Self> {
        let schema = asked.requested_schema?;
        let form: form::Form = serde_json::from_str(schema.get()).ok()?;
        let (mut questions, mut members) = (Vec::new(), Vec::new());
        for (name, property) in form.properties {
            let Some((options, multiple)) = property.choices() else {
                if form.required.contains(&name) {
                    return None;
                }
                continue;
            };
            if !is_distinct(options.iter().map(|it| it.title.as_str())) {
                return None;
            }
            questions.push(Question {
                text: property.description.unwrap_or_else(|| asked.message.clone()),
                header: Some(property.title.unwrap_or_else(|| name.clone())),
                options: options.iter().map(option).collect(),
                multiple,
            });
            let values = options.into_iter().map(|it| (it.title, it.value)).collect();
            members.push(Member { name, values, multiple });
        }
        if let [question] = questions.as_mut_slice() {
            question.text.clone_from(&asked.message);
        }
        let ask = PermissionAsk {
            tool: "elicitation".to_owned(),
            input: schema.get().to_owned(),
            wait_seconds: PERMISSION_SECONDS,
            questions,
            ..PermissionAsk::default()
        };
        (!members.is_empty()).then(|| Self { id: id.to_owned(), ask, form: Form::Members(members) })
    }

    /// The call as it is known to be settled by the editor.
    pub(crate) fn done(&self) -> DoneCall {
        DoneCall { tool: self.ask.tool.clone(), input: Some(input_digest(&self.ask.input)), ..DoneCall::default() }
    }

    /// The result that the agent gets; `None` where nobody decided, or the decision has no form here.
    pub(crate) fn result(&self, decided: &PermissionDecided) -> Option<Value> {
        let selected = |id: &str| json!({ "outcome": { "outcome": "selected", "optionId": id } });
        Some(match (&self.form, decided.allowed?) {
            (Form::Call { allow, .. }, true) => selected(allow),
            (Form::Call { reject, .. } | Form::Options { reject, .. }, false) => selected(reject),
            (Form::Options { options, .. }, true) => {
                let [answer] = decided.answers.first()?.as_slice() else { return None };
                selected(&options.iter().find(|it| it.name == *answer)?.option_id)
            }
            (Form::Members(_), false) => json!({ "action": "decline" }),
            (Form::Members(members), true) => {
                let answers = members.iter().zip(&decided.answers);
                let content: Option<Map<String, Value>> =
                    answers.map(|(member, answers)| Some((member.name.clone(), member.value(answers)?))).collect();
                json!({ "action": "accept", "content": content.filter(|content| content.len() == members.len())? })
            }
        })
    }
}

impl Member {
    fn value(&self, answers: &[String]) -> Option<Value> {
        if self.values.is_empty() {
            return Some(answers.first()?.clone().into());
        }
        let value = |answer: &String| self.values.iter().find(|(words, _)| words == answer).map(|(_, it)| it.clone());
        if self.multiple { answers.iter().map(value).collect() } else { value(answers.first()?) }
    }
}

fn option(choice: &Choice) -> QuestionOption {
    QuestionOption { label: choice.title.clone(), description: choice.description.clone() }
}

/// A tool's name: that of the title where it is one, else the kind of the call, else the title.
fn tool(title: &str, kind: Option<&str>) -> String {
    let is_name =
        !title.is_empty() && title.chars().all(|letter| letter.is_ascii_alphanumeric() || "_-.:/".contains(letter));
    match kind.filter(|kind| !is_name && !kind.is_empty() && *kind != "other") {
        Some(kind) => kind.chars().take(TOOL_CHARS).collect(),
        None if title.trim().is_empty() => "tool".to_owned(),
        None => title.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).take(TOOL_CHARS).collect(),
    }
}

fn is_distinct<'a>(mut words: impl Iterator<Item = &'a str>) -> bool {
    let mut known = HashSet::new();
    words.all(|word| known.insert(word))
}

#[cfg(test)]
mod tests;
