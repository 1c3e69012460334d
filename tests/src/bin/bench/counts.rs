//! The cost of a call in counts, which are the same on every machine: heap allocations, pages written to the log, commits,
//! and statements prepared anew.
//!
//! The gateway is `crates/app/examples/counted.rs`, in a process of its own. A reader that stays in its transaction keeps
//! the log from beginning anew, so what is written can be counted in it.

use crate::agent::{Agent, HttpAgent};
use crate::gateway::Gateway;
use crate::log::Log;
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions, SqliteConnection};
use std::path::Path;
use std::time::{Duration, Instant};

/// Calls that a mean is of.
const CALLS: usize = 200;

/// Calls before them, in which statements are prepared and buffers grow.
const BEFORE: usize = 64;

/// The most that each call may cost on average.
const BUDGETS: [(Call, Budget); 3] = [
    (Call::Ping, Budget { allocations: 120.0, pages: 0.0, commits: 0.0, prepared: 0.0 }),
    (Call::Read, Budget { allocations: 360.0, pages: 0.0, commits: 0.0, prepared: 0.0 }),
    (Call::Write, Budget { allocations: 510.0, pages: 7.2, commits: 1.0, prepared: 0.05 }),
];

/// That agents were heard of is stored with the next change, or after so many seconds in a commit of its own: so much may be
/// written beside the calls in each such time.
const HEARD_SECONDS: f64 = 5.0;
const HEARD: Budget = Budget { allocations: 0.0, pages: 10.0, commits: 1.0, prepared: 4.0 };

/// That a key was used is noted so often, too.
const USED_SECONDS: f64 = 60.0;

/// Steps of a short and of a long list, the edits that wait for each, and how many times the short one's allocations the
/// long one may cost.
const STEPS: [usize; 2] = [30, 256];
const EDITS: usize = 20;
const TIMES: f64 = 15.0;

/// Connections that follow everything, whose memory is a mean of, and the most that one may take. It keeps the room of the
/// largest message that it was sent, so this is with a list of a few steps.
const CONNECTIONS: usize = 50;
const CONNECTION_BYTES: u64 = 40 * 1024;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Call {
    Ping,
    Read,
    Write,
}

impl Call {
    fn name(self) -> &'static str {
        match self {
            Self::Ping => "ping",
            Self::Read => "todo_read",
            Self::Write => "todo_write",
        }
    }

    async fn make(self, agent: &HttpAgent, round: usize) -> Result<()> {
        match self {
            Self::Ping => agent.ask("ping", &json!({})).await.map(drop),
            Self::Read => agent.ask("tools/call", &json!({ "name": "todo_read", "arguments": {} })).await.map(drop),
            Self::Write => agent.write(round).await,
        }
    }
}

/// Counts for each call, on average.
struct Budget {
    allocations: f64,
    pages: f64,
    commits: f64,
    prepared: f64,
}

/// Counts since the gateway began.
#[derive(Debug, Clone, Copy)]
struct Counts {
    allocations: u64,
    prepared: u64,
    /// Bytes of heap in use.
    bytes: u64,
    log: Log,
    /// Nanoseconds on a processor, and times that the writer's thread gave its processor up; 0 where the system does not
    /// tell.
    busy: u64,
    switches: u64,
}

/// Prints the table of what each call costs.
///
/// # Errors
/// When a budget is exceeded.
pub(crate) async fn check(program: &Path) -> Result<()> {
    let mut gateway = Gateway::start(program).await?;
    let agent = HttpAgent::connect(&gateway, 0).await?;
    for round in 0..BEFORE {
        for call in [Call::Write, Call::Ping, Call::Read] {
            call.make(&agent, round).await?;
        }
    }
    let reader = reader(&gateway.folder.path().join("sightline.db")).await?;
    println!("| for each call | allocations | pages | commits | prepared | thread switches | CPU |");
    println!("|---|---|---|---|---|---|---|");
    let mut exceeded = Vec::new();
    for (call, budget) in BUDGETS {
        let before = counts(&mut gateway).await?;
        let began = Instant::now();
        for round in 0..CALLS {
            call.make(&agent, round).await?;
        }
        let after = counts(&mut gateway).await?;
        let times = |seconds: f64| 1.0 + (began.elapsed().as_secs_f64() / seconds).floor();
        // A write stores that somebody was heard of, too.
        let heard = times(USED_SECONDS) + if call == Call::Write { 0.0 } else { times(HEARD_SECONDS) };
        let most = |each: f64, heard_each: f64| each + heard * heard_each / CALLS as f64;
        let each = |count: fn(&Counts) -> u64| (count(&after) - count(&before)) as f64 / CALLS as f64;
        let counted = [
            ("allocations", each(|it| it.allocations), most(budget.allocations, HEARD.allocations)),
            ("pages written", each(|it| it.log.pages), most(budget.pages, HEARD.pages)),
            ("commits", each(|it| it.log.commits), most(budget.commits, HEARD.commits)),
            ("statements prepared", each(|it| it.prepared), most(budget.prepared, HEARD.prepared)),
        ];
        let name = call.name();
        let figures: Vec<String> = counted.iter().map(|(_, is, most)| format!("{is:.2} (at most {most:.2})")).collect();
        let (switches, busy) = (each(|it| it.switches), each(|it| it.busy) / 1e6);
        println!("| {name} | {} | {switches:.1} | {busy:.2} ms |", figures.join(" | "));
        let is_over = |(what, is, most): &(&str, f64, f64)| {
            (*is > *most).then(|| format!("{name}: {is:.2} {what}, and {most} are allowed"))
        };
        exceeded.extend(counted.iter().filter_map(is_over));
        ensure!(before.log.is_of(&after.log), "the log was begun anew, so what was written is not known");
    }
    drop(reader);
    let bytes = connections(&mut gateway).await?;
    println!("\na connection that follows everything takes {bytes} bytes of heap (at most {CONNECTION_BYTES})");
    if bytes > CONNECTION_BYTES {
        exceeded.push(format!("a connection: {bytes} bytes of heap, and {CONNECTION_BYTES} are allowed"));
    }
    let long = long_lists(&mut gateway, &agent).await?;
    println!(
        "a list of {} steps with {EDITS} edits pending allocates {long:.1} times what one of {} does",
        STEPS[1], STEPS[0]
    );
    if long > TIMES {
        exceeded.push(format!("a long list: {long:.1} times the allocations of a short one, and {TIMES} are allowed"));
    }
    gateway.stop().await?;
    ensure!(exceeded.is_empty(), "a call costs more than its budget:\n{}", exceeded.join("\n"));
    Ok(())
}

/// The allocations of a write of a long list, by those of a short one's: each time the user has made edits that the agent
/// does not know.
async fn long_lists(gateway: &mut Gateway, agent: &HttpAgent) -> Result<f64> {
    const ROUNDS: usize = 5;
    let mut user = gateway.socket().await?;
    let mut cost = [0.0; 2];
    for (steps, cost) in STEPS.into_iter().zip(&mut cost) {
        let todos: Value = (0..steps)
            .map(|step| json!({ "id": step.to_string(), "content": format!("Step {step} of a long list"), "status": "pending" }))
            .collect();
        let session = format!("long {steps}");
        let call = json!({ "name": "todo_write", "arguments": { "session": session, "todos": todos } });
        let write = async || Ok::<_, anyhow::Error>(agent.ask("tools/call", &call).await?["structuredContent"].take());
        let written = write().await?;
        for round in 0..ROUNDS {
            for edit in 1..=EDITS {
                let notes = format!("Note {edit} of round {round}");
                let edit = json!({ "sessionId": written["sessionId"], "position": edit.to_string(), "notes": notes });
                user.ask("todo.edit", edit).await?;
            }
            let before = counts(gateway).await?;
            let news = write().await?;
            ensure!(news["news"].as_str().is_some_and(|news| news.contains("notes")), "it is told the edits: {news}");
            *cost += (counts(gateway).await?.allocations - before.allocations) as f64;
        }
    }
    Ok(cost[1] / cost[0])
}

/// The bytes of heap that a connection takes on average while it follows everything.
async fn connections(gateway: &mut Gateway) -> Result<u64> {
    let before = counts(gateway).await?;
    let mut open = Vec::new();
    for _ in 0..CONNECTIONS {
        let mut socket = gateway.socket().await?;
        socket.ask("events.subscribe", json!({})).await?;
        open.push(socket);
    }
    let after = counts(gateway).await?;
    drop(open);
    Ok(after.bytes.saturating_sub(before.bytes) / CONNECTIONS as u64)
}

/// A connection in a transaction that has read, which needs the log as it is.
async fn reader(database: &Path) -> Result<SqliteConnection> {
    let mut connection = SqliteConnectOptions::new().filename(database).read_only(true).connect().await?;
    sqlx::query("BEGIN").execute(&mut connection).await?;
    sqlx::query("SELECT cursor FROM hub").execute(&mut connection).await?;
    Ok(connection)
}

/// The counts once nothing is under way: what follows an answer, such as its receipt, is a part of the call.
async fn counts(gateway: &mut Gateway) -> Result<Counts> {
    let mut before = gateway.counts().await?;
    loop {
        tokio::time::sleep(Duration::from_millis(50)).await;
        let now = gateway.counts().await?;
        // Asking costs a few.
        if now.0 < before.0 + 50 {
            let (busy, switches) = gateway.busy()?;
            let log = Log::read(&gateway.folder.path().join("sightline.db-wal")).context("there is no log")?;
            return Ok(Counts { allocations: now.0, prepared: now.1, bytes: now.2, log, busy, switches });
        }
        before = now;
    }
}
