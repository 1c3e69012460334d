//! A permission that can be given or refused by a button of its notification.
//!
//! A notification shows a few words and no more, so only what stands in it whole can be allowed there.

use crate::ipc::Window;
use protocol::{Permission, PermissionAnswer, PermissionList, Result, command_of};
use todo::text::exact;

/// The most characters of what is asked that a notification shows whole everywhere.
const WHOLE: usize = 100;

/// Permissions in one answer of the gateway.
const LIMIT: u32 = 200;

/// A permission that somebody waits for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Asked {
    session_id: String,
    permission_id: String,
    /// All that is asked, where a notification shows it whole.
    pub(crate) whole: Option<String>,
}

impl Asked {
    /// Reads the permission of this id; `None` where nobody waits, or its agent asks a question.
    pub(crate) async fn read(window: &Window, permission_id: &str) -> Option<Self> {
        let listed = window.ask(PermissionList { session_id: None, limit: Some(LIMIT) }).await.ok()?;
        let found = listed.permissions.into_iter().find(|it| it.permission_id == permission_id)?;
        found.questions.is_empty().then(|| Self::of(found))
    }

    fn of(permission: Permission) -> Self {
        let Permission { session_id, permission_id, tool, input, .. } = permission;
        let asked = match command_of(&input) {
            Some((command, true)) => command,
            _ => input,
        };
        let whole = exact(&format!("{tool}: {asked}"));
        let whole = Some(whole).filter(|whole| whole.chars().count() <= WHOLE);
        Self { session_id, permission_id, whole }
    }

    /// Answers as the user of this window.
    ///
    /// # Errors
    /// When it was answered elsewhere, or the window may not answer.
    pub(crate) async fn answer(&self, window: &Window, allow: bool) -> Result<()> {
        let Self { session_id, permission_id, .. } = self.clone();
        window.ask(PermissionAnswer { session_id, permission_id, allow, ..PermissionAnswer::default() }).await.map(drop)
    }
}

#[cfg(test)]
mod tests {
    use super::Asked;
    use rstest::rstest;
    use serde_json::{Value, json};

    fn whole(tool: &str, input: &Value) -> Option<String> {
        let permission = json!({
            "permissionId": "p", "sessionId": "s", "state": "open", "tool": tool, "input": input.to_string(),
            "narrowest": { "kind": "tool" }, "askedAt": "2026-11-21T12:00:00Z", "expiresAt": "2026-11-21T12:05:00Z",
        });
        Asked::of(serde_json::from_value(permission).expect("a permission")).whole
    }

    #[rstest]
    #[case::a_command(json!({ "command": "cargo test", "description": "Run the tests" }), Some("Bash: cargo test"))]
    #[case::what_else_changes_it(json!({ "command": "ls", "cwd": "/etc" }), Some(r#"Bash: {"command":"ls","cwd":"/etc"}"#))]
    #[case::markup(json!({ "command": "echo <b>x</b>&" }), Some("Bash: echo <b>x</b>&"))]
    #[case::hidden(json!({ "command": "ls \u{202e}fr- mr" }), Some("Bash: ls <U+202E>fr- mr"))]
    #[case::lines(json!({ "command": "ls\nrm -rf /" }), Some("Bash: ls<U+000A>rm -rf /"))]
    #[case::the_longest(json!({ "command": "x".repeat(94) }), Some(&*format!("Bash: {}", "x".repeat(94))))]
    #[case::too_long(json!({ "command": "x".repeat(95) }), None)]
    #[case::long_by_what_is_hidden(json!({ "command": "\u{200b}".repeat(20) }), None)]
    fn all_that_is_asked_is_shown_or_it_cannot_be_allowed(#[case] input: Value, #[case] shown: Option<&str>) {
        assert_eq!(whole("Bash", &input).as_deref(), shown);
    }
}
