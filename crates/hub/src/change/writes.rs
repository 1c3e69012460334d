//! An agent writes, steps through, or reads its list, and hears of edits.

use crate::error::{Failure, Result};
use crate::evidence::{self, MEMBER, caller_key, key_of, member_key};
use crate::lists::counted;
use crate::live::{CallerRevisions, Live};
use crate::turn::{Cause, News, Turn};
use protocol::{
    AgentIdentity, Caller, Code, Done, Text, TodoDelivered, TodoManage, TodoManaged, TodoRead, TodoWrite, TodoWritten,
};
use serde_json::Value;
use session::{Actor, ActorKind};
use std::borrow::Cow;
use std::sync::Arc;
use todo::limits::TEXT_CHARS;
use todo::manager::{Action, manage};
use todo::{Applied, Change, Draft};
use uuid::Uuid;

/// Callers of one session whose knowledge is kept; a label can have any number of them over time.
const CALLERS: usize = 8;

impl Turn<'_, '_> {
    pub(super) async fn write(&mut self, ask: &TodoWrite) -> Result<TodoWritten> {
        let drafts = if ask.merge { Draft::part(&ask.todos)? } else { Draft::list(&ask.todos)? };
        let named = (ask.session_id.as_deref(), ask.session.as_deref());
        let whose = self.whose_call(|arguments| arguments.get("todos").map(list_in) == Some(list_in(&ask.todos)));
        let live = self.session_of_call(&whose, named, ask.parent_session_id.as_deref()).await?;
        let caller = caller_key(self.caller);
        let change = match ask.merge {
            true => Change::Merge { caller, drafts },
            false => Change::Replace { caller, drafts },
        };
        let now = self.now();
        let applied = self.apply(&live, change, now)?;
        let (remarks, _) = Text::apart(applied.remarks.clone());
        let cause = Cause { kind: "todo.write", request_id: ask.request_id.as_deref(), at: now };
        let live = self.revise_by_agent(live, applied, cause).await?;
        Ok(TodoWritten {
            proof: self.secret(&live, ask.prove && *whose == *self.caller).await?,
            ..written(&live, self.caller, remarks)
        })
    }

    /// A step of an agent that works through `todo_manager`.
    pub(super) async fn manage(&mut self, ask: &TodoManage) -> Result<TodoManaged> {
        let action = Action::read(&ask.action, &ask.fields)?;
        let changes = action.changes();
        let named = (ask.session_id.as_deref(), ask.session.as_deref());
        let whose = self.whose_call(|arguments| {
            arguments["action"] == ask.action.as_str()
                && arguments.get("todos").map(list_in) == ask.fields.get("todos").map(list_in)
        });
        let live = self.session_of_call(&whose, named, None).await?;
        let now = self.now();
        let caller = caller_key(self.caller);
        let managed = self.stamped(now, |stamp| manage(&live.list, &caller, action, stamp))?;
        let is_nothing = managed.applied.as_ref().is_none_or(Applied::is_nothing);
        let written = match managed.applied {
            Some(applied) => {
                let (remarks, _) = Text::apart(applied.remarks.clone());
                let cause = Cause { kind: "todo.manage", request_id: None, at: now };
                let live = self.revise_by_agent(live, applied, cause).await?;
                TodoWritten {
                    proof: self.secret(&live, ask.prove && *whose == *self.caller).await?,
                    ..written(&live, self.caller, remarks)
                }
            }
            None => self.mark_active(live, ask.prove && *whose == *self.caller).await?,
        };
        // The user's edits are news for the agent.
        let unchanged = changes && is_nothing && written.edits.is_empty();
        Ok(TodoManaged { output: managed.output, changes, unchanged, written })
    }

    pub(super) async fn read(&mut self, ask: &TodoRead) -> Result<TodoWritten> {
        let named = (ask.session_id.as_deref(), ask.session.as_deref());
        let whose = self.whose_call(|arguments| arguments["action"].is_null() && arguments["todos"].is_null());
        let live = self.session_of_call(&whose, named, None).await?;
        self.mark_active(live, ask.prove && *whose == *self.caller).await
    }

    /// An agent was heard of, and its list did not change.
    async fn mark_active(&mut self, mut live: Live, prove: bool) -> Result<TodoWritten> {
        live.mark_active(self.now());
        self.save_heard(&mut live).await?;
        Ok(TodoWritten { proof: self.secret(&live, prove).await?, ..written(&live, self.caller, Vec::new()) })
    }

    /// The session that an agent's call belongs to, stored and bound when it is new.
    pub(super) async fn session_of_call(
        &mut self,
        caller: &Caller,
        (session_id, label): (Option<&str>, Option<&str>),
        parent: Option<&str>,
    ) -> Result<Live> {
        let resolved = self.sessions().of_call(caller, session_id, label).await?;
        let mut live = resolved.live;
        if let Some(tool) = &live.row.who.own_tool {
            let problem = format!("this list is the agent's own and written with {tool} only; leave \"sessionId\" out");
            return Err(Failure::refused(Code::ReadOnly, problem));
        }
        if resolved.is_new {
            live.row.who.parent_session_id = match parent {
                Some(parent) if key_of(caller).is_some() => Some(self.find_for_caller(parent).await?.row.session_id),
                Some(parent) => Some(self.find(parent).await?.row.session_id),
                None => self.sessions().parent_of(caller).await?,
            };
            self.save(&mut live, News::Created).await?;
        }
        self.claim(&mut live, caller);
        let connection = evidence::connection(self.caller);
        self.name_agent(&mut live, connection.as_deref()).await?;
        for (kind, key) in resolved.bind {
            self.bind(&live, kind, &key).await?;
        }
        let is_of_another = caller != self.caller;
        let has_name = |agent: &AgentIdentity| agent.label.is_some() || agent.parent.is_some();
        if label.is_some() || is_of_another || caller.agent.as_ref().is_some_and(has_name) {
            let key = member_key(self.caller, &live.row.session_id);
            if !self.sessions().is_bound(MEMBER, &key).await? {
                self.bind(&live, MEMBER, &key).await?;
            }
        }
        let connection = if is_of_another { evidence::connection(caller) } else { connection };
        if let Some(connection) = connection
            && !self.core.board.has_used(&connection, &live.row.session_id)
        {
            self.staged.used.push((connection, live.row.session_id.clone()));
        }
        Ok(live)
    }

    /// Stores what an agent's own change made of its list, and what the agent knows since. A list that was sent once more
    /// makes no revision, but for the first one.
    pub(super) async fn revise_by_agent(
        &mut self,
        mut live: Live,
        mut applied: Applied,
        cause: Cause<'_>,
    ) -> Result<Live> {
        // Of several changes at once, one before this may have made no revision.
        applied.list.revision = live.list.revision + 1;
        if live.row.who.title.is_empty()
            && let Some(first) = applied.list.items.first()
        {
            live.row.who.title = todo::short(&first.content);
        }
        let actor = self.agent(&live);
        let key = caller_key(self.caller);
        live.mark_active(cause.at);
        (live.row.life.calls, live.row.life.drift_at) = (0, None);
        let is_repeated = applied.difference.is_empty() && live.list.revision > 0;
        let revision = if is_repeated { live.list.revision } else { applied.list.revision };
        live.note_revisions(&key, |known| known.sent_revision = Some(revision));
        let mut live = match is_repeated {
            true => self.repeat(live, applied, &actor, cause).await?,
            false => self.revise(live, applied, &actor, cause).await?,
        };
        self.transaction.save_caller(&live.row, &live.caller_row(&key)).await?;
        if live.forget_callers(CALLERS) {
            self.transaction.forget_callers(&live.row, CALLERS).await?;
            self.stage(&live);
        }
        Ok(live)
    }

    /// The caller as the agent who made a revision of a session.
    pub(super) fn agent(&self, live: &Live) -> Actor {
        let is_called_by_one = self.caller.agent.as_ref().is_some_and(|agent| agent.parent.is_some());
        let is_of_one = live.row.who.parent_session_id.is_some() && live.row.who.own_tool.is_none();
        let kind = if is_called_by_one || is_of_one { ActorKind::Subagent } else { ActorKind::Agent };
        Actor { kind, name: live.row.who.agent_name.clone(), transport: self.caller.transport }
    }

    /// An answer reached its caller: its edits are delivered, and the list in it is what the caller knows.
    pub(super) async fn delivered(&mut self, ask: &TodoDelivered) -> Result<Done> {
        let mut live = self.find_for_caller(&ask.session_id).await?;
        let now = self.now();
        let key = live.key_of(self.caller);
        let knows = |revisions: &CallerRevisions| revisions.known_revision == ask.revision;
        let is_known = ask.revision.is_some() && live.caller_revisions.get(&key).is_some_and(knows);
        if ask.edits.is_empty() && is_known && live.list.agents.is_empty() {
            // It was given this list before.
            return Ok(Done {});
        }
        let told = match ask.revision {
            None => None,
            Some(revision) if revision == live.row.list.revision => Some(live.list.items.clone()),
            Some(revision) if revision < live.row.list.revision => {
                Some(self.core.store.list_at(live.row.pk, revision).await?)
            }
            Some(_) => return Err(Failure::refused(Code::RevisionNotFound, "there is no such revision yet")),
        };
        if ask.revision.is_some() {
            live.note_revisions(&key, |known| known.known_revision = ask.revision);
        }
        let edits: Vec<Uuid> = ask.edits.iter().filter_map(|id| Uuid::try_parse(id).ok()).collect();
        let call: Option<String> = ask.tool_call.as_ref().map(|call| call.chars().take(TEXT_CHARS).collect());
        let changed = Arc::make_mut(&mut live.list).delivered(&key, told, &edits, call.as_deref(), now);
        if !changed.is_empty() {
            // The revision is stored with the edits it told, else with the caller's next write: an older one, after a
            // crash, only makes the merge more careful.
            if let Some(revision) = ask.revision {
                self.transaction.save_known_revision(&live.row, &key, revision).await?;
            }
            self.save_edits(&mut live, &changed).await?;
            self.transaction.save_session(&mut live.row).await?;
            self.tell_updated(&live);
        }
        if ask.revision.is_none() && self.staged.hooks.has_offer(&live.row.session_id) {
            self.hooks().was_delivered(&live.row.session_id);
        }
        self.stage(&live);
        Ok(Done {})
    }
}

/// The answer to an agent, with the steps and the edits that it is given: all of them where it shares the list with nobody.
pub(super) fn written(live: &Live, caller: &Caller, remarks: Vec<String>) -> TodoWritten {
    let others = live.others(caller);
    let todos = others.visible(&live.list.items);
    let hides = todos.len() < live.list.items.len();
    TodoWritten {
        session_id: live.row.session_id.clone(),
        session: live.row.who.label.clone(),
        revision: live.row.list.revision,
        progress: if hides { counted(&todos).0 } else { live.row.list.progress },
        todos,
        edits: live.queued_edits(&others),
        remarks,
        proof: None,
        agent: live.name_of(caller),
    }
}

/// The list that was sent; some models send it as a text that holds JSON.
fn list_in(todos: &Value) -> Cow<'_, Value> {
    match todos.as_str().map(serde_json::from_str) {
        Some(Ok(list)) => Cow::Owned(list),
        _ => Cow::Borrowed(todos),
    }
}
