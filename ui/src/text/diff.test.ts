import { expect, test } from "vitest";
import { DIFF } from "../testing/machine";
import { filesOf, readDiff } from "./diff";

test("files and commands are told apart, and lines from headers that they look like", () => {
  const parts = readDiff(DIFF);
  expect(filesOf(parts)).toBe("2 files and 1 command");
  expect(parts.map((part) => (part.kind === "file" ? [part.path, part.fate] : part.text))).toEqual([
    ["/home/me/.codex/config.toml", "changed"],
    ["/home/me/.codex/hooks.json", "new"],
    `claude mcp add-json --scope user sightline '{"command":"/usr/bin/sightline"}'`,
  ]);
  const [first, second] = parts;
  expect(first?.kind === "file" && first.lines).toEqual([
    { kind: "same", text: 'model = "o9"' },
    { kind: "removed", text: "-- not a header, a line" },
    { kind: "added", text: "++ neither" },
    { kind: "added", text: "" },
    { kind: "added", text: "[mcp_servers.sightline]" },
    { kind: "added", text: 'command = "/usr/bin/sightline"' },
    { kind: "same", text: "# end" },
  ]);
  expect(second?.kind === "file" && second.lines).toEqual([
    { kind: "added", text: '{ "hooks": [] }' },
    { kind: "remark", text: "No newline at end of file" },
  ]);
});

test("a gap stands between two places, a removed file goes by its old name", () => {
  const parts = readDiff("--- a b\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n@@ -9,2 +8 @@\n-y\n z\n");
  expect(parts).toEqual([
    {
      kind: "file",
      path: "a b",
      fate: "gone",
      lines: [
        { kind: "removed", text: "x" },
        { kind: "gap", text: "" },
        { kind: "removed", text: "y" },
        { kind: "same", text: "z" },
      ],
    },
  ]);
});

test("Windows line ends, files without a line and commands of several lines are understood", () => {
  const parts = readDiff(
    "--- /dev/null\n+++ C:\\a.json\n@@ -0,0 +1 @@\n+x\r\n--- b\n+++ /dev/null\n$ one 'a\nb'\n",
  );
  expect(parts).toEqual([
    { kind: "file", path: "C:\\a.json", fate: "new", lines: [{ kind: "added", text: "x" }] },
    { kind: "file", path: "b", fate: "gone", lines: [] },
    { kind: "command", text: "one 'a\nb'" },
  ]);
});

test("nothing is nothing, and what is no diff is shown as it is", () => {
  expect(readDiff("")).toEqual([]);
  expect(filesOf([])).toBe("");
  expect(readDiff("whatever\nit is")).toEqual([{ kind: "command", text: "whatever\nit is" }]);
});
