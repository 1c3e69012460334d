//! Questions: reading what is committed.

mod answers;
mod archive;
mod chat;
mod command;
mod export;
mod feed;
pub(crate) mod hosts;
mod keys;
mod later;
mod permissions;
mod preview;
mod question;
mod sessions;

pub(crate) use chat::chat;
pub(crate) use command::CommandLine;
pub(crate) use question::Question;
