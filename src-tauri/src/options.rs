//! What the app is started with, at first and by every later start.

use clap::Parser;
use std::path::PathBuf;

/// See what every agent on this machine is doing, and change it.
#[derive(Parser, Clone, Debug, Default, PartialEq, Eq)]
#[command(name = "sightline-desktop", version)]
pub(crate) struct Options {
    /// Where the data is [default: the user's own data folder]
    #[arg(long, env = "SIGHTLINE_DATA_DIR", value_name = "DIR")]
    pub(crate) data_dir: Option<PathBuf>,
    /// Show another gateway: the address of its page, http://127.0.0.1:PORT/#token=…
    #[arg(long, env = "SIGHTLINE_GATEWAY", value_name = "URL")]
    pub(crate) gateway: Option<String>,
    /// Start into the tray, without a window
    #[arg(long)]
    pub(crate) hidden: bool,
    /// Start as the small strip that stays on top
    #[arg(long)]
    pub(crate) compact: bool,
    /// Show this session
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<String>,
}

impl Options {
    /// The user's own data, of this machine: what is of the user's desktop (one instance, start at login) is for it.
    pub(crate) fn is_own(&self) -> bool {
        self.data_dir.is_none() && self.gateway.is_none()
    }

    /// Where in the page to begin.
    pub(crate) fn route(&self) -> Option<String> {
        self.session.as_deref().map(crate::window::session_route)
    }
}

#[cfg(test)]
mod tests {
    use super::Options;
    use clap::Parser;

    #[test]
    fn a_later_start_says_what_to_show() {
        let asked = Options::parse_from(["sightline-desktop", "--compact", "--session", "a b"]);
        assert!(asked.compact && !asked.hidden);
        assert_eq!(asked.route().as_deref(), Some("#/session/a%20b"));
        assert_eq!(Options::parse_from(["sightline-desktop"]).route(), None);
    }
}
