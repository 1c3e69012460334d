//! Our server and our hooks as the agents are to run them, and how ours are told from others'.

use crate::error::{Error, Result};
use crate::shell::{HookShell, Shell};
use agents::{ANSWERS, Agent, AskingHook, Entry, EntryForm, HookEvent, Hooks, OurCommand, SERVER, WindowsShell};
use serde::Serialize;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// The program that agents are to run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Server {
    /// The absolute path of the `sightline` program.
    pub command: PathBuf,
    /// The data folder, absolute.
    pub data_dir: PathBuf,
}

/// The program for one agent, its paths as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Ours {
    agent: &'static dyn Agent,
    command: String,
    data_dir: String,
    shell: HookShell,
    /// The seconds for which the agent waits for an answer to its permission prompt, where it is to wait.
    answers: Option<u32>,
}

impl Server {
    /// The program for an agent.
    ///
    /// # Errors
    /// [`Error::Path`] for a path that is not absolute or no text, which no configuration can hold.
    pub(crate) fn of(&self, agent: &'static dyn Agent) -> Result<Ours> {
        let text = |path: &Path| {
            let text = path.to_str().filter(|text| path.is_absolute() && !text.contains('\0'));
            text.map(str::to_owned).ok_or_else(|| Error::Path { path: path.to_owned() })
        };
        let (command, data_dir) = (text(&self.command)?, text(&self.data_dir)?);
        Ok(Ours { agent, command, data_dir, shell: HookShell::here(agent), answers: None })
    }
}

/// The group of hooks that an event gets.
#[derive(Serialize)]
pub(crate) struct Group {
    #[serde(skip_serializing_if = "Option::is_none")]
    matcher: Option<&'static str>,
    hooks: [Hook; 1],
}

#[derive(Serialize)]
struct Hook {
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'static str>,
    #[serde(rename = "type")]
    kind: &'static str,
    command: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    shell: Option<&'static str>,
    timeout: u32,
}

impl Ours {
    /// The program where the agent waits that long for answers.
    pub(crate) fn answering(self, answers: Option<u32>) -> Self {
        Self { answers, ..self }
    }

    pub(crate) fn command(&self) -> &str {
        &self.command
    }

    pub(crate) fn data_dir(&self) -> &str {
        &self.data_dir
    }

    pub(crate) fn args(&self) -> Vec<String> {
        self.with_line("").server_arguments()
    }

    pub(crate) fn entry(&self, form: EntryForm) -> Entry {
        (form.entry)(&self.command, self.args())
    }

    /// The text of a file that is ours as a whole.
    pub(crate) fn file(&self, text: fn(&OurCommand<'_>) -> String) -> String {
        text(&self.with_line(&self.hook_command()))
    }

    pub(crate) fn agent_name(&self) -> &'static str {
        self.agent.name()
    }

    fn with_line<'a>(&'a self, hook_line: &'a str) -> OurCommand<'a> {
        let (agent, answers) = (self.agent.name(), self.answers);
        OurCommand { agent, program: &self.command, data_dir: &self.data_dir, hook_line, answers }
    }

    /// The command of a hook, as one line for the shell that the agents hand it to.
    pub(crate) fn hook_command(&self) -> String {
        self.shell.line(&self.with_line("").hook_words())
    }

    /// The command of a hook at an event.
    pub(crate) fn hook_command_at(&self, event: &str) -> String {
        let Some((_, seconds)) = self.asking().filter(|(asking, _)| asking.event.name == event) else {
            return self.hook_command();
        };
        let words = self.with_line("").hook_words();
        self.shell.line(&[words.as_slice(), &[ANSWERS, &seconds.to_string()]].concat())
    }

    /// The event at which the agent asks, and the seconds for which it waits, where it is to wait.
    fn asking(&self) -> Option<(AskingHook, u32)> {
        self.agent.asking().zip(self.answers)
    }

    /// The events that get a hook. That at which the agent asks has the time limit that goes with the wait.
    pub(crate) fn events(&self, hooks: &Hooks) -> Vec<HookEvent> {
        let mut events = hooks.events.to_vec();
        if let Some((asking, seconds)) = self.asking() {
            let asks = HookEvent { timeout: Some(asking.limit(seconds)), ..asking.event };
            match events.iter_mut().find(|event| event.name == asks.name) {
                Some(event) => *event = asks,
                None => events.push(asks),
            }
        }
        events
    }

    /// The event at which the agent asks.
    pub(crate) fn asks_at(&self) -> Option<&'static str> {
        self.agent.asking().map(|asking| asking.event.name)
    }

    /// The seconds for which a hook of ours with this command waits for an answer.
    pub(crate) fn answers_in(&self, command: &str) -> Option<u32> {
        let seconds = |words: &Vec<String>| words.get(6).filter(|_| words[5] == ANSWERS)?.parse().ok();
        Shell::words(command).iter().find_map(seconds).filter(|_| self.hears(command))
    }

    /// The shell that a hook has to name, where the agent would take another one and lets it be named.
    pub(crate) fn hook_shell(&self, hooks: &Hooks) -> Option<&'static str> {
        (self.shell == HookShell::Of(Shell::PowerShell) && hooks.windows_shell == WindowsShell::Named)
            .then_some("powershell")
    }

    pub(crate) fn group(&self, hooks: &Hooks, event: &HookEvent) -> Group {
        let name = hooks.named.then_some(SERVER);
        let (command, shell) = (self.hook_command_at(event.name), self.hook_shell(hooks));
        let timeout = event.timeout.unwrap_or(hooks.timeout);
        let hook = Hook { name, kind: "command", command, shell, timeout };
        Group { matcher: event.matcher, hooks: [hook] }
    }

    /// Returns whether words run our program with these first arguments: by its path, or by its name at another one.
    fn is_ours(&self, words: &[String], first: &[&str]) -> bool {
        let Some((program, rest)) = words.split_first() else { return false };
        // Windows' paths, too: what one system wrote another may read, in a home that both share.
        let name = program.rsplit(['/', '\\']).next().unwrap_or_default();
        (*program == self.command || name.strip_suffix(".exe").unwrap_or(name) == SERVER)
            && rest.len() >= first.len()
            && rest.iter().zip(first).all(|(word, wanted)| word == wanted)
    }

    /// Returns whether a server's words are ours.
    pub(crate) fn serves(&self, words: &[String]) -> bool {
        self.is_ours(words, &["mcp"])
    }

    /// Returns whether an agent's words run our proxy.
    pub(crate) fn proxies(&self, words: &[String]) -> bool {
        self.is_ours(words, &["acp"])
    }

    /// Returns whether a hook's command is ours.
    pub(crate) fn hears(&self, command: &str) -> bool {
        let is_folder = |option: &str, folder: &str| {
            option == "--data-dir" && !folder.contains([';', '&', '|', '<', '>', '$', '`', '\n'])
        };
        // Exactly as we write it: what somebody added to the line is theirs, and so is the line then.
        let whole = |words: &[String]| match words.get(3..) {
            Some([]) => true,
            Some([option, folder]) => is_folder(option, folder),
            Some([option, folder, answers, seconds]) => {
                is_folder(option, folder) && answers == ANSWERS && seconds.parse::<u32>().is_ok()
            }
            _ => false,
        };
        let ours = |words: &Vec<String>| whole(words) && self.is_ours(words, &["hook", self.agent.name()]);
        command == self.hook_command()
            || self.asks_at().is_some_and(|event| command == self.hook_command_at(event))
            || Shell::words(command).iter().any(ours)
    }
}

/// The program and arguments of a server's entry; none for a server at an address.
pub(crate) fn words(entry: &Value) -> Vec<String> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let list = |value: &Value| value.as_array().into_iter().flatten().filter_map(text).collect::<Vec<_>>();
    let program = entry.get("command").into_iter().flat_map(|it| text(it).map_or_else(|| list(it), |one| vec![one]));
    program.chain(entry.get("args").into_iter().flat_map(list)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use agents::KNOWN;
    use serde_json::json;

    fn on_windows(agent: &'static dyn Agent, command: &str) -> Ours {
        let (command, data_dir) = (command.to_owned(), "D:\\my data".to_owned());
        Ours { agent, command, data_dir, shell: HookShell::on_windows(agent), answers: None }
    }

    #[test]
    fn hooks_on_windows() {
        let line = "& 'C:\\Program Files\\sightline.exe' hook claude --data-dir 'D:\\my data'";
        let for_both = format!("powershell -NoProfile -Command \"{}\"", line.replace("claude", "vibe"));
        let for_cmd = r#""C:\Program Files\sightline.exe" hook kimi --data-dir "D:\my data""#;
        for agent in KNOWN.hooked() {
            let Some(hooks) = agent.facts().hooks else { continue };
            let ours = on_windows(agent, "C:\\Program Files\\sightline.exe");
            let group = serde_json::to_value(ours.group(&hooks, &HookEvent::heard("Stop"))).expect("JSON");
            let line = match agent.name() {
                "kimi" => for_cmd.to_owned(),
                "vibe" => for_both.clone(),
                name => line.replace("claude", name),
            };
            assert_eq!(group["hooks"][0]["command"], line);
            let names_it = hooks.windows_shell == WindowsShell::Named;
            let shell = if names_it { json!("powershell") } else { Value::Null };
            assert_eq!(group["hooks"][0]["shell"], shell, "{agent:?}");
        }
    }

    #[test]
    fn ours_is_known_in_either_language() {
        let ours = on_windows(&agents::codex::Codex, "C:\\Program Files\\sightline.exe");
        for line in [
            "& 'C:\\old one\\sightline.exe' hook codex --data-dir 'D:\\x'",
            "C:\\old\\sightline.exe hook codex",
            r#""C:\old one\sightline.exe" hook codex --data-dir "D:\x""#,
            "'/old one/sightline' hook codex --data-dir /x",
        ] {
            assert!(ours.hears(line), "{line}");
        }
        for line in [
            "& 'C:\\old\\sightline.exe' hook codex; other",
            r#""C:\old one\sightline.exe" hook codex & other"#,
            "C:\\old\\sightline.exe hook gemini",
            "C:\\old\\not-sightline.exe hook codex",
        ] {
            assert!(!ours.hears(line), "{line}");
        }
    }
}
