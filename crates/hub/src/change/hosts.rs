//! Hosts: added, confirmed, removed. The command of one runs on this machine, and an address gets what is written to its
//! sessions, so each waits for somebody who may administer.

use crate::error::{Failure, Result};
use crate::hosts::{HOSTS, unknown};
use crate::turn::Turn;
use protocol::{AuditDeed, Code, Done, Host, HostState, HostsAdd, HostsConfirm, HostsRemove, Rights, Text, say};
use std::sync::Arc;
use store::HostRow;
use todo::text::exact;

/// Characters of a name, words of a command, and characters of a word.
const NAME: usize = 40;
const WORDS: usize = 64;
const WORD: usize = 1_000;

/// Days for which sessions are fetched at first.
const DAYS: u32 = 30;
const MOST_DAYS: u32 = 36_500;

impl Turn<'_, '_> {
    pub(super) async fn hosts_add(&mut self, ask: &HostsAdd) -> Result<Host> {
        let name = checked_name(&ask.name)?;
        let (command, address) = match &ask.address {
            Some(address) if ask.command.is_empty() => {
                (Vec::new(), Some(protocol::host_address(address).map_err(invalid)?))
            }
            Some(_) => return Err(invalid(say::host_two_ways())),
            None => (checked_command(&ask.command)?, None),
        };
        let mut rows = self.transaction.hosts().await?;
        let known = rows.iter().position(|row| row.name == name).map(|at| rows.remove(at));
        if known.is_some() && !ask.replaces {
            return Err(invalid(say::host_exists(name)));
        }
        if rows.len() >= HOSTS {
            return Err(invalid(say::hosts_full(HOSTS)));
        }
        let (deed, before) = match known {
            Some(known) => (say::log_host_changed as Deed, known),
            None => {
                let (name, created_at) = (name.clone(), self.now());
                (say::log_host_added as Deed, HostRow { name, created_at, days: DAYS, ..HostRow::default() })
            }
        };
        let row = HostRow {
            command,
            address,
            days: ask.days.unwrap_or(before.days).min(MOST_DAYS),
            confirmed: self.caller.rights == Some(Rights::Administer),
            ..before
        };
        self.transaction.save_host(&row).await?;
        self.audit(AuditDeed::Host, &described(deed, &row)).await?;
        let host = Host {
            name,
            command: row.command.clone(),
            address: row.address.clone(),
            days: row.days,
            state: if row.confirmed { HostState::Connecting } else { HostState::Unconfirmed },
            since: row.created_at,
            ..Host::default()
        };
        rows.push(row);
        rows.sort_by(|one, other| one.name.cmp(&other.name));
        self.staged.hosts = Some(Arc::new(rows));
        Ok(host)
    }

    pub(super) async fn hosts_confirm(&mut self, ask: &HostsConfirm) -> Result<Done> {
        let (mut rows, at) = self.named_host(&ask.name).await?;
        if (&rows[at].command, &rows[at].address) != (&ask.command, &ask.address) {
            return Err(invalid(say::host_other_command(&ask.name)));
        }
        if ask.accept {
            rows[at].confirmed = true;
            self.transaction.save_host(&rows[at]).await?;
            self.audit(AuditDeed::Host, &described(say::log_host_confirmed, &rows[at])).await?;
        } else {
            let refused = rows.remove(at);
            self.transaction.remove_host(&refused.name).await?;
            self.audit(AuditDeed::Host, &described(say::log_host_refused, &refused)).await?;
        }
        self.staged.hosts = Some(Arc::new(rows));
        Ok(Done {})
    }

    pub(super) async fn hosts_remove(&mut self, ask: &HostsRemove) -> Result<Done> {
        let (mut rows, at) = self.named_host(&ask.name).await?;
        let removed = rows.remove(at);
        self.transaction.remove_host(&removed.name).await?;
        self.audit(AuditDeed::Host, &described(say::log_host_removed, &removed)).await?;
        self.staged.hosts = Some(Arc::new(rows));
        Ok(Done {})
    }

    async fn named_host(&mut self, name: &str) -> Result<(Vec<HostRow>, usize)> {
        let rows = self.transaction.hosts().await?;
        let Some(at) = rows.iter().position(|row| row.name == name) else {
            return Err(Failure::Refused(unknown(name)));
        };
        Ok((rows, at))
    }
}

fn invalid(text: Text) -> Failure {
    Failure::refused(Code::InvalidSetting, text)
}

fn checked_name(name: &str) -> Result<String> {
    let is_of_it = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    if name.is_empty() || name.len() > NAME || !name.chars().all(is_of_it) {
        return Err(invalid(say::host_name(NAME)));
    }
    Ok(name.to_owned())
}

fn checked_command(command: &[String]) -> Result<Vec<String>> {
    if command.is_empty() || command.len() > WORDS || command[0].is_empty() {
        return Err(invalid(say::host_command(WORDS)));
    }
    if command.iter().any(|word| word.chars().count() > WORD || word.chars().any(char::is_control)) {
        return Err(invalid(say::host_word(WORD)));
    }
    Ok(command.to_vec())
}

/// A host as a line of the log.
/// The text of a deed, of a host's name and the way to it.
type Deed = fn(String, String) -> Text;

fn described(deed: Deed, row: &HostRow) -> String {
    let way = row.address.clone().unwrap_or_else(|| row.command.join(" "));
    deed(row.name.clone(), exact(&way)).english
}
