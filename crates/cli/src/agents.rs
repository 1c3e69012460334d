//! `sightline connect | disconnect AGENT` and `sightline agents`: other people's agents and our registration with them.

use crate::output::{self, Verbatim};
use crate::session::Hub;
use crate::words::{ago, is_one_of, sent, text, word};
use agents::{Agent, KNOWN, Registry, Scope};
use anyhow::Context;
use app::machine::{self, RegisteredServer, Versions, environment, named, server};
use jiff::Timestamp;
use protocol::{
    AgentSetup, AgentsList, AgentsTested, AgentsWritten, Backend, Caller, OwnSwitch, PERMISSION_SECONDS, Registered,
    TestStep, Text, TextRef, Transport,
};
use serde::{Serialize, Serializer};
use serde_json::json;
use setup::{Answers, Options, Plan, Server};
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use todo::text::{exact_lines, plain};
use tokio_util::sync::CancellationToken;

#[derive(clap::Args)]
pub(crate) struct Connect {
    #[arg(help = format!("One of {}", Registry::names(KNOWN.connectable())))]
    agent: String,
    #[command(flatten)]
    target: Target,
    /// Leave the agent's hooks alone: it then hears of edits only with results of its list
    #[arg(long)]
    no_hooks: bool,
    /// Have the agent's permission prompts answered here as well, and let it wait this long for an answer (by default 300 s,
    /// or 30 s where the agent shows no prompt of its own meanwhile)
    #[arg(long, value_name = "SECONDS", num_args = 0..=1, conflicts_with = "no_hooks")]
    #[arg(value_parser = clap::value_parser!(u32).range(..=i64::from(PERMISSION_SECONDS)))]
    #[expect(clippy::option_option, reason = "the option may be without its value")]
    answers: Option<Option<u32>>,
    /// Have the agent ask by itself again
    #[arg(long, conflicts_with = "answers")]
    no_answers: bool,
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
    #[arg(help = format!("One of {}", Registry::names(KNOWN.connectable())))]
    agent: String,
    #[command(flatten)]
    target: Target,
    /// Turn the agent's own todo list off as well, if it was turned on as connect does
    #[arg(long)]
    own_list: bool,
    /// Take the line out of the project's instructions as well
    #[arg(long, value_name = "DIR", num_args = 0..=1, default_missing_value = ".")]
    instruct: Option<PathBuf>,
}

#[derive(clap::Args)]
struct Target {
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
    /// Let the agent make one call itself, too; it asks its model for it
    #[arg(long, requires = "test", requires = "agent")]
    real: bool,
}

pub(crate) async fn connect(options: Connect, data_dir: &Path, json: bool) -> anyhow::Result<()> {
    let (environment, agent) = (environment()?, named(KNOWN, &options.agent)?);
    let server = server(&environment, data_dir)?;
    let scope = scope(options.target.project.as_deref())?;
    let answers = match (options.answers, options.no_answers) {
        (Some(seconds), _) => Answers::On(seconds),
        (None, true) => Answers::Off,
        (None, false) => Answers::Unchanged,
    };
    let how = Options { hooks: !options.no_hooks, replace: options.replace, answers };
    // One after the other: two may change one file.
    let mut changed = Changed::default();
    let mut carry_out_all = || {
        changed.add(carry_out(&setup::connect(&environment, agent, &scope, &server, how)?, &options.target, json)?);
        if options.own_list {
            changed.add(carry_out(&setup::turn_built_in_list_on(&environment, agent, &scope)?, &options.target, json)?);
        }
        if let Some(folder) = &options.instruct {
            changed.add(carry_out(&setup::instruct(&dunce::canonicalize(folder)?, agent)?, &options.target, json)?);
        }
        anyhow::Ok(())
    };
    let carried_out = carry_out_all();
    note(data_dir, &changed.written).await;
    carried_out?;
    let tested = match changed.is_done && !options.no_test {
        true => Some(test(agent, None, &server, data_dir, json).await?),
        false => None,
    };
    look_again(data_dir).await;
    if json {
        output::json(&json!({ "agent": agent.name(), "change": changed, "test": tested }))?;
    }
    match tested.is_none_or(|test| test.ok) {
        true => Ok(()),
        false => Err(Verbatim(text("terminal_test_failed_of", &[("agent", &agent.title())])).into()),
    }
}

pub(crate) async fn disconnect(options: &Disconnect, data_dir: &Path, json: bool) -> anyhow::Result<()> {
    let (environment, agent) = (environment()?, named(KNOWN, &options.agent)?);
    let server = server(&environment, data_dir)?;
    let scope = scope(options.target.project.as_deref())?;
    let mut changed = Changed::default();
    // In the reverse order of connecting, so that each finds its file as it left it.
    let mut carry_out_all = || {
        if options.own_list {
            let plan = setup::turn_built_in_list_off(&environment, agent, &scope)?;
            changed.add(carry_out(&plan, &options.target, json)?);
        }
        changed.add(carry_out(&setup::disconnect(&environment, agent, &scope, &server)?, &options.target, json)?);
        if let Some(folder) = &options.instruct {
            changed.add(carry_out(&setup::uninstruct(&dunce::canonicalize(folder)?, agent)?, &options.target, json)?);
        }
        anyhow::Ok(())
    };
    let carried_out = carry_out_all();
    note(data_dir, &changed.written).await;
    carried_out?;
    look_again(data_dir).await;
    if json { output::json(&json!({ "agent": agent.name(), "change": changed })) } else { Ok(()) }
}

/// Notes in the log the files that were written, also where a later one could not be. A log that cannot be written is no
/// reason to undo them.
async fn note(data_dir: &Path, written: &[PathBuf]) {
    if written.is_empty() {
        return;
    }
    let noted = async {
        let hub = Hub::open(data_dir).await?;
        let written = written.iter().map(|path| path.display().to_string()).collect();
        let noted = hub.ask(AgentsWritten { written }).await;
        hub.close().await;
        noted
    };
    if let Err(error) = noted.await {
        tracing::warn!(%error, "the change is not in the log");
    }
}

/// Makes a running gateway look at the agents again: its words on one without a list depend on it.
async fn look_again(data_dir: &Path) {
    if app::answering(data_dir).await.is_none() {
        return;
    }
    let backend = app::remote(data_dir, app::client("sightline connect", Transport::Cli, None), false);
    let asked = backend.call(Caller::user(Transport::Cli, "sightline connect"), AgentsList::default().into()).await;
    if let Err(error) = asked {
        tracing::info!(%error, "the gateway does not look at the agents again");
    }
}

/// The changes that were made, or would be.
#[derive(Serialize, Default)]
#[serde(rename_all = "camelCase")]
struct Changed {
    diff: String,
    #[serde(serialize_with = "in_english")]
    notes: Vec<Text>,
    written: Vec<PathBuf>,
    backups: Vec<PathBuf>,
    is_done: bool,
}

fn in_english<S: Serializer>(notes: &[Text], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(notes.iter().map(|note| &note.english))
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
fn carry_out(plan: &Plan, target: &Target, json: bool) -> anyhow::Result<Changed> {
    let mut changed = Changed { diff: plan.diff(), notes: plan.notes.clone(), ..Changed::default() };
    if !json {
        for line in changed.diff.lines() {
            output::line(&exact_lines(line))?;
        }
        if plan.is_nothing() {
            output::line(word("terminal_nothing_to_change"))?;
        }
    }
    if target.dry_run {
        return Ok(changed);
    }
    if !plan.is_nothing() && !target.yes && !asked(word("terminal_change_this"), json)? {
        return Err(Verbatim(word("terminal_not_changed").to_owned()).into());
    }
    let applied = plan.apply(app::now())?;
    (changed.written, changed.backups, changed.is_done) = (applied.written, applied.backups, true);
    if !json {
        for backup in &changed.backups {
            output::line(&text("terminal_kept", &[("path", &plain(&backup.display().to_string()))]))?;
        }
        for note in &changed.notes {
            output::line(&text("terminal_note", &[("text", &plain(&sent(&note.english, note.named.as_ref())))]))?;
        }
    }
    Ok(changed)
}

/// Asks a person. Where programs read and write nobody is asked.
pub(crate) fn asked(question: &str, json: bool) -> anyhow::Result<bool> {
    if json || !std::io::stdin().is_terminal() {
        return Ok(false);
    }
    let mut out = anstream::stdout().lock();
    write!(out, "{question}")?;
    out.flush()?;
    let mut typed = String::new();
    std::io::stdin().read_line(&mut typed)?;
    Ok(is_one_of(&typed, "terminal_yes"))
}

/// Tests a connection, and prints the steps as they are taken.
async fn test(
    agent: &'static dyn Agent,
    program: Option<&Path>,
    server: &Server,
    data_dir: &Path,
    json: bool,
) -> anyhow::Result<AgentsTested> {
    let backend = app::remote(data_dir, app::client("sightline self-test", Transport::Cli, None), true);
    let mut told = Ok(());
    let mut tell = |step: &TestStep, _, _| {
        if !json && told.is_ok() {
            told = output::line(&format!(
                "{} {}",
                if step.ok { "✓" } else { "✗" },
                plain(&sent(&step.what, step.text.as_ref()))
            ));
        }
    };
    let registered = RegisteredServer::of(agent, server);
    // The agent runs in a group of its own, which Ctrl+C does not reach.
    let stop = CancellationToken::new();
    let interrupted = crate::serve::end_signals()?;
    let tested = {
        let test = machine::test(&registered, program, (&backend, data_dir), &mut tell, &stop);
        tokio::pin!(test);
        tokio::select! {
            tested = &mut test => tested,
            _ = interrupted => {
                stop.cancel();
                test.await
            }
        }
    };
    told?;
    if let Some(mend) = tested.mend.as_deref().filter(|_| !json) {
        output::line(&format!("  {}", plain(&sent(mend, tested.mend_text.as_ref()))))?;
    }
    Ok(tested)
}

/// An agent, and the result of its test.
#[derive(Serialize)]
struct Row {
    #[serde(flatten)]
    setup: AgentSetup,
    #[serde(skip_serializing_if = "Option::is_none")]
    test: Option<AgentsTested>,
}

pub(crate) async fn agents(options: Agents, data_dir: &Path, json: bool) -> anyhow::Result<()> {
    let environment = environment()?;
    let server = server(&environment, data_dir)?;
    let chosen = options.agent.as_deref().map(|name| named(KNOWN, name)).transpose()?;
    let hub = Hub::open(data_dir).await?;
    let there = machine::list(hub.backend(), KNOWN, &environment, Some(&Versions::default()), &server).await;
    hub.close().await;
    let mut rows = Vec::new();
    for setup in there?.agents {
        let agent = named(KNOWN, &setup.agent)?;
        if chosen.is_some_and(|chosen| chosen != agent) {
            continue;
        }
        if !json {
            output::line(&plain(&shown(&setup, app::now())))?;
        }
        let program = machine::program(&environment, agent, options.real)?;
        // Where something else is registered, a test of our program says nothing.
        let test = match options.test && setup.server == Registered::Ours {
            true => Some(test(agent, program.as_deref(), &server, data_dir, json).await?),
            false => None,
        };
        let is_cancelled = test.as_ref().is_some_and(|test| test.cancelled);
        rows.push(Row { setup, test });
        if is_cancelled {
            break;
        }
    }
    if json {
        output::json(&rows)?;
    }
    let failed = rows.iter().filter_map(|row| row.test.as_ref()).any(|test| !test.ok);
    if failed { Err(Verbatim(word("terminal_a_test_failed").to_owned()).into()) } else { Ok(()) }
}

fn shown(setup: &AgentSetup, now: Timestamp) -> String {
    let installed = match (&setup.program, &setup.version) {
        (None, _) => word("terminal_not_found"),
        (Some(_), Some(version)) => version,
        (Some(path), None) => path,
    };
    let hooks = match (setup.hooks, &setup.hooks_problem) {
        (Some(Registered::Ours), None) => Some(word("terminal_with_hooks").to_owned()),
        (Some(hooks), problem) => Some(text(
            "terminal_hooks",
            &[("state", &words(hooks, problem.as_deref(), setup.hooks_problem_text.as_ref()))],
        )),
        (None, _) => None,
    };
    let answers = match setup.answers {
        Some(0) => Some(word("terminal_rules_answer").to_owned()),
        seconds => seconds.map(|seconds| text("terminal_answers_wait", &[("seconds", &seconds)])),
    };
    let list = match (setup.last_list, setup.server) {
        (Some(at), _) => Some(text("terminal_last_list", &[("ago", &ago(at, now))])),
        (None, Registered::Ours) => Some(word("terminal_never_called").to_owned()),
        (None, _) => None,
    };
    let own_list = match (setup.last_own_list, setup.own_list) {
        (Some(at), _) => Some(text("terminal_last_own_list", &[("ago", &ago(at, now))])),
        (None, OwnSwitch::Off) => Some(word("terminal_own_list_off").to_owned()),
        (None, _) => None,
    };
    let server = Some(words(setup.server, setup.server_problem.as_deref(), setup.server_problem_text.as_ref()));
    let parts: Vec<String> = [server, hooks, answers, list, own_list].into_iter().flatten().collect();
    format!("{:9} {installed}: {}", setup.agent, parts.join(word("terminal_comma")))
}

fn words(registered: Registered, problem: Option<&str>, named: Option<&TextRef>) -> String {
    let problem = sent(problem.unwrap_or_default(), named);
    let state = match registered {
        Registered::Absent => "terminal_not_connected",
        Registered::Ours if problem.is_empty() => "terminal_connected",
        Registered::Ours => "terminal_connected_but",
        Registered::Outdated => "terminal_connected_once",
        Registered::Disabled => "terminal_registered_off",
        Registered::Other => "terminal_other_server",
        Registered::Unreadable => "terminal_unreadable",
    };
    text(state, &[("problem", &problem)])
}

fn scope(project: Option<&Path>) -> anyhow::Result<Scope> {
    Ok(match project {
        None => Scope::User,
        Some(folder) => {
            let there = dunce::canonicalize(folder);
            Scope::Project(there.with_context(|| text("terminal_no_folder", &[("folder", &folder.display())]))?)
        }
    })
}
