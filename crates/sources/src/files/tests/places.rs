use super::super::transcripts;
use super::*;
use agents::Environment;
use rstest::rstest;

/// A path from the root, as this system writes it.
fn rooted(path: &str) -> String {
    if cfg!(windows) && path.starts_with('/') { format!("C:{path}") } else { path.to_owned() }
}

fn environment(variables: &[(&str, &str)]) -> Environment {
    let variables = variables.iter().map(|(name, value)| ((*name).to_owned(), rooted(value))).collect();
    Environment { home: PathBuf::from(rooted("/home/user")), variables }
}

#[rstest]
#[case(CLAUDE, &[], "/home/user/.claude/projects")]
#[case(CLAUDE, &[("CLAUDE_CONFIG_DIR", "/x")], "/x/projects")]
#[case(CODEX, &[], "/home/user/.codex/sessions")]
#[case(CODEX, &[("CODEX_HOME", "~/c")], "/home/user/c/sessions")]
#[case(GEMINI, &[], "/home/user/.gemini/tmp")]
#[case(GEMINI, &[("GEMINI_CLI_HOME", "/x")], "/x/.gemini/tmp")]
#[case(OPENCODE, &[], "/home/user/.local/share/opencode")]
#[case(OPENCODE, &[("XDG_DATA_HOME", "/x")], "/x/opencode")]
#[case(QWEN, &[("QWEN_HOME", " ")], "/home/user/.qwen/projects")]
#[case(QWEN, &[("QWEN_HOME", "/x")], "/x/projects")]
#[case(QWEN, &[("QWEN_HOME", "/x"), ("QWEN_RUNTIME_DIR", "/y")], "/y/projects")]
#[case(LLXPRT, &[("LLXPRT_DATA_HOME", "relative")], "/home/user/.local/share/llxprt-code/todos")]
#[case(LLXPRT, &[("LLXPRT_CONFIG_HOME", "/x")], "/x/todos")]
fn folders_are_the_agents_own(
    #[case] kind: &'static dyn Agent,
    #[case] variables: &[(&str, &str)],
    #[case] first: &str,
) {
    assert_eq!(kind.transcript_folders(&environment(variables))[0], Path::new(&rooted(first)));
}

#[rstest]
#[case(CLAUDE, ".claude/projects/-p/s.jsonl", Some(".claude/projects/-p/s.jsonl"))]
#[case(CLAUDE, ".claude/projects/-p/s/subagents/agent-a.jsonl", Some(".claude/projects/-p/s/subagents/agent-a.jsonl"))]
#[case(CLAUDE, ".claude/projects/-p/s/tool-results/x.txt", None)]
#[case(CLAUDE, ".claude/projects/-p/s/workflows/journal.jsonl", None)]
#[case(CLAUDE, ".claude/history.jsonl", None)]
#[case(CLAUDE, ".claude/tasks/s/12.json", Some(".claude/tasks/s"))]
#[case(CLAUDE, ".claude/tasks/s/.lock", None)]
#[case(CLAUDE, ".claude/tasks/s/.highwatermark", None)]
#[case(CODEX, ".codex/sessions/2026/11/21/rollout-x.jsonl", Some(".codex/sessions/2026/11/21/rollout-x.jsonl"))]
#[case(CODEX, ".codex/sessions/2026/11/21/rollout-x.jsonl.tmp", None)]
#[case(CODEX, ".codex/history.jsonl", None)]
#[case(GEMINI, ".gemini/tmp/p/chats/session-x.jsonl", Some(".gemini/tmp/p/chats/session-x.jsonl"))]
#[case(GEMINI, ".gemini/tmp/p/chats/parent/sub.jsonl", Some(".gemini/tmp/p/chats/parent/sub.jsonl"))]
#[case(GEMINI, ".gemini/tmp/p/chats/session-x.json", Some(".gemini/tmp/p/chats/session-x.json"))]
#[case(GEMINI, ".gemini/tmp/p/logs.json", None)]
#[case(OPENCODE, "opencode/opencode.db-wal", Some("opencode/opencode.db"))]
#[case(OPENCODE, "opencode/opencode.db-shm", Some("opencode/opencode.db"))]
#[case(OPENCODE, "opencode/opencode.db", Some("opencode/opencode.db"))]
#[case(OPENCODE, "opencode/auth.json", None)]
#[case(QWEN, ".qwen/projects/-p/chats/s.jsonl", Some(".qwen/projects/-p/chats/s.jsonl"))]
#[case(QWEN, ".qwen/projects/-p/subagents/s/agent-a.jsonl", Some(".qwen/projects/-p/subagents/s/agent-a.jsonl"))]
#[case(QWEN, ".qwen/projects/-p/subagents/s/agent-a.meta.json", None)]
#[case(QWEN, ".qwen/todos/s.json", Some(".qwen/todos/s.json"))]
#[case(QWEN, ".qwen/todos/s.json.401d9435773f.tmp", None)]
#[case(QWEN, ".qwen/settings.json", None)]
#[case(LLXPRT, "todos/todo-s.json", Some("todos/todo-s.json"))]
#[case(LLXPRT, "todos/other.json", None)]
fn a_change_belongs_to_a_file(#[case] kind: &'static dyn Agent, #[case] changed: &str, #[case] file: Option<&str>) {
    let root = Path::new("/home/user");
    assert_eq!(kind.transcript_of(&root.join(changed)), file.map(|file| root.join(file)));
}

#[test]
fn files_are_found_the_oldest_change_first() {
    let folder = tempfile::tempdir().expect("a folder");
    let environment = Environment { home: folder.path().to_owned(), variables: BTreeMap::new() };
    assert!(transcripts(CLAUDE, &environment).is_empty(), "no folder yet");
    let names = [
        ".claude/tasks/s/1.json",
        ".claude/projects/-p/b.jsonl",
        ".claude/projects/-q/a.jsonl",
        ".claude/tasks/s/2.json",
        ".claude/projects/-p/s/subagents/agent-a.jsonl",
        ".claude/tasks/s/.lock",
    ];
    for (i, name) in names.iter().enumerate() {
        let path = folder.path().join(name);
        write(&path, b"{}");
        let file = fs::File::options().write(true).open(path).expect("it is there");
        let at = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_795_000_000 + i as u64);
        file.set_modified(at).expect("it has a time");
    }
    let found = transcripts(CLAUDE, &environment);
    let expected = [names[1], names[2], ".claude/tasks/s", names[4]].map(|name| folder.path().join(name));
    assert_eq!(found, expected);
}

#[test]
fn agents_are_named() {
    for agent in KNOWN.iter() {
        assert_eq!(KNOWN.named(agent.name()), Some(agent));
    }
    assert_eq!(KNOWN.named("heron"), None);
}

#[rstest]
#[case(Some("/from/root\n"), None, Some("/from/root"))]
#[case(None, Some(r#"{"projects":{"/other":"x","/from/list":"project"}}"#), Some("/from/list"))]
#[case(None, Some("{"), None)]
#[case(None, None, None)]
#[tokio::test]
async fn geminis_folder_stands_beside_the_chats(
    #[case] root: Option<&str>,
    #[case] all: Option<&str>,
    #[case] expected: Option<&str>,
) {
    let (folder, path) = placed(
        ".gemini/tmp/project/chats/p/sub.jsonl",
        b"{\"sessionId\":\"s\",\"kind\":\"subagent\",\"startTime\":\"2026-11-21T01:00:00Z\"}\n{\"type\":\"gemini\"}\n",
    );
    if let Some(root) = root {
        write(&folder.path().join(".gemini/tmp/project/.project_root"), root.as_bytes());
    }
    if let Some(all) = all {
        write(&folder.path().join(".gemini/projects.json"), all.as_bytes());
    }
    let told = read(GEMINI, &path).await;
    assert_eq!(told[0].run.folder.as_deref(), expected);
    assert_eq!(told[0].run.parent.as_deref(), Some("p"));
}

// A process for an editor begins a chat for itself, beside those of its sessions.
#[tokio::test]
async fn a_chat_of_geminis_without_a_message_is_no_run() {
    let (name, place) = lines_of(GEMINI);
    let begun: String = recording(name).lines().take(2).map(|line| format!("{line}\n")).collect();
    let (_folder, path) = placed(place, begun.as_bytes());
    assert_eq!(read(GEMINI, &path).await, []);
}
