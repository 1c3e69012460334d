//! The player of a script.

use crate::script::{Deed, Run, Script, Step};
use crate::{Clock, Scene};
use anyhow::{Context, anyhow};
use hub::{Hub, Presence};
use jiff::{SignedDuration, Timestamp};
use protocol::{
    Ask, Backend, Caller, Happened, Reply, Request, SessionReport, TodoDelivered, TodoObserve, TodoRead, TodoWrite,
    TodoWritten, Transport,
};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// Plays one scene.
pub struct Player {
    hub: Hub,
    clock: Clock,
    /// The time at which the demo begins.
    begins: Timestamp,
    runs: BTreeMap<String, Run>,
    steps: VecDeque<Step>,
    /// The session ids of the runs that the hub has answered.
    sessions: BTreeMap<String, String>,
    present: BTreeMap<String, Presence>,
}

impl Player {
    /// Plays the past by setting the clock, and then sets it to the beginning of the demo, where it stands still.
    ///
    /// # Errors
    /// When the script cannot be read, or the hub refuses a step.
    pub async fn begin(hub: Hub, clock: Clock, scene: Scene) -> anyhow::Result<Self> {
        let Script { runs, steps } = scene.script()?;
        let begins = clock.now();
        let mut player =
            Self { hub, clock, begins, runs, steps: steps.into(), sessions: BTreeMap::new(), present: BTreeMap::new() };
        while player.steps.front().is_some_and(|step| step.at <= 0.0) {
            player.clock.set(player.time_of_next());
            player.next().await?;
        }
        player.clock.set(begins);
        Ok(player)
    }

    /// Lets the clock run, plays the rest, and then keeps the agents connected until `stop`.
    pub async fn go_on(mut self, stop: CancellationToken) {
        self.clock.run();
        while !self.steps.is_empty() {
            let wait = self.time_of_next().duration_since(self.clock.now());
            tokio::select! {
                () = stop.cancelled() => return,
                () = tokio::time::sleep(Duration::try_from(wait).unwrap_or_default()) => {}
            }
            if let Err(error) = self.next().await {
                tracing::warn!(error = format!("{error:#}"), "a step of the demo went wrong");
            }
        }
        stop.cancelled().await;
    }

    /// Keeps the agents connected, with the clock standing still, until `stop`.
    pub async fn hold(self, stop: CancellationToken) {
        stop.cancelled().await;
    }

    fn time_of_next(&self) -> Timestamp {
        let at = self.steps.front().map_or(0.0, |step| step.at);
        self.begins + SignedDuration::from_secs_f64(at)
    }

    async fn next(&mut self) -> anyhow::Result<()> {
        let Some(step) = self.steps.pop_front() else { return Ok(()) };
        let at = step.at;
        self.perform(&step.who, step.deed).await.with_context(|| format!("{} at {at}", step.who))
    }

    async fn perform(&mut self, who: &str, deed: Deed) -> anyhow::Result<()> {
        match deed {
            Deed::Asked(text) => self.report(who, Happened::Prompted, Some(text)).await,
            Deed::Worked(calls) => {
                for _ in 0..calls {
                    self.report(who, Happened::Worked, None).await?;
                }
                Ok(())
            }
            Deed::Waits(text) => self.report(who, Happened::Waits, Some(text)).await,
            Deed::Rests => self.report(who, Happened::Rests, None).await,
            Deed::Failed(text) => self.report(who, Happened::Failed, Some(text)).await,
            Deed::Ended => {
                self.report(who, Happened::Ended, None).await?;
                self.present.remove(who);
                Ok(())
            }
            Deed::List(todos) => self.write(who, todos.into(), false).await,
            Deed::Set(statuses) => self.write(who, part(statuses), true).await,
            Deed::Own { tool, todos } => {
                let ask = TodoObserve { tool, todos: todos.into(), ..TodoObserve::default() };
                let caller = self.caller(who, self.by_hook(who))?;
                let observed = self.ask(caller, ask).await?;
                self.sessions.entry(format!("{who}/own")).or_insert(observed.session_id);
                Ok(())
            }
            Deed::Hears => {
                let caller = self.caller(who, Transport::Mcp)?;
                let read = self.ask(caller.clone(), TodoRead::default()).await?;
                self.hears(caller, &read).await
            }
            Deed::User(request) => self.user(who, request).await,
        }
    }

    async fn write(&mut self, who: &str, todos: Value, merge: bool) -> anyhow::Result<()> {
        let caller = self.caller(who, Transport::Mcp)?;
        if !self.present.contains_key(who) {
            self.present.insert(who.to_owned(), self.hub.present(&caller.client));
        }
        let written = self.ask(caller.clone(), TodoWrite { todos, merge, ..TodoWrite::default() }).await?;
        self.sessions.insert(who.to_owned(), written.session_id.clone());
        self.hears(caller, &written).await
    }

    /// Reports an answer, with the edits in it, as received by the agent.
    async fn hears(&self, caller: Caller, answer: &TodoWritten) -> anyhow::Result<()> {
        let delivered = TodoDelivered {
            session_id: answer.session_id.clone(),
            revision: Some(answer.revision),
            edits: answer.edits.iter().map(|edit| edit.edit_id.clone()).collect(),
            tool_call: None,
        };
        self.ask(caller, delivered).await.map(|_| ())
    }

    async fn report(&mut self, who: &str, happened: Happened, text: Option<String>) -> anyhow::Result<()> {
        let tool = happened == Happened::Worked;
        let ask = SessionReport { happened, text, tool, begins: true, ..SessionReport::default() };
        let caller = self.caller(who, self.by_hook(who))?;
        if let Some(session_id) = self.ask(caller, ask).await?.session_id {
            self.sessions.entry(who.to_owned()).or_insert(session_id);
        }
        Ok(())
    }

    async fn user(&self, who: &str, mut request: Map<String, Value>) -> anyhow::Result<()> {
        let session_id = self.sessions.get(who).with_context(|| format!("{who} has no session yet"))?;
        request.insert("sessionId".to_owned(), session_id.clone().into());
        let kind = request.remove("type").and_then(|kind| kind.as_str().map(str::to_owned)).unwrap_or_default();
        let request = Request::read(&kind, Value::Object(request))?;
        let caller = Caller::user(Transport::Window, "demo");
        let _: Reply = self.hub.call(caller, request).await?;
        Ok(())
    }

    fn by_hook(&self, who: &str) -> Transport {
        let files_only = self.runs.get(who).is_some_and(|run| run.files_only);
        if files_only { Transport::File } else { Transport::Hook }
    }

    fn caller(&self, who: &str, transport: Transport) -> anyhow::Result<Caller> {
        let identity = self.runs.get(who).with_context(|| format!("nobody is called {who}"))?.identity(who);
        let client = identity.connection.clone().unwrap_or_else(|| who.to_owned());
        Ok(Caller::agent(transport, client, identity))
    }

    async fn ask<A: Ask>(&self, caller: Caller, request: A) -> anyhow::Result<A::Answer> {
        let reply = self.hub.call(caller, request.into()).await?;
        A::answer(reply).ok_or_else(|| anyhow!("the hub gave the answer to another request"))
    }
}

/// A partial list that sets the statuses of items and subtasks.
fn part(statuses: Map<String, Value>) -> Value {
    let mut items: BTreeMap<String, Value> = BTreeMap::new();
    for (id, status) in statuses {
        let (item, sub) = id.split_once('/').map_or((id.as_str(), None), |(item, sub)| (item, Some(sub)));
        let part = items.entry(item.to_owned()).or_insert_with(|| json!({ "id": item }));
        match (sub, part.get_mut("subtasks").and_then(Value::as_array_mut)) {
            (Some(sub), Some(subtasks)) => subtasks.push(json!({ "id": sub, "status": status })),
            (Some(sub), None) => part["subtasks"] = json!([{ "id": sub, "status": status }]),
            (None, _) => part["status"] = status,
        }
    }
    items.into_values().collect()
}
