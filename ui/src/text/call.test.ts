import { expect, test } from "vitest";
import { permission } from "../testing/permissions";
import { readCall } from "./call";
import type { DiffPart } from "./diff";

const call = (args: unknown, command?: string) => {
  const { command: _, ...more } = permission();
  const input = typeof args === "string" ? args : JSON.stringify(args);
  return readCall({ ...more, input, ...(command !== undefined && { command }) });
};
const SIGNS = { added: "+", removed: "-", same: " ", gap: "~", remark: "#" };
const lines = (diff: DiffPart[] = []): string[] =>
  diff.flatMap((part) => {
    if (part.kind !== "file") return [];
    const shown = part.lines.map(({ kind, text }) => SIGNS[kind] + text);
    return [`${part.path} ${part.fate}`].concat(shown);
  });

test("a command stands by itself, with the arguments that it does not say", () => {
  const read = readCall(permission());
  expect(read).toMatchObject({ title: "Wants to run a command", command: "cargo test -p hub" });
  expect(read.fields).toEqual([{ name: "description", text: "Run the tests" }]);
});

test("a change of a file is shown by its lines, what is the same at both ends once", () => {
  const read = call({
    file_path: "/w/a.rs",
    old_string: "fn a() {\n  1\n}",
    new_string: "fn a() {\n  2\n}",
    replace_all: true,
  });
  expect(lines(read.diff)).toEqual(["/w/a.rs changed", " fn a() {", "-  1", "+  2", " }"]);
  expect(read.fields).toEqual([{ name: "replace_all", text: "true" }]);
});

test("several changes of one file are one difference; one that is not understood is shown as it is", () => {
  const edits = [
    { old_string: "a", new_string: "b" },
    { old_string: "c", new_string: "" },
  ];
  expect(lines(call({ file_path: "f", edits }).diff)).toEqual(["f changed", "-a", "+b", "~", "-c"]);
  const odd = call({ file_path: "f", edits: [{ old_string: "a", new_string: "b", replace_all: true }] });
  expect(odd.diff).toBeUndefined();
  expect(odd.fields.map(({ name }) => name)).toEqual(["file_path", "edits"]);
});

test("a file that is written is shown whole", () => {
  expect(lines(call({ file_path: "/w/n", content: "x\ny\n" }).diff)).toEqual(["/w/n whole", "+x", "+y"]);
});

test("a patch is shown file by file", () => {
  const patch = [
    "*** Begin Patch",
    "*** Update File: a.py",
    "@@ def f():",
    "-old",
    "+new",
    " same",
    "*** Add File: b.py",
    "+first",
    "*** Delete File: c.py",
    "*** End Patch",
  ].join("\n");
  const whole = ["a.py changed", "#def f():", "-old", "+new", " same", "b.py new", "+first", "c.py gone"];
  expect(lines(call({ input: patch }).diff)).toEqual(whole);
  expect(lines(call({ command: ["apply_patch", patch] }, "apply_patch '…'").diff)).toEqual(whole);
  expect(lines(call({ patch: "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-1\n+2\n" }).diff)).toEqual([
    "b/x changed",
    "-1",
    "+2",
  ]);
});

test("a patch with a line that nobody understands is shown as it is", () => {
  const read = call({ input: "*** Begin Patch\n*** Add File: b\n+x\nrm -rf /\n*** End Patch" });
  expect(read.diff).toBeUndefined();
  expect(read.fields[0]?.text).toContain("rm -rf /");
});

test("of a name that comes twice both are shown", () => {
  const read = call('{"command":"ls","command":"rm -rf /"}', "rm -rf /");
  expect(read.fields.map(({ text }) => text)).toEqual(["ls", "rm -rf /"]);
  const file = call('{"file_path":"a","content":"x","file_path":"b"}');
  expect(file.diff).toBeUndefined();
  expect(file.fields.map(({ text }) => text)).toEqual(["a", "x", "b"]);
});
