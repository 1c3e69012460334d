//! `sightline tag`: the user's tags for a session.

use crate::output;
use crate::session::Hub;
use crate::words::word;
use clap::Args;
use protocol::{SessionGet, SessionMark};
use serde_json::json;
use std::path::Path;
use todo::text::plain;

/// Give a session tags, take them away, or print those that it has
#[derive(Args)]
pub(crate) struct Tag {
    /// The session: its id, the first letters of it, or its label [default: the one current session]
    #[arg(long, value_name = "ID-OR-LABEL")]
    session: Option<String>,
    /// Take these tags away
    #[arg(long, requires = "tags")]
    remove: bool,
    /// The tags, one word each
    tags: Vec<String>,
}

pub(crate) async fn run(options: Tag, data_dir: &Path, as_json: bool) -> anyhow::Result<()> {
    let hub = Hub::open(data_dir).await?;
    let tags = change(&hub, options).await;
    hub.close().await;
    let tags = tags?;
    if as_json {
        return output::json(&json!({ "tags": tags }));
    }
    output::line(&if tags.is_empty() { word("terminal_no_tags").to_owned() } else { plain(&tags.join(" ")) })
}

/// The tags that the session has after the change.
async fn change(hub: &Hub, options: Tag) -> anyhow::Result<Vec<String>> {
    let session = hub.session(options.session.as_deref()).await?;
    if options.tags.is_empty() {
        return Ok(session.tags);
    }
    let (add_tags, remove_tags) = if options.remove { (Vec::new(), options.tags) } else { (options.tags, Vec::new()) };
    let session_id = session.session_id;
    hub.ask(SessionMark { session_id: session_id.clone(), add_tags, remove_tags, ..SessionMark::default() }).await?;
    Ok(hub.ask(SessionGet { session_id, revision: None }).await?.session.tags)
}
