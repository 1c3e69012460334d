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

/** The agents of our documentation, which are no program of their own: those that are built with an SDK. */
const SDK = "sdk";

const CHOSEN = process.env.SIGHTLINE_AGENTS?.split(",").map((name) => name.trim());

/** Those that this run is about. */
export const AGENTS: readonly Started[] = CHOSEN ? chosen(CHOSEN) : ALL;
export const SDK_IS_CHOSEN = CHOSEN?.includes(SDK) ?? true;

/** The agents of these names. One that is not known is a mistake, and no reason to test nothing. */
function chosen(names: string[]): readonly Started[] {
  return names
    .filter((name) => name !== SDK)
    .map((name) => {
      const found = ALL.find((agent) => agent.name === name);
      if (found) return found;
      const known = [...ALL.map((agent) => agent.name), SDK].join(", ");
      throw new Error(`SIGHTLINE_AGENTS names "${name}", which is not tested here; there are ${known}`);
    });
}
