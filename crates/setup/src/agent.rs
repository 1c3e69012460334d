//! The agents, and what is known of each: its files, its events, its switch. All that differs between them is here.
//!
//! Read in the packages of Codex 0.169.0, opencode 1.18.33, Gemini CLI 0.61.0 and Qwen Code 0.24.4, and for Claude
//! Code 2.1 in its pages of August 2026.

/// An agent whose configuration is understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Agent {
    /// Claude Code.
    Claude,
    /// Codex.
    Codex,
    /// Gemini CLI.
    Gemini,
    /// opencode.
    Opencode,
    /// Qwen Code.
    Qwen,
}

/// How an agent's list of MCP servers is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// `mcpServers.NAME = {command, args}` in JSON.
    McpServers,
    /// The same with `type` and `alwaysLoad`: without it Claude Code may keep the tools behind a search.
    Claude,
    /// `[mcp_servers.NAME]` in TOML.
    Codex,
    /// `mcp.NAME = {type, command: [program, arguments…], enabled}`.
    Opencode,
}

/// The hooks of an agent.
pub(crate) struct Hooks {
    /// The events that `sources` hears, each with what it is matched against: tool events want a matcher.
    pub(crate) events: &'static [(&'static str, Option<&'static str>)],
    /// The agent's own unit: Gemini CLI counts milliseconds, the others seconds. Codex cuts `SessionEnd` to 3 seconds
    /// and says so where more is asked.
    pub(crate) timeout: u32,
    /// Gemini CLI and Qwen Code show a hook's name.
    pub(crate) named: bool,
    /// A hook may say which shell runs it.
    pub(crate) names_shell: bool,
    /// A switch in the same file that turns all hooks off, and its value then.
    pub(crate) off: Option<(&'static [&'static str], bool)>,
}

const TOOL: Option<&str> = Some("*");
/// Calls of our tools, which subagents make in their agent's name: Claude Code and Qwen Code take a regular expression.
const OURS: Option<&str> = Some("mcp__sightline__.*");
const OTHER: Option<&str> = None;

impl Agent {
    /// Those there are.
    pub const ALL: [Self; 5] = [Self::Claude, Self::Codex, Self::Gemini, Self::Opencode, Self::Qwen];

    /// Its name, as its sessions and the command line have it; also that of its program.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
            Self::Opencode => "opencode",
            Self::Qwen => "qwen",
        }
    }

    /// Its name as people write it.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::Claude => "Claude Code",
            Self::Codex => "Codex",
            Self::Gemini => "Gemini CLI",
            Self::Opencode => "opencode",
            Self::Qwen => "Qwen Code",
        }
    }

    /// The agent of that name, if there is one.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|agent| agent.name() == name)
    }

    /// The file in a project's folder that its model reads first.
    #[must_use]
    pub const fn instructions(self) -> &'static str {
        match self {
            Self::Claude => "CLAUDE.md",
            Self::Codex | Self::Opencode => "AGENTS.md",
            Self::Gemini => "GEMINI.md",
            Self::Qwen => "QWEN.md",
        }
    }

    /// The arguments with which its program goes on with one of its sessions, by its own id.
    #[must_use]
    pub const fn resume(self) -> &'static [&'static str] {
        match self {
            Self::Claude | Self::Gemini | Self::Qwen => &["--resume"],
            Self::Codex => &["resume"],
            Self::Opencode => &["--session"],
        }
    }

    pub(crate) const fn form(self) -> Form {
        match self {
            Self::Claude => Form::Claude,
            Self::Codex => Form::Codex,
            Self::Gemini | Self::Qwen => Form::McpServers,
            Self::Opencode => Form::Opencode,
        }
    }

    pub(crate) const fn hooks(self) -> Option<Hooks> {
        Some(match self {
            Self::Claude => Hooks {
                events: &[
                    ("SessionStart", OTHER),
                    ("UserPromptSubmit", OTHER),
                    ("PreToolUse", OURS),
                    ("PostToolUse", TOOL),
                    ("PostToolUseFailure", TOOL),
                    ("Notification", OTHER),
                    ("SubagentStart", OTHER),
                    ("SubagentStop", OTHER),
                    ("Stop", OTHER),
                    ("StopFailure", OTHER),
                    ("SessionEnd", OTHER),
                ],
                timeout: 5,
                named: false,
                names_shell: true,
                off: Some((&["disableAllHooks"], true)),
            },
            Self::Codex => Hooks {
                events: &[
                    ("SessionStart", OTHER),
                    ("UserPromptSubmit", OTHER),
                    ("PostToolUse", OTHER),
                    ("Stop", OTHER),
                    ("SessionEnd", OTHER),
                ],
                timeout: 3,
                named: false,
                names_shell: false,
                off: None,
            },
            Self::Gemini => Hooks {
                events: &[
                    ("SessionStart", OTHER),
                    ("BeforeAgent", OTHER),
                    ("AfterTool", TOOL),
                    ("Notification", OTHER),
                    ("AfterAgent", OTHER),
                    ("SessionEnd", OTHER),
                ],
                timeout: 5000,
                named: true,
                names_shell: false,
                // On unless it is turned off, since 0.61 at the latest.
                off: Some((&["hooksConfig", "enabled"], false)),
            },
            Self::Qwen => Hooks {
                events: &[
                    ("SessionStart", OTHER),
                    ("UserPromptSubmit", OTHER),
                    ("PreToolUse", OURS),
                    ("PostToolUse", TOOL),
                    ("PostToolUseFailure", TOOL),
                    ("Notification", OTHER),
                    ("Stop", OTHER),
                    ("SessionEnd", OTHER),
                ],
                timeout: 5,
                named: true,
                names_shell: true,
                off: Some((&["disableAllHooks"], true)),
            },
            Self::Opencode => return None,
        })
    }

    /// What the user has to do or to know after connecting.
    pub(crate) const fn notes(self, hooks: bool, project: bool) -> &'static [&'static str] {
        match (self, hooks, project) {
            (Self::Codex, true, true) => {
                &["Codex asks you once to trust the project and its hooks; until then it does not run them"]
            }
            (Self::Codex, true, false) => {
                &["Codex asks you once to trust the hooks when it starts; until then it does not run them"]
            }
            (Self::Codex, false, true) => &["Codex reads a project's configuration only where you trust the project"],
            (Self::Claude, _, true) => &["Claude Code asks you once to approve the server of this project"],
            (Self::Gemini, ..) => &["Gemini CLI starts servers only in folders that you trust"],
            (Self::Qwen, _, true) => &["Qwen Code may ask you once to approve the server of this project"],
            _ => &[],
        }
    }
}
