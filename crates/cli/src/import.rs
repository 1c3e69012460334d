//! `sightline import`: the lists in agents' transcripts go into the history.

use crate::output;
use crate::serve::end_signal;
use crate::session::Hub;
use crate::words::{all_sent, text};
use agents::{KNOWN, Registry};
use protocol::ImportProgress;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use todo::text::plain;
use tokio_util::sync::CancellationToken;

#[derive(clap::Args)]
pub(crate) struct Import {
    #[arg(help = format!("Agents with transcripts, of {} [default: all]", Registry::names(KNOWN.iter())))]
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
            if end_signal().await.is_ok() {
                stop.cancel();
            }
        }
    });
    let mut show = |progress: &ImportProgress| {
        if !json && std::io::stderr().is_terminal() {
            shown_over(progress);
        }
    };
    let done = app::machine::import(hub.backend(), KNOWN, &options.agents, &mut show, &stop).await;
    ending.abort();
    hub.close().await;
    let done = done?;
    if json {
        return output::json(&done);
    }
    for what in all_sent(&done.unreadable, &done.unreadable_texts) {
        output::line(&text("terminal_not_read", &[("what", &plain(&what))]))?;
    }
    let ended = if done.cancelled { "terminal_transcripts_ended" } else { "terminal_transcripts_read" };
    let inputs: [(&str, &dyn std::fmt::Display); 4] =
        [("read", &done.read), ("total", &done.total), ("runs", &done.runs), ("lists", &done.lists)];
    output::line(&text(ended, &inputs))
}

/// One line, written over again and again.
fn shown_over(progress: &ImportProgress) {
    let mut out = anstream::stderr().lock();
    let agent = progress.agent.as_deref().unwrap_or_default();
    let end = if progress.done { "\r\x1b[K" } else { "" };
    // Where nobody can see it nothing is lost.
    let inputs: [(&str, &dyn std::fmt::Display); 4] =
        [("read", &progress.read), ("total", &progress.total), ("lists", &progress.lists), ("agent", &agent)];
    let _ = write!(out, "\r\x1b[K{}{end}", text("terminal_transcripts_progress", &inputs));
    let _ = out.flush();
}
