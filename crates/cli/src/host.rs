//! `sightline host`: other machines whose sessions are mirrored here.

use crate::output;
use crate::session::Hub;
use crate::words::{text, time, word};
use clap::Subcommand;
use protocol::{Host, HostState, HostsAdd, HostsList, HostsRemove, HostsTest};
use std::path::Path;
use todo::text::{exact, plain};

#[derive(Subcommand)]
pub(crate) enum HostCommand {
    /// Mirror the sessions of another machine; its command waits to be confirmed in the window
    Add {
        /// Days for which its sessions are fetched at first; 0 for all
        #[arg(long, default_value_t = 30, value_name = "N")]
        days: u32,
        /// Name, as its sessions are shown with it
        name: String,
        /// The command whose pipes lead to its gateway, such as ssh box sightline dial-stdio
        #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true, value_name = "COMMAND")]
        command: Vec<String>,
    },
    /// List the machines, and whether each answers
    List,
    /// Connect to a machine anew, and say what came of it
    Test {
        /// Its name
        name: String,
    },
    /// Stop mirroring a machine; its sessions stay
    Remove {
        /// Its name
        name: String,
    },
}

pub(crate) async fn run(command: HostCommand, data_dir: &Path, json: bool) -> anyhow::Result<()> {
    let hub = Hub::open(data_dir).await?;
    let done = perform(&hub, command, json).await;
    hub.close().await;
    done
}

async fn perform(hub: &Hub, command: HostCommand, json: bool) -> anyhow::Result<()> {
    match command {
        HostCommand::Add { days, name, command } => {
            let host = hub.ask(HostsAdd { name, command, days: Some(days) }).await?;
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
            text("terminal_host_down_since", &[("time", &time(host.since)), ("problem", problem)])
        }
        (HostState::Down, _, None) => word("terminal_host_down").to_owned(),
    };
    let version = host.version.as_ref().map(|version| text("terminal_host_version", &[("version", version)]));
    let sending = (host.sending > 0).then(|| text("terminal_host_sending", &[("count", &host.sending)]));
    let sessions = text("terminal_host_sessions", &[("count", &host.sessions)]);
    let facts = [Some(state), version, Some(sessions), sending].into_iter().flatten().collect::<Vec<_>>().join(" · ");
    plain(&format!("{}  {facts}  {}", host.name, exact(&host.command.join(" "))))
}
