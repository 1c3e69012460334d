//! The list as a resource: `todo://list/SESSION`, read as JSON, with a notification at each change.

use futures_util::StreamExt;
use protocol::{Backend, Event, Subscription};
use rmcp::model::{Resource, ResourceTemplate};
use std::sync::Arc;

const SCHEME: &str = "todo://list/";

/// The address of a session's list.
pub(crate) fn uri(session_id: &str) -> String {
    format!("{SCHEME}{session_id}")
}

/// The session that an address is of.
pub(crate) fn session_of(uri: &str) -> Option<&str> {
    uri.strip_prefix(SCHEME).filter(|id| !id.is_empty())
}

pub(crate) fn described(session_id: &str, title: &str) -> Resource {
    Resource::new(uri(session_id), "todo-list")
        .with_title(format!("Todo list: {}", todo::text::plain(title)))
        .with_description("The todo list of this session, with the user's changes in it")
        .with_mime_type("application/json")
}

pub(crate) fn template() -> ResourceTemplate {
    ResourceTemplate::new(format!("{SCHEME}{{sessionId}}"), "todo-list")
        .with_description("The todo list of a session, with the user's changes in it")
        .with_mime_type("application/json")
}

/// Calls `changed` with the address of each changed list among `uris`, until it gives `false` or the backend ends.
///
/// `first` was subscribed before the client was told that it listens, so that no change falls in between.
pub(crate) async fn watch<F, R>(backend: Arc<dyn Backend>, first: Subscription, uris: Vec<String>, mut changed: F)
where
    F: FnMut(String) -> R + Send,
    R: Future<Output = bool> + Send,
{
    let mut subscription = first;
    loop {
        let mut since = subscription.snapshot.cursor.clone();
        while let Some(event) = subscription.events.next().await {
            if let Event::TodoUpdate(update) = event.event() {
                since.clone_from(&update.cursor);
                let address = uri(&update.session_id);
                if uris.contains(&address) && !changed(address).await {
                    return;
                }
            }
        }
        let Ok(next) = backend.subscribe(Some(since)).await else { return };
        for session in next.snapshot.sessions.iter().map(|s| uri(&s.session.session_id)) {
            if uris.contains(&session) && !changed(session).await {
                return;
            }
        }
        subscription = next;
    }
}
