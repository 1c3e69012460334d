//! Rights of a person's key, and the check of a request against its sender's.

use crate::{Asker, Caller, Class, Code, Error, Request, Result, SettingsUpdate, Transport, say};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Rights of a person's key or connection; each has those before it, too. An agent's key has none of them: it opens only
/// the requests that are for agents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Rights {
    /// Read everything.
    Look,
    /// Change lists and sessions, and the settings that start nothing.
    Edit,
    /// Answer the built-in agent's approvals.
    Answer,
    /// Change what starts programs, and give keys to others.
    Administer,
}

impl Rights {
    /// Every right, the least first.
    pub const ALL: [Self; 4] = [Self::Look, Self::Edit, Self::Answer, Self::Administer];

    /// Its word on the wire, in the database and on the command line.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Look => "look",
            Self::Edit => "edit",
            Self::Answer => "answer",
            Self::Administer => "administer",
        }
    }

    /// The right of that word.
    #[must_use]
    pub fn of_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|rights| rights.word() == word)
    }
}

impl Request {
    /// The least right with which a person may send it. Settings are judged by those that are named.
    #[must_use]
    pub fn least(&self) -> Rights {
        match (self.asker(), self) {
            (_, Self::SettingsUpdate(ask)) if ask.starts_programs() => Rights::Administer,
            (Asker::Agent, _) if matches!(self.class(), Class::Connection | Class::Question) => Rights::Look,
            (Asker::Agent | Asker::Edit, _) => Rights::Edit,
            (Asker::Look, _) => Rights::Look,
            (Asker::Answer, _) => Rights::Answer,
            (Asker::Administer, _) => Rights::Administer,
        }
    }
}

impl Caller {
    /// Refuses a request that is beyond the caller's rights.
    ///
    /// # Errors
    /// `UNAUTHORIZED`, with the right that is needed and the way to get it.
    pub fn may(&self, request: &Request) -> Result<()> {
        let kind = request.kind();
        let Some(rights) = self.rights else {
            if request.asker() == Asker::Agent {
                return Ok(());
            }
            return Err(Error::new(Code::Unauthorized, say::not_for_agents(kind)));
        };
        let least = request.least();
        if rights >= least {
            return Ok(());
        }
        let what = match request {
            Request::SettingsUpdate(_) => format!("{kind} of what starts programs"),
            _ => kind.to_owned(),
        };
        let english = format!(
            "{what} needs the right to {}, and this {} has {}; {}",
            least.word(),
            if self.key.is_some() { "key" } else { "connection" },
            rights.word(),
            match least {
                Rights::Look | Rights::Edit => {
                    format!("make a key by `sightline key new NAME --rights {}`", least.word())
                }
                _ if self.transport == Transport::Window =>
                    "another program has the lists of this window; do it on a page \
                    that is paired, to which `sightline open` prints the way"
                        .to_owned(),
                Rights::Answer | Rights::Administer => format!(
                    "do it in the window or on a paired page, or make a key by `sightline key new NAME --rights {}` and \
                     confirm it there",
                    least.word()
                ),
            }
        );
        Err(Error::new(Code::Unauthorized, say::needs_rights(what, least.word()).in_english(english)))
    }
}

impl SettingsUpdate {
    /// True if it names a setting that starts programs, says where requests with keys go, approves in advance, or lets other
    /// machines come in.
    #[must_use]
    pub fn starts_programs(&self) -> bool {
        let Self {
            terminal,
            editor,
            chat_servers,
            chat_providers,
            chat_tools,
            chat_tool_digests,
            chat_other_tools,
            public_hosts,
            ..
        } = self;
        terminal.is_some()
            || editor.is_some()
            || chat_servers.is_some()
            || chat_providers.is_some()
            || chat_tools.is_some()
            || chat_tool_digests.is_some()
            || chat_other_tools.is_some()
            || public_hosts.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lets_others_in_needs_administer() {
        let named =
            SettingsUpdate { public_hosts: Some(vec!["box.example.net".to_owned()]), ..SettingsUpdate::default() };
        assert_eq!(Request::from(named).least(), Rights::Administer);
        let harmless = SettingsUpdate { stale_minutes: Some(30), ..SettingsUpdate::default() };
        assert_eq!(Request::from(harmless).least(), Rights::Edit);
    }
}
