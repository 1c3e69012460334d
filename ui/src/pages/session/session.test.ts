import { screen, within } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import type { Need } from "../../protocol/types";
import { besides, placeAt } from "../../views/list/drag";
import { toRows } from "../../state/rows";
import { lastChange, openSession, row, select, shown, withBrowser } from "../../testing/page";
import { AT, edit, item, session } from "../../testing/samples";

const user = userEvent.setup();

withBrowser();

const MINUTE = 60_000;
const main = () => within(screen.getByRole("main"));
const button = (name: string | RegExp, of = screen.getByRole("main")) =>
  within(of).getByRole("button", { name });

function need(kind: Need["kind"], more: Partial<Need> = {}): Need {
  return { id: `need-${kind}`, kind, since: AT, text: "", ...more };
}

function waiting() {
  return [
    item("a", "completed", { workedMs: 3 * MINUTE, reopened: 1 }),
    item("b", "pending", { estimateMinutes: 30, owner: "planner", category: "docs" }),
    item("c", "pending", {
      dependsOn: ["b", "a"],
      dependsOnUids: ["b", "a"],
      waiting: true,
      priority: "low",
    }),
    item("d", "completed", { workedMs: 3 * MINUTE, estimateMinutes: 30, reopened: 2 }),
  ];
}

test("a row tells how long its step took or may take, how often it was taken up again, and whose it is", async () => {
  await openSession("s", waiting(), { edits: [] });
  expect(row("a").querySelector("time")?.textContent).toBe("3 min");
  expect(row("a").textContent).toContain("reopened once");
  expect(row("b").querySelector("time")?.textContent).toBe("about 30 min");
  expect(row("b").textContent).toMatch(/category docs.*taken by planner/s);
  expect(row("d").querySelector("time")?.textContent).toBe("3 of 30 min");
  expect(row("d").textContent).toContain("reopened 2×");
});

test("a session that runs tells its last call beside its state", async () => {
  const at = new Date(Date.now() - 2 * MINUTE).toISOString();
  const lastCall = { tool: "Edit", text: "/home/me/s/src/lib.rs", at };
  const desk = await openSession("s", [item("a", "in_progress")], { folder: "/home/me/s", lastCall });
  expect((await main().findByText("Edit src/lib.rs")).closest("span")?.textContent).toBe(
    "Edit src/lib.rs · 2 min ago",
  );
  desk.put(session("s", [item("a", "in_progress")], { folder: "/home/me/s", lastCall, state: "finished" }));
  await vi.waitFor(() => expect(main().queryByText("Edit src/lib.rs")).toBeNull());
});

test("the step in progress counts what it took before as well", async () => {
  const statusAt = new Date(Date.now() - 2 * MINUTE).toISOString();
  await openSession("s", [item("a", "in_progress", { statusAt, workedMs: 3 * MINUTE, estimateMinutes: 30 })]);
  expect(row("a").querySelector("time")?.textContent).toBe("5 of 30 min");
});

test("a row is said in a sentence", async () => {
  await openSession("s", waiting());
  expect(row("c").getAttribute("aria-label")).toBe("3. Step c: to do, low priority, waits for 2");
  expect(row("a").getAttribute("aria-label")).toBe("1. Step a: completed");
});

test("what a step waits for is pointed out and gone to, and its details say what needs it", async () => {
  await openSession("s", waiting());
  const link = button("waits for 2", row("c"));
  await user.hover(link);
  expect(row("b").classList).toContain("pointed");
  expect(row("a").classList).not.toContain("pointed");
  await user.unhover(link);
  expect(row("b").classList).not.toContain("pointed");
  await user.click(link);
  expect(document.activeElement).toBe(row("b"));
  await user.keyboard("i");
  const details = screen.getByRole("group", { name: "Details of step 2" });
  expect(details.textContent).toMatch(/Needed by\s*3\s*Step c/);
  await user.click(button(/^3\s*Step c$/, details));
  expect(document.activeElement).toBe(row("c"));
});

test("the details mark a step, move it and delete it", async () => {
  const desk = await openSession();
  row("c").focus();
  await user.keyboard("i");
  const details = screen.getByRole("group", { name: "Details of step 3" });
  await select(user, within(details).getByLabelText("Status"), "blocked");
  expect(lastChange(desk)).toMatchObject({ type: "todo.setStatus", fields: { uid: "c", status: "blocked" } });
  await vi.waitFor(() => expect(row("c").dataset.status).toBe("blocked"));
  expect(button("Move down", details).hasAttribute("disabled")).toBe(true);
  await user.click(button("Move up", details));
  await vi.waitFor(() => expect(shown()).toEqual(["a", "c", "b", "b1"]));
  await user.click(button("Delete step", details));
  await vi.waitFor(() => expect(shown()).toEqual(["a", "b", "b1"]));
});

test("what was overridden may be let be, where it counts among what needs the user", async () => {
  const edits = [edit("c", { kind: "set", state: "overridden", text: "Step c" })];
  const desk = await openSession("s", undefined, {
    edits,
    needs: [need("overridden", { uid: "c", editId: "edit-c", text: "Step c" })],
  });
  await user.click(button("Dismiss: “Step c”", row("c")));
  expect(lastChange(desk)).toEqual({
    type: "need.dismiss",
    fields: { sessionId: "s", needId: "need-overridden", dismissed: true },
  });
  await user.click(await screen.findByRole("button", { name: "Undo" }));
  expect(lastChange(desk)?.fields).toMatchObject({ dismissed: false });
});

test("the band says what no row says, once, and leads to the rows that say theirs", async () => {
  await openSession("s", undefined, {
    state: "waiting",
    stateReason: "Run the tests?",
    folder: "/home/me/code/app",
    edits: [edit("c", { kind: "set", state: "ignored", text: "Step c", detail: "status skipped" })],
    needs: [
      need("ignored", { id: "c", uid: "c", editId: "edit-c", text: "Step c" }),
      need("waiting", { text: "Run the tests?" }),
      need("blocked", { uid: "b1", text: "Step b1" }),
      need("ignored", { id: "gone", uid: "zz", text: "A step that is gone" }),
    ],
  });
  const band = main().getByRole("region", { name: "Needs you here" });
  expect(within(band).getByText("Run the tests?")).toBeTruthy();
  expect(main().getAllByText("Run the tests?")).toHaveLength(1);
  expect(band.textContent).not.toContain("A step that is gone");
  expect(button("Go to terminal", band)).toBeTruthy();
  expect(button("Open terminal", band)).toBeTruthy();
  const unfollowed = button("Step 3: your edit wasn’t followed", band).closest("li")?.textContent;
  expect(unfollowed).toContain("You changed “Step c”: status skipped");
  expect(unfollowed).toContain("codex received it, but hasn’t followed it.");
  await user.click(button("Step 2.1 is blocked", band));
  expect(document.activeElement).toBe(row("b1"));
});

test("an agent whose list stands still is asked for it", async () => {
  const desk = await openSession("s", undefined, {
    drifts: true,
    callsSinceList: 23,
    needs: [need("drift")],
  });
  expect(main().getAllByText("23 calls since the list changed")).toHaveLength(1);
  await user.click(button("Ask for an updated list"));
  expect(lastChange(desk)).toMatchObject({ type: "note.send", fields: { sessionId: "s" } });
});

test("a list that was cleared is brought back from where it was", async () => {
  await openSession();
  await user.click(button("Clear list"));
  await user.click(await main().findByRole("button", { name: "Restore the list" }));
  await vi.waitFor(() => expect(shown()).toEqual(["a", "b", "b1", "c"]));
});

test("an empty list says what can be done about it", async () => {
  await openSession("s", [], { edits: [], listState: "never-called", revision: 0 });
  expect(main().getByText("Add a step, delivered on its first call.")).toBeTruthy();
  expect(main().getByText(/^delivered on its first call · connected /)).toBeTruthy();
});

test("a change of one step touches its row only", async () => {
  const todos = Array.from({ length: 40 }, (_, index) => item(`n${index}`, "pending"));
  const desk = await openSession("s", todos, { edits: [] });
  const list = screen.getByRole("list", { name: "Steps" });
  const touched = new Set<string | undefined>();
  const observer = new MutationObserver((records) => {
    for (const { target } of records) {
      const at = target instanceof Element ? target : target.parentElement;
      touched.add(at?.closest<HTMLElement>("[data-uid]")?.dataset.uid);
    }
  });
  observer.observe(list, { subtree: true, childList: true, characterData: true, attributes: true });
  desk.write("s", todos.with(7, { ...(todos[7] as (typeof todos)[0]), content: "Otherwise" }));
  await vi.waitFor(() => expect(row("n7").textContent).toContain("Otherwise"));
  observer.disconnect();
  touched.delete(undefined);
  expect([...touched]).toEqual(["n7"]);
});

test("a row is put down between those of its level", () => {
  const todos = [item("a"), item("b", "pending", { subtasks: [item("b1"), item("b2")] }), item("c")];
  const rows = toRows(todos, [], []);
  const uids = (uid: string) =>
    besides(rows, rows.find((each) => each.item.uid === uid) as (typeof rows)[0]).map(
      (each) => each.item.uid,
    );
  expect(uids("a")).toEqual(["a", "b", "c"]);
  expect(uids("b2")).toEqual(["b1", "b2"]);
  const blocks = [
    { top: 0, bottom: 40 },
    { top: 40, bottom: 120 },
  ];
  expect([-9, 19, 21, 79, 81, 999].map((y) => placeAt(blocks, y))).toEqual([0, 0, 1, 1, 2, 2]);
});
