//! The archive: its size on disk and in memory, and the speed of its answers, beside an empty one.

use crate::gateway::{Gateway, Socket};
use crate::picture::{Line, Picture};
use crate::report::{Row, Times};
use anyhow::{Context, Result};
use scenarios::archive::{Plan, make};
use serde_json::{Value, json};
use sqlx::ConnectOptions;
use sqlx::sqlite::SqliteConnectOptions;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The files of a database in a data folder.
pub(crate) const DATABASE: &str = "sightline.db";

/// Size of the archive that is made where none is named.
const SESSIONS: u32 = 1_000;
const REVISIONS: u32 = 50_000;

/// Number of runs that are played at a time.
const AT_ONCE: usize = 16;

/// Number of times that each request is sent.
const SAMPLES: usize = 200;

/// The figures of one archive.
struct Measured {
    start: Duration,
    memory: u64,
    asked: Vec<(&'static str, Times)>,
}

/// Makes an archive in a new file.
pub(crate) async fn made(file: &Path, sessions: u32, revisions: u32) -> Result<()> {
    let until = "2026-11-21T18:00:00Z".parse()?;
    let plan = Plan { sessions, revisions, at_once: AT_ONCE, seed: 1, until };
    // In memory, writing to disk at each revision costs no time.
    let memory = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir())?;
    let made = memory.path().join(DATABASE);
    make(plan, &made, |_| {}).await?;
    std::fs::copy(&made, file)?;
    Ok(())
}

/// The table's rows of one archive after the other, and the picture of all.
pub(crate) async fn measure(program: &Path, archives: &[PathBuf]) -> Result<(Vec<Row>, Picture)> {
    let named: Vec<Option<&Path>> = match archives {
        [] => vec![None],
        named => named.iter().map(|folder| Some(folder.as_path())).collect(),
    };
    let mut rows = Vec::new();
    let mut lines: Vec<Line> = Vec::new();
    for archive in named {
        let (its, revisions, asked) = measure_one(program, archive).await?;
        rows.extend(its);
        for (what, times) in asked {
            let point = (revisions as f64, times.p50 / 1e3);
            match lines.iter_mut().find(|line| line.name == what) {
                Some(line) => line.points.push(point),
                None => lines.push(Line { name: what.to_owned(), points: vec![point] }),
            }
        }
    }
    let picture = Picture {
        file: "archive.svg",
        title: "Answers, as the archive grows",
        x: "revisions",
        y: "milliseconds, p50",
        lines,
    };
    Ok((rows, picture))
}

/// The rows of one archive, the number of its revisions, and the times of its answers.
async fn measure_one(program: &Path, archive: Option<&Path>) -> Result<(Vec<Row>, i64, Vec<(&'static str, Times)>)> {
    let full = tempfile::tempdir()?;
    let file = full.path().join(DATABASE);
    match archive {
        Some(folder) => {
            let database = folder.join(DATABASE);
            std::fs::copy(&database, &file).with_context(|| format!("{} cannot be read", database.display()))?;
        }
        None => made(&file, SESSIONS, REVISIONS).await?,
    }
    let Size { bytes, items, sessions, revisions, longest } = size(&file).await?;
    let content = format!("{sessions} sessions, {revisions} revisions");
    let painted = crate::paint::of_archive(program, full.path(), &content).await?;
    let nothing = tempfile::tempdir()?;
    let bare = ask_all(program, nothing, None).await?;
    let archive = ask_all(program, full, Some(&longest)).await?;
    let named = |what: &str| format!("{what}, {content}");
    let mut rows = vec![
        Row::count(&named("bytes on the disk for each changed item, search included"), bytes as f64 / items as f64, ""),
        Row::count(&named("bytes on the disk for each session"), bytes as f64 / sessions as f64, ""),
        Row::count(
            &named("megabytes of memory of the gateway"),
            archive.memory as f64 / 1e6,
            &format!("{:.1} with an empty one", bare.memory as f64 / 1e6),
        ),
        Row::latency(
            &named("start of the gateway to its port"),
            &Times::of(vec![archive.start]),
            bare.start.as_secs_f64() * 1e6,
        ),
    ];
    rows.extend(painted);
    for ((what, times), (_, floor)) in archive.asked.iter().zip(&bare.asked) {
        rows.push(Row::latency(&named(what), times, floor.p50));
    }
    Ok((rows, revisions, archive.asked))
}

/// The content of an archive in numbers.
struct Size {
    bytes: u64,
    /// Rows of items, one for each change of an item.
    items: i64,
    sessions: i64,
    revisions: i64,
    /// The id and the newest revision of the session that has the most.
    longest: (String, i64),
}

async fn size(file: &Path) -> Result<Size> {
    let mut database = SqliteConnectOptions::new().filename(file).read_only(true).connect().await?;
    let (items, sessions, revisions) = sqlx::query_as(
        "SELECT (SELECT count(*) FROM items), (SELECT count(*) FROM sessions), (SELECT count(*) FROM revisions)",
    )
    .fetch_one(&mut database)
    .await?;
    let longest = sqlx::query_as("SELECT session_id, revision FROM sessions ORDER BY revision DESC LIMIT 1")
        .fetch_one(&mut database)
        .await?;
    Ok(Size { bytes: std::fs::metadata(file)?.len(), items, sessions, revisions, longest })
}

async fn ask_all(program: &Path, folder: tempfile::TempDir, longest: Option<&(String, i64)>) -> Result<Measured> {
    let begun = Instant::now();
    let gateway = Gateway::start_in(program, folder).await?;
    let start = begun.elapsed();
    let mut socket = gateway.socket().await?;
    let one = socket.ask("todo.write", json!({ "session": "bench", "todos": [{ "content": "Begin" }] })).await?;
    let one = one["sessionId"].as_str().context("a session")?.to_owned();
    let (id, revision) = longest.map_or((one.as_str(), 1), |(id, revision)| (id.as_str(), revision / 2));
    // As far as a person scrolls to find something of last year.
    let mut deep = json!({ "limit": 50 });
    for _ in 0..10 {
        let page = socket.ask("session.list", deep.clone()).await?;
        let Some(next) = page["nextCursor"].as_str() else { break };
        deep["cursor"] = next.into();
    }
    let filter = json!({ "project": "api", "agent": "codex", "unfinished": true });
    let questions: [(&'static str, &str, Value); 7] = [
        ("first page of 50", "session.list", json!({ "limit": 50 })),
        ("the page after the tenth", "session.list", deep),
        ("a page with three filters", "session.list", json!({ "limit": 50, "filter": filter })),
        ("search for a word", "session.search", json!({ "limit": 50, "query": "parser " })),
        ("search for two letters and a word", "session.search", json!({ "limit": 50, "query": "token pa" })),
        ("search for one letter", "session.search", json!({ "limit": 50, "query": "p" })),
        (
            "a revision in the middle of the longest session",
            "session.get",
            json!({ "sessionId": id, "revision": revision }),
        ),
    ];
    let mut asked = Vec::new();
    for (what, kind, fields) in questions {
        asked.push((what, times(&mut socket, kind, |_| fields.clone()).await?));
    }
    let write = |number: usize| json!({ "session": "bench", "todos": [{ "content": format!("Step {number}") }] });
    asked.push(("one revision more", times(&mut socket, "todo.write", write).await?));
    let memory = gateway.memory()?;
    gateway.stop().await?;
    Ok(Measured { start, memory, asked })
}

async fn times(socket: &mut Socket, kind: &str, fields: impl Fn(usize) -> Value) -> Result<Times> {
    let mut samples = Vec::with_capacity(SAMPLES);
    for number in 0..SAMPLES {
        let begun = Instant::now();
        let answer = socket.ask(kind, fields(number)).await?;
        samples.push(begun.elapsed());
        anyhow::ensure!(answer["type"] != "error", "{answer}");
    }
    Ok(Times::of(samples))
}
