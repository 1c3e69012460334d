//! The messages of the gateway, as far as they are used here. What is unknown, half or of another type is left out.

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

/// The longest id that is taken; Tek's have 21 to 36 characters.
const ID: usize = 200;

/// A session that the gateway has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct KnownSession {
    pub(crate) id: String,
    /// Time at which it began, as the gateway writes it.
    pub(crate) created_at: String,
}

/// Tokens and cost of a chat, as far as they are told.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Spent {
    pub(crate) input: Option<u64>,
    pub(crate) output: Option<u64>,
    pub(crate) dollars: Option<f64>,
}

/// Something that needs the user's word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Question {
    /// Id of the chat's request.
    pub(crate) request: String,
    /// Id of the call; `None` for a checklist before the chat begins.
    pub(crate) call: Option<String>,
    pub(crate) tool: String,
    /// The arguments, or the checklist, as JSON text to the letter.
    pub(crate) input: String,
}

/// A message of the gateway.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Told {
    SessionCreated {
        session: String,
    },
    Sessions(Vec<KnownSession>),
    Started {
        request: String,
        session: String,
        model: Option<String>,
    },
    Ended {
        request: String,
        spent: Spent,
    },
    List {
        request: String,
        todos: Vec<Value>,
    },
    Call {
        request: String,
        tool: String,
        args: Value,
    },
    CallEnded {
        request: String,
        tool: String,
    },
    Asks(Question),
    Failed {
        request: Option<String>,
        code: String,
        message: String,
    },
    Status {
        version: Option<String>,
    },
    /// Any other: it is there.
    Other,
}

/// Reads a message. All that is no message of a known form is [`Told::Other`].
pub(crate) fn read(text: &str) -> Told {
    let known = || {
        let fields: Map<String, Value> = serde_json::from_str(text).ok()?;
        told(&fields, text)
    };
    known().unwrap_or(Told::Other)
}

fn told(fields: &Map<String, Value>, text: &str) -> Option<Told> {
    let word = |name: &str| fields.get(name).and_then(Value::as_str);
    let id = |name: &str| word(name).filter(|id| id.len() <= ID).map(str::to_owned);
    let request = || id("requestId");
    Some(match word("type")? {
        "session.created" => Told::SessionCreated { session: id("sessionId")? },
        "session.list" => Told::Sessions(fields.get("sessions")?.as_array()?.iter().filter_map(session).collect()),
        "chat.stream.start" => {
            Told::Started { request: request()?, session: id("sessionId")?, model: word("model").map(str::to_owned) }
        }
        "chat.stream.end" => Told::Ended { request: request()?, spent: spent(fields) },
        "todo.update" => Told::List { request: request()?, todos: fields.get("todos")?.as_array()?.clone() },
        "tool.call" => Told::Call { request: request()?, tool: id("toolName")?, args: fields.get("args")?.clone() },
        "tool.result" | "tool.error" => Told::CallEnded { request: request()?, tool: id("toolName")? },
        "tool.approval.request" => Told::Asks(Question {
            request: request()?,
            call: Some(id("toolCallId")?),
            tool: id("toolName")?,
            input: args(text).unwrap_or_else(|| "{}".to_owned()),
        }),
        "preflight.checklist" => Told::Asks(Question {
            request: request()?,
            call: None,
            tool: "preflight.checklist".to_owned(),
            input: checklist(fields),
        }),
        "error" => Told::Failed {
            request: request(),
            code: word("code").unwrap_or_default().to_owned(),
            message: word("message").unwrap_or_default().to_owned(),
        },
        "gateway.status.result" => Told::Status { version: id("version") },
        _ => Told::Other,
    })
}

fn session(value: &Value) -> Option<KnownSession> {
    let id = value["sessionId"].as_str().filter(|id| !id.is_empty() && id.len() <= ID)?;
    Some(KnownSession { id: id.to_owned(), created_at: value["createdAt"].as_str().unwrap_or_default().to_owned() })
}

fn spent(fields: &Map<String, Value>) -> Spent {
    let number = |of: &str, name: &str| fields.get(of).and_then(|of| of.get(name)).cloned().unwrap_or_default();
    Spent {
        input: number("usage", "inputTokens").as_u64(),
        output: number("usage", "outputTokens").as_u64(),
        dollars: number("cost", "totalCost").as_f64(),
    }
}

/// The arguments of a call as they were sent: numbers and the order of names are part of what is approved.
fn args(text: &str) -> Option<String> {
    #[derive(Deserialize)]
    struct WithArgs<'a> {
        #[serde(borrow)]
        args: Option<&'a RawValue>,
    }
    Some(serde_json::from_str::<WithArgs<'_>>(text).ok()?.args?.get().to_owned())
}

/// The text that the user decides about: a checklist without its ids.
fn checklist(fields: &Map<String, Value>) -> String {
    let mut shown = fields.clone();
    shown.retain(|name, _| name != "type" && name != "requestId");
    Value::Object(shown).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_known_message_says_only_that_somebody_is_there() {
        for text in [
            "",
            "{ this is not json",
            "[]",
            "null",
            "\"text\"",
            "{}",
            r#"{"type":7}"#,
            r#"{"type":"no.such.type"}"#,
            r#"{"type":"todo.update"}"#,
            r#"{"type":"todo.update","requestId":"r","todos":{}}"#,
            r#"{"type":"todo.update","requestId":7,"todos":[]}"#,
            r#"{"type":"chat.stream.start","requestId":"r"}"#,
            r#"{"type":"session.list","sessions":7}"#,
            r#"{"type":"tool.call","requestId":"r","toolName":"x"}"#,
        ] {
            assert_eq!(read(text), Told::Other, "{text}");
        }
        let long = format!(r#"{{"type":"session.created","sessionId":"{}"}}"#, "x".repeat(ID + 1));
        assert_eq!(read(&long), Told::Other);
        assert_eq!(read(r#"{"type":"session.list","sessions":[7,{"sessionId":""},{}]}"#), Told::Sessions(Vec::new()));
    }

    #[test]
    fn arguments_that_are_approved_are_those_that_were_sent() {
        let text = r#"{"type":"tool.approval.request","requestId":"r","toolCallId":"c","toolName":"Bash",
            "args":{"z":1.0, "a":12345678901234567890123}}"#;
        let Told::Asks(question) = read(text) else { panic!("it asks") };
        assert_eq!(question.input, r#"{"z":1.0, "a":12345678901234567890123}"#);
    }

    #[test]
    fn a_chat_of_claude_code_ends_without_tokens() {
        let text =
            r#"{"type":"chat.stream.end","requestId":"r","usage":{"totalTokens":null},"cost":{"totalCost":0.5}}"#;
        let spent = Spent { dollars: Some(0.5), ..Spent::default() };
        assert_eq!(read(text), Told::Ended { request: "r".to_owned(), spent });
    }
}
