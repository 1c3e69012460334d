import type { LastCall, Session } from "../protocol/types";

/** The last call of a session that runs. */
export function lastCallOf({ state, lastCall }: Session): LastCall | undefined {
  return state === "running" ? lastCall : undefined;
}

/** The tool and its subject; a path in the session's folder is that within it. */
export function callWords({ tool, text }: LastCall, folder: string | undefined): string {
  return text ? `${tool} ${within(text, folder)}` : tool;
}

/** A path in the session's folder as it is within it; any other text as it is. */
export function within(text: string, folder: string | undefined): string {
  const base = folder?.replace(/[/\\]+$/, "");
  if (!base || !text.startsWith(base)) return text;
  const rest = text.slice(base.length);
  return /^[/\\]./.test(rest) ? rest.slice(1) : text;
}
