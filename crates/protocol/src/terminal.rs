//! The terminal that an agent runs in, as its hooks and its tool server find it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use ts_rs::TS;

/// The terminal that an agent runs in, as its environment and the processes above it tell. It is kept in memory, and
/// nowhere else.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
pub struct Terminal {
    /// Ids of the processes from the agent's up to the terminal's, nearest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<Vec<u32>>", optional)]
    pub processes: Vec<u32>,
    /// Variables of its environment that name a display, a window, a tab or a pane: `TMUX_PANE`. Others are dropped.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[ts(as = "Option<BTreeMap<String, String>>", optional)]
    pub variables: BTreeMap<String, String>,
}

impl Terminal {
    /// Variables that a terminal sets for the programs in it.
    pub const OF_TERMINALS: [&'static str; 9] = [
        "WINDOWID",
        "TMUX",
        "TMUX_PANE",
        "KITTY_WINDOW_ID",
        "KITTY_LISTEN_ON",
        "WEZTERM_PANE",
        "ITERM_SESSION_ID",
        "WT_SESSION",
        "TERM_PROGRAM",
    ];

    /// Variables that name the display.
    pub const OF_DISPLAYS: [&'static str; 2] = ["DISPLAY", "WAYLAND_DISPLAY"];

    /// The most processes that count.
    pub const PROCESSES: usize = 32;

    /// The longest value of a variable, in bytes.
    pub const VALUE_BYTES: usize = 500;

    /// The part of it that may count, since an agent can say anything.
    #[must_use]
    pub fn bounded(mut self) -> Self {
        self.processes.truncate(Self::PROCESSES);
        self.variables.retain(|name, value| Self::counts(name, value));
        self
    }

    /// True for a variable that names where an agent runs, with a value that may be one.
    #[must_use]
    pub fn counts(name: &str, value: &str) -> bool {
        let is_known = Self::OF_TERMINALS.contains(&name) || Self::OF_DISPLAYS.contains(&name);
        is_known && !value.is_empty() && value.len() <= Self::VALUE_BYTES && !value.chars().any(char::is_control)
    }
}

#[cfg(test)]
mod tests {
    use super::Terminal;

    #[test]
    fn an_agent_says_no_more_than_may_count() {
        let said = [
            ("TMUX_PANE", "%1".to_owned()),
            ("LD_PRELOAD", "/tmp/x.so".to_owned()),
            ("TMUX", "x".repeat(Terminal::VALUE_BYTES + 1)),
            ("WINDOWID", "1\n2".to_owned()),
            ("DISPLAY", String::new()),
        ];
        let variables = said.map(|(name, value)| (name.to_owned(), value)).into();
        let bounded = Terminal { processes: (0..100).collect(), variables }.bounded();
        assert_eq!(bounded.processes.len(), Terminal::PROCESSES);
        assert_eq!(bounded.variables, [("TMUX_PANE".to_owned(), "%1".to_owned())].into());
    }
}
