//! How the machine and its model change the list, through the hub.

use super::session::Session;
use crate::fsm::{By, Change, Event, Snapshot};
use hub::{Decide, Decided};
use protocol::{Code, Error, Result, TodoWritten};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex, PoisonError};
use todo::manager::{Action, manage};
use todo::{Draft, Field, List, Position, Stamp, Target, apply};
use uuid::Uuid;

impl Session {
    /// Makes a change that the machine has decided on.
    pub(super) async fn change(&mut self, change: Change) -> Result<Snapshot> {
        let key = hub::Hub::caller_key(&self.caller);
        let new_list = matches!(change, Change::Archive);
        let decide: Decide = Arc::new(move |list, stamp| {
            let mut applied = Vec::new();
            let mut list = list.clone();
            for step in steps(&change, &key, &list) {
                let done = apply(&list, step, stamp)?;
                list = done.list.clone();
                applied.push(done);
            }
            Ok(Decided { applied, new_list })
        });
        Ok(snapshot(&self.decide(decide).await?))
    }

    /// A whole list that the model has written, by its tool or in its prose, and what the machine makes of that.
    pub(super) async fn write(&mut self, change: todo::Change) -> Result<TodoWritten> {
        self.models_own(move |machine, list, _, stamp| {
            let mut change = change.clone();
            let claims = machine.tame(list, &mut change);
            Ok((claims, Some(apply(list, change, stamp)?), Value::Null))
        })
        .await
        .map(|(written, _)| written)
    }

    /// Calls a todo tool: what it gives, or why it cannot.
    pub(super) async fn call_todo_tool(&mut self, tool: &str, args: &Value) -> Result<String> {
        let Some(fields) = args.as_object() else {
            return Err(Error::new(Code::InvalidTodos, NOT_AN_OBJECT));
        };
        match tool {
            "todo_write" => {
                let is_part = fields.get("merge").and_then(Value::as_bool).unwrap_or_default();
                let todos = fields.get("todos").unwrap_or(&Value::Null);
                let drafts = if is_part { Draft::part(todos) } else { Draft::list(todos) }?;
                let caller = hub::Hub::caller_key(&self.caller);
                let change = match is_part {
                    true => todo::Change::Merge { caller, drafts },
                    false => todo::Change::Replace { caller, drafts },
                };
                let written = self.write(change).await?;
                let (completed, total) = (written.progress.completed, written.progress.total);
                Ok(said(format!("Updated todos: {completed}/{total} complete"), &written.remarks))
            }
            "todo_read" => Ok(todo::text::write_xml(&self.machine.list().items)),
            _ => {
                let action = Action::read(fields.get("action").and_then(Value::as_str).unwrap_or_default(), fields)?;
                let managed = self.models_own(move |machine, list, key, stamp| {
                    let mut action = action.clone();
                    let claims = match &mut action {
                        Action::Complete(numbers) => {
                            let told = list.callers.get(key).and_then(|memory| memory.told.clone());
                            machine.tame_numbers(numbers, told.as_deref().unwrap_or(&list.items))
                        }
                        Action::Replace(drafts) => {
                            let mut change =
                                todo::Change::Replace { caller: key.to_owned(), drafts: std::mem::take(drafts) };
                            let claims = machine.tame(list, &mut change);
                            if let todo::Change::Replace { drafts: tamed, .. } = change {
                                *drafts = tamed;
                            }
                            claims
                        }
                        _ => None,
                    };
                    if claims.is_some() && action == Action::Complete(Vec::new()) {
                        return Ok((claims, None, json!("It is verified before it is completed")));
                    }
                    let managed = manage(list, key, action, stamp)?;
                    Ok((claims, managed.applied, managed.output))
                });
                let (_, output) = managed.await?;
                Ok(json!({ "ok": true, "output": output }).to_string())
            }
        }
    }

    /// Makes a change of the model's own; the machine hears of it.
    async fn models_own(
        &mut self,
        change: impl Fn(&crate::fsm::Machine, &List, &str, &mut Stamp<'_>) -> todo::Result<Own> + Send + Sync + 'static,
    ) -> Result<(TodoWritten, Value)> {
        let machine = self.machine.clone();
        let key = hub::Hub::caller_key(&self.caller);
        let came = Arc::new(Mutex::new((None, Value::Null)));
        let out = came.clone();
        let decide: Decide = Arc::new(move |list, stamp| {
            let (claims, applied, output) = change(&machine, list, &key, stamp)?;
            *out.lock().unwrap_or_else(PoisonError::into_inner) = (claims, output);
            Ok(Decided { applied: applied.into_iter().collect(), new_list: false })
        });
        let written = self.decide(decide).await?;
        let (claims, output) = came.lock().unwrap_or_else(PoisonError::into_inner).clone();
        self.hear(Event::List { list: snapshot(&written), by: By::Model { claims } });
        Ok((written, output))
    }

    /// Whatever others have changed before is heard before what is decided.
    async fn decide(&mut self, decide: Decide) -> Result<TodoWritten> {
        let request_id = self.run.as_ref().map(|run| run.view.request_id.clone()).unwrap_or_default();
        let (known, others) = (self.machine.list().revision, Arc::new(Mutex::new(None)));
        let seen = others.clone();
        let decide: Decide = Arc::new(move |list, stamp| {
            let is_news = list.revision != known;
            let found = is_news.then(|| Snapshot { revision: list.revision, items: list.items.clone() });
            *seen.lock().unwrap_or_else(PoisonError::into_inner) = found;
            decide(list, stamp)
        });
        let decided = self.host.hub.decide(self.caller.clone(), self.session_id.clone(), request_id, decide).await;
        let others = others.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(list) = others {
            self.hear(Event::List { list, by: By::User });
        }
        decided
    }
}

/// The item that was called completed and held back, what the change makes of the list, and what its tool says.
type Own = (Option<Uuid>, Option<todo::Applied>, Value);

/// What a decision left.
pub(super) fn snapshot(written: &TodoWritten) -> Snapshot {
    Snapshot { revision: written.revision, items: written.todos.clone() }
}

fn steps(change: &Change, key: &str, list: &List) -> Vec<todo::Change> {
    let by = || todo::By::Agent { caller: key.to_owned() };
    match change {
        Change::Add(drafts) => {
            vec![todo::Change::Add { position: Position::at(list.items.len()), drafts: drafts.clone(), by: by() }]
        }
        Change::Set(marks) => marks
            .iter()
            // The user may have taken it away meanwhile.
            .filter(|mark| list.items.iter().any(|item| item.uid == mark.uid))
            .map(|mark| {
                let mut patch = Draft { status: mark.status, reason: mark.reason.clone(), ..Draft::default() };
                patch.given.insert(Field::Status);
                if patch.reason.is_some() {
                    patch.given.insert(Field::Reason);
                }
                todo::Change::Set { target: Target::Uids(vec![mark.uid]), patch: Box::new(patch), by: by() }
            })
            .collect(),
        Change::Archive => vec![todo::Change::Archive { by: by() }],
    }
}

fn said(headline: String, remarks: &[String]) -> String {
    remarks.iter().fold(headline, |text, remark| format!("{text}\n{remark}"))
}

/// The arguments of a call are no object.
pub(super) const NOT_AN_OBJECT: &str = "The arguments are not a JSON object; call the tool again with one.";
