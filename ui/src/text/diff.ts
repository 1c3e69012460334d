import { m } from "../paraglide/messages";
import { together } from "../shared/text/enumerate";

/** One line of a difference. */
export type DiffLine = { kind: "added" | "removed" | "same" | "gap" | "remark"; text: string };

/** A planned change: to a file, or by a command. */
export type DiffPart =
  | { kind: "file"; path: string; fate: "new" | "gone" | "changed" | "whole"; lines: DiffLine[] }
  | { kind: "command"; text: string };

const NO_FILE = "/dev/null";
const HUNK = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/;

/**
 * Reads a unified diff of files, with commands as `$ command`.
 *
 * A hunk says how many lines it has, so that a line of a file is never taken for a header. What is not understood is
 * shown as it is.
 */
export function readDiff(diff: string): DiffPart[] {
  const lines = diff.split("\n");
  if (lines.at(-1) === "") lines.pop();
  const parts: DiffPart[] = [];
  let left = { before: 0, after: 0 };
  for (let at = 0; at < lines.length; at += 1) {
    const line = (lines[at] ?? "").replace(/\r$/, "");
    const last = parts.at(-1);
    const next = lines[at + 1] ?? "";
    if (last?.kind === "file" && left.before + left.after > 0) {
      left = take(last.lines, line, left);
    } else if (line.startsWith("--- ") && next.startsWith("+++ ")) {
      parts.push(toFile(line.slice(4), next.slice(4).replace(/\r$/, "")));
      at += 1;
    } else if (line.startsWith("$ ")) {
      parts.push({ kind: "command", text: line.slice(2) });
    } else if (last?.kind === "file") {
      const hunk = HUNK.exec(line);
      if (hunk) {
        left = { before: Number(hunk[1] ?? 1), after: Number(hunk[2] ?? 1) };
        if (last.lines.length > 0) last.lines.push({ kind: "gap", text: "" });
      } else last.lines.push({ kind: "remark", text: line.replace(/^\\ /, "") });
    } else if (last) last.text += `\n${line}`;
    else parts.push({ kind: "command", text: line });
  }
  return parts;
}

type Left = { before: number; after: number };

function take(lines: DiffLine[], line: string, { before, after }: Left): Left {
  const text = line.slice(1);
  if (line.startsWith("+")) {
    lines.push({ kind: "added", text });
    return { before, after: after - 1 };
  }
  if (line.startsWith("-")) {
    lines.push({ kind: "removed", text });
    return { before: before - 1, after };
  }
  if (line.startsWith("\\")) {
    lines.push({ kind: "remark", text: text.trim() });
    return { before, after };
  }
  lines.push({ kind: "same", text });
  return { before: before - 1, after: after - 1 };
}

function toFile(before: string, after: string): DiffPart {
  const [old, next] = [before, after].map((name) => name.split("\t")[0] ?? "");
  const fate = old === NO_FILE ? "new" : next === NO_FILE ? "gone" : "changed";
  return { kind: "file", path: (fate === "gone" ? old : next) ?? "", fate, lines: [] };
}

/** The number of files and commands: `2 files and 1 command`. */
export function filesOf(parts: DiffPart[]): string {
  const files = parts.filter(({ kind }) => kind === "file").length;
  const commands = parts.length - files;
  return together([
    ...(files > 0 ? [m.agents_files({ count: files })] : []),
    ...(commands > 0 ? [m.agents_commands({ count: commands })] : []),
  ]);
}
