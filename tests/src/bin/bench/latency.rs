//! The time from a tool call to the event at a subscriber.

use crate::agent::{Agent, HttpAgent};
use crate::gateway::{Gateway, Socket, list};
use crate::report::Times;
use anyhow::{Context, Result};
use rmcp::ServiceExt;
use rmcp::transport::TokioChildProcess;
use serde_json::{Value, json};
use std::path::Path;
use std::time::{Duration, Instant};
use tokio::process::Command;
use tokio::sync::mpsc;

/// The longest time for a session to arrive.
const PATIENCE: Duration = Duration::from_secs(30);

pub(crate) async fn over_http(program: &Path, sessions: usize, samples: usize) -> Result<Times> {
    let gateway = Gateway::start(program).await?;
    let mut agents = Vec::new();
    for agent in 0..sessions {
        agents.push(HttpAgent::connect(&gateway, agent).await?);
    }
    let times = measure(&gateway, &agents, samples).await?;
    gateway.stop().await?;
    Ok(times)
}

pub(crate) async fn over_stdio(program: &Path, samples: usize) -> Result<Times> {
    let gateway = Gateway::start(program).await?;
    let mut command = Command::new(program);
    command.args(["mcp", "--data-dir"]).arg(gateway.folder.path());
    let agents = vec![().serve(TokioChildProcess::new(command)?).await?];
    let times = measure(&gateway, &agents, samples).await?;
    // Agents are stopped first, since a live one would start another gateway.
    for agent in agents {
        agent.cancel().await?;
    }
    gateway.stop().await?;
    Ok(times)
}

/// A question and its answer, over the port and over the private socket of one gateway, in turns.
#[cfg(unix)]
pub(crate) async fn of_both_ways(program: &Path, samples: usize) -> Result<[Times; 2]> {
    let gateway = Gateway::start(program).await?;
    let mut ways = [(gateway.socket().await?, Vec::new()), (gateway.private_socket().await?, Vec::new())];
    for _ in 0..samples {
        for (socket, times) in &mut ways {
            let begun = Instant::now();
            socket.ask("settings.get", json!({})).await?;
            times.push(begun.elapsed());
        }
    }
    gateway.stop().await?;
    Ok(ways.map(|(_, times)| Times::of(times)))
}

/// A write of a plain client and its event at another, over the port and over the private socket of one gateway, in
/// turns.
#[cfg(unix)]
pub(crate) async fn of_writes_both_ways(program: &Path, samples: usize) -> Result<[Times; 2]> {
    let gateway = Gateway::start(program).await?;
    let mut ways = [
        Way::open(gateway.socket().await?, gateway.socket().await?, "port").await?,
        Way::open(gateway.private_socket().await?, gateway.private_socket().await?, "private socket").await?,
    ];
    for round in 0..samples {
        for way in &mut ways {
            way.write(round).await?;
        }
    }
    gateway.stop().await?;
    Ok(ways.map(|way| Times::of(way.times)))
}

/// The times from a list that a plain client writes at one gateway to its event at a subscriber of another.
pub(crate) async fn written(there: &Gateway, here: &Gateway, samples: usize) -> Result<Vec<Duration>> {
    let (mut writer, mut user) = (there.socket().await?, here.socket().await?);
    let label = format!("from {}", there.port);
    let first = writer.ask("todo.write", json!({ "session": label, "todos": list(0) })).await?;
    let begun = Instant::now();
    while user.ask("session.get", json!({ "sessionId": first["sessionId"] })).await.is_err() {
        anyhow::ensure!(begun.elapsed() < PATIENCE, "the session does not come");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let mut arrivals = arrivals(user, Some(first["sessionId"].clone())).await?;
    let mut times = Vec::with_capacity(samples);
    for round in 0..samples {
        let begun = Instant::now();
        let todos = json!({ "session": label, "todos": list(round + 1) });
        let (_, came) = tokio::try_join!(writer.ask("todo.write", todos), next(&mut arrivals))?;
        times.push(came - begun);
    }
    Ok(times)
}

/// A client that writes and one that watches, both with the same kind of connection.
#[cfg(unix)]
struct Way {
    writer: Socket,
    label: &'static str,
    arrivals: mpsc::UnboundedReceiver<Instant>,
    times: Vec<Duration>,
}

#[cfg(unix)]
impl Way {
    async fn open(mut writer: Socket, subscriber: Socket, label: &'static str) -> Result<Self> {
        let first = writer.ask("todo.write", json!({ "session": label, "todos": list(0) })).await?;
        let arrivals = arrivals(subscriber, Some(first["sessionId"].clone())).await?;
        Ok(Self { writer, label, arrivals, times: Vec::new() })
    }

    async fn write(&mut self, round: usize) -> Result<()> {
        let begun = Instant::now();
        let todos = json!({ "session": self.label, "todos": list(round + 1) });
        let (_, came) = tokio::try_join!(self.writer.ask("todo.write", todos), next(&mut self.arrivals))?;
        self.times.push(came - begun);
        Ok(())
    }
}

/// The moments at which lists reach a subscriber: those of one session, or of all.
async fn arrivals(mut socket: Socket, session: Option<Value>) -> Result<mpsc::UnboundedReceiver<Instant>> {
    socket.ask("events.subscribe", json!({})).await?;
    let (arrived, arrivals) = mpsc::unbounded_channel();
    // It ends with its gateway.
    tokio::spawn(async move {
        while let Ok(event) = socket.hear().await {
            let wanted = session.as_ref().is_none_or(|session| event["sessionId"] == *session);
            if event["type"] == "todo.update" && wanted && arrived.send(Instant::now()).is_err() {
                return;
            }
        }
    });
    Ok(arrivals)
}

async fn next(arrivals: &mut mpsc::UnboundedReceiver<Instant>) -> Result<Instant> {
    arrivals.recv().await.context("the subscriber ended")
}

/// Lets agents write in turn, and measures when each list reaches a subscriber on a connection of its own.
async fn measure(gateway: &Gateway, agents: &[impl Agent], samples: usize) -> Result<Times> {
    for (at, agent) in agents.iter().enumerate() {
        agent.write(at).await?;
    }
    let mut arrivals = arrivals(gateway.socket().await?, None).await?;
    let mut times = Vec::with_capacity(samples);
    for sample in 0..samples {
        let begun = Instant::now();
        let (_, came) = tokio::try_join!(agents[sample % agents.len()].write(sample + 1), next(&mut arrivals))?;
        times.push(came - begun);
    }
    Ok(Times::of(times))
}
