// The agents that are tested, each in a file of its own: all, or those that SIGHTLINE_AGENTS names.
import type { Started } from "../started.ts";
import { claude } from "./claude.ts";
import { cline } from "./cline.ts";
import { codex } from "./codex.ts";
import { continueCn } from "./continue.ts";
import { copilot } from "./copilot.ts";
import { gemini } from "./gemini.ts";
import { kilo } from "./kilo.ts";
import { kimi } from "./kimi.ts";
import { opencode } from "./opencode.ts";
import { pi } from "./pi.ts";
import { qwen } from "./qwen.ts";
import { vibe } from "./vibe.ts";

const ALL: readonly Started[] = [
  claude,
  cline,
  codex,
  continueCn,
  copilot,
  gemini,
  kilo,
  kimi,
  opencode,
  pi,
  qwen,
  vibe,
];

/** Those that this run is about. */
export const AGENTS: readonly Started[] = chosen(process.env.SIGHTLINE_AGENTS);

/** Every agent, or those of a comma list. A name that is not known is a mistake, and no reason to test nothing. */
function chosen(names?: string): readonly Started[] {
  if (!names) return ALL;
  return names.split(",").map((name) => {
    const found = ALL.find((agent) => agent.name === name.trim());
    if (found) return found;
    const known = ALL.map((agent) => agent.name).join(", ");
    throw new Error(`SIGHTLINE_AGENTS names "${name}", which is not tested here; there are ${known}`);
  });
}
