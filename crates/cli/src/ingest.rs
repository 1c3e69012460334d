//! `sightline ingest`: updates a list from a model's output while it streams, with its computations made as in the chat
//! (requirements K5, K7).

use crate::mcp::goodbye;
use crate::serve::end_signal;
use crate::words::{self, sent};
use app::wat::{Reader, Scan};
use protocol::{AgentIdentity, AgentInfo, Backend, Caller, Reply, TodoWrite, TodoWritten, Transport};
use serde_json::{Value, json};
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use todo::Draft;
use todo::text::{Token, plain};
use tokio::io::AsyncReadExt;

/// Bytes read at once.
const CHUNK: usize = 16 * 1024;

#[derive(clap::Args)]
pub(crate) struct Ingest {
    /// Drive the session of this label, instead of a new one
    #[arg(long, value_name = "LABEL")]
    session: Option<String>,
    /// Name for the model
    #[arg(long, default_value = "ingest")]
    agent: String,
    /// Print nothing of what is read
    #[arg(long)]
    quiet: bool,
    /// Leave <wat_model> blocks and <computed> as they are, instead of computing the one and taking out the other
    #[arg(long)]
    no_compute: bool,
}

/// The list that is updated, and the state of the output.
struct Stream {
    backend: Arc<dyn Backend>,
    caller: Caller,
    quiet: bool,
    compute: bool,
    json: bool,
    /// The reader of the output has gone; the list is updated all the same.
    unread: bool,
    /// Number of lists that the hub refused. A block that cannot be parsed is the model's mistake, and does not count.
    refused: usize,
}

pub(crate) async fn run(options: Ingest, data_dir: PathBuf, json: bool) -> anyhow::Result<()> {
    let connection = format!("ingest:{}", app::new_uid());
    let agent = AgentIdentity {
        agent: AgentInfo { name: options.agent, version: None },
        connection: Some(connection.clone()),
        label: options.session,
        folder: std::env::current_dir().ok().map(|folder| folder.display().to_string()),
        ..AgentIdentity::default()
    };
    let remote = app::remote(&data_dir, app::client("sightline ingest", Transport::Cli, None), true);
    let backend: Arc<dyn Backend> = Arc::new(remote);
    let caller = Caller::agent(Transport::Cli, connection.clone(), agent);
    let (quiet, compute) = (options.quiet, !options.no_compute);
    let mut stream = Stream { backend: backend.clone(), caller, quiet, compute, json, unread: false, refused: 0 };
    let read = tokio::select! {
        read = stream.read() => read,
        signal = end_signal() => signal,
    };
    goodbye(&backend, connection).await;
    read?;
    match stream.refused {
        0 => Ok(()),
        refused => anyhow::bail!(words::text("terminal_lists_refused", &[("count", &refused)])),
    }
}

impl Stream {
    /// Reads to the end, and reports a block that is cut off there.
    async fn read(&mut self) -> anyhow::Result<()> {
        let mut input = tokio::io::stdin();
        let mut reader = Reader::new(self.compute.then(Scan::default));
        let mut found = Vec::new();
        let mut chunk = vec![0; CHUNK];
        loop {
            let count = input.read(&mut chunk).await?;
            match count {
                0 => reader.finish(&mut found).await,
                count => reader.push(&chunk[..count], &mut found).await,
            };
            for token in found.drain(..) {
                self.take(token).await;
            }
            if count == 0 {
                return Ok(());
            }
        }
    }

    async fn take(&mut self, token: Token) {
        match token {
            Token::Prose(_) if self.quiet => {}
            Token::Prose(text) if self.json => self.print(&format!("{}\n", json!({ "type": "prose", "text": text }))),
            Token::Prose(text) => self.print(&text),
            Token::Broken { at, problem } => self.broken(at, &problem),
            // The parser was not told to look for elements.
            Token::Element(_) => {}
            Token::Block { drafts, at } => match self.write(&drafts).await {
                Ok(written) if self.json => {
                    let progress = written.progress;
                    let mut said = json!({
                        "type": "block", "at": at, "sessionId": written.session_id, "revision": written.revision,
                        "completed": progress.completed, "total": progress.total,
                    });
                    if !written.remarks.is_empty() {
                        said["remarks"] = written.remarks.clone().into();
                    }
                    self.print(&format!("{said}\n"));
                    remarks(at, &written.remarks);
                }
                Ok(written) => remarks(at, &written.remarks),
                Err(error) => {
                    self.refused += 1;
                    self.broken(at, &sent(&error.message, error.text.as_ref()));
                }
            },
        }
    }

    async fn write(&self, drafts: &[Draft]) -> protocol::Result<TodoWritten> {
        let todos = Value::Array(drafts.iter().map(Draft::sent).collect());
        match self.backend.call(self.caller.clone(), TodoWrite { todos, ..TodoWrite::default() }.into()).await? {
            Reply::TodoWrite(written) => Ok(written),
            _ => Err(protocol::Error::new(protocol::Code::Internal, "the gateway gave the answer to another request")),
        }
    }

    fn broken(&mut self, at: usize, problem: &str) {
        if self.json {
            self.print(&format!("{}\n", json!({ "type": "broken", "at": at, "problem": problem })));
        }
        // Without a standard error the message is lost.
        let _ = writeln!(
            anstream::stderr(),
            "{}",
            words::text("terminal_block_broken", &[("at", &at), ("problem", &plain(problem))])
        );
    }

    /// Prints without buffering, so that the prose can be read as it streams.
    fn print(&mut self, text: &str) {
        if self.unread {
            return;
        }
        let mut out = std::io::stdout().lock();
        self.unread = out.write_all(text.as_bytes()).and_then(|()| out.flush()).is_err();
    }
}

/// Says on standard error what is odd about a list that was written (requirement K3).
fn remarks(at: usize, remarks: &[String]) {
    for remark in remarks {
        // Without a standard error the message is lost.
        let _ = writeln!(
            anstream::stderr(),
            "{}",
            words::text("terminal_block_remark", &[("at", &at), ("remark", &plain(remark))])
        );
    }
}
