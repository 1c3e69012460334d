//! The machine of a demo: a home with made-up programs of agents, connected as on a real machine, and their runs.

use crate::demo::Demo;
use crate::host_keys::HostKeys;
use crate::machine::MachineAnswers;
use ::demo::{Clock, Player, Scene};
use agents::{Environment, KNOWN};
use anyhow::Context;
use hub::Hub;
use protocol::{AgentChange, AgentsApply, AgentsPlan};
use std::path::Path;
use std::sync::Arc;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// The agents of the machine, with the answers of their programs to `--version`.
const PROGRAMS: [(&str, &str); 5] = [
    ("claude", "2.4.18 (Claude Code)"),
    ("codex", "codex-cli 0.152.0"),
    ("gemini", "0.61.0"),
    ("opencode", "1.18.33"),
    ("qwen", "0.14.2"),
];

/// The program of Claude Code, which also has commands that change its configuration.
const CLAUDE: &str = r#"#!/bin/sh
case "$1 $2" in
"mcp add-json") printf '{"mcpServers":{"%s":%s}}\n' "$5" "$6" >"${0%/*}/../.claude.json" ;;
"mcp remove") echo '{}' >"${0%/*}/../.claude.json" ;;
*) echo 'VERSION' ;;
esac
"#;

/// The agents that are connected.
const CONNECTED: [&str; 4] = ["claude", "codex", "gemini", "opencode"];

/// Makes the machine of a demo, and plays its scene until `stop`.
pub(crate) async fn play(
    demo: Demo,
    hub: &Hub,
    data_dir: &Path,
    host_keys: Arc<HostKeys>,
    clock: Clock,
    stop: CancellationToken,
) -> anyhow::Result<JoinHandle<()>> {
    let machine = MachineAnswers::of(hub.clone(), data_dir.to_owned(), KNOWN, home(data_dir)?, host_keys);
    machine.serve();
    if demo.scene != Scene::Empty {
        connect(&machine).await;
    }
    // Tells the hub how each agent is connected: by that it explains a session without a list.
    machine.list(false).await?;
    let player = Player::begin(hub.clone(), clock, demo.scene).await.context("the demo cannot be played")?;
    Ok(match demo.still_at {
        Some(_) => tokio::spawn(player.hold(stop)),
        None => tokio::spawn(player.go_on(stop)),
    })
}

/// A home with programs that answer with their version.
fn home(data_dir: &Path) -> anyhow::Result<Environment> {
    let home = data_dir.join("home");
    let programs = home.join("bin");
    std::fs::create_dir_all(&programs)?;
    for (name, version) in PROGRAMS {
        let (file, text) = match cfg!(windows) {
            true => (format!("{name}.cmd"), format!("@echo {version}\r\n")),
            false if name == "claude" => (name.to_owned(), CLAUDE.replace("VERSION", version)),
            false => (name.to_owned(), format!("#!/bin/sh\necho '{version}'\n")),
        };
        let path = programs.join(file);
        std::fs::write(&path, text)?;
        #[cfg(unix)]
        std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o755))?;
    }
    let variables = [("PATH".to_owned(), programs.to_string_lossy().into_owned())].into();
    Ok(Environment { home, variables })
}

async fn connect(machine: &Arc<MachineAnswers>) {
    for agent in CONNECTED {
        let plan = AgentsPlan { agent: agent.to_owned(), change: AgentChange::Connect, ..AgentsPlan::default() };
        let connected = async {
            let plan_id = machine.plan(plan).await?.plan_id;
            machine.apply(AgentsApply { plan_id }).await
        };
        if let Err(error) = connected.await {
            tracing::warn!(%error, agent, "the demo shows an agent that is not connected");
        }
    }
}
