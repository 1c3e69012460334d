//! The `sightline` command: serves a gateway, speaks MCP for an agent, and has the window's functions in a terminal.

mod acp;
mod agents;
mod archive;
mod board;
mod chat;
mod dial;
mod examples;
mod hook;
mod host;
mod import;
mod ingest;
mod install;
mod key;
mod later;
mod mcp;
mod output;
mod raise;
mod rows;
mod screen;
mod serve;
mod session;
mod start;
mod tag;
mod todo_command;
mod watch;
mod words;

use clap::{Args, FromArgMatches, Parser, Subcommand};
use std::path::PathBuf;
use std::process::ExitCode;

/// Sightline shows the todo lists of all coding agents on this machine, live, and lets you change them.
#[derive(Parser)]
#[command(name = "sightline", version, propagate_version = true)]
struct Cli {
    #[command(flatten)]
    common: Common,
    #[command(subcommand)]
    command: Command,
}

/// The options of every command.
#[derive(Args, Clone)]
struct Common {
    /// Where the data is [default: the user's own data folder]
    #[arg(long, global = true, env = "SIGHTLINE_DATA_DIR", value_name = "DIR")]
    data_dir: Option<PathBuf>,
    /// Print JSON, for programs
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Subcommand)]
enum Command {
    Serve(serve::Serve),
    /// Speak MCP on standard input and output, for an agent
    Mcp(mcp::Mcp),
    /// Stand between an editor and its agent that speak ACP: the agent gets our tools, and its sessions are shown
    Acp(acp::Acp),
    /// Bridge standard input and output to the gateway of this machine, for another machine that mirrors it
    #[command(hide = true)]
    DialStdio,
    /// Hear an agent's hook: the event on standard input, what the agent has to be told on standard output
    Hook(hook::Hook),
    /// Show and change todo lists
    Todo {
        /// The session: its id, the first letters of it, or its label [default: the one current session]
        #[arg(long, global = true, value_name = "ID-OR-LABEL")]
        session: Option<String>,
        #[command(subcommand)]
        command: todo_command::TodoCommand,
    },
    /// Send the agent a message, delivered on its next call
    Note {
        /// The session: its id, the first letters of it, or its label [default: the one current session]
        #[arg(long, value_name = "ID-OR-LABEL")]
        session: Option<String>,
        /// Keep it until the agent is idle
        #[arg(long)]
        later: bool,
        /// The message
        text: Vec<String>,
    },
    /// Steps and messages that are kept until an agent is idle
    Later {
        /// The session: its id, the first letters of it, or its label [default: the one current session]
        #[arg(long, global = true, value_name = "ID-OR-LABEL")]
        session: Option<String>,
        #[command(subcommand)]
        command: later::LaterCommand,
    },
    /// Bring the terminal to the front in which a session's agent runs
    Raise {
        /// The session: its id, the first letters of it, or its label [default: the one current session]
        #[arg(long, value_name = "ID-OR-LABEL")]
        session: Option<String>,
    },
    Tag(tag::Tag),
    /// Become the agent's program that the gateway has named
    #[command(hide = true)]
    Start(start::Start),
    /// Read a model's output from standard input and drive a list by the todo blocks in it
    Ingest(ingest::Ingest),
    /// Register our tool server and hooks with an agent, and test that a list arrives
    Connect(agents::Connect),
    /// Take our tool server and hooks out of an agent's configuration again
    Disconnect(agents::Disconnect),
    /// Show the agents of this machine: installed, connected, and when each last wrote a list
    Agents(agents::Agents),
    /// Search everything that steps, notes, titles and folders say or said
    Search(archive::Search),
    /// Write sessions with all of their history, or as Markdown, or as training examples
    Export(archive::Export),
    /// Take the lists in agents' transcripts, or what was exported, into the history
    Import(import::Import),
    /// Give the built-in agent a task, and watch it work
    Chat(chat::Chat),
    /// Show all sessions live, on one screen
    Watch,
    /// Print all sessions as they are now
    Status,
    /// Print the address of the page, with a code that pairs a browser once
    Open {
        /// Rights of the page
        #[arg(long, default_value = "administer", value_parser = key::rights())]
        rights: protocol::Rights,
    },
    /// Make, list and end keys for scripts, programs and agents
    Key {
        #[command(subcommand)]
        command: key::KeyCommand,
    },
    /// Mirror the sessions of other machines, and list, test and remove those
    Host {
        #[command(subcommand)]
        command: host::HostCommand,
    },
    /// Print the log of settings, keys, connections, approvals and tool calls
    Audit,
}

impl Command {
    /// False for what an agent or an editor starts and reads.
    fn is_for_people(&self) -> bool {
        !matches!(self, Self::Mcp(_) | Self::Acp(_) | Self::Hook(_) | Self::DialStdio)
    }
}

fn main() -> ExitCode {
    let matches = examples::command().get_matches();
    let cli = Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    let json = cli.common.json;
    words::choose(!json && cli.command.is_for_people());
    let runtime = match tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return output::failed(&anyhow::anyhow!("the runtime cannot be started: {error}"), json),
    };
    let done = runtime.block_on(run(cli));
    // Does not wait for a task that still reads standard input.
    runtime.shutdown_background();
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => output::failed(&error, json),
    }
}

async fn run(cli: Cli) -> anyhow::Result<()> {
    let data_dir = app::data_dir(cli.common.data_dir.clone())?;
    let json = cli.common.json;
    match cli.command {
        Command::Serve(serve) => serve::run(serve, cli.common.data_dir, json).await,
        Command::Hook(hook) => hook::run(hook, data_dir).await,
        Command::Mcp(mcp) => mcp::run(mcp, data_dir).await,
        Command::DialStdio => dial::run(&data_dir).await,
        Command::Acp(acp) => acp::run(acp, data_dir).await,
        Command::Todo { session, command } => todo_command::run(command, session.as_deref(), &data_dir, json).await,
        Command::Note { session, text, later: true } => {
            later::add(&text.join(" "), false, session.as_deref(), &data_dir, json).await
        }
        Command::Note { session, text, later: false } => {
            todo_command::note(&text.join(" "), session.as_deref(), &data_dir, json).await
        }
        Command::Later { session, command } => later::run(command, session.as_deref(), &data_dir, json).await,
        Command::Raise { session } => raise::run(session.as_deref(), &data_dir, json).await,
        Command::Start(start) => start::run(&start, &data_dir),
        Command::Tag(tag) => tag::run(tag, &data_dir, json).await,
        Command::Ingest(ingest) => ingest::run(ingest, data_dir, json).await,
        Command::Connect(connect) => agents::connect(connect, &data_dir, json).await,
        Command::Disconnect(disconnect) => agents::disconnect(&disconnect, &data_dir, json).await,
        Command::Agents(agents) => agents::agents(agents, &data_dir, json).await,
        Command::Search(search) => archive::search(search, &data_dir, json).await,
        Command::Export(export) => archive::export(export, &data_dir, json).await,
        Command::Import(import::Import { file: Some(file), .. }) => archive::import(&file, &data_dir, json).await,
        Command::Import(import) => import::run(import, &data_dir, json).await,
        Command::Chat(chat) => chat::run(chat, &data_dir, json).await,
        Command::Watch => watch::watch(&data_dir, json).await,
        Command::Status => watch::status(&data_dir, json).await,
        Command::Key { command } => key::run(command, &data_dir, json).await,
        Command::Host { command } => host::run(command, &data_dir, json).await,
        Command::Audit => key::audit(&data_dir, json).await,
        Command::Open { rights } => {
            let runtime = app::ensure_gateway(&data_dir).await?;
            let hub = session::Hub::open(&data_dir).await?;
            let code = hub.ask(protocol::KeyCode { rights: Some(rights), host: None }).await;
            hub.close().await;
            let page = code?.address;
            if json {
                output::json(&serde_json::json!({ "address": runtime.address(), "page": page }))
            } else {
                output::line(&page)
            }
        }
    }
}
