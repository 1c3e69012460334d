//! The command line of the app, at the first start and at every later one.

use app::Demo;
use app::demo::Scene;
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
    /// Play a demo in a throw-away data folder, with agents that are made up: typical, one, full, odd or empty
    #[arg(long, value_name = "SCENE", num_args = 0..=1, default_missing_value = "typical", conflicts_with = "gateway")]
    pub(crate) demo: Option<Scene>,
    /// For pictures: the demo's clock stands still at this time (RFC 3339)
    #[arg(long, value_name = "TIME", requires = "demo", hide = true)]
    pub(crate) still_at: Option<jiff::Timestamp>,
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
    /// True if the app shows the user's own data on this machine. Only then it is a single instance.
    pub(crate) fn is_own(&self) -> bool {
        self.data_dir.is_none() && self.gateway.is_none() && self.demo.is_none()
    }

    /// The demo to play.
    pub(crate) fn demo(&self) -> Option<Demo> {
        self.demo.map(|scene| Demo { scene, still_at: self.still_at })
    }

    /// The data folder.
    pub(crate) fn folder(&self) -> anyhow::Result<PathBuf> {
        let given = self.data_dir.clone();
        if self.demo.is_some() { app::demo::folder(given) } else { app::data_dir(given) }
    }

    /// The route at which the page starts.
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
