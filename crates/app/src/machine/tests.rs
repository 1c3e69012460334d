//! One agent more, made up here, gets everything that the known ones get: a registry with it is all that it takes.

use super::environment::named;
use super::import::Imports;
use super::list::{Versions, list};
use super::open::resume;
use super::plans::Plans;
use super::real;
use super::steps::Steps;
use agents::{
    Agent, ConfigurationFiles, EntryForm, Environment, Facts, HookEvent, Hooks, HooksForm, Invocation, ListTool,
    Observation, Observer, Records, Registry, Run, Scope, ServerForm, Transcript, WindowsShell,
};
use hub::Hub;
use jiff::Timestamp;
use protocol::{
    AgentChange, AgentSetup, AgentsApply, AgentsPlan, Backend, Caller, Registered, Reply, Session, SessionList,
    SessionResume, Transport,
};
use serde_json::{Value, json};
use setup::Server;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// A made-up agent.
struct Heron;

const AGENTS: Registry = Registry::new(&[&agents::codex::Codex, &Heron]);

const FACTS: Facts = Facts {
    resume: Some(&["continue", "--run"]),
    server_form: Some(ServerForm::Entry(EntryForm { servers: "tools", ..EntryForm::MCP_SERVERS })),
    hooks: Some(Hooks {
        form: HooksForm::Groups,
        events: &[HookEvent::answered("PostToolUse"), HookEvent::heard("Stop")],
        timeout: 5,
        named: false,
        windows_shell: WindowsShell::PowerShell,
        off: None,
    }),
    list_tools: &[ListTool { name: "flight_plan", items: "legs", content: "to" }],
    ..Facts::new("heron", "Heron")
};

impl Agent for Heron {
    fn facts(&self) -> &'static Facts {
        &FACTS
    }

    fn files(&self, environment: &Environment, _scope: &Scope) -> ConfigurationFiles {
        let file = environment.home.join(".heron/config.json");
        ConfigurationFiles { servers: vec![file.clone()], hooks: Some(file), ..ConfigurationFiles::default() }
    }

    fn transcript_folders(&self, environment: &Environment) -> Vec<PathBuf> {
        vec![environment.home.join(".heron/flights")]
    }

    fn transcript_of(&self, path: &Path) -> Option<PathBuf> {
        path.extension().is_some_and(|extension| extension == "jsonl").then(|| path.to_owned())
    }

    fn headless_call(&self, _prompt: &str) -> Option<Invocation> {
        Some(Invocation::default())
    }

    fn open_transcript(&self, path: &Path) -> Option<Transcript> {
        Some(Transcript::Lines(Box::new(Flight(Observer::new(Run::of_file(path))))))
    }
}

/// The parser of its transcripts: each line is `{at, legs}`.
struct Flight(Observer);

impl Records for Flight {
    fn record(&mut self, record: &Value, _written: Option<Timestamp>, out: &mut Vec<Observation>) {
        let at = record["at"].as_str().and_then(|at| at.parse().ok());
        if let Some(list) = Heron.list_written("flight_plan", record, &Value::Null) {
            self.0.list(out, at, list.tool, list.todos);
        }
    }
}

/// A home with the agent's program and its configuration.
fn home(folder: &Path) -> Environment {
    let program = folder.join("bin/heron");
    fs::create_dir_all(folder.join("bin")).expect("a folder");
    fs::write(&program, "#!/bin/sh\necho 'heron v3.2.1 (grey)'\n").expect("a program");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("it can be run");
    let variables = [("PATH".to_owned(), folder.join("bin").display().to_string())].into();
    Environment { home: folder.to_owned(), variables }
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().expect("it is in a folder")).expect("folders");
    fs::write(path, text).expect("a file");
}

async fn row(hub: &Hub, environment: &Environment, server: &Server) -> AgentSetup {
    let there = list(hub, AGENTS, environment, Some(&Versions::default()), server).await.expect("a list");
    assert!(there.known.iter().any(|known| known.agent == "heron" && known.hooks && known.transcripts));
    there.agents.into_iter().find(|row| row.agent == "heron").expect("it is known")
}

async fn sessions(hub: &Hub) -> Vec<Session> {
    match hub.call(Caller::user(Transport::Cli, "test"), SessionList::default().into()).await {
        Ok(Reply::SessionList(page)) => page.sessions.into_iter().filter(|one| one.agent.name == "heron").collect(),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_made_up_agent_gets_the_whole_treatment() {
    let folder = tempfile::tempdir().expect("a folder");
    let running = crate::database::start_hub(folder.path(), Arc::new(crate::clock::now)).await.expect("a hub");
    let hub = running.hub.clone();
    let environment = home(folder.path());
    let server = Server { command: "/opt/sightline".into(), data_dir: folder.path().to_owned() };

    // It is found, with its version.
    let found = row(&hub, &environment, &server).await;
    assert_eq!((found.title.as_str(), found.version.as_deref()), ("Heron", Some("3.2.1")));
    assert_eq!((found.server, found.hooks), (Registered::Absent, Some(Registered::Absent)));

    // It is connected, and disconnected byte for byte.
    let path = environment.home.join(".heron/config.json");
    let before = "\u{feff}{\r\n\t// mine\r\n\t\"tools\": {\"other\": {\"command\": \"x\"}},\r\n}";
    write(&path, before);
    let plans = Plans::default();
    for (change, expected) in [(AgentChange::Connect, Registered::Ours), (AgentChange::Disconnect, Registered::Absent)]
    {
        let ask = AgentsPlan { agent: "heron".to_owned(), change, ..AgentsPlan::default() };
        let plan_id = plans.make(AGENTS, &environment, server.clone(), ask).await.expect("a plan").plan_id;
        plans.apply(AgentsApply { plan_id }).await.expect("it can be made");
        let changed = row(&hub, &environment, &server).await;
        assert_eq!((changed.server, changed.hooks), (expected, Some(expected)));
    }
    assert_eq!(fs::read_to_string(&path).expect("a file"), before);

    // Its hook is heard, with its built-in list.
    let legs = json!([{"to": "Lake", "status": "completed"}, {"to": "Nest", "status": "in_progress"}]);
    let payload = json!({
        "session_id": "flight-1", "hook_event_name": "PostToolUse", "cwd": "/",
        "tool_name": "flight_plan", "tool_input": {"legs": legs},
    });
    let agent = named(AGENTS, "heron").expect("it can be connected");
    let heard = agent.read_hook(payload.to_string().as_bytes()).expect("a payload");
    sources::hooks::hear(&hub, agent, heard, sources::hooks::HookProcess::default()).await.expect("it is heard");
    let observed = sessions(&hub).await;
    let own = observed.iter().find(|session| session.own_tool.as_deref() == Some("flight_plan")).expect("its list");
    assert_eq!((own.progress.completed, own.progress.total), (1, 2));

    // Its run can be resumed.
    let ask = SessionResume { session_id: own.session_id.clone() };
    let command = resume(&hub, AGENTS, &ask).await.expect("a command").command;
    assert_eq!(command, "cd / && heron continue --run flight-1");

    // Its old transcripts are imported.
    let line = json!({"at": "2026-11-01T10:00:00Z", "legs": [{"to": "River", "status": "completed"}]});
    write(&environment.home.join(".heron/flights/flight-0.jsonl"), &format!("{line}\n"));
    let imports = Imports::new(hub.clone(), AGENTS, environment);
    imports.start(&["heron".to_owned()]).expect("it begins");
    let ended = imports.ended().await.expect("it ran");
    assert_eq!((ended.read, ended.runs, ended.lists, ended.unreadable), (1, 1, 1, Vec::new()));
    assert!(sessions(&hub).await.len() > observed.len(), "a run more");
    running.stop().await;
}

#[tokio::test]
async fn a_real_call_that_is_cancelled_ends_the_agent_with_what_it_started() {
    let folder = tempfile::tempdir().expect("a folder");
    let running = crate::database::start_hub(folder.path(), Arc::new(crate::clock::now)).await.expect("a hub");
    // The agent and its child hold the pipe open as long as they live.
    let pipe = folder.path().join("alive");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo");
    assert!(made.success());
    let program = folder.path().join("heron");
    write(&program, "#!/bin/sh\nexec 3>\"${0%/*}/alive\"\necho up >&3\nsleep 1000 &\nwait\n");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("it can be run");
    let stop = CancellationToken::new();
    let ends = {
        let stop = stop.clone();
        tokio::task::spawn_blocking(move || {
            let mut alive = std::io::BufReader::new(fs::File::open(pipe).expect("the pipe"));
            let mut said = String::new();
            std::io::BufRead::read_line(&mut alive, &mut said).expect("it is up");
            stop.cancel();
            std::io::Read::read_to_string(&mut alive, &mut said).expect("the end of both");
            said
        })
    };
    let mut told = Vec::new();
    let mut tell = |step: &protocol::TestStep, at: u32, of: u32| told.push((step.what.clone(), at, of));
    let mut steps = Steps::new(real::STEPS, &mut tell);
    let refused = real::perform(&Heron, &program, &running.hub, &mut steps, &stop).await.expect_err("no list");
    assert_eq!(refused.what, "it was cancelled");
    assert_eq!(ends.await.expect("read"), "up\n");
    assert_eq!(told, [("asked Heron to send a list itself".to_owned(), 1, 2)]);
    running.stop().await;
}
