//! `sightline host`: other machines whose sessions are mirrored here.

use crate::session::Hub;
use crate::words::{sent, text, time, word};
use crate::{install, output};
use clap::Subcommand;
use console::Term;
use protocol::{Host, HostState, HostsAdd, HostsKey, HostsList, HostsRemove, HostsTest};
use std::io::{IsTerminal, Read};
use std::path::Path;
use todo::text::{exact, plain};

/// The most bytes that are read for a key.
const KEY: u64 = 4096;

#[derive(Subcommand)]
pub(crate) enum HostCommand {
    /// Mirror the sessions of another machine; it waits to be confirmed in the window
    Add {
        /// Days for which its sessions are fetched at first; 0 for all
        #[arg(long, default_value_t = 30, value_name = "N")]
        days: u32,
        /// For an address: read its key from standard input in the place of asking for it
        #[arg(long)]
        key_stdin: bool,
        /// Name, as its sessions are shown with it
        name: String,
        /// The command whose pipes lead to its gateway, such as ssh box sightline dial-stdio; or its address, such as
        /// wss://box.example.net
        #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true, value_name = "COMMAND")]
        command: Vec<String>,
    },
    /// List the machines, and whether each answers
    List,
    /// Take the key of a machine at an address, also in the place of another one
    Key {
        /// Read it from standard input in the place of asking for it
        #[arg(long)]
        key_stdin: bool,
        /// Its name
        name: String,
    },
    /// Connect to a machine anew, and say what came of it
    Test {
        /// Its name
        name: String,
    },
    /// Copy this program to a machine, through the words of its command before `sightline dial-stdio`
    Install {
        /// Copy without asking
        #[arg(long)]
        yes: bool,
        /// Its name
        name: String,
    },
    /// Stop mirroring a machine; its sessions stay
    Remove {
        /// Its name
        name: String,
    },
}

impl HostCommand {
    fn concerns_keys(&self) -> bool {
        match self {
            Self::Add { command, .. } => address(command).is_some(),
            Self::Key { .. } | Self::Remove { .. } => true,
            Self::List | Self::Test { .. } | Self::Install { .. } => false,
        }
    }
}

/// The address of a machine that is given in the place of a command.
fn address(command: &[String]) -> Option<&String> {
    match command {
        [address] if address.contains("://") => Some(address),
        _ => None,
    }
}

/// Reads a key from standard input, or asks for it without showing what is typed.
fn read_key(name: &str, from_stdin: bool) -> anyhow::Result<String> {
    if from_stdin {
        let mut key = String::new();
        std::io::stdin().take(KEY).read_to_string(&mut key)?;
        return Ok(key.trim().to_owned());
    }
    anyhow::ensure!(std::io::stdin().is_terminal(), word("terminal_host_key_stdin"));
    let term = Term::stderr();
    term.write_str(&text("terminal_host_key_ask", &[("name", &plain(name))]))?;
    Ok(term.read_secure_line()?.trim().to_owned())
}

pub(crate) async fn run(command: HostCommand, data_dir: &Path, json: bool) -> anyhow::Result<()> {
    if command.concerns_keys() {
        // Keys are the gateway's.
        app::ensure_gateway(data_dir).await?;
    }
    let hub = Hub::open(data_dir).await?;
    let done = perform(&hub, command, json).await;
    hub.close().await;
    done
}

async fn perform(hub: &Hub, command: HostCommand, json: bool) -> anyhow::Result<()> {
    match command {
        HostCommand::Add { days, key_stdin, name, command } => {
            let days = Some(days);
            let host = match address(&command) {
                None => hub.ask(HostsAdd { name, command, days, ..HostsAdd::default() }).await?,
                Some(address) => {
                    // Before anything is asked for.
                    protocol::host_address(address).map_err(anyhow::Error::new)?;
                    let key = match protocol::tek(address) {
                        Some(_) => None,
                        None => Some(read_key(&name, key_stdin)?),
                    };
                    let add =
                        HostsAdd { name: name.clone(), address: Some(address.clone()), days, ..HostsAdd::default() };
                    let host = hub.ask(add).await?;
                    if let Some(key) = key
                        && let Err(error) = hub.ask(HostsKey { name: name.clone(), key }).await
                    {
                        hub.ask(HostsRemove { name }).await?;
                        return Err(error);
                    }
                    host
                }
            };
            if json {
                return output::json(&host);
            }
            output::line(&row(&host))?;
            if host.state == HostState::Unconfirmed {
                output::note(word("terminal_host_confirm"));
            }
            Ok(())
        }
        HostCommand::List => {
            let hosts = hub.ask(HostsList {}).await?;
            if json {
                return output::json(&hosts);
            }
            if hosts.hosts.is_empty() {
                return output::line(word("terminal_host_no"));
            }
            hosts.hosts.iter().try_for_each(|host| output::line(&row(host)))
        }
        HostCommand::Remove { name } => {
            hub.ask(HostsRemove { name: name.clone() }).await?;
            if json {
                output::json(&serde_json::json!({ "removed": name }))
            } else {
                output::line(&text("terminal_host_removed", &[("name", &plain(&name))]))
            }
        }
        HostCommand::Key { key_stdin, name } => {
            let key = read_key(&name, key_stdin)?;
            hub.ask(HostsKey { name: name.clone(), key }).await?;
            if json {
                return output::json(&serde_json::json!({ "key": name }));
            }
            output::line(&text("terminal_host_key_kept", &[("name", &plain(&name))]))
        }
        HostCommand::Install { yes, name } => {
            let Some(host) = install::install(hub, &name, yes, json).await? else { return Ok(()) };
            if host.state == HostState::Unconfirmed {
                output::note(word("terminal_host_confirm"));
            }
            if json { output::json(&host) } else { output::line(&row(&host)) }
        }
        HostCommand::Test { name } => {
            let host = hub.ask(HostsTest { name }).await?;
            if json {
                output::json(&host)?;
            } else {
                output::line(&row(&host))?;
            }
            anyhow::ensure!(host.state == HostState::Up, text("terminal_host_silent", &[("name", &plain(&host.name))]));
            Ok(())
        }
    }
}

/// A machine as one line.
fn row(host: &Host) -> String {
    let state = match (host.state, host.delay_ms, &host.problem) {
        (HostState::Unconfirmed, ..) => word("terminal_host_unconfirmed").to_owned(),
        (HostState::Connecting, ..) => word("terminal_host_connecting").to_owned(),
        (HostState::Up, Some(delay), _) => text("terminal_host_up_in", &[("count", &delay)]),
        (HostState::Up, None, _) => word("terminal_host_up").to_owned(),
        (HostState::Down, _, Some(problem)) => {
            let problem = sent(problem, host.problem_text.as_ref());
            text("terminal_host_down_since", &[("time", &time(host.since)), ("problem", &problem)])
        }
        (HostState::Down, _, None) => word("terminal_host_down").to_owned(),
    };
    let version = host.version.as_ref().map(|version| text("terminal_host_version", &[("version", version)]));
    let sending = (host.sending > 0).then(|| text("terminal_host_sending", &[("count", &host.sending)]));
    let sessions = text("terminal_host_sessions", &[("count", &host.sessions)]);
    let facts = [Some(state), version, Some(sessions), sending].into_iter().flatten().collect::<Vec<_>>().join(" · ");
    let way = host.address.clone().unwrap_or_else(|| host.command.join(" "));
    plain(&format!("{}  {facts}  {}", host.name, exact(&way)))
}
