import { m } from "../paraglide/messages";
import type { Permission } from "../protocol/types";
import { exact } from "../shared/text/plain";
import { readDiff, type DiffLine, type DiffPart } from "./diff";
import { jsonFields, type JsonField } from "./json";

/** A call that an agent asks for, as it is read: a command, a change of files, or arguments. */
export type Call = {
  title: string;
  command: string | undefined;
  diff: DiffPart[] | undefined;
  /** The arguments that neither of them says. */
  fields: JsonField[];
};

type Texts = ReadonlyMap<string, string>;
type Change = { diff: DiffPart[]; names: string[]; title: string };

const PATHS = ["file_path", "filePath", "path", "notebook_path"];
const OLD = ["old_string", "oldString", "old_str"];
const NEW = ["new_string", "newString", "new_str"];
const WHOLE = ["content", "contents", "file_text"];
const PATCHES = ["patch", "input", "diff", "patchText"];

export function readCall({ input, command, questions }: Permission): Call {
  const fields = jsonFields(input);
  const texts = new Map(fields.flatMap(({ name, text }) => (name === undefined ? [] : [[name, text]])));
  // Of a name that comes twice nobody knows the one that counts: all of it is shown as it is.
  const isClear = texts.size === fields.length;
  const without = (names: string[]) =>
    fields.filter(({ name }) => !isClear || name === undefined || !names.includes(name));
  if (questions && questions.length > 0) {
    return { title: m.permission_has_question(), command: undefined, diff: undefined, fields: [] };
  }
  const change = isClear ? changeOf(texts, input, command) : undefined;
  if (change) {
    return { title: change.title, command: undefined, diff: change.diff, fields: without(change.names) };
  }
  if (command !== undefined) {
    return {
      title: m.permission_wants_command(),
      command,
      diff: undefined,
      fields: without(["command"]),
    };
  }
  return { title: m.permission_wants_tool(), command: undefined, diff: undefined, fields };
}

/** Names that change nothing about a command. */
const BESIDE = ["description", "justification", "timeout", "timeout_ms"];
/** The most characters that are seen whole in a narrow place. */
const WHOLE_CHARS = 160;

/** A call in few words, and whether they are all of it. */
export function briefOf(permission: Permission): { text: string; isWhole: boolean } {
  const { questions, command, input } = permission;
  if (questions && questions.length > 0) return { text: questions[0]?.text ?? "", isWhole: false };
  const { fields } = readCall(permission);
  const isAll = fields.every(({ name }) => name !== undefined && ["command", ...BESIDE].includes(name));
  const text = command !== undefined && isAll ? command : input;
  return { text, isWhole: exact(text).length <= WHOLE_CHARS };
}

function changeOf(texts: Texts, input: string, command: string | undefined): Change | undefined {
  const path = named(texts, PATHS);
  const before = named(texts, OLD);
  const after = named(texts, NEW);
  const whole = named(texts, WHOLE);
  if (path && before && after) {
    const lines = linesOf(before[1], after[1]);
    const title = m.permission_wants_edit();
    return { title, diff: [file(path[1], lines)], names: [path[0], before[0], after[0]] };
  }
  const edits = path && texts.has("edits") ? editsOf(input) : undefined;
  if (path && edits) {
    return { title: m.permission_wants_edit(), diff: [file(path[1], edits)], names: [path[0], "edits"] };
  }
  if (path && whole) {
    const lines = linesOf("", whole[1]);
    return {
      title: m.permission_wants_write(),
      diff: [file(path[1], lines, "whole")],
      names: [path[0], whole[0]],
    };
  }
  const patch = named(texts, PATCHES);
  const diff = patch && patchOf(patch[1]);
  if (patch && diff) return { title: m.permission_wants_patch(), diff, names: [patch[0]] };
  const words = command === undefined ? undefined : wordsOf(input);
  const inCommand = words?.length === 2 && words[0] === "apply_patch" ? patchOf(words[1] ?? "") : undefined;
  return inCommand && { title: m.permission_wants_patch(), diff: inCommand, names: ["command"] };
}

function named(texts: Texts, names: string[]): [name: string, text: string] | undefined {
  const name = names.find((each) => texts.has(each));
  return name === undefined ? undefined : [name, texts.get(name) ?? ""];
}

function file(path: string, lines: DiffLine[], fate: "changed" | "new" | "gone" | "whole" = "changed") {
  return { kind: "file", path, fate, lines } as const;
}

const as =
  (kind: DiffLine["kind"]) =>
  (text: string): DiffLine => ({ kind, text });

/** The lines of two texts, with those that are the same at both ends once. */
function linesOf(before: string, after: string): DiffLine[] {
  const old = split(before);
  const next = split(after);
  let start = 0;
  while (start < Math.min(old.length, next.length) && old[start] === next[start]) start += 1;
  let end = 0;
  while (end < Math.min(old.length, next.length) - start && old.at(-1 - end) === next.at(-1 - end)) end += 1;
  return [
    ...old.slice(0, start).map(as("same")),
    ...old.slice(start, old.length - end).map(as("removed")),
    ...next.slice(start, next.length - end).map(as("added")),
    ...old.slice(old.length - end).map(as("same")),
  ];
}

function split(text: string): string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}

type Edit = { old_string?: unknown; new_string?: unknown };

/** Several changes of one file; nothing where one of them is of another kind. */
function editsOf(input: string): DiffLine[] | undefined {
  const { edits } = JSON.parse(input) as { edits: unknown };
  if (!Array.isArray(edits) || edits.length === 0) return undefined;
  const lines: DiffLine[] = [];
  for (const edit of edits as (Edit | null)[]) {
    const { old_string: before, new_string: after, ...more } = edit ?? {};
    if (typeof before !== "string" || typeof after !== "string" || Object.keys(more).length > 0)
      return undefined;
    if (lines.length > 0) lines.push({ kind: "gap", text: "" });
    lines.push(...linesOf(before, after));
  }
  return lines;
}

function wordsOf(input: string): string[] | undefined {
  const { command } = JSON.parse(input) as { command: unknown };
  return Array.isArray(command) && command.every((word) => typeof word === "string") ? command : undefined;
}

/** A patch of either kind; nothing where a part of it is not understood. */
function patchOf(patch: string): DiffPart[] | undefined {
  if (/^\*\*\* Begin Patch\r?\n/.test(patch)) return ownPatch(patch);
  const parts = /^--- .*\n\+\+\+ /m.test(patch) ? readDiff(patch) : [];
  return parts.length > 0 && parts.every(({ kind }) => kind === "file") ? parts : undefined;
}

const FILE = /^\*\*\* (Add|Update|Delete) File: (.+)$/;
const FATES = { Add: "new", Update: "changed", Delete: "gone" } as const;
const KINDS: Record<string, DiffLine["kind"]> = { "+": "added", "-": "removed", " ": "same" };

function ownPatch(patch: string): DiffPart[] | undefined {
  const parts: Extract<DiffPart, { kind: "file" }>[] = [];
  for (const line of patch.trimEnd().split("\n").slice(1)) {
    const begun = FILE.exec(line);
    const last = parts.at(-1);
    const kind = KINDS[line.slice(0, 1)];
    if (begun) parts.push({ ...file(begun[2] ?? "", []), fate: FATES[begun[1] as keyof typeof FATES] });
    else if (line === "*** End Patch") return parts.length > 0 ? parts : undefined;
    else if (!last) return undefined;
    else if (line.startsWith("@@")) {
      if (last.lines.length > 0) last.lines.push({ kind: "gap", text: "" });
      const place = line.slice(2).trim();
      if (place !== "") last.lines.push({ kind: "remark", text: place });
    } else if (kind) last.lines.push({ kind, text: line.slice(1) });
    else if (line === "") last.lines.push({ kind: "same", text: "" });
    else if (line.startsWith("*** ")) last.lines.push({ kind: "remark", text: line.slice(4) });
    else return undefined;
  }
  return undefined;
}
