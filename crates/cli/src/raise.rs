//! `sightline raise`: the terminal of a session's agent comes to the front.

use crate::output;
use crate::session::Hub;
use crate::words::{sent, text};
use protocol::SessionRaise;
use std::path::Path;

pub(crate) async fn run(session: Option<&str>, data_dir: &Path, json: bool) -> anyhow::Result<()> {
    let hub = Hub::open(data_dir).await?;
    let raised = async {
        let session_id = hub.session(session).await?.session_id;
        hub.ask(SessionRaise { session_id }).await
    }
    .await;
    hub.close().await;
    let raised = raised?;
    if json {
        return output::json(&raised);
    }
    if let Some(note) = &raised.note {
        output::note(&text(
            "terminal_note_of",
            &[("text", &todo::text::plain(&sent(note, raised.note_text.as_ref())))],
        ));
    }
    output::line(&text("terminal_brought", &[("what", &sent(&raised.raised, raised.raised_text.as_ref()))]))
}
