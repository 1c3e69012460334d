//! Panes of WezTerm.

use super::outcome::variable;
use super::remote_control::RemoteControl;
use protocol::{Result, Terminal};
use std::fmt::{Display, Formatter};

/// A pane of WezTerm.
pub(super) struct WezTermPane(u64);

impl Display for WezTermPane {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl WezTermPane {
    pub(super) fn of(terminal: &Terminal) -> Option<Self> {
        variable(terminal, "WEZTERM_PANE")?.parse().ok().map(Self)
    }

    /// Makes it the active pane of its window.
    pub(super) async fn activate(&self) -> Result<()> {
        let wezterm = RemoteControl::of(&["wezterm"])?;
        wezterm.run(["cli", "activate-pane", "--pane-id", &self.to_string()]).await.map(drop)
    }
}
