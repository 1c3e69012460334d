//! The latency from a write to each watcher, as the writes of two hundred agents come faster.

use crate::agent::HttpAgent;
use crate::gateway::{Gateway, list};
use crate::picture::{Line, Picture};
use crate::report::{Row, Times};
use anyhow::{Context, Result};
use serde_json::json;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::{Mutex, mpsc};
use tokio::task::JoinSet;

const AGENTS: usize = 200;
/// Numbers of connections that watch.
const WATCHERS: [usize; 2] = [10, 1_000];
/// Writes a second, of all agents together.
const RATES: [u32; 9] = [10, 25, 50, 100, 200, 400, 800, 1_600, 3_200];
/// The rate that has rows in the table.
const USUAL: u32 = 100;
/// The time at each rate.
const TIME: Duration = Duration::from_secs(6);
/// The time for what is still under way, before the next rate.
const SETTLES: Duration = Duration::from_secs(2);
/// The p99 above which, twice, no faster rate is tried.
const LATE: Duration = Duration::from_millis(100);
/// The words before the number of a write, in the text of its first step.
const MARK: &str = "write number ";

/// The table's rows, and the picture.
pub(crate) async fn measure(program: &Path, floor: f64) -> Result<(Vec<Row>, Picture)> {
    let (mut rows, mut lines) = (Vec::new(), Vec::new());
    for watchers in WATCHERS {
        println!("{AGENTS} agents, {watchers} watchers");
        let gateway = Gateway::start(program).await?;
        let empty = gateway.memory()?;
        let clients = Clients::connect(&gateway, watchers).await?;
        let joined = gateway.memory()?;
        let (mut middle, mut slowest) = (Vec::new(), Vec::new());
        let mut passed = None;
        for rate in RATES {
            let (mut times, mut missed) = clients.write(rate).await?;
            if is_late(&times) {
                // Something else may have kept the machine busy.
                (times, missed) = clients.write(rate).await?;
            }
            println!(
                "{rate} a second: p50 {:.2} ms, p99 {:.2} ms, {missed} never told",
                times.p50 / 1e3,
                times.p99 / 1e3
            );
            if rate == USUAL {
                let what =
                    format!("todo_write to todo.update, {rate} a second by {AGENTS} agents, {watchers} watchers");
                rows.push(Row::latency(&what, &times, floor));
            }
            middle.push((f64::from(rate), times.p50 / 1e3));
            slowest.push((f64::from(rate), times.p99 / 1e3));
            if is_late(&times) {
                passed = Some(rate);
                break;
            }
        }
        let note =
            format!("{:.1} with nobody; {:.1} after all writes", empty as f64 / 1e6, gateway.memory()? as f64 / 1e6);
        let what = format!("megabytes of memory of the gateway with {AGENTS} agents and {watchers} watchers");
        rows.push(Row::count(&what, joined as f64 / 1e6, &note));
        let (rate, note) = match passed {
            Some(rate) => (rate, String::new()),
            None => (RATES[RATES.len() - 1], "it does not pass it".to_owned()),
        };
        let what = format!("writes a second at which p99 passes {} ms, {watchers} watchers", LATE.as_millis());
        rows.push(Row::count(&what, f64::from(rate), &note));
        lines.push(Line { name: format!("{watchers} watchers, p50"), points: middle });
        lines.push(Line { name: format!("{watchers} watchers, p99"), points: slowest });
        gateway.stop().await?;
    }
    let picture = Picture {
        file: "load.svg",
        title: "From a write to each watcher",
        x: "writes a second of all agents",
        y: "milliseconds",
        lines,
    };
    Ok((rows, picture))
}

fn is_late(times: &Times) -> bool {
    times.samples == 0 || times.p99 > LATE.as_secs_f64() * 1e6
}

/// Agents, and those who watch them.
struct Clients {
    agents: Vec<Arc<Mutex<HttpAgent>>>,
    begun: Arc<WriteTimes>,
    /// The number of the next write.
    next: AtomicUsize,
    /// The latencies of arrivals.
    told: Mutex<mpsc::UnboundedReceiver<Duration>>,
    watchers: usize,
}

/// The moment of each write, by its number.
struct WriteTimes {
    start: Instant,
    micros: Vec<AtomicU32>,
}

impl WriteTimes {
    fn set(&self, number: usize, at: Instant) {
        let micros = u32::try_from((at - self.start).as_micros()).unwrap_or(u32::MAX);
        self.micros[number].store(micros, Ordering::Release);
    }

    /// The time since a write.
    fn since(&self, number: usize) -> Option<Duration> {
        let begun = self.micros.get(number)?.load(Ordering::Acquire);
        Some(self.start.elapsed().saturating_sub(Duration::from_micros(begun.into())))
    }
}

/// The number of the write that a message tells.
fn number(text: &str) -> Option<usize> {
    let (_, after) = text.split_once(MARK)?;
    let end = after.find(|letter: char| !letter.is_ascii_digit())?;
    after[..end].parse().ok()
}

impl Clients {
    async fn connect(gateway: &Gateway, watchers: usize) -> Result<Self> {
        let mut agents = Vec::new();
        for agent in 0..AGENTS {
            agents.push(Arc::new(Mutex::new(HttpAgent::connect(gateway, agent).await?)));
        }
        // Each rate may be tried twice.
        let most = 2 * RATES.iter().sum::<u32>() as usize * TIME.as_secs() as usize;
        let begun = Arc::new(WriteTimes {
            start: Instant::now(),
            micros: std::iter::repeat_with(AtomicU32::default).take(most).collect(),
        });
        let (tell, told) = mpsc::unbounded_channel();
        for _ in 0..watchers {
            let mut socket = gateway.socket().await?;
            socket.ask("events.subscribe", json!({})).await?;
            let (begun, tell) = (begun.clone(), tell.clone());
            // It ends with its gateway.
            tokio::spawn(async move {
                while let Ok(text) = socket.hear_text().await {
                    if text.starts_with(r#"{"type":"todo.update""#)
                        && let Some(since) = number(&text).and_then(|number| begun.since(number))
                        && tell.send(since).is_err()
                    {
                        return;
                    }
                }
            });
        }
        let clients = Self { agents, begun, next: AtomicUsize::new(0), told: told.into(), watchers };
        for agent in &clients.agents {
            agent.lock().await.ask("tools/call", &call(usize::MAX)).await?;
        }
        Ok(clients)
    }

    /// Writes at a rate, and returns the times of all arrivals, with the number of those that never were: a watcher that
    /// is behind gets the newest list of a session alone.
    async fn write(&self, rate: u32) -> Result<(Times, usize)> {
        let count = rate as usize * TIME.as_secs() as usize;
        let first = self.next.fetch_add(count, Ordering::Relaxed);
        let mut told = self.told.lock().await;
        while told.try_recv().is_ok() {}
        let mut ticks = tokio::time::interval(Duration::from_secs(1) / rate);
        let mut under_way = JoinSet::new();
        for number in first..first + count {
            // An agent waits for its answer; the time counts from when it wanted to write.
            self.begun.set(number, ticks.tick().await.into_std());
            let agent = self.agents[number % AGENTS].clone();
            under_way.spawn(async move {
                let agent = agent.lock().await;
                agent.ask("tools/call", &call(number)).await.map(drop)
            });
        }
        while let Some(written) = under_way.join_next().await {
            written.context("a write failed")??;
        }
        tokio::time::sleep(SETTLES).await;
        let mut times = Vec::with_capacity(count * self.watchers);
        while let Ok(time) = told.try_recv() {
            times.push(time);
        }
        let missed = (count * self.watchers).saturating_sub(times.len());
        Ok((Times::of(times), missed))
    }
}

/// A call that writes a list with its number in it.
fn call(number: usize) -> serde_json::Value {
    let mut todos = list(number / AGENTS);
    todos[0]["content"] = format!("{MARK}{number} of the work").into();
    json!({ "name": "todo_write", "arguments": { "todos": todos } })
}
