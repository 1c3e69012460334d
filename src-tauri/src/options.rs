//! The command line of the app, at the first start and at every later one.

use app::Demo;
use app::demo::Scene;
use clap::parser::ValueSource;
use clap::{ArgMatches, CommandFactory, FromArgMatches, Parser};
use std::ffi::OsString;
use std::path::PathBuf;

/// See what every agent on this machine is doing, and change it.
#[derive(Parser, Clone, Debug, Default, PartialEq, Eq)]
#[command(name = "sightline-desktop", version)]
pub(crate) struct Options {
    /// Where the data is [default: the user's own data folder]
    #[arg(long, env = "SIGHTLINE_DATA_DIR", value_name = "DIR")]
    pub(crate) data_dir: Option<PathBuf>,
    /// Show another gateway: the address of its page. Where that has a key, name it in SIGHTLINE_GATEWAY only
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
    /// Reads the command line and the environment.
    ///
    /// # Errors
    /// When the command line has a key, which every user of this machine can read there.
    pub(crate) fn read(words: impl IntoIterator<Item = OsString>) -> anyhow::Result<Self> {
        let matches = Self::command().get_matches_from(words);
        let options = Self::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
        options.without_key_in(&matches)
    }

    fn without_key_in(self, matches: &ArgMatches) -> anyhow::Result<Self> {
        if let Some((base, Some(_))) = self.gateway.as_deref().map(app::split_key) {
            anyhow::ensure!(
                matches.value_source("gateway") != Some(ValueSource::CommandLine),
                "the key of {base} is in the command line, where every user of this machine can read it. Put the whole \
                 address into the environment variable SIGHTLINE_GATEWAY, and leave --gateway out"
            );
        }
        Ok(self)
    }

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
    fn a_key_on_the_command_line_is_refused_and_not_repeated() {
        let read = |address| Options::read(["sightline-desktop", "--gateway", address].map(Into::into));
        let problem = read("http://127.0.0.1:3271/#token=secret").expect_err("it has a key").to_string();
        assert!(problem.contains("SIGHTLINE_GATEWAY") && !problem.contains("secret"), "{problem}");
        assert!(read("http://127.0.0.1:3271").is_ok());
    }

    #[test]
    fn a_later_start_says_what_to_show() {
        let asked = Options::parse_from(["sightline-desktop", "--compact", "--session", "a b"]);
        assert!(asked.compact && !asked.hidden);
        assert_eq!(asked.route().as_deref(), Some("#/session/a%20b"));
        assert_eq!(Options::parse_from(["sightline-desktop"]).route(), None);
    }
}
