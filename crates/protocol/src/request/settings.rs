//! The settings, the same for every window on a gateway.

use crate::{Archiving, ChatProvider, ChatServer, Code, Error, Result, Retention, Text, ToolPolicy, say};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use ts_rs::TS;

/// Asks for the settings.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
pub struct SettingsGet {}

macro_rules! settings {
    ($($(#[doc = $doc:literal])+ $name:ident: $kind:ty = $default:expr;)*) => {
        /// The settings, the same for every window on a gateway.
        #[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
        #[serde(rename_all = "camelCase", default)]
        pub struct Settings {
            $($(#[doc = $doc])+ pub $name: $kind,)*
        }

        impl Default for Settings {
            fn default() -> Self {
                Self { $($name: $default,)* }
            }
        }

        /// Changes settings; those that are left out stay. Answered with all of them.
        #[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
        #[serde(rename_all = "camelCase", default)]
        pub struct SettingsUpdate {
            $(
                $(#[doc = $doc])+
                #[serde(skip_serializing_if = "Option::is_none")]
                #[ts(optional)]
                pub $name: Option<$kind>,
            )*
        }

        impl Settings {
            /// Returns the settings after a change.
            ///
            /// # Errors
            /// `INVALID_SETTING`, with the values that can be set.
            pub fn with(&self, ask: &SettingsUpdate) -> Result<Self> {
                let mut next = Self { $($name: ask.$name.clone().unwrap_or_else(|| self.$name.clone()),)* };
                if ask.chat_tool_digests.is_none() {
                    next.forget_digests(self);
                }
                next.check()?;
                Ok(next)
            }
        }
    };
}

settings! {
    /// Notify when a session needs the user.
    notify_needs: bool = true;
    /// Notify when a session has finished or failed.
    notify_finished: bool = true;
    /// Notifications have a sound.
    notify_sound: bool = true;
    /// Beginning of the hours without notifications, in local time: `22:00`; empty for none.
    quiet_from: String = String::new();
    /// End of the hours without notifications: `08:00`; empty where `quietFrom` is.
    quiet_to: String = String::new();
    /// At the end of an agent's turn, hand it the edits and messages that it has not seen, so that it goes on with them
    /// (agents whose hooks can do that).
    deliver_at_turn_end: bool = true;
    /// Minutes of silence after which a session is stale, and not current unless it is connected: 1 to 1,440.
    stale_minutes: u32 = 15;
    /// Seconds of silence after which an agent with nothing left on its list counts as idle: 0 to 3,600. An end that is
    /// told, of a turn or of the run, counts at once.
    settle_seconds: u32 = 20;
    /// Command that opens a terminal; `{folder}` stands for the folder. At most 500 characters; empty for the system's.
    terminal: String = String::new();
    /// Command that opens a folder in an editor; `{folder}` stands for the folder. At most 500 characters; empty for one
    /// that is found.
    editor: String = String::new();
    /// Keep Sightline in the tray when the window is closed.
    keep_in_tray: bool = false;
    /// Start Sightline in the tray when the user logs in.
    start_at_login: bool = false;
    /// Keys that show and hide the window from everywhere: `CommandOrControl+Shift+L`; empty for none.
    shortcut: String = String::new();
    /// Show a menu bar in the window (Linux and Windows; macOS always has one).
    menu_bar: bool = false;
    /// Hosts by which this gateway is reached from other machines, through a proxy that speaks TLS, each with a port where that
    /// is not 443: at most 20.
    public_hosts: Vec<String> = Vec::new();
    /// Days since the last activity after which a session is removed: at most 36,500; 0 keeps all.
    keep_days: u32 = 0;
    /// Days for single projects, by their short names, at most 500 of them; 0 keeps a project for ever.
    keep_projects: BTreeMap<String, u32> = BTreeMap::new();
    /// Megabytes of the database above which the oldest sessions are removed: at least 10, or 0 for no limit.
    keep_megabytes: u32 = 0;
    /// Revisions of each session above which the oldest are removed; 0 for no limit.
    keep_revisions: u32 = 0;
    /// Model of the built-in agent for new sessions, `provider:model`; empty where none was chosen.
    chat_model: String = String::new();
    /// Model providers that the user added: at most 50.
    chat_providers: Vec<ChatProvider> = Vec::new();
    /// MCP servers with tools for the built-in agent: at most 50.
    chat_servers: Vec<ChatServer> = Vec::new();
    /// Policies of their tools, by name: at most 1,000.
    chat_tools: BTreeMap<String, ToolPolicy> = BTreeMap::new();
    /// Digests of the tools whose policy is `auto`, by name: at most 1,000. A tool that has another one is asked for; one
    /// that has none gets it when it is first offered to a model. Left out, those of tools whose policy changes are removed.
    chat_tool_digests: BTreeMap<String, String> = BTreeMap::new();
    /// Policy of the tools that are not named.
    chat_other_tools: ToolPolicy = ToolPolicy::Ask;
    /// Moment at which a new prompt puts the built-in agent's list into the history. `never` counts for the prompts of all
    /// agents; those of the others archive finished lists only.
    chat_archiving: Archiving = Archiving::WhenCompleted;
    /// Calls of the model in one run: 1 to 1,000.
    chat_steps: u32 = 100;
    /// Continuations after one prompt, of turns that end with text while items are open: 0 to 20.
    chat_continuations: u32 = 3;
    /// Seconds to wait for an approval: 10 to 86,400.
    chat_approval_seconds: u32 = 600;
}

/// The longest command or shortcut, in characters.
const SETTING_CHARACTERS: usize = 500;

/// The most named hosts.
const PUBLIC_HOSTS: usize = 20;

/// A hundred years.
const KEEP_DAYS: u32 = 36_500;
const KEEP_PROJECTS: usize = 500;
/// An empty database is not much smaller.
const KEEP_MEGABYTES: u32 = 10;

impl Settings {
    /// The policy for the calls of a tool, whatever it has become.
    #[must_use]
    pub fn tool_policy(&self, tool: &str) -> ToolPolicy {
        self.chat_tools.get(tool).copied().unwrap_or(self.chat_other_tools)
    }

    /// Forgets the digests of tools that are not called without asking, or were not before: choosing that once more is for
    /// the tool as it is then.
    fn forget_digests(&mut self, before: &Self) {
        let mut digests = std::mem::take(&mut self.chat_tool_digests);
        digests.retain(|tool, _| [before, self].iter().all(|settings| settings.tool_policy(tool) == ToolPolicy::Auto));
        self.chat_tool_digests = digests;
    }

    fn check(&self) -> Result<()> {
        for (name, time) in [("quietFrom", &self.quiet_from), ("quietTo", &self.quiet_to)] {
            if !time.is_empty() && minutes(time).is_none() {
                return Err(invalid(say::setting_time(name)));
            }
        }
        if self.quiet_from.is_empty() != self.quiet_to.is_empty() {
            return Err(invalid(say::setting_quiet()));
        }
        if !(1..=24 * 60).contains(&self.stale_minutes) {
            return Err(invalid(say::setting_range("staleMinutes", 1, 1440)));
        }
        if self.settle_seconds > 60 * 60 {
            return Err(invalid(say::setting_range("settleSeconds", 0, 3600)));
        }
        for (name, text) in [("terminal", &self.terminal), ("editor", &self.editor), ("shortcut", &self.shortcut)] {
            if text.chars().count() > SETTING_CHARACTERS || text.chars().any(char::is_control) {
                return Err(invalid(say::setting_line(name, SETTING_CHARACTERS)));
            }
        }
        for (name, line) in [("terminal", &self.terminal), ("editor", &self.editor)] {
            // A path of Windows is written with what quotes elsewhere.
            let is_read = shlex::split(&line.replace('\\', "/")).is_some_and(|words| !words.is_empty());
            if !line.is_empty() && !is_read {
                return Err(invalid(say::setting_command(name)));
            }
        }
        if self.public_hosts.len() > PUBLIC_HOSTS {
            return Err(invalid(say::setting_at_most("publicHosts", PUBLIC_HOSTS)));
        }
        if let Some(name) = self.public_hosts.iter().find(|name| crate::public_host(name).is_none()) {
            return Err(invalid(say::setting_public_host(todo::text::plain(&todo::short(name)))));
        }
        if self.keep_days > KEEP_DAYS || self.keep_projects.values().any(|days| *days > KEEP_DAYS) {
            return Err(invalid(say::setting_keep_days(KEEP_DAYS)));
        }
        if self.keep_projects.len() > KEEP_PROJECTS {
            return Err(invalid(
                say::setting_at_most("keepProjects", KEEP_PROJECTS)
                    .in_english(format!("\"keepProjects\" takes at most {KEEP_PROJECTS} projects")),
            ));
        }
        if (1..KEEP_MEGABYTES).contains(&self.keep_megabytes) {
            return Err(invalid(say::setting_megabytes(KEEP_MEGABYTES)));
        }
        super::chat::check(self)
    }

    /// Returns the retention that is set.
    #[must_use]
    pub fn retention(&self) -> Retention {
        Retention {
            keep_days: self.keep_days,
            keep_projects: self.keep_projects.clone(),
            keep_megabytes: self.keep_megabytes,
            keep_revisions: self.keep_revisions,
        }
    }

    /// Returns whether there are no notifications at a time of day, in minutes since midnight. From a time to itself is the
    /// whole day.
    #[must_use]
    pub fn is_quiet(&self, minute: u32) -> bool {
        match (minutes(&self.quiet_from), minutes(&self.quiet_to)) {
            (Some(from), Some(to)) if from < to => (from..to).contains(&minute),
            (Some(from), Some(to)) => minute >= from || minute < to,
            _ => false,
        }
    }
}

/// Reads `HH:MM` as minutes since midnight.
fn minutes(time: &str) -> Option<u32> {
    let (hours, minutes) = time.split_once(':')?;
    let two = |digits: &str| (digits.len() == 2).then(|| digits.parse::<u32>().ok()).flatten();
    let (hours, minutes) = (two(hours)?, two(minutes)?);
    (hours < 24 && minutes < 60).then_some(hours * 60 + minutes)
}

pub(super) fn invalid(text: impl Into<Text>) -> Error {
    Error::new(Code::InvalidSetting, text)
}

#[cfg(test)]
mod tests {
    use super::Settings;
    use rstest::rstest;

    #[rstest]
    #[case("", "", 0, false)]
    #[case("22:00", "08:00", 21 * 60 + 59, false)]
    #[case("22:00", "08:00", 22 * 60, true)]
    #[case("22:00", "08:00", 0, true)]
    #[case("22:00", "08:00", 8 * 60, false)]
    #[case("12:00", "13:30", 12 * 60, true)]
    #[case("12:00", "13:30", 13 * 60 + 30, false)]
    #[case("09:00", "09:00", 3, true)]
    fn quiet(#[case] from: &str, #[case] to: &str, #[case] minute: u32, #[case] is_quiet: bool) {
        let settings = Settings { quiet_from: from.to_owned(), quiet_to: to.to_owned(), ..Settings::default() };
        assert_eq!(settings.is_quiet(minute), is_quiet);
    }
}
