//! Requests and their answers, made of the one list in `table.rs`.
//!
//! [`with_requests!`](crate::with_requests) hands the list to a macro: the enums and predicates here, the TypeScript and
//! the window's IPC commands are all made from it, so a transport that lacks a request does not compile.

mod agent;
mod archive;
mod chat;
mod class;
mod command;
mod edit;
mod feed;
mod files;
mod hosts;
mod keys;
mod later;
mod lists;
mod machine;
mod permission;
mod report;
mod session;
mod settings;
mod table;

pub use agent::*;
pub use archive::*;
pub use chat::*;
pub use class::{Asker, Class, Sorted, classes};
pub use command::*;
pub use edit::*;
pub use feed::*;
pub use files::*;
pub use hosts::*;
pub use keys::*;
pub use later::*;
pub use lists::*;
pub use machine::*;
pub use permission::*;
pub use report::*;
pub use session::*;
pub use settings::*;

use crate::{Code, Error, Result, with_requests};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use ts_rs::TS;

macro_rules! define {
    ($($(#[$about:meta])* $class:ident {
        $($name:ident -> $answer:ident, $kind:literal => $reply:literal, $command:ident, $asker:ident, $repeat:ident;)*
    })*) => {
        /// Everything that a client can ask.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS, JsonSchema)]
        #[serde(tag = "type")]
        #[expect(missing_docs, reason = "each variant is its struct")]
        pub enum Request {
            $($(#[serde(rename = $kind)] $name($name),)*)*
        }

        impl Request {
            /// The `type` of every request.
            pub const TYPES: &'static [&'static str] = &[$($($kind),*),*];

            /// Reads the fields of a request of that type.
            ///
            /// # Errors
            /// `UNKNOWN_TYPE` with those there are, or `INVALID_MESSAGE` with the name of the field.
            pub fn read(kind: &str, fields: Value) -> Result<Self> {
                match kind {
                    $($($kind => well_formed::<$name>(kind, fields).map(Self::$name),)*)*
                    other => Err(unknown_type(other)),
                }
            }

            /// Its `type` on the wire.
            #[must_use]
            pub fn kind(&self) -> &'static str {
                match self { $($(Self::$name(_) => $kind,)*)* }
            }
        }

        /// The answer to each request.
        ///
        /// Two requests can have the same answer; on the wire the `type` tells which it was.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS, JsonSchema)]
        #[serde(tag = "type")]
        #[expect(missing_docs, reason = "each variant is named after its request")]
        #[allow(clippy::large_enum_variant, reason = "a reply is made, sent and dropped, never kept")]
        pub enum Reply {
            $($(#[serde(rename = $reply)] $name($answer),)*)*
        }

        $($(
            impl From<$name> for Request {
                fn from(request: $name) -> Self { Self::$name(request) }
            }

            impl Ask for $name {
                type Answer = $answer;

                fn answer(reply: Reply) -> Option<$answer> {
                    match reply { Reply::$name(answer) => Some(answer), _ => None }
                }

                fn reply(answer: $answer) -> Reply { Reply::$name(answer) }
            }
        )*)*
    };
}

with_requests!(define);

impl Request {
    /// With the id of its message, where what it causes is named after that.
    #[must_use]
    pub fn caused_by(mut self, id: Option<&str>) -> Self {
        if let Self::TodoWrite(TodoWrite { request_id, .. })
        | Self::ChatSend(ChatSend { request_id, .. })
        | Self::ChatResume(ChatResume { request_id, .. }) = &mut self
        {
            *request_id = id.map(str::to_owned);
        }
        self
    }
}

fn well_formed<T: serde::de::DeserializeOwned>(kind: &str, fields: Value) -> Result<T> {
    serde_path_to_error::deserialize(fields).map_err(|error| {
        let path = error.path().to_string();
        let field = if path == "." { String::new() } else { format!("field \"{path}\": ") };
        Error::new(Code::InvalidMessage, format!("\"{kind}\" is not well formed: {field}{}", error.inner()))
    })
}

fn unknown_type(kind: &str) -> Error {
    let kind = todo::text::plain(&todo::short(kind));
    let known = Request::TYPES.join(", ");
    Error::new(Code::UnknownType, format!("there is no request \"{kind}\"; there are {known}"))
}

/// Ties a request to its answer.
pub trait Ask: Into<Request> {
    /// Type of the answer.
    type Answer;

    /// Takes the answer out of a reply; `None` for the reply to another request.
    fn answer(reply: Reply) -> Option<Self::Answer>;

    /// The reply with this answer.
    fn reply(answer: Self::Answer) -> Reply;
}
