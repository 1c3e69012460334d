//! Changes of the list by the machine and by its model, through the hub.

use super::session::Session;
use crate::fsm::{AgentMachine, Change, ChangedBy, Event, Snapshot};
use hub::{Decide, Decided};
use mcp::TodoCall;
use protocol::{Code, Error, Result, TodoWritten};
use serde_json::Value;
use std::sync::{Arc, Mutex, PoisonError};
use todo::manager::{Action, manage};
use todo::{Draft, List, Position, Stamp, Target, apply};
use uuid::Uuid;

impl Session {
    /// Makes a change that the machine has decided on.
    pub(super) async fn change_list(&mut self, change: Change) -> Result<Snapshot> {
        let key = hub::Hub::caller_key(&self.caller);
        let decide: Decide = Arc::new(move |list, stamp| {
            let mut applied = Vec::new();
            let mut list = list.clone();
            for step in steps(&change, &key, &list) {
                let done = apply(&list, step, stamp)?;
                list = done.list.clone();
                applied.push(done);
            }
            Ok(Decided { applied })
        });
        Ok(snapshot(&self.decide(decide).await?))
    }

    /// Writes a list that the model sent, by its tool or in its prose, as far as the machine lets it decide. `merge`: the
    /// drafts are a part of the list.
    pub(super) async fn write_list(&mut self, drafts: Vec<Draft>, merge: bool) -> Result<TodoWritten> {
        let written = self.models_change(move |machine, list, key, stamp| {
            let (caller, drafts) = (key.to_owned(), drafts.clone());
            let mut change = match merge {
                true => todo::Change::Merge { caller, drafts },
                false => todo::Change::Replace { caller, drafts },
            };
            let claimed = machine.tame(list, &mut change);
            Ok(ModelsChange { claimed, applied: Some(apply(list, change, stamp)?), output: Value::Null })
        });
        Ok(written.await?.0)
    }

    /// Calls a todo tool, and returns its result. The list itself follows as a reminder.
    pub(super) async fn call_todo_tool(&mut self, tool: &str, args: &Value) -> Result<String> {
        let Some(fields) = args.as_object() else {
            return Err(Error::new(Code::InvalidTodos, NOT_AN_OBJECT));
        };
        match TodoCall::read(tool, fields.clone())? {
            TodoCall::Write { todos, merge } => {
                let drafts = if merge { Draft::part(&todos) } else { Draft::list(&todos) }?;
                let written = self.write_list(drafts, merge).await?;
                Ok(mcp::write_headline(&written) + &mcp::remark_lines(&written.remarks))
            }
            TodoCall::Read => Ok(todo::text::write_xml(&self.machine.list().items)),
            TodoCall::Manage { action, fields } => {
                let action = Action::read(&action, &fields)?;
                let (_, output) = self
                    .models_change(move |machine, list, key, stamp| managed(machine, list, key, action.clone(), stamp))
                    .await?;
                Ok(mcp::manager_result(&output).to_string())
            }
        }
    }

    /// Makes a change that comes from the model, and tells the machine; returns what the tool puts out as well.
    async fn models_change(
        &mut self,
        change: impl Fn(&AgentMachine, &List, &str, &mut Stamp<'_>) -> todo::Result<ModelsChange> + Send + Sync + 'static,
    ) -> Result<(TodoWritten, Value)> {
        let machine = self.machine.clone();
        let key = hub::Hub::caller_key(&self.caller);
        let made = Arc::new(Mutex::new((None, Value::Null)));
        let out = made.clone();
        let decide: Decide = Arc::new(move |list, stamp| {
            let ModelsChange { claimed, applied, output } = change(&machine, list, &key, stamp)?;
            *out.lock().unwrap_or_else(PoisonError::into_inner) = (claimed, output);
            Ok(Decided { applied: applied.into_iter().collect() })
        });
        let written = self.decide(decide).await?;
        let (claims, output) = made.lock().unwrap_or_else(PoisonError::into_inner).clone();
        self.hear(Event::List { list: snapshot(&written), by: ChangedBy::Model { claims } });
        Ok((written, output))
    }

    /// Has the hub make a decision. The machine hears first what others have changed before it.
    async fn decide(&mut self, decide: Decide) -> Result<TodoWritten> {
        let request_id = self.request_id();
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
            self.hear(Event::List { list, by: ChangedBy::User });
        }
        decided
    }
}

/// A change of the list that the model has asked for.
struct ModelsChange {
    /// The item that the model called completed, which has to be verified first.
    claimed: Option<Uuid>,
    /// `None` where there is nothing to change.
    applied: Option<todo::Applied>,
    /// The output of `todo_manager`.
    output: Value,
}

/// Performs an action of `todo_manager`, as far as the machine lets the model decide.
fn managed(
    machine: &AgentMachine,
    list: &List,
    key: &str,
    mut action: Action,
    stamp: &mut Stamp<'_>,
) -> todo::Result<ModelsChange> {
    let claimed = match &mut action {
        Action::Complete(numbers) => {
            let told = list.callers.get(key).and_then(|memory| memory.known_list.clone());
            machine.tame_numbers(numbers, told.as_deref().map_or(&list.items[..], Vec::as_slice))
        }
        Action::Replace(drafts) => {
            let mut change = todo::Change::Replace { caller: key.to_owned(), drafts: std::mem::take(drafts) };
            let claimed = machine.tame(list, &mut change);
            if let todo::Change::Replace { drafts: tamed, .. } = change {
                *drafts = tamed;
            }
            claimed
        }
        _ => None,
    };
    if claimed.is_some() && action == Action::Complete(Vec::new()) {
        return Ok(ModelsChange { claimed, applied: None, output: "It is verified before it is completed".into() });
    }
    let managed = manage(list, key, action, stamp)?;
    Ok(ModelsChange { claimed, applied: managed.applied, output: managed.output })
}

/// The list after a decision.
fn snapshot(written: &TodoWritten) -> Snapshot {
    Snapshot { revision: written.revision, items: written.todos.clone() }
}

/// The changes of the list that make up a change of the machine's.
fn steps(change: &Change, key: &str, list: &List) -> Vec<todo::Change> {
    let by = || todo::By::Agent { caller: key.to_owned() };
    match change {
        Change::Add(drafts) => {
            vec![todo::Change::Add { position: Position::at(list.items.len()), drafts: drafts.clone(), by: by() }]
        }
        Change::Set(marks) => marks
            .iter()
            // The user may have removed the item meanwhile.
            .filter(|mark| list.items.iter().any(|item| item.uid == mark.uid))
            .map(|mark| {
                let patch = Draft::of_status(mark.status, mark.reason.clone());
                todo::Change::Set { target: Target::Uids(vec![mark.uid]), patch: Box::new(patch), by: by() }
            })
            .collect(),
        Change::Archive => vec![todo::Change::Archive { by: by() }],
    }
}

/// The result of a call whose arguments are not an object.
pub(super) const NOT_AN_OBJECT: &str = "The arguments are not a JSON object; call the tool again with one.";
