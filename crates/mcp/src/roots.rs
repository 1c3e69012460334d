//! The folder of an agent that came over HTTP, which is asked for its roots (MCP 2025-11-25, "Roots").

use rmcp::RoleServer;
use rmcp::service::RequestContext;
use std::time::Duration;
use tokio::sync::OnceCell;

/// The longest time until a client answers; its first call waits for that.
const PATIENCE: Duration = Duration::from_millis(500);

/// The folder of a client, asked for once.
#[derive(Default)]
pub(crate) struct Roots(OnceCell<Option<String>>);

impl Roots {
    /// The client's first root that is a folder, if it has said that it has roots.
    pub(crate) async fn folder(&self, context: &RequestContext<RoleServer>) -> Option<String> {
        let has_roots = context.client_capabilities().is_some_and(|capabilities| capabilities.roots.is_some());
        let parts = context.extensions.get::<http::request::Parts>();
        let has_session = parts.is_some_and(|parts| parts.headers.contains_key("mcp-session-id"));
        // A client without a session cannot be asked.
        if !has_roots || !has_session {
            return None;
        }
        self.0.get_or_init(|| asked(context)).await.clone()
    }
}

#[expect(deprecated, reason = "on its way out of the protocol, and in the agents of today")]
async fn asked(context: &RequestContext<RoleServer>) -> Option<String> {
    match tokio::time::timeout(PATIENCE, context.peer.list_roots()).await {
        Ok(Ok(listed)) => listed.roots.iter().find_map(|root| folder(&root.uri)),
        Ok(Err(error)) => {
            tracing::debug!(%error, "a client that has roots does not say them");
            None
        }
        Err(_) => None,
    }
}

fn folder(uri: &str) -> Option<String> {
    let path = url::Url::parse(uri).ok().filter(|uri| uri.scheme() == "file")?.to_file_path().ok()?;
    path.to_str().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::folder;
    use rstest::rstest;

    #[cfg(unix)]
    #[rstest]
    #[case("file:///home/me/a%20b", Some("/home/me/a b"))]
    #[case("file://localhost/home/me", Some("/home/me"))]
    #[case("file:///", Some("/"))]
    #[case("file://elsewhere/home/me", None)]
    #[case("/home/me", None)]
    fn a_root_is_a_folder_of_this_machine(#[case] uri: &str, #[case] wanted: Option<&str>) {
        assert_eq!(folder(uri).as_deref(), wanted);
    }

    #[cfg(windows)]
    #[rstest]
    #[case("file:///C:/Users/me/a%20b", Some(r"C:\Users\me\a b"))]
    #[case::as_vs_code_writes_it("file:///c%3A/Users/me", Some(r"c:\Users\me"))]
    #[case("file:///home/me", None)]
    #[case(r"C:\Users\me", None)]
    fn a_root_of_windows_is_a_folder_of_this_machine(#[case] uri: &str, #[case] wanted: Option<&str>) {
        assert_eq!(folder(uri).as_deref(), wanted);
    }

    #[rstest]
    #[case("https://example.org/home")]
    #[case("")]
    fn what_is_no_file_is_no_folder(#[case] uri: &str) {
        assert_eq!(folder(uri), None);
    }
}
