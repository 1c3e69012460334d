//! Generated scenes: many agents, and odd texts.

use crate::script::{Deed, Run, Script, Step};
use serde_json::{Value, json};

const AGENTS: [(&str, &str); 5] =
    [("codex", "0.152.0"), ("claude", "2.4.18"), ("opencode", "1.18.33"), ("gemini", "0.61.0"), ("qwen", "0.14.2")];

const PROJECTS: [&str; 30] = [
    "accounts",
    "api",
    "archive",
    "billing-api",
    "cli",
    "console",
    "crawler",
    "data-lake",
    "docs-site",
    "exporter",
    "gateway",
    "importer",
    "infra",
    "inventory",
    "ledger",
    "mail",
    "maps",
    "mobile",
    "notifier",
    "orders",
    "parser",
    "payments",
    "portal",
    "queue",
    "reports",
    "scheduler",
    "search",
    "shop",
    "statistics",
    "website",
];

/// The steps of each agent, with their active forms.
const STEPS: [(&str, &str); 12] = [
    ("Read what there is", "Reading what there is"),
    ("Reproduce the fault", "Reproducing the fault"),
    ("Write a failing test", "Writing a failing test"),
    ("Find the cause", "Looking for the cause"),
    ("Mend it", "Mending it"),
    ("Run the tests", "Running the tests"),
    ("Look at the callers", "Looking at the callers"),
    ("Measure before and after", "Measuring before and after"),
    ("Update the documentation", "Updating the documentation"),
    ("Write the changelog", "Writing the changelog"),
    ("Open the pull request", "Opening the pull request"),
    ("Answer the review", "Answering the review"),
];

/// Thirty agents at once; the list of the first is as long as a list may be.
pub(crate) fn full() -> Script {
    let mut script = Script::default();
    for (number, project) in PROJECTS.into_iter().enumerate() {
        let (agent, version) = AGENTS[number % AGENTS.len()];
        let folder = format!("/home/ann/{project}");
        let branch = if number % 3 == 0 { "main".to_owned() } else { format!("task/{}", 400 + number) };
        let run = Run {
            agent: agent.to_owned(),
            version: Some(version.to_owned()),
            folder: Some(folder),
            branch: Some(branch),
            ..Run::default()
        };
        script.runs.insert(project.to_owned(), run);
        let began = -(90.0 + 25.0 * seconds(number));
        let mut act = |at: f64, deed: Deed| script.steps.push(Step { at, who: project.to_owned(), deed });
        let count = if number == 0 { 256 } else { 3 + number % 10 };
        let done = number * 7 % count;
        act(began, Deed::Asked(format!("Work through ticket {} of {project}", 400 + number)));
        act(began + 5.0, Deed::List(steps(count, done.saturating_sub(1))));
        act(-10.0 - 2.0 * seconds(number), Deed::List(steps(count, done)));
        match number % 10 {
            4 => act(-3.0, Deed::Waits("wants to run the tests".to_owned())),
            7 => act(-2.0, Deed::Rests),
            9 => act(-1.0, Deed::Ended),
            _ => {}
        }
    }
    script.steps.sort_by(|a, b| a.at.total_cmp(&b.at));
    script
}

fn seconds(number: usize) -> f64 {
    f64::from(u32::try_from(number).unwrap_or_default())
}

fn steps(count: usize, done: usize) -> Vec<Value> {
    let step = |number: usize| {
        let (content, active) = STEPS[number % STEPS.len()];
        let round = number / STEPS.len();
        let part = if round == 0 { String::new() } else { format!(", part {}", round + 1) };
        let status = match number {
            _ if number < done => "completed",
            _ if number == done => "in_progress",
            _ => "pending",
        };
        json!({
            "id": (number + 1).to_string(),
            "content": format!("{content}{part}"),
            "activeForm": format!("{active}{part}"),
            "status": status,
        })
    };
    (0..count).map(step).collect()
}

/// Texts that are long, foreign, or look like something else.
pub(crate) fn odd() -> Script {
    let long = "A step whose text goes on and on, since the agent put a whole plan into it. ".repeat(27);
    let solid = "x".repeat(2_000);
    let contents: Vec<(String, &str)> = vec![
        (long.chars().take(2_000).collect(), "in_progress"),
        (solid, "pending"),
        (
            "https://example.com/a/very/long/path/that/never/ends?".to_owned() + &"parameter=value&".repeat(20),
            "pending",
        ),
        ("إصلاح المحلل اللغوي ثم تشغيل الاختبارات (v2.0)".to_owned(), "pending"),
        ("לתקן את הבדיקות, ואז README.md".to_owned(), "completed"),
        ("修复解析器，然后运行所有测试并更新文档".to_owned(), "pending"),
        ("👩‍👩‍👧‍👦 🏳️‍🌈 👍🏽 e\u{301}\u{302}\u{303} Z͑ͫ̓ͪ̂ͫ̽͏̴̙̤̞͉͚̯̞̠͍A̴̵̜̰͔ͫ͗͢L̠ͨͧͩ͘G̴̻͈͍͔̹̑͗̎̅͛́Ǫ̵̹̻̝̳͂̌̌͘".to_owned(), "pending"),
        ("<img src=x onerror=alert(1)> & <b>markup</b> &amp; entities".to_owned(), "blocked"),
        (
            "`cargo nextest run --workspace --all-features -- --include-ignored` and {braces} ${HOME}".to_owned(),
            "skipped",
        ),
        ("first line\nsecond line\n\n\tindented fourth line".to_owned(), "cancelled"),
        ("\u{202e}turned around\u{202c} and back".to_owned(), "pending"),
        ("1. 2. 3. [x] - * # a list in a list".to_owned(), "pending"),
    ];
    let item = |(number, (content, status)): (usize, (String, &str))| json!({ "id": number.to_string(), "content": content, "status": status, "owner": "a subagent with a rather long name of its own", "category": "testing" });
    let name = "a-project-whose-name-is-so-long-that-no-card-can-hold-it-in-one-line".to_owned();
    let run = |agent: &str, project: &str, branch: &str| Run {
        agent: agent.to_owned(),
        version: Some("1.0.0".to_owned()),
        folder: Some(format!("/home/ann/{project}")),
        branch: Some(branch.to_owned()),
        ..Run::default()
    };
    let mut script = Script::default();
    let runs = [
        ("long", run("an-agent-that-nobody-has-heard-of-and-that-says-a-long-name", &name, &"feature/".repeat(20))),
        ("rtl", run("opencode", "محلل", "إصلاح")),
        ("short", run("x", "y", "z")),
    ];
    script.runs.extend(runs.map(|(name, run)| (name.to_owned(), run)));
    let mut act = |at: f64, who: &str, deed: Deed| script.steps.push(Step { at, who: who.to_owned(), deed });
    act(-300.0, "long", Deed::Asked("Please ".repeat(100)));
    act(-290.0, "long", Deed::List(contents.into_iter().enumerate().map(item).collect()));
    act(-200.0, "rtl", Deed::Asked("أصلح المحلل".to_owned()));
    act(
        -190.0,
        "rtl",
        Deed::List(vec![json!({"content": "قراءة الملف", "activeForm": "يقرأ الملف", "status": "in_progress"})]),
    );
    act(-100.0, "short", Deed::List(vec![json!({"content": ".", "status": "in_progress"})]));
    act(-60.0, "short", Deed::Waits("waits: ".repeat(60)));
    script
}
