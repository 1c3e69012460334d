//! Edits of mirrored sessions, which go to their owners.

use crate::error::{Failure, Result};
use crate::feed::unsalted_id;
use crate::live::{Live, sending_edit};
use crate::turn::{News, Turn};
use crate::writer::Work;
use protocol::{Code, Done, EditDiscard, EditOnce, Edited, Request, Sorted, Text, say};
use serde_json::Value;
use std::sync::Arc;
use store::{MirroredRow, SendingRow};
use todo::{Item, Positions, short};
use uuid::Uuid;

/// Edits of one session that may wait for its host.
const WAITING: usize = 200;

/// An edit on its way to the host of its session.
#[derive(Debug, Clone, PartialEq)]
pub struct Forwarded {
    /// The session's id here.
    pub session_id: String,
    /// The request for its host.
    pub edit: EditOnce,
}

/// The end of an edit's way to its host.
pub(crate) struct Sent {
    pub(crate) key: String,
    pub(crate) session_id: String,
    /// The host's reason for refusing it.
    pub(crate) problem: Option<Text>,
}

impl Work for Sent {
    type Answer = ();

    async fn perform(&self, turn: &mut Turn<'_, '_>) -> Result<()> {
        turn.sent(self).await
    }
}

impl Turn<'_, '_> {
    /// The session that an edit names; `None` where there is none, which whoever makes the edit says.
    pub(super) async fn edited(&self, request: &Request) -> Option<Live> {
        let session_id = request.edited_session().filter(|id| !id.is_empty())?;
        self.find(session_id).await.ok()
    }

    /// Keeps an edit for the host of its session. It is made there, and comes back with the session.
    pub(super) async fn forward(&mut self, mut live: Live, request: &Request) -> Result<Edited> {
        let host = live.row.who.host.clone().unwrap_or_default();
        let rows = self.transaction.hosts().await?;
        let entry = self.transaction.mirrored_as(&live.row.session_id).await?;
        let Some(entry) = entry.filter(|entry| rows.iter().any(|row| row.name == entry.host)) else {
            return Err(Failure::refused(Code::ReadOnly, say::host_gone(&host)));
        };
        if live.row.who.read_only {
            return Err(read_only(&live));
        }
        if live.sending.len() >= WAITING {
            return Err(Failure::refused(Code::LimitExceeded, say::host_edits_full(WAITING, &host)));
        }
        for there in by_uid(request, as_there(request, &entry)?, &live.list.items)? {
            let row = SendingRow {
                key: self.core.uid().to_string(),
                session_id: live.row.session_id.clone(),
                request: there.to_string(),
                client: self.caller.client.clone(),
                text: text_of(request),
                at: self.now(),
                problem: None,
                problem_text: None,
                host: host.clone(),
            };
            self.transaction.add_sending(&row).await?;
            Arc::make_mut(&mut live.sending).push(sending_edit(row));
        }
        self.save(&mut live, News::Updated).await?;
        self.staged.waited_for.insert(host.clone());
        let sending = say::host_sending(&host);
        Ok(Edited {
            session_id: live.row.session_id.clone(),
            revision: live.row.list.revision,
            todos: live.list.items.clone(),
            edit_id: String::new(),
            message: sending.english,
            text: sending.named,
            remarks: Vec::new(),
            remark_texts: Vec::new(),
        })
    }

    async fn sent(&mut self, sent: &Sent) -> Result<()> {
        match &sent.problem {
            Some(Text { english, named }) => {
                let named = named.as_ref().and_then(|named| serde_json::to_string(named).ok());
                self.transaction.refuse_sending(&sent.key, english, named.as_deref()).await?;
            }
            None => self.transaction.remove_sending(&sent.key).await?,
        }
        let mut live = match self.find(&sent.session_id).await {
            Ok(live) => live,
            Err(failure) if failure.is_unknown_session() => return Ok(()),
            Err(failure) => return Err(failure),
        };
        let sending = Arc::make_mut(&mut live.sending);
        match &sent.problem {
            Some(problem) => {
                sending.iter_mut().filter(|edit| edit.key == sent.key).for_each(|edit| {
                    edit.problem = Some(problem.english.clone());
                    edit.problem_text.clone_from(&problem.named);
                });
            }
            None => sending.retain(|edit| edit.key != sent.key),
        }
        self.save(&mut live, News::Updated).await
    }

    pub(super) async fn edit_discard(&mut self, ask: &EditDiscard) -> Result<Done> {
        let Some(session_id) = self.transaction.session_of_sending(&ask.key).await? else {
            return Err(Failure::refused(Code::ItemNotFound, say::host_edit_arrived()));
        };
        self.sent(&Sent { key: ask.key.clone(), session_id, problem: None }).await?;
        Ok(Done {})
    }
}

/// The refusal of an edit that an agent cannot be told of.
pub(super) fn read_only(live: &Live) -> Failure {
    let agent = &live.row.who.agent_name;
    let tool = live.row.who.own_tool.as_deref().unwrap_or_default();
    Failure::refused(Code::ReadOnly, say::read_only(agent, tool))
}

/// An edit as its owner understands it.
fn as_there(request: &Request, entry: &MirroredRow) -> Result<Value> {
    let internal = |error: serde_json::Error| Failure::refused(Code::Internal, error.to_string());
    let mut value = serde_json::to_value(request.clone().in_session(&entry.owner_id)).map_err(internal)?;
    let from = value["from"].as_str().filter(|from| !from.is_empty() && *from != entry.session_id);
    if from.is_some() || value.get("label").is_some_and(|label| !label.is_null()) {
        return Err(Failure::refused(Code::ReadOnly, say::host_other_list(&entry.host)));
    }
    if value.get("from").is_some() {
        value["from"] = Value::Null;
    }
    if let Some(id) = value["editId"].as_str().and_then(|id| Uuid::try_parse(id).ok()) {
        value["editId"] = unsalted_id(id, entry.salt).to_string().into();
    }
    Ok(value)
}

/// An edit of items that are named by their positions as one of each item: by the time that it arrives, others may stand
/// there.
fn by_uid(request: &Request, there: Value, items: &[Item]) -> Result<Vec<Value>> {
    let is_named = there["uid"].is_string() || !matches!(request.sorted(), Sorted::ItemEdit(_));
    let Some(typed) = there["position"].as_str().filter(|_| !is_named) else { return Ok(vec![there]) };
    let slots = Positions::parse(typed)?.slots(items)?;
    let uids = slots.iter().filter_map(|slot| Some(slot.item(items)?.uid));
    let one = |uid: Uuid| {
        let mut one = there.clone();
        one["uid"] = uid.to_string().into();
        one
    };
    Ok(uids.map(one).collect())
}

/// The text of an edit, for people.
fn text_of(request: &Request) -> String {
    let value = serde_json::to_value(request).unwrap_or_default();
    let text = ["content", "text", "status"].iter().find_map(|name| value[*name].as_str());
    short(text.unwrap_or_default())
}
