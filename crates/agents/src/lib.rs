//! Everything that is known about each coding agent, one folder or file per agent behind one trait ([`Agent`]).
//!
//! The crate describes and parses. It does not watch or write files, does not call a `Backend`, and has no clock and
//! no environment of its own: whoever uses it passes in an [`Environment`], paths, and the records of a transcript.
//! Small files beside a transcript are read here where a parser needs them; everything larger is read by `sources`.
//!
//! An agent is added with a folder and a line in [`KNOWN`].

mod agent;
mod asking;
mod calls;
mod configuration;
mod database;
mod environment;
mod hooks;
mod lean;
mod list_file;
mod lists;
mod registry;
mod transcript;

pub mod claude;
pub mod cline;
pub mod codex;
pub mod continue_cn;
pub mod copilot;
pub mod cursor;
pub mod gemini;
pub mod jetbrains;
pub mod kilo;
pub mod kimi;
pub mod llxprt;
pub mod opencode;
pub mod pi;
pub mod qwen;
pub mod vibe;
pub mod vscode;
pub mod zed;

pub use agent::{Agent, CallOrigin, Facts, Invocation, ServerVariables, SessionVariable, subagent_session};
pub use asking::{AskedCall, AskingHook};
pub use configuration::{
    ANSWERS, BuiltInSwitch, ConfigurationFiles, Disables, DisablingSwitch, DisablingSwitchKind, EditorAgents, Entry,
    EntryForm, HookAnswer, HookEvent, HookTables, Hooks, HooksForm, ManagementCommand, NameMatch, OurCommand, OwnFile,
    Scope, ServerForm, Syntax, WindowsShell,
};
pub use database::{Cell, Database, Queries, Row};
pub use environment::{Environment, variable_name};
pub use hooks::{HookKind, HookPayload};
pub use lean::{Budget, value as lean_value};
pub use lists::{ListTool, ListWritten, failed, fit};
pub use registry::Registry;
pub use transcript::{Observation, Observed, Observer, Records, Run, Transcript};

/// The name under which agents know our MCP server.
pub const SERVER: &str = "sightline";

/// Our tools.
pub const TOOLS: [&str; 3] = ["todo_write", "todo_read", "todo_manager"];

/// Every agent that is known.
pub const KNOWN: Registry = Registry::new(&[
    &claude::Claude,
    &copilot::Copilot,
    &codex::Codex,
    &opencode::OPENCODE,
    &cline::Cline,
    &kilo::KILO,
    &kimi::Kimi,
    &vibe::Vibe,
    &continue_cn::Continue,
    &pi::Pi,
    &gemini::Gemini,
    &qwen::Qwen,
    &cursor::Cursor,
    &vscode::Vscode,
    &zed::Zed,
    &jetbrains::JetBrains,
    &llxprt::Llxprt,
]);
