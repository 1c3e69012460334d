//! The user's requests as changes of a list.

use protocol::{Caller, Code, EditInsist, Error, TodoAdd, TodoEdit, TodoMove, TodoSetStatus, TodoUndo};
use serde_json::{Map, Value, json};
use todo::{By, Change, Draft, Position, Positions, Target};
use uuid::Uuid;

type Result<T> = std::result::Result<T, Error>;

/// What a transport adds to a message, and what names the item: no fields of an item.
const NOT_FIELDS: [&str; 4] = ["id", "type", "uid", "position"];

pub(crate) fn add(ask: &TodoAdd, caller: &Caller) -> Result<Change> {
    let position = match ask.position.as_deref() {
        Some(typed) => Position::parse(typed)?,
        None => Position::last(),
    };
    let mut fields = fields(&ask.fields);
    fields.insert("content".to_owned(), Value::String(ask.content.clone()));
    let drafts = vec![Draft::one(&Value::Object(fields), "todo.add")?];
    Ok(Change::Add { position, drafts, by: user(caller) })
}

pub(crate) fn set_status(ask: &TodoSetStatus, caller: &Caller) -> Result<Change> {
    let mut fields = json!({ "status": ask.status });
    if let Some(reason) = &ask.reason {
        fields["reason"] = json!(reason);
    }
    set(ask.uid.as_deref(), ask.position.as_deref(), &fields, "todo.setStatus", caller)
}

pub(crate) fn edit(ask: &TodoEdit, caller: &Caller) -> Result<Change> {
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

pub(crate) fn move_to(ask: &TodoMove, caller: &Caller) -> Result<Change> {
    let target = target(ask.uid.as_deref(), ask.position.as_deref())?;
    Ok(Change::Move { target, to: Position::parse(&ask.to)?, client: caller.client.clone() })
}

pub(crate) fn undo(ask: &TodoUndo, caller: &Caller) -> Result<Change> {
    let unknown = |_| Error::new(Code::CannotUndo, "\"editId\" is not one that this gateway gave");
    let edit = ask.edit_id.as_deref().map(Uuid::try_parse).transpose().map_err(unknown)?;
    Ok(Change::Undo { edit, client: caller.client.clone() })
}

pub(crate) fn insist(ask: &EditInsist, caller: &Caller) -> Result<Change> {
    let unknown = |_| Error::new(Code::CannotUndo, "\"editId\" is not one that this gateway gave");
    let edit = ask.edit_id.as_deref().map(Uuid::try_parse).transpose().map_err(unknown)?;
    Ok(Change::Insist { edit, client: caller.client.clone() })
}

/// The items that a request names.
pub(crate) fn target(uid: Option<&str>, position: Option<&str>) -> Result<Target> {
    match (uid, position) {
        (Some(uid), _) => Uuid::try_parse(uid)
            .map(|uid| Target::Uids(vec![uid]))
            .map_err(|_| Error::new(Code::ItemNotFound, "\"uid\" is not one of an item of ours")),
        (None, Some(position)) => Ok(Target::At(Positions::parse(position)?)),
        (None, None) => {
            Err(Error::new(Code::InvalidMessage, "say which item: send its \"uid\", or its \"position\" such as \"2\""))
        }
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
