//! A generated run of an agent that plans, works through its list and plans again, with edits by the user in between.

use super::words;
use anyhow::{Context, anyhow};
use hub::Hub;
use protocol::{
    AgentIdentity, AgentInfo, Ask, Backend, Caller, Happened, Request, SessionReport, TodoDelivered, TodoWrite,
    TodoWritten, Transport,
};
use rand::Rng;
use rand::rngs::StdRng;
use serde_json::{Value, json};
use todo::{Item, Status};

const AGENTS: [&str; 6] = ["claude-code", "codex", "gemini-cli", "opencode", "qwen-code", "cursor"];

const PROJECTS: [&str; 24] = [
    "api",
    "website",
    "billing",
    "infra",
    "mobile",
    "cli",
    "docs",
    "design-system",
    "search",
    "auth",
    "etl",
    "reports",
    "gateway",
    "shop",
    "chat",
    "editor",
    "notes",
    "payments",
    "crawler",
    "sdk",
    "firmware",
    "games",
    "blog",
    "dotfiles",
];

/// A generated run.
pub(super) struct Run {
    hub: Hub,
    random: StdRng,
    agent: Caller,
    user: Caller,
    list: CurrentList,
    /// The number of revisions at which it ends.
    revisions: u64,
    next: Next,
}

/// The next step of a run.
#[derive(PartialEq, Eq)]
enum Next {
    Begin,
    Work,
    End,
    Nothing,
}

/// The list as of the hub's last answer.
#[derive(Default)]
struct CurrentList {
    session_id: String,
    revision: u64,
    todos: Vec<Item>,
}

impl Run {
    pub(super) fn new(mut random: StdRng, hub: Hub, number: usize, revisions: u32) -> Self {
        let project = words::pick(&mut random, &PROJECTS);
        let name = words::pick(&mut random, &AGENTS);
        let identity = AgentIdentity {
            agent: AgentInfo { name: name.to_owned(), version: Some("1.0.0".to_owned()) },
            own_session: Some(format!("run-{number}")),
            folder: Some(format!("/home/ada/code/{project}")),
            project: Some(project.to_owned()),
            branch: Some(if random.random_bool(0.6) { "main".to_owned() } else { format!("issue-{}", number % 900) }),
            ..AgentIdentity::default()
        };
        let client = format!("agent-{number}");
        let agent = Caller::agent(Transport::Mcp, client, identity);
        let user = Caller::user(Transport::Window, "window");
        Self { hub, random, agent, user, list: CurrentList::default(), revisions: revisions.into(), next: Next::Begin }
    }

    pub(super) fn is_over(&self) -> bool {
        self.next == Next::Nothing
    }

    /// Does one step at a single time, and returns the number of revisions that it made.
    pub(super) async fn step(&mut self) -> anyhow::Result<u32> {
        let before = self.list.revision;
        match self.next {
            Next::Begin => {
                let prompt = words::prompt(&mut self.random);
                self.report(Happened::Prompted, Some(prompt)).await?;
                self.next = Next::Work;
            }
            Next::Work => {
                self.work().await?;
                if self.list.revision >= self.revisions {
                    self.next = Next::End;
                }
            }
            Next::End => {
                let end = if self.random.random_bool(0.05) { Happened::Failed } else { Happened::Ended };
                self.report(end, None).await?;
                self.next = Next::Nothing;
            }
            Next::Nothing => {}
        }
        u32::try_from(self.list.revision - before).context("too many revisions")
    }

    async fn work(&mut self) -> anyhow::Result<()> {
        let before = self.list.revision;
        let is_over = self.list.todos.iter().all(|item| item.status.is_terminal());
        match self.random.random_range(0..100) {
            _ if is_over => self.plan().await?,
            0..3 if self.list.todos.len() < 30 => self.add().await?,
            3..6 => self.block().await?,
            6..9 => self.reword().await?,
            9..13 => self.edit().await?,
            _ => self.go_on().await?,
        }
        if self.list.revision == before {
            // The step made no revision, and each has to make one.
            self.go_on().await?;
        }
        Ok(())
    }

    /// A whole new list.
    async fn plan(&mut self) -> anyhow::Result<()> {
        let random = &mut self.random;
        let steps = 3 + (27.0 * random.random::<f64>().powi(2)).round().clamp(0.0, 27.0) as usize;
        let todos: Vec<Value> = (0..steps).map(|number| step(random, number == 0)).collect();
        self.write(todos, false).await
    }

    /// Completes the step in progress and begins the next one.
    async fn go_on(&mut self) -> anyhow::Result<()> {
        let mut part = Vec::new();
        let open = |item: &&Item| !item.status.is_terminal();
        let doing = self.list.todos.iter().find(|item| item.status == Status::InProgress);
        if let Some(item) = doing {
            match item.subtasks.iter().find(open) {
                Some(subtask) => {
                    part.push(json!({ "id": item.id, "subtasks": [{ "id": subtask.id, "status": "completed" }] }));
                    return self.write(part, true).await;
                }
                None => part.push(json!({ "id": item.id, "status": "completed" })),
            }
        }
        let next = self.list.todos.iter().filter(open).find(|item| item.status != Status::InProgress);
        part.extend(next.map(|item| json!({ "id": item.id, "status": "in_progress" })));
        if part.is_empty() {
            return Err(anyhow!("there is nothing left to go on with"));
        }
        self.write(part, true).await
    }

    async fn add(&mut self) -> anyhow::Result<()> {
        let step = step(&mut self.random, false);
        self.write(vec![step], true).await
    }

    async fn block(&mut self) -> anyhow::Result<()> {
        let Some(id) = self.open() else { return Ok(()) };
        let random = &mut self.random;
        let (status, note) = if random.random_bool(0.5) { ("blocked", words::note(random)) } else { ("skipped", "") };
        self.write(vec![json!({ "id": id, "status": status, "notes": note })], true).await
    }

    async fn reword(&mut self) -> anyhow::Result<()> {
        let Some(id) = self.open() else { return Ok(()) };
        let (content, active) = words::step(&mut self.random);
        self.write(vec![json!({ "id": id, "content": content, "activeForm": active })], true).await
    }

    /// The user edits the list, and the agent receives the edit.
    async fn edit(&mut self) -> anyhow::Result<()> {
        let (session, random) = (self.list.session_id.clone(), &mut self.random);
        let open: Vec<usize> =
            (1..=self.list.todos.len()).filter(|at| !self.list.todos[at - 1].status.is_terminal()).collect();
        let Some(place) = (!open.is_empty()).then(|| open[random.random_range(0..open.len())]) else { return Ok(()) };
        let (content, _) = words::step(random);
        let (kind, mut fields) = match random.random_range(0..4) {
            0 => ("todo.add", json!({ "position": place.to_string(), "content": content })),
            1 => ("todo.edit", json!({ "position": place.to_string(), "content": content })),
            2 => ("todo.edit", json!({ "position": place.to_string(), "priority": "high" })),
            _ => ("todo.setStatus", json!({ "position": place.to_string(), "status": "completed" })),
        };
        fields["sessionId"] = session.into();
        self.hub.call(self.user.clone(), Request::read(kind, fields)?).await?;
        let read = self.ask(protocol::TodoRead::default()).await?;
        self.hear(read).await
    }

    fn open(&mut self) -> Option<String> {
        let open: Vec<&Item> = self.list.todos.iter().filter(|item| !item.status.is_terminal()).collect();
        (open.len() > 1).then(|| open[self.random.random_range(0..open.len())].id.to_string())
    }

    async fn write(&mut self, todos: Vec<Value>, merge: bool) -> anyhow::Result<()> {
        let written = self.ask(TodoWrite { todos: todos.into(), merge, ..TodoWrite::default() }).await?;
        self.hear(written).await
    }

    async fn hear(&mut self, list: TodoWritten) -> anyhow::Result<()> {
        if !list.edits.is_empty() {
            let delivered = TodoDelivered {
                session_id: list.session_id.clone(),
                revision: Some(list.revision),
                edits: list.edits.iter().map(|edit| edit.edit_id.clone()).collect(),
                tool_call: None,
            };
            self.ask(delivered).await?;
        }
        self.list = CurrentList { session_id: list.session_id, revision: list.revision, todos: list.todos };
        Ok(())
    }

    async fn report(&self, happened: Happened, text: Option<String>) -> anyhow::Result<()> {
        let ask = SessionReport { happened, text, begins: true, ..SessionReport::default() };
        self.ask(ask).await.map(|_| ())
    }

    async fn ask<A: Ask>(&self, request: A) -> anyhow::Result<A::Answer> {
        let reply = self.hub.call(self.agent.clone(), request.into()).await?;
        A::answer(reply).context("the hub gave the answer to another request")
    }
}

fn step(random: &mut impl Rng, begins: bool) -> Value {
    let (content, active) = words::step(random);
    let mut step = json!({ "content": content, "activeForm": active });
    if begins {
        step["status"] = "in_progress".into();
    }
    if random.random_bool(0.15) {
        step["estimate"] = format!("{} min", random.random_range(1..12) * 5).into();
    }
    if random.random_bool(0.1) {
        step["priority"] = words::pick(random, &["high", "low"]).into();
    }
    if random.random_bool(0.05) {
        step["notes"] = words::note(random).into();
    }
    let subtasks = random_subtasks(random);
    if !subtasks.is_empty() {
        step["subtasks"] = subtasks.into();
    }
    step
}

fn random_subtasks(random: &mut impl Rng) -> Vec<Value> {
    let many = if random.random_bool(0.12) { random.random_range(2..5) } else { 0 };
    (0..many).map(|_| json!({ "content": words::step(random).0 })).collect()
}
