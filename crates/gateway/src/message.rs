//! A client's message as it arrives: its length, its JSON, its id.

use protocol::{Code, Error, Rights};
use serde_json::{Map, Value};

/// The longest message that is read. Most are refused past [`protocol::MESSAGE_BYTES`], and read only to say so; who may
/// only look has nothing to import.
pub(crate) fn read_bytes(rights: Option<Rights>) -> usize {
    if rights > Some(Rights::Look) { protocol::IMPORT_BYTES } else { protocol::MESSAGE_BYTES }
}

/// The most characters of a message's id and of a client's, which are repeated in the events that they cause.
pub(crate) const ID_CHARS: usize = 200;

/// Reads a message as its id and its fields.
pub(crate) fn read(text: &str) -> Result<(Option<String>, Map<String, Value>), Error> {
    let mut fields = match serde_json::from_str::<Value>(text) {
        Ok(Value::Object(fields)) => fields,
        Ok(_) => return Err(invalid("a message is a JSON object with \"id\" and \"type\"")),
        Err(error) => return Err(invalid(format!("this is not JSON: {error}"))),
    };
    let id = match fields.remove("id") {
        Some(Value::String(id)) => Some(id),
        Some(Value::Number(id)) => Some(id.to_string()),
        None | Some(Value::Null) => None,
        Some(_) => return Err(invalid("\"id\" must be text")),
    };
    match id.as_ref().map(|id| id.chars().count()).filter(|length| *length > ID_CHARS) {
        Some(length) => Err(invalid(format!("\"id\" has {length} characters, it may have {ID_CHARS}"))),
        None => Ok((id, fields)),
    }
}

/// Returns whether a message is larger than its type may be. Only large ones are read to know their type.
pub(crate) fn is_too_large(text: &str) -> bool {
    #[derive(serde::Deserialize, Default)]
    struct Typed {
        r#type: String,
    }
    let kind = || serde_json::from_str::<Typed>(text).unwrap_or_default().r#type;
    text.len() > protocol::MESSAGE_BYTES && text.len() > protocol::message_bytes(&kind())
}

pub(crate) fn too_large() -> Error {
    let (most, import) = (protocol::MESSAGE_BYTES, protocol::IMPORT_BYTES);
    let message =
        format!("a message may have {most} bytes (session.import: {import}); nothing was changed, send less at once");
    Error::new(Code::MessageTooLarge, message)
}

pub(crate) fn invalid(text: impl Into<protocol::Text>) -> Error {
    Error::new(Code::InvalidMessage, text)
}
