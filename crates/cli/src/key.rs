//! `sightline key`: keys for scripts, programs and agents; `sightline audit`: who did what.

use crate::output;
use crate::session::Hub;
use crate::words::{self, of_wire, text, time, word};
use clap::Subcommand;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use protocol::{AuditEntry, AuditList, Key, KeyKind, KeyList, KeyMade, KeyNew, KeyRenew, KeyRevoke, Rights, Transport};
use std::path::Path;
use todo::text::plain;

/// Entries of the log in one request.
const PAGE: u32 = 1_000;

#[derive(Subcommand)]
pub(crate) enum KeyCommand {
    /// Make a key; it is printed once
    New {
        /// Name, as it is listed
        name: String,
        /// A person's program may: look, edit, answer (the built-in agent's approvals), administer
        #[arg(long, required_unless_present = "agent", conflicts_with = "agent", value_parser = rights())]
        rights: Option<Rights>,
        /// For an agent: opens /mcp and /hooks only
        #[arg(long)]
        agent: bool,
    },
    /// List the keys
    List,
    /// Give a key a new secret; the old one ends
    Renew {
        /// Its id or its name
        #[arg(required_unless_present = "all_agents")]
        key: Option<String>,
        /// The keys of all agents
        #[arg(long, conflicts_with = "key")]
        all_agents: bool,
    },
    /// End a key, with the connections that it has opened
    Revoke {
        /// Its id or its name
        key: String,
    },
}

/// Reads a right by its word.
pub(crate) fn rights() -> impl TypedValueParser<Value = Rights> {
    PossibleValuesParser::new(Rights::ALL.map(Rights::word))
        .try_map(|word| Rights::of_word(&word).ok_or_else(|| format!("there is no right \"{word}\"")))
}

pub(crate) async fn run(command: KeyCommand, data_dir: &Path, json: bool) -> anyhow::Result<()> {
    let hub = Hub::open(data_dir).await?;
    let done = perform(&hub, command, json).await;
    hub.close().await;
    done
}

async fn perform(hub: &Hub, command: KeyCommand, json: bool) -> anyhow::Result<()> {
    match command {
        KeyCommand::New { name, rights, agent: _ } => made(&hub.ask(KeyNew { name, rights }).await?, json),
        KeyCommand::List => {
            let keys = hub.ask(KeyList {}).await?;
            if json {
                return output::json(&keys);
            }
            if keys.keys.is_empty() {
                return output::line(word("terminal_no_keys"));
            }
            keys.keys.iter().try_for_each(|key| output::line(&row(key)))
        }
        KeyCommand::Revoke { key } => {
            hub.ask(KeyRevoke { key_id: key.clone() }).await?;
            if json {
                output::json(&serde_json::json!({ "revoked": key }))
            } else {
                output::line(&text("terminal_revoked", &[("key", &plain(&key))]))
            }
        }
        KeyCommand::Renew { key: Some(key), .. } => made(&hub.ask(KeyRenew { key_id: key }).await?, json),
        KeyCommand::Renew { key: None, .. } => {
            let keys = hub.ask(KeyList {}).await?.keys;
            let mut renewed = Vec::new();
            for key in keys.into_iter().filter(|key| key.kind == KeyKind::Agent) {
                renewed.push(hub.ask(KeyRenew { key_id: key.key_id }).await?);
            }
            if json {
                return output::json(&serde_json::json!({ "keys": renewed }));
            }
            renewed.iter().try_for_each(|one| output::line(&format!("{}\t{}", plain(&one.key.name), one.secret)))
        }
    }
}

/// Prints a key that was made: its secret alone on standard output, so that a script can take it.
fn made(made: &KeyMade, json: bool) -> anyhow::Result<()> {
    if json {
        return output::json(made);
    }
    output::line(&made.secret)?;
    if let Some(wanted) = made.key.wanted {
        let (wanted, now) = (right(wanted), right(made.key.rights.unwrap_or(Rights::Look)));
        let inputs: [(&str, &dyn std::fmt::Display); 4] =
            [("name", &plain(&made.key.name)), ("id", &made.key.key_id), ("now", &now), ("wanted", &wanted)];
        output::note(&text("terminal_key_waits", &inputs));
    }
    Ok(())
}

fn row(key: &Key) -> String {
    let kind = match key.kind {
        KeyKind::Person => word("terminal_key_program"),
        KeyKind::Page => word("terminal_key_page"),
        KeyKind::Agent => word("terminal_key_agent"),
    };
    let rights = key.rights.map_or_else(|| "-".to_owned(), right);
    let waits = key.wanted.map(|wanted| format!(" {}", text("terminal_key_waits_for", &[("rights", &right(wanted))])));
    let waits = waits.unwrap_or_default();
    let used = match key.used_at {
        Some(at) => text("terminal_last_used", &[("time", &time(at))]),
        None => word("terminal_never_used").to_owned(),
    };
    plain(&format!("{}  {kind:7}  {rights}{waits}  {}  {used}", key.key_id, key.name))
}

fn right(rights: Rights) -> String {
    of_wire("rights", rights.word())
}

/// `sightline audit`: the whole log, the newest first.
pub(crate) async fn audit(data_dir: &Path, json: bool) -> anyhow::Result<()> {
    let hub = Hub::open(data_dir).await?;
    let done = print_log(&hub, json).await;
    hub.close().await;
    done
}

async fn print_log(hub: &Hub, json: bool) -> anyhow::Result<()> {
    let mut before = None;
    let mut all: Vec<AuditEntry> = Vec::new();
    loop {
        let page = hub.ask(AuditList { before, limit: Some(PAGE) }).await?;
        if json {
            all.extend(page.entries);
        } else {
            page.entries.iter().try_for_each(|entry| output::line(&logged(entry)))?;
        }
        before = page.next_before;
        if before.is_none() {
            break;
        }
    }
    if json { output::json(&serde_json::json!({ "entries": all })) } else { Ok(()) }
}

fn logged(entry: &AuditEntry) -> String {
    let word = |value: serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    let deed = word(serde_json::to_value(entry.deed).unwrap_or_default()).to_lowercase();
    let deed = catalogue::known(&format!("terminal_deed_{deed}")).unwrap_or(&deed).to_owned();
    let way = word(serde_json::to_value(entry.way).unwrap_or_default());
    let who = match (&entry.who, entry.way) {
        // A key may be named like anybody.
        (Some(name), _) => words::text("terminal_who_key", &[("name", name)]),
        (None, Transport::Window) => words::word("terminal_who_window").to_owned(),
        (None, Transport::Cli) => words::word("terminal_who_program").to_owned(),
        (None, Transport::Builtin) => words::word("terminal_who_built_in").to_owned(),
        (None, _) => words::word("terminal_who_nobody").to_owned(),
    };
    // The names of settings are those of the protocol, also in English.
    let subject = entry.subject_text.as_ref().and_then(catalogue::sent).unwrap_or_else(|| entry.subject.clone());
    plain(&format!("{}  {deed}  {who} ({way})  {subject}", time(entry.at)))
}

#[cfg(test)]
mod tests {
    use protocol::Settings;

    #[test]
    fn every_setting_has_words_in_the_log() {
        let settings = serde_json::to_value(Settings::default()).expect("settings are JSON");
        for name in settings.as_object().expect("an object").keys() {
            let words = catalogue::known(&format!("gateway_settings_{}", name.to_lowercase()));
            assert!(words.is_some(), "{name}: add it to the table of texts, and to the message files");
        }
    }
}
