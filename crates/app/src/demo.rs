//! A demo: a data folder, a home and a clock of its own, and agents that are played.

use crate::machine::Machine;
pub use ::demo::Scene;
use ::demo::{Clock, Player};
use anyhow::Context;
use hub::Hub;
use jiff::Timestamp;
use protocol::{AgentChange, AgentsApply, AgentsPlan};
use setup::Agent;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// Says that a folder is a demo's, and may be made anew.
const MARK: &str = ".sightline-demo";

/// What the mark says, to the letter.
const MARKED: &str = "The folder of a demo. It is made anew with each demo and can be deleted.\n";

/// How the folder of a demo that was given none begins.
const TEMPORARY: &str = "sightline-demo-";

/// The agents that the demo's machine has, with what their programs say when they are asked for their version.
const PROGRAMS: [(Agent, &str); 5] = [
    (Agent::Claude, "2.4.18 (Claude Code)"),
    (Agent::Codex, "codex-cli 0.152.0"),
    (Agent::Gemini, "0.61.0"),
    (Agent::Opencode, "1.18.33"),
    (Agent::Qwen, "0.14.2"),
];

/// Claude Code changes its own file by a command of its own.
const CLAUDE: &str = r#"#!/bin/sh
case "$1 $2" in
"mcp add-json") printf '{"mcpServers":{"%s":%s}}\n' "$5" "$6" >"${0%/*}/../.claude.json" ;;
"mcp remove") echo '{}' >"${0%/*}/../.claude.json" ;;
*) echo 'VERSION' ;;
esac
"#;

/// Those that are connected to it.
const CONNECTED: [Agent; 4] = [Agent::Claude, Agent::Codex, Agent::Gemini, Agent::Opencode];

/// What is played.
#[derive(Debug, Clone, Copy, Default)]
pub struct Demo {
    /// Which scene.
    pub scene: Scene,
    /// The clock stands still at this time, for pictures.
    pub still_at: Option<Timestamp>,
}

impl Demo {
    pub(crate) fn clock(self) -> Clock {
        Clock::new(Arc::new(crate::now), self.still_at.unwrap_or_else(crate::now))
    }

    /// Puts the machine of the demo there, and plays the scene until `stop`.
    pub(crate) async fn start(
        self,
        hub: &Hub,
        data_dir: &Path,
        clock: Clock,
        stop: CancellationToken,
    ) -> anyhow::Result<JoinHandle<()>> {
        let machine = Machine::of(hub.clone(), data_dir.to_owned(), home(data_dir)?);
        machine.serve();
        if self.scene != Scene::Empty {
            connect(&machine).await;
        }
        // What the agents' files say of their lists is what silence means.
        machine.list(false).await?;
        let player = Player::begin(hub.clone(), clock, self.scene).await.context("the demo cannot be played")?;
        Ok(match self.still_at {
            Some(_) => tokio::spawn(player.hold(stop)),
            None => tokio::spawn(player.go_on(stop)),
        })
    }
}

/// A data folder for a demo: the one given, if it is new or a demo's, else a temporary one.
///
/// # Errors
/// When the folder holds anything else.
pub fn folder(given: Option<PathBuf>) -> anyhow::Result<PathBuf> {
    let folder = match given {
        Some(folder) => std::path::absolute(&folder)?,
        None => temporary()?,
    };
    let is_there = folder.exists();
    let is_empty = || std::fs::read_dir(&folder).is_ok_and(|mut entries| entries.next().is_none());
    anyhow::ensure!(
        !is_there || is_demo(&folder) || is_empty(),
        "{} is in use; a demo wants a folder of its own: name none (neither with --data-dir nor in SIGHTLINE_DATA_DIR), \
         or one that is empty",
        folder.display()
    );
    crate::folder::make(&folder)?;
    if !is_demo(&folder) {
        std::fs::OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(folder.join(MARK))?
            .write_all(MARKED.as_bytes())?;
    }
    Ok(folder)
}

/// A new folder that is nobody else's.
fn temporary() -> std::io::Result<PathBuf> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(TEMPORARY);
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
    Ok(builder.tempdir()?.keep())
}

/// Whether a folder is a demo's: no agent of this machine is to be connected to it.
#[must_use]
pub fn is_demo(data_dir: &Path) -> bool {
    std::fs::read_to_string(data_dir.join(MARK)).is_ok_and(|text| text == MARKED)
}

/// What is to be kept is not put where the next demo removes it.
pub(crate) fn refuse(data_dir: &Path) -> anyhow::Result<()> {
    anyhow::ensure!(
        !is_demo(data_dir),
        "{} is the folder of a demo; start it with --demo, or choose another folder with --data-dir",
        data_dir.display()
    );
    Ok(())
}

/// Takes out what an earlier demo left; the folder is locked by now.
pub(crate) fn make_anew(data_dir: &Path) -> anyhow::Result<()> {
    anyhow::ensure!(is_demo(data_dir), "{} is no demo's folder", data_dir.display());
    for name in ["sightline.db", "sightline.db-wal", "sightline.db-shm"] {
        match std::fs::remove_file(data_dir.join(name)) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error.into()),
            _ => {}
        }
    }
    match std::fs::remove_dir_all(data_dir.join("home")) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error.into()),
        _ => Ok(()),
    }
}

/// Removes a demo's folder that was temporary.
pub(crate) fn remove(data_dir: &Path) {
    if data_dir.starts_with(std::env::temp_dir())
        && is_demo(data_dir)
        && data_dir.file_name().is_some_and(|name| name.to_string_lossy().starts_with(TEMPORARY))
        && let Err(error) = std::fs::remove_dir_all(data_dir)
    {
        tracing::warn!(%error, "the demo's folder stays");
    }
}

/// A home with programs that say their version and nothing else.
fn home(data_dir: &Path) -> anyhow::Result<setup::Machine> {
    let home = data_dir.join("home");
    let programs = home.join("bin");
    std::fs::create_dir_all(&programs)?;
    for (agent, version) in PROGRAMS {
        let name = agent.name();
        let (file, text) = match cfg!(windows) {
            true => (format!("{name}.cmd"), format!("@echo {version}\r\n")),
            false if agent == Agent::Claude => (name.to_owned(), CLAUDE.replace("VERSION", version)),
            false => (name.to_owned(), format!("#!/bin/sh\necho '{version}'\n")),
        };
        let path = programs.join(file);
        std::fs::write(&path, text)?;
        #[cfg(unix)]
        std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o755))?;
    }
    let environment = [("PATH".to_owned(), programs.to_string_lossy().into_owned())].into();
    Ok(setup::Machine { home, environment })
}

async fn connect(machine: &Arc<Machine>) {
    for agent in CONNECTED {
        let plan = AgentsPlan { agent: agent.name().to_owned(), change: AgentChange::Connect, ..AgentsPlan::default() };
        let connected = async {
            let plan_id = machine.plan(plan).await?.plan_id;
            machine.apply(AgentsApply { plan_id }).await
        };
        if let Err(error) = connected.await {
            tracing::warn!(%error, agent = agent.name(), "the demo shows an agent that is not connected");
        }
    }
}
