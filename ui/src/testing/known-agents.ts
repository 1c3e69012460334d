import type { KnownAgent } from "../protocol/types";

function agent(name: string, title: string, more: Partial<KnownAgent> = {}): KnownAgent {
  const all = {
    connectable: true,
    hooks: true,
    transcripts: true,
    resumable: true,
    starts: true,
    continues: true,
  };
  return { agent: name, title, aliases: [], ...all, ...more };
}

/** The agents of a gateway, as tests know them. */
export const KNOWN_AGENTS: KnownAgent[] = [
  agent("claude", "Claude Code", { aliases: ["claude-code"] }),
  agent("codex", "Codex"),
  agent("gemini", "Gemini CLI"),
  agent("opencode", "opencode", { hooks: false }),
  agent("qwen", "Qwen Code"),
  agent("llxprt", "llxprt", {
    connectable: false,
    hooks: false,
    resumable: false,
    starts: false,
    continues: false,
  }),
];
