//! `sightline connect | disconnect AGENT` and `sightline agents`: other people's agents and our place in their
//! configuration.

use crate::output::{self, Verbatim};
use crate::selftest::{self, Registered};
use crate::session::Hub;
use anyhow::Context;
use protocol::{Session, SessionList};
use serde::Serialize;
use serde_json::json;
use setup::{Agent, Found, Machine, Options, OwnList, Plan, Registration, Scope, Server};
use std::collections::BTreeMap;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;
use todo::text::plain;

/// How long an agent may take to say its version.
const VERSION: Duration = Duration::from_secs(10);

/// How many sessions are looked through for the last list of each agent.
const SESSIONS: u32 = 200;

#[derive(clap::Args)]
pub(crate) struct Connect {
    /// claude, codex, gemini, opencode or qwen
    agent: String,
    #[command(flatten)]
    place: Place,
    /// Leave the agent's hooks alone: it then hears of edits only with results of its list
    #[arg(long)]
    no_hooks: bool,
    /// Take the place of another server that is registered as "sightline"
    #[arg(long)]
    replace: bool,
    /// Turn the agent's own todo list on as well, where it has a switch
    #[arg(long)]
    own_list: bool,
    /// Add a line to the project's instructions that makes the agent keep its list here (AGENTS.md, CLAUDE.md, …)
    #[arg(long, value_name = "DIR", num_args = 0..=1, default_missing_value = ".")]
    instruct: Option<PathBuf>,
    /// Do not test the connection afterwards
    #[arg(long)]
    no_test: bool,
}

#[derive(clap::Args)]
pub(crate) struct Disconnect {
    /// claude, codex, gemini, opencode or qwen
    agent: String,
    #[command(flatten)]
    place: Place,
    /// Turn the agent's own todo list off as well, if it was turned on as connect does
    #[arg(long)]
    own_list: bool,
    /// Take the line out of the project's instructions as well
    #[arg(long, value_name = "DIR", num_args = 0..=1, default_missing_value = ".")]
    instruct: Option<PathBuf>,
}

#[derive(clap::Args)]
struct Place {
    /// In a project's configuration instead of the user's; it holds no key
    #[arg(long, value_name = "DIR", num_args = 0..=1, default_missing_value = ".")]
    project: Option<PathBuf>,
    /// Change the files without asking
    #[arg(long, short)]
    yes: bool,
    /// Only show what would change
    #[arg(long, conflicts_with = "yes")]
    dry_run: bool,
}

#[derive(clap::Args)]
pub(crate) struct Agents {
    /// Only this one
    agent: Option<String>,
    /// Start our tool server as the agent does and send a first list through it
    #[arg(long)]
    test: bool,
}

pub(crate) async fn connect(options: Connect, data_dir: &Path, json: bool) -> anyhow::Result<()> {
    let (machine, agent) = (machine()?, named(&options.agent)?);
    let server = server(&machine, data_dir)?;
    let scope = scope(options.place.project.as_deref())?;
    let how = Options { hooks: !options.no_hooks, replace: options.replace };
    // Each after the one before it: two may change one file.
    let mut changed = carry_out(&setup::connect(&machine, agent, &scope, &server, how)?, &options.place, json)?;
    if options.own_list {
        changed.add(carry_out(&setup::turn_own_list_on(&machine, agent, &scope)?, &options.place, json)?);
    }
    if let Some(folder) = &options.instruct {
        changed.add(carry_out(&setup::instruct(&folder.canonicalize()?, agent)?, &options.place, json)?);
    }
    let tested = match changed.is_done && !options.no_test {
        true => Some(selftest::run(&registered(agent, &server), data_dir).await),
        false => None,
    };
    if json {
        output::json(&json!({ "agent": agent.name(), "change": changed, "test": tested }))?;
    }
    for line in tested.iter().filter(|_| !json).flat_map(selftest::Report::lines) {
        output::line(&line)?;
    }
    match tested.is_none_or(|test| test.is_ok()) {
        true => Ok(()),
        false => Err(Verbatim(format!("{} is registered, and the test failed", agent.title())).into()),
    }
}

pub(crate) fn disconnect(options: &Disconnect, data_dir: &Path, json: bool) -> anyhow::Result<()> {
    let (machine, agent) = (machine()?, named(&options.agent)?);
    let server = server(&machine, data_dir)?;
    let scope = scope(options.place.project.as_deref())?;
    let mut changed = Changed::default();
    // The other way round than connecting, so that each finds its file as it left it.
    if options.own_list {
        changed.add(carry_out(&setup::turn_own_list_off(&machine, agent, &scope)?, &options.place, json)?);
    }
    changed.add(carry_out(&setup::disconnect(&machine, agent, &scope, &server)?, &options.place, json)?);
    if let Some(folder) = &options.instruct {
        changed.add(carry_out(&setup::uninstruct(&folder.canonicalize()?, agent)?, &options.place, json)?);
    }
    if json { output::json(&json!({ "agent": agent.name(), "change": changed })) } else { Ok(()) }
}

/// What was changed, or would be.
#[derive(Serialize, Default)]
#[serde(rename_all = "camelCase")]
struct Changed {
    diff: String,
    notes: Vec<String>,
    written: Vec<PathBuf>,
    backups: Vec<PathBuf>,
    is_done: bool,
}

impl Changed {
    fn add(&mut self, other: Self) {
        self.diff += &other.diff;
        self.notes.extend(other.notes);
        self.written.extend(other.written);
        self.backups.extend(other.backups);
        self.is_done |= other.is_done;
    }
}

/// Shows what is to change, asks, and does it.
fn carry_out(plan: &Plan, place: &Place, json: bool) -> anyhow::Result<Changed> {
    let mut changed = Changed { diff: plan.diff(), notes: plan.notes.clone(), ..Changed::default() };
    if !json {
        for line in changed.diff.lines() {
            output::line(&plain(line))?;
        }
        if plan.is_nothing() {
            output::line("Nothing has to change.")?;
        }
    }
    if place.dry_run {
        return Ok(changed);
    }
    if !plan.is_nothing() && !place.yes && !asked("Change this? [y/N] ", json)? {
        return Err(Verbatim("Nothing was changed; --yes changes it.".to_owned()).into());
    }
    let applied = plan.apply(app::now())?;
    (changed.written, changed.backups, changed.is_done) = (applied.written, applied.backups, true);
    if !json {
        for backup in &changed.backups {
            output::line(&format!("Kept as it was: {}", plain(&backup.display().to_string())))?;
        }
        for note in &changed.notes {
            output::line(&format!("Note: {}.", plain(note)))?;
        }
    }
    Ok(changed)
}

/// Asks a person; nobody is there to ask where programs read and write.
fn asked(question: &str, json: bool) -> anyhow::Result<bool> {
    if json || !std::io::stdin().is_terminal() {
        return Ok(false);
    }
    let mut out = anstream::stdout().lock();
    write!(out, "{question}")?;
    out.flush()?;
    let mut typed = String::new();
    std::io::stdin().read_line(&mut typed)?;
    Ok(matches!(typed.trim().to_lowercase().as_str(), "y" | "yes"))
}

/// What is known of one agent.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Row {
    agent: &'static str,
    installed: Option<PathBuf>,
    version: Option<String>,
    server: String,
    hooks: Option<String>,
    own_list: &'static str,
    /// When its newest list changed (RFC 3339, UTC).
    last_list: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    test: Option<selftest::Report>,
}

pub(crate) async fn agents(options: Agents, data_dir: &Path, json: bool) -> anyhow::Result<()> {
    let machine = machine()?;
    let server = server(&machine, data_dir)?;
    let chosen = match &options.agent {
        Some(name) => vec![named(name)?],
        None => Agent::ALL.to_vec(),
    };
    let last = last_lists(data_dir).await?;
    let mut rows = Vec::new();
    for agent in chosen {
        let found = setup::look(&machine, agent, &Scope::User, &server)?;
        let program = found.program.clone();
        let version = tokio::task::spawn_blocking(move || setup::version(&program?, VERSION)).await?;
        // Of what is registered otherwise it says nothing that another program works.
        let test = match options.test && found.server == Registration::Ours {
            true => Some(selftest::run(&registered(agent, &server), data_dir).await),
            false => None,
        };
        rows.push(row(agent, &found, version, last.get(agent.name()), test));
    }
    if json {
        return output::json(&rows);
    }
    for row in &rows {
        show(row)?;
    }
    let failed = rows.iter().filter_map(|row| row.test.as_ref()).any(|test| !test.is_ok());
    if failed { Err(Verbatim("A test failed.".to_owned()).into()) } else { Ok(()) }
}

fn row(
    agent: Agent,
    found: &Found,
    version: Option<String>,
    last: Option<&Session>,
    test: Option<selftest::Report>,
) -> Row {
    let hooks = match &found.hooks {
        Some(Registration::Ours | Registration::Outdated(_)) if found.hooks_off => {
            Some("registered, but all hooks are turned off".to_owned())
        }
        hooks => hooks.as_ref().map(Registration::to_string),
    };
    Row {
        agent: agent.name(),
        installed: found.program.clone(),
        version,
        server: found.server.to_string(),
        hooks,
        own_list: match found.own_list {
            OwnList::On => "on",
            OwnList::Off => "off",
            OwnList::Unknown => "as the agent decides",
        },
        last_list: last.map(|session| session.last_activity_at.to_string()),
        test,
    }
}

fn show(row: &Row) -> anyhow::Result<()> {
    let installed = match (&row.installed, &row.version) {
        (None, _) => "not found".to_owned(),
        (Some(_), Some(version)) => version.clone(),
        (Some(path), None) => path.display().to_string(),
    };
    let seen = match (&row.last_list, row.server.as_str()) {
        (Some(at), _) => format!(", last list {at}"),
        (None, "connected") => ", never called".to_owned(),
        (None, _) => String::new(),
    };
    let hooks = row.hooks.as_deref().map(|hooks| format!(", hooks {hooks}")).unwrap_or_default();
    output::line(&plain(&format!("{:9} {installed}: {}{hooks}{seen}", row.agent, row.server)))?;
    for line in row.test.iter().flat_map(selftest::Report::lines) {
        output::line(&format!("  {line}"))?;
    }
    Ok(())
}

/// The newest session with a list of each agent.
async fn last_lists(data_dir: &Path) -> anyhow::Result<BTreeMap<String, Session>> {
    let hub = Hub::open(data_dir).await?;
    let page = hub.ask(SessionList { limit: Some(SESSIONS), cursor: None }).await;
    hub.close().await;
    let mut last: BTreeMap<String, Session> = BTreeMap::new();
    let with_list = page?.sessions.into_iter().filter(|session| session.revision > 0);
    for session in with_list.filter(|session| session.label.as_deref() != Some(selftest::LABEL)) {
        let newest =
            last.get(&session.agent.name).is_none_or(|known| known.last_activity_at < session.last_activity_at);
        if newest {
            last.insert(session.agent.name.clone(), session);
        }
    }
    Ok(last)
}

fn named(name: &str) -> anyhow::Result<Agent> {
    Agent::named(name).with_context(|| {
        let known: Vec<&str> = Agent::ALL.iter().map(|agent| agent.name()).collect();
        format!("there is no agent \"{}\" here; there are {}", plain(&todo::short(name)), known.join(", "))
    })
}

fn machine() -> anyhow::Result<Machine> {
    let home = std::env::home_dir().context("this user has no home folder")?;
    let text = |(name, value): (std::ffi::OsString, std::ffi::OsString)| {
        Some((name.into_string().ok()?, value.into_string().ok()?))
    };
    Ok(Machine { home, environment: std::env::vars_os().filter_map(text).collect() })
}

fn server(machine: &Machine, data_dir: &Path) -> anyhow::Result<Server> {
    Ok(Server { command: command(machine)?, data_dir: std::path::absolute(data_dir)? })
}

/// This program by the path that stays: a link on the search path outlives the version that it leads to.
fn command(machine: &Machine) -> anyhow::Result<PathBuf> {
    let here = std::env::current_exe()?;
    let same =
        |path: &PathBuf| path.canonicalize().is_ok_and(|real| here.canonicalize().is_ok_and(|here| here == real));
    let called = std::env::args_os().next().map(PathBuf::from).filter(|path| path.is_absolute());
    let found = machine.program(setup::NAME);
    Ok([called, found].into_iter().flatten().find(same).unwrap_or(here))
}

fn scope(project: Option<&Path>) -> anyhow::Result<Scope> {
    Ok(match project {
        None => Scope::User,
        Some(folder) => {
            let there = folder.canonicalize();
            Scope::Project(there.with_context(|| format!("there is no folder {}", folder.display()))?)
        }
    })
}

/// What an agent starts once it is connected.
fn registered(agent: Agent, server: &Server) -> Registered<'static> {
    let arguments = ["mcp", "--agent", agent.name(), "--data-dir"].map(Into::into).into_iter();
    Registered {
        agent: agent.name(),
        program: server.command.clone(),
        arguments: arguments.chain([server.data_dir.clone().into_os_string()]).collect(),
    }
}
