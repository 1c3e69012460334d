//! `cargo xtask cross --smoke`: the command, and the start of the window, as their users have them on Windows, in a folder
//! whose name has blanks and umlauts.

use super::WINDOWS;
use super::agents;
use super::debian::Debian;
use super::wine::Wine;
use crate::call::Call;
use crate::steps::Steps;
use anyhow::{Context, Result, ensure};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

/// Where the program and the data are: as Windows and as this system name them.
const PROGRAM: &str = r"C:\Program Files\Sightline ü\sightline.exe";
const PROGRAM_HERE: &str = "Program Files/Sightline ü/sightline.exe";
const WINDOW: &str = r"C:\Program Files\Sightline ü\sightline-desktop.exe";
/// Beside the program: the window, and the part of WebView2 that looks for the rest of it.
const BESIDE: [&str; 2] = ["sightline-desktop.exe", "WebView2Loader.dll"];
const DATA: &str = r"D:\meine Daten ß";
const DATA_HERE: &str = "../dosdevices/d:/meine Daten ß";

/// The time within which something is to be seen.
const PATIENCE: Duration = Duration::from_secs(60);

/// Bytes that the small disk has room for.
const DISK: u64 = 24 << 20;

const HANDSHAKE: &str = concat!(
    r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"#,
    r#""clientInfo":{"name":"smoke","version":"1"}}}"#,
    "\n",
    r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
    "\n",
);

const CALL: &str = concat!(
    r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"todo_write","arguments":{"session":"second","#,
    r#""todos":[{"content":"zweite Liste ✓","status":"in_progress"}]}}}"#,
    "\n",
);

const PROMPT: &str = concat!(
    r#"{"hook_event_name":"UserPromptSubmit","session_id":"11111111-2222-3333-4444-555555555555","#,
    r#""cwd":"C:\\Users\\me\\my pröject","prompt":"make it work"}"#,
);

pub(super) fn smoke(steps: &mut Steps, debian: &Debian) -> Result<()> {
    let wine = Wine::new(debian);
    steps.step("The command and the window for Windows", || {
        let packages = ["--package", "sightline-cli", "--package", "sightline-desktop"];
        let build = wine.cargo().args(["build", "--locked", "--target", WINDOWS.target]).args(packages);
        build.advice("mend what is named above").run()
    })?;
    steps.step("A new C: and D:", || install(&wine))?;
    let smoke = Smoke { wine };
    steps.step("Two clients and a hook of a gateway", || smoke.gateway())?;
    steps.step("An agent that is a batch file, by its name", || smoke.batch_file())?;
    steps.step("The window where WebView2 is missing", || smoke.no_web_view())?;
    steps.step("An agent that ends while its gateway goes on", || smoke.detached())?;
    steps.step("A disk that is full", || full_disk(&smoke.wine))?;
    steps.step("Each agent connected and disconnected, byte for byte", || {
        agents::there_and_back(&smoke.wine, &[PROGRAM, "--data-dir", DATA])
    })
}

/// Installs the program on a new C:, and makes a D: for the data, which is in no user's profile.
fn install(wine: &Wine<'_>) -> Result<()> {
    let drive = wine.drive();
    let prefix = drive.parent().context("it is in a folder")?;
    if prefix.exists() {
        // Whatever still runs there ends with it.
        wine.end()?;
        fs::remove_dir_all(prefix)?;
    }
    wine.begin()?;
    let (program, data) = (drive.join(PROGRAM_HERE), prefix.join("d"));
    fs::create_dir_all(program.parent().context("it is in a folder")?)?;
    fs::create_dir(&data)?;
    Call::new("ln").args(["-s", "../d"]).arg(prefix.join("dosdevices/d:")).run()?;
    for file in BESIDE {
        fs::copy(wine.linked(file), program.with_file_name(file))?;
    }
    fs::copy(wine.linked("sightline.exe"), program)?;
    Ok(())
}

struct Smoke<'a> {
    wine: Wine<'a>,
}

impl Smoke<'_> {
    /// The words of one of our commands.
    fn words<'b>(&self, words: &[&'b str]) -> Vec<&'b str> {
        [&[PROGRAM, "--data-dir", DATA][..], words].concat()
    }

    fn run(&self, words: &[&str], input: &str) -> Result<String> {
        self.wine.run_with(&self.words(words), input)
    }

    fn shows(&self, session: &str, content: &str) -> Result<()> {
        let shown = self.run(&["todo", "show", "--session", session], "")?;
        ensure!(shown.contains(content), "{session} does not show {content:?}:\n{shown}");
        Ok(())
    }

    fn gateway(&self) -> Result<()> {
        let version = self.wine.run(&[PROGRAM, "--version"])?;
        ensure!(version.contains(env!("CARGO_PKG_VERSION")), "another version: {version}");
        let mut serving = self.wine.start(&self.words(&["--json", "serve", "--port", "0"]))?;
        let port = first_line(&mut serving).and_then(|line| port(&line))?;
        ensure!(is_healthy(port)?, "the gateway at {port} is not well");
        let runtime = self.runtime()?.to_string();
        ensure!(runtime.contains(r"\\\\.\\pipe\\sightline-"), "there is no named pipe: {runtime}");

        self.run(&["todo", "write", "--session", "first", "-"], r#"[{"content":"naïve ✓","status":"in_progress"}]"#)?;
        let answered = self.run(&["mcp", "--agent", "codex"], &format!("{HANDSHAKE}{CALL}"))?;
        ensure!(answered.contains("\"id\":2"), "the tool was not answered: {answered}");
        self.shows("first", "naïve ✓")?;
        self.shows("second", "zweite Liste ✓")?;
        let answer = self.run(&["hook", "claude"], PROMPT)?;
        ensure!(answer.is_empty() || answer.trim_start().starts_with('{'), "a hook says: {answer}");
        let status = self.run(&["--json", "status"], "")?;
        ensure!(status.contains("my pröject"), "the hook was not heard: {status}");

        // Nothing that was answered is lost.
        serving.kill()?;
        serving.wait()?;
        ensure!(!is_healthy(port).unwrap_or_default(), "the gateway goes on");
        self.shows("first", "naïve ✓")?;
        self.shows("second", "zweite Liste ✓")
    }

    /// Windows names the variable `Path`, and programs of Node are `.cmd` files.
    fn batch_file(&self) -> Result<()> {
        let file = self.wine.drive().join("windows/codex.cmd");
        fs::write(&file, "@echo codex-cli 0.169.0\r\n")?;
        let agents: Vec<serde_json::Value> = serde_json::from_str(&self.run(&["--json", "agents"], "")?)?;
        let codex = agents.iter().find(|row| row["agent"] == "codex").context("it is known")?;
        let program = codex["program"].as_str().unwrap_or_default();
        ensure!(program.to_ascii_lowercase().ends_with(r"\windows\codex.cmd"), "it is not found: {codex}");
        ensure!(codex["version"] == "0.169.0", "it was not run: {codex}");
        Ok(fs::remove_file(file)?)
    }

    /// Wine has no WebView2: the window says what is missing and where it is, and ends. Its status is not looked at: of
    /// sixty such ends Wine called one a success.
    fn no_web_view(&self) -> Result<()> {
        let (_, said) = self.wine.says(&[WINDOW, "--data-dir", DATA], "")?;
        ensure!(said.contains("WebView2") && said.contains("https://"), "it does not say what is missing: {said}");
        Ok(())
    }

    fn runtime(&self) -> Result<serde_json::Value> {
        let runtime = fs::read_to_string(self.wine.drive().join(DATA_HERE).join("runtime.json"))?;
        Ok(serde_json::from_str(&runtime)?)
    }

    fn end_gateway(&self) -> Result<()> {
        let pid = self.runtime()?["pid"].to_string();
        self.wine.run(&["taskkill", "/f", "/pid", &pid])?;
        ensure!(!is_healthy(self.port()?).unwrap_or_default(), "the gateway goes on");
        Ok(())
    }

    fn port(&self) -> Result<u16> {
        let runtime = self.runtime()?;
        runtime["port"].as_u64().and_then(|port| u16::try_from(port).ok()).context("it has a port")
    }

    /// The gateway that a shim starts inherits nothing: with the shim's end the agent sees the end of its output.
    fn detached(&self) -> Result<()> {
        let mut shim = self.wine.start(&self.words(&["mcp", "--agent", "codex"]))?;
        let mut input = shim.stdin.take().context("it has an input")?;
        let mut output = BufReader::new(shim.stdout.take().context("it has an output")?);
        input.write_all(format!("{HANDSHAKE}{CALL}").as_bytes())?;
        let mut line = String::new();
        while !line.contains("\"id\":2") {
            line.clear();
            ensure!(output.read_line(&mut line)? > 0, "the shim ended without an answer");
        }
        drop(input);
        let (done, waits) = mpsc::channel();
        std::thread::spawn(move || {
            let _ = done.send(output.read_to_end(&mut Vec::new()).map(drop));
        });
        waits.recv_timeout(PATIENCE).context("the output of the shim stays open")??;
        shim.wait()?;
        ensure!(is_healthy(self.port()?)?, "the gateway ended with its shim");
        self.end_gateway()
    }
}

/// A list that does not fit is refused, and none that was kept is lost, also when the gateway ends then. The disk is in
/// memory, and goes with the process that has it.
fn full_disk(wine: &Wine<'_>) -> Result<()> {
    // A link on the way would lead out of the holder's mounts.
    let prefix = wine.drive().parent().context("it is in a folder")?.canonicalize()?;
    let disk = prefix.join("e");
    fs::create_dir(&disk)?;
    Call::new("ln").args(["-s", "../e"]).arg(prefix.join("dosdevices/e:")).run()?;
    wine.end()?;
    let mount = "mount -t tmpfs -o size=\"$2\" tmpfs \"$1\" && echo there && exec cat";
    let mut holder = Command::new("unshare")
        .args(["--mount", "sh", "-c", mount, "sh"])
        .arg(&disk)
        .arg(DISK.to_string())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let done = first_line(&mut holder).and_then(|_| {
        let root = PathBuf::from(format!("/proc/{}/root", holder.id()));
        let here = root.join(disk.strip_prefix("/")?);
        on_small_disk(&wine.beside(holder.id()), &here)
    });
    wine.end()?;
    drop(holder.stdin.take());
    holder.wait()?;
    done
}

fn on_small_disk(wine: &Wine<'_>, disk: &Path) -> Result<()> {
    let words = |words: &[&'static str]| [&[PROGRAM, "--data-dir", r"E:\data"][..], words].concat();
    let write = words(&["todo", "write", "--session", "kept", "-"]);
    let list = |text: &str| serde_json::json!([{ "content": text, "status": "pending" }]).to_string();
    // Of 120 kB: a step may have 2,000 characters.
    let long = |round: usize| {
        let step = |at: usize| format!("{round}.{at} {}", "x".repeat(1_900));
        let steps: Vec<_> = (0..64).map(step).map(|text| serde_json::json!({ "content": text })).collect();
        serde_json::Value::from(steps)
    };
    let mut serving = wine.start(&words(&["--json", "serve", "--port", "0"]))?;
    first_line(&mut serving)?;
    wine.run_with(&write, &list("before"))?;
    let filler = disk.join("filler");
    let full = std::io::copy(&mut std::io::repeat(0).take(2 * DISK), &mut fs::File::create(&filler)?);
    ensure!(full.is_err(), "the disk takes more than it has room for");
    let mut said = String::new();
    for round in 0..64 {
        // There may be room left in the log of the database.
        if let Ok(text) = wine.fails(&write, &long(round).to_string()) {
            said = text;
            break;
        }
    }
    ensure!(said.contains("full"), "it is not said that the disk is full: {said:?}");
    fs::remove_file(filler)?;
    wine.run_with(&write, &list("after"))?;
    serving.kill()?;
    serving.wait()?;
    let shown = wine.run(&words(&["todo", "show", "--session", "kept"]))?;
    ensure!(shown.contains("after"), "it is lost: {shown}");
    Ok(())
}

/// The first line that a program prints.
fn first_line(program: &mut Child) -> Result<String> {
    let mut lines = BufReader::new(program.stdout.take().context("it has an output")?);
    let (done, waits) = mpsc::channel();
    std::thread::spawn(move || {
        let mut line = String::new();
        let _ = done.send(lines.read_line(&mut line).map(|_| line));
        // The rest is read, or the program would wait.
        let _ = std::io::copy(&mut lines, &mut std::io::sink());
    });
    Ok(waits.recv_timeout(PATIENCE).context("the gateway does not come up")??)
}

fn port(line: &str) -> Result<u16> {
    let announced: serde_json::Value = serde_json::from_str(line).with_context(|| format!("no JSON: {line}"))?;
    let address = announced["listening"].as_str().context("it says where it listens")?;
    Ok(address.rsplit(':').next().unwrap_or_default().parse()?)
}

/// Asks a gateway for its health: Wine's programs are on the loopback of this system.
fn is_healthy(port: u16) -> Result<bool> {
    let mut stream = TcpStream::connect(("127.0.0.1", port))?;
    stream.set_read_timeout(Some(PATIENCE))?;
    write!(stream, "GET /health HTTP/1.0\r\nHost: 127.0.0.1:{port}\r\n\r\n")?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    Ok(answer.starts_with("HTTP/1.0 200") || answer.starts_with("HTTP/1.1 200"))
}
