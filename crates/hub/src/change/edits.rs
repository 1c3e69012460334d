//! The user's edits of a list.

use crate::error::{Failure, Result};
use crate::live::Live;
use crate::turn::{Cause, Turn};
use protocol::classes::{Edit, ItemEdit};
use protocol::{
    Caller, Code, EditInsist, Edited, Request, Sorted, Text, TodoAdd, TodoEdit, TodoMove, TodoSetStatus, TodoUndo,
};
use serde_json::{Map, Value, json};
use todo::{By, Change, Draft, Position, Positions, Target};
use uuid::Uuid;

/// Fields that a transport adds to a message, or that name the item: no fields of an item.
const NOT_FIELDS: [&str; 4] = ["id", "type", "uid", "position"];

impl Turn<'_, '_> {
    pub(super) async fn edit(&mut self, request: &Request) -> Result<Edited> {
        let named = match self.edited(request).await {
            Some(live) if live.row.who.host.is_some() => return self.forward(live, request).await,
            named => named,
        };
        let (session, change) = self.change_of(request).await?;
        let live = match named {
            Some(live) if request.edited_session() == Some(session.as_str()) => Ok(live),
            _ => self.find(&session).await,
        };
        let edited = match live {
            Ok(live) => self.change(request.kind(), live, change).await,
            Err(failure) => Err(failure),
        };
        let edited = match edited {
            Ok(edited) => edited,
            Err(failure) => return Err(self.explain_gone(request, failure).await),
        };
        if matches!(request, Request::NoteSend(_) | Request::TodoUndo(_)) {
            self.settle_drift(&edited.session_id).await?;
        }
        Ok(edited)
    }

    /// The session that a request edits, and the change that it asks for.
    async fn change_of(&mut self, request: &Request) -> Result<(String, Change)> {
        match request.sorted() {
            Sorted::Edit(edit) => self.list_change(edit).await,
            Sorted::ItemEdit(edit) => item_change(edit, self.caller),
            _ => Err(request.misplaced().into()),
        }
    }

    async fn list_change(&mut self, edit: Edit<'_>) -> Result<(String, Change)> {
        let caller = self.caller;
        let client = || caller.client.clone();
        let (session, change) = match edit {
            Edit::SessionLoad(ask) => return self.load(ask).await,
            Edit::TodoRestore(ask) => (&ask.session_id, self.restore_change(ask).await?),
            Edit::TodoAdd(ask) => {
                let change = add(ask, caller)?;
                return Ok((self.list_to_add_to(ask).await?, change));
            }
            Edit::TodoUndo(ask) => (&ask.session_id, undo(ask, caller)?),
            Edit::TodoClear(ask) => (&ask.session_id, Change::Clear { client: client() }),
            Edit::TodoArchive(ask) => (&ask.session_id, Change::Archive { by: user(caller) }),
            Edit::NoteSend(ask) => (&ask.session_id, Change::Note { text: ask.text.clone(), client: client() }),
            Edit::EditInsist(ask) => (&ask.session_id, insist(ask, caller)?),
        };
        Ok((session.clone(), change))
    }

    /// Changes a list as the user; `kind` is the type of the request.
    async fn change(&mut self, kind: &'static str, mut live: Live, change: Change) -> Result<Edited> {
        if live.row.who.read_only {
            return Err(super::forwarded::read_only(&live));
        }
        let now = self.now();
        let applied = self.apply(&live, change, now)?;
        let Text { english: message, named: text } = applied.message.clone();
        let (remarks, remark_texts) = Text::apart(applied.remarks.clone());
        let edit_id = applied.edit.map(|id| id.to_string()).unwrap_or_default();
        // A change that changes nothing makes no revision, and nobody is told.
        if !applied.is_nothing() {
            let actor = self.user();
            live = self.revise(live, applied, &actor, Cause { kind, request_id: None, at: now }).await?;
        }
        Ok(Edited {
            session_id: live.row.session_id.clone(),
            revision: live.row.list.revision,
            todos: live.list.items.clone(),
            edit_id,
            message,
            text,
            remarks,
            remark_texts,
        })
    }
}

fn item_change(edit: ItemEdit<'_>, caller: &Caller) -> Result<(String, Change)> {
    let (session, change) = match edit {
        ItemEdit::TodoSetStatus(ask) => (&ask.session_id, set_status(ask, caller)?),
        ItemEdit::TodoEdit(ask) => (&ask.session_id, self::edit(ask, caller)?),
        ItemEdit::TodoMove(ask) => (&ask.session_id, move_to(ask, caller)?),
        ItemEdit::TodoIndent(ask) => {
            let target = target(ask.uid.as_deref(), ask.position.as_deref())?;
            (&ask.session_id, Change::Level { target, out: ask.out, client: caller.client.clone() })
        }
        ItemEdit::TodoDelete(ask) => {
            let target = target(ask.uid.as_deref(), ask.position.as_deref())?;
            (&ask.session_id, Change::Delete { target, client: caller.client.clone() })
        }
    };
    Ok((session.clone(), change))
}

fn add(ask: &TodoAdd, caller: &Caller) -> Result<Change> {
    let position = match ask.position.as_deref() {
        Some(typed) => Position::parse(typed)?,
        None => Position::last(),
    };
    let mut fields = fields(&ask.fields);
    fields.insert("content".to_owned(), Value::String(ask.content.clone()));
    let drafts = vec![Draft::one(&Value::Object(fields), "todo.add")?];
    Ok(Change::Add { position, drafts, by: user(caller) })
}

fn set_status(ask: &TodoSetStatus, caller: &Caller) -> Result<Change> {
    let mut fields = json!({ "status": ask.status });
    if let Some(reason) = &ask.reason {
        fields["reason"] = json!(reason);
    }
    set(ask.uid.as_deref(), ask.position.as_deref(), &fields, "todo.setStatus", caller)
}

fn edit(ask: &TodoEdit, caller: &Caller) -> Result<Change> {
    let fields = Value::Object(fields(&ask.fields));
    set(ask.uid.as_deref(), ask.position.as_deref(), &fields, "todo.edit", caller)
}

fn set(uid: Option<&str>, position: Option<&str>, fields: &Value, path: &str, caller: &Caller) -> Result<Change> {
    let target = target(uid, position)?;
    // To an agent no word is pending; from a person it is a slip.
    if let Some(word) = fields.get("status")
        && word.as_str().is_none_or(|word| word.trim().is_empty())
    {
        return Err(todo::Error::StatusWord(word.as_str().unwrap_or("null").to_owned()).into());
    }
    Ok(Change::Set { target, patch: Box::new(Draft::patch(fields, path)?), by: user(caller) })
}

fn move_to(ask: &TodoMove, caller: &Caller) -> Result<Change> {
    let target = target(ask.uid.as_deref(), ask.position.as_deref())?;
    Ok(Change::Move { target, to: Position::parse(&ask.to)?, client: caller.client.clone() })
}

fn undo(ask: &TodoUndo, caller: &Caller) -> Result<Change> {
    let unknown = |_| Failure::refused(Code::CannotUndo, "\"editId\" is not one that this gateway gave");
    let edit = ask.edit_id.as_deref().map(Uuid::try_parse).transpose().map_err(unknown)?;
    Ok(Change::Undo { edit, client: caller.client.clone() })
}

fn insist(ask: &EditInsist, caller: &Caller) -> Result<Change> {
    let unknown = |_| Failure::refused(Code::CannotUndo, "\"editId\" is not one that this gateway gave");
    let edit = ask.edit_id.as_deref().map(Uuid::try_parse).transpose().map_err(unknown)?;
    Ok(Change::Insist { edit, client: caller.client.clone() })
}

/// The items that a request names.
fn target(uid: Option<&str>, position: Option<&str>) -> Result<Target> {
    match (uid, position) {
        (Some(uid), _) => Uuid::try_parse(uid)
            .map(|uid| Target::Uids(vec![uid]))
            .map_err(|_| Failure::refused(Code::ItemNotFound, "\"uid\" is not one of an item of ours")),
        (None, Some(position)) => Ok(Target::At(Positions::parse(position)?)),
        (None, None) => Err(Failure::refused(
            Code::InvalidMessage,
            "say which item: send its \"uid\", or its \"position\" such as \"2\"",
        )),
    }
}

fn user(caller: &Caller) -> By {
    By::User { client: caller.client.clone() }
}

fn fields(sent: &Map<String, Value>) -> Map<String, Value> {
    let mut fields = sent.clone();
    fields.retain(|key, _| !NOT_FIELDS.contains(&key.as_str()));
    fields
}
