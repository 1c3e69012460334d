//! `sightline import`: the lists in agents' transcripts go into the history.

use crate::output;
use crate::serve::told_to_end;
use crate::session::Hub;
use protocol::ImportProgress;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use todo::text::plain;
use tokio_util::sync::CancellationToken;

#[derive(clap::Args)]
pub(crate) struct Import {
    /// Whose transcripts: claude, codex, gemini, opencode, qwen, llxprt [default: all]
    agents: Vec<String>,
    /// Not transcripts, but what `sightline export` wrote; - for standard input
    #[arg(long, value_name = "FILE", conflicts_with = "agents")]
    pub(crate) file: Option<PathBuf>,
}

pub(crate) async fn run(options: Import, data_dir: &Path, json: bool) -> anyhow::Result<()> {
    let hub = Hub::open_for(data_dir, protocol::Transport::File).await?;
    let stop = CancellationToken::new();
    // Ctrl+C ends it in good order; what was taken in stays.
    let ending = tokio::spawn({
        let stop = stop.clone();
        async move {
            if told_to_end().await.is_ok() {
                stop.cancel();
            }
        }
    });
    let mut show = |progress: &ImportProgress| {
        if !json && std::io::stderr().is_terminal() {
            shown_over(progress);
        }
    };
    let done = app::machine::import(hub.backend(), &options.agents, &mut show, &stop).await;
    ending.abort();
    hub.close().await;
    let done = done?;
    if json {
        return output::json(&done);
    }
    for unreadable in &done.unreadable {
        output::line(&format!("Not read: {}", plain(unreadable)))?;
    }
    let ended = if done.cancelled { "Ended after" } else { "Read" };
    output::line(&format!(
        "{ended} {} of {} transcripts: {} runs with a list, {} lists that were new.",
        done.read, done.total, done.runs, done.lists
    ))
}

/// One line, written over again and again.
fn shown_over(progress: &ImportProgress) {
    let mut out = anstream::stderr().lock();
    let agent = progress.agent.as_deref().unwrap_or_default();
    let end = if progress.done { "\r\x1b[K" } else { "" };
    // Where nobody can see it nothing is lost.
    let _ = write!(
        out,
        "\r\x1b[K{} of {} transcripts, {} lists {agent}{end}",
        progress.read, progress.total, progress.lists
    );
    let _ = out.flush();
}
