import { expect, test } from "vitest";
import { session } from "../testing/samples";
import { callWords, lastCallOf } from "./last-call";

const call = { tool: "Edit", text: "/home/me/api/src/lib.rs", at: "2026-11-20T14:01:00Z" };

test("a path in the session's folder is that within it, and any other stays whole", () => {
  expect(callWords(call, "/home/me/api")).toBe("Edit src/lib.rs");
  expect(callWords(call, "/home/me/api/")).toBe("Edit src/lib.rs");
  expect(callWords(call, "/home/me/ap")).toBe("Edit /home/me/api/src/lib.rs");
  expect(callWords(call, call.text)).toBe("Edit /home/me/api/src/lib.rs");
  expect(callWords(call, "/")).toBe("Edit /home/me/api/src/lib.rs");
  expect(callWords(call, undefined)).toBe("Edit /home/me/api/src/lib.rs");
  expect(callWords({ ...call, text: String.raw`C:\api\src\lib.rs` }, String.raw`C:\api`)).toBe(
    String.raw`Edit src\lib.rs`,
  );
  expect(callWords({ tool: "Bash", at: call.at }, "/home/me/api")).toBe("Bash");
});

test("only a session that runs tells its last call", () => {
  expect(lastCallOf(session("s", [], { lastCall: call }))).toBe(call);
  expect(lastCallOf(session("s", []))).toBeUndefined();
  const others = ["waiting", "idle", "finished", "failed", "stale"] as const;
  const told = others.filter((state) => lastCallOf(session("s", [], { state, lastCall: call })));
  expect(told).toEqual([]);
});
