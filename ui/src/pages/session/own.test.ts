import { render, screen, within } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import type { SessionTodos } from "../../protocol/types";
import { Desk } from "../../testing/desk";
import { lastCall, rows, steps, withBrowser } from "../../testing/page";
import { bareRun, ownList } from "../../testing/runs";
import { edit, item, session } from "../../testing/samples";
import Window from "../../window/Window.svelte";

const user = userEvent.setup();

withBrowser();

async function open(hash: string, ...sessions: SessionTodos[]): Promise<Desk> {
  const desk = new Desk(sessions);
  location.hash = hash;
  render(Window, { backend: desk });
  await vi.waitFor(() => expect(screen.getByRole("status").dataset.state).toBe("connected"));
  return desk;
}

const ownRows = (): HTMLElement[] => [
  ...screen
    .getByRole("list", { name: "Steps of the built-in list" })
    .querySelectorAll<HTMLElement>("[data-uid]"),
];

test("a run that only has an own list is one card, which says whose list it is", async () => {
  await open("#/", bareRun("s"), ownList("s"));
  const card = (await screen.findByRole("link", { name: /^codex · project-s, 1 of 4, / })).closest("article");
  expect(screen.getAllByRole("article")).toHaveLength(1);
  expect(card?.textContent).toContain("Doing y");
  expect(card?.textContent).toContain("built-in list (update_plan)");
  const rail = screen.getAllByRole("list", { name: "Current sessions" })[0] as HTMLElement;
  expect(within(rail).getAllByRole("link")).toHaveLength(1);
});

test("both lists are on the page of the run, ours first, each with its own progress", async () => {
  const desk = await open("#/session/s", session("s", steps()), ownList("s"));
  await vi.waitFor(() => expect(rows()).toHaveLength(4));
  expect(ownRows()).toHaveLength(4);
  expect(screen.getByRole("heading", { name: "Built-in list (update_plan)" })).toBeTruthy();
  const [ours, own] = screen.getAllByRole("progressbar");
  expect(ours?.getAttribute("aria-valuetext")).toBe("1 of 3");
  expect(own?.getAttribute("aria-valuetext")).toBe("1 of 4");
  expect(screen.getAllByLabelText("Tell the agent"), "one, for the run").toHaveLength(1);

  ownRows()[2]?.focus();
  await user.keyboard(" ");
  await vi.waitFor(() => expect(ownRows()[2]?.dataset.status).toBe("in_progress"));
  expect(lastCall(desk)).toMatchObject({ type: "todo.setStatus", fields: { sessionId: "s-own", uid: "z" } });
  await user.keyboard("{Control>}z{/Control}");
  await vi.waitFor(() =>
    expect(lastCall(desk)).toMatchObject({ type: "todo.undo", fields: { sessionId: "s-own" } }),
  );
  await user.type(screen.getByLabelText("Tell the agent"), "Hello{Enter}");
  expect(desk.calls.findLast(({ type }) => type === "note.send")?.fields.sessionId).toBe("s");
});

test("a list that cannot be changed has nothing to change it with, and says what mends that", async () => {
  const against = edit("z", { kind: "set", state: "overridden" });
  const desk = await open("#/session/s", bareRun("s"), ownList("s", { readOnly: true, edits: [against] }));
  await vi.waitFor(() => expect(rows()).toHaveLength(4));
  const main = within(screen.getByRole("main"));
  expect(main.getByText(/^Edits can’t reach/).textContent).toMatch(/^Edits can’t reach Codex here/);
  const link = main.getByRole("link", { name: "Connect its hooks" });
  expect(link.getAttribute("href")).toBe("#/agents");
  expect(main.queryByRole("textbox")).toBeNull();
  expect(main.getAllByRole("button").map((button) => button.getAttribute("aria-label"))).toEqual([
    "Board beside session",
    "Actions for project-s",
    // Tags are the user's own.
    null,
    ...[1, 2, 3, 4].map((number) => `Details of step ${number}`),
  ]);
  const before = desk.calls.length;
  rows()[0]?.focus();
  await user.keyboard(" {Enter}p{Delete}oO{Alt>}{ArrowDown}{/Alt}{Control>}z{/Control}");
  await user.dblClick(main.getByText("Step x"));
  expect(desk.calls.length).toBe(before);
  expect(main.queryByRole("textbox")).toBeNull();
  await user.keyboard("i");
  expect(await screen.findByRole("group", { name: "Details of step 1" })).toBeTruthy();
  expect(main.queryByRole("textbox")).toBeNull();
});

test("an agent without hooks is told otherwise", async () => {
  const opencode = { agent: { name: "opencode" } };
  await open("#/session/s", bareRun("s", opencode), ownList("s", { readOnly: true, ...opencode }));
  expect((await screen.findByText(/^Edits can’t reach/)).textContent).toContain(
    "Connect it for its next sessions.",
  );
});

test("as soon as our list is written it takes the place of the own one", async () => {
  const desk = await open("#/session/s", bareRun("s"), ownList("s"));
  await vi.waitFor(() => expect(rows()).toHaveLength(4));
  expect(screen.queryByRole("list", { name: "Steps of the built-in list" })).toBeNull();
  await user.type(screen.getByLabelText("Add a step"), "One more{Enter}");
  expect(desk.calls.findLast(({ type }) => type === "todo.add")?.fields.sessionId).toBe("s-own");
  desk.write("s", [item("ours")]);
  await vi.waitFor(() => expect(rows().map(({ dataset }) => dataset.uid)).toEqual(["ours"]));
  expect(ownRows()).toHaveLength(5);
});

test("the address of an own list leads to its run, also where that has to be asked for", async () => {
  const away = { current: false };
  const desk = await open("#/session/s-own", session("s", steps(), away), ownList("s", away));
  await vi.waitFor(() => expect(location.hash).toBe("#/session/s"));
  await screen.findByRole("heading", { name: "Title of s" });
  await vi.waitFor(() => expect(ownRows()).toHaveLength(4));
  const asked = desk.calls.filter(({ type }) => type === "session.get").map(({ fields }) => fields.sessionId);
  expect(asked.toSorted(), "each once").toEqual(["s", "s-own"]);
});

test("a run of long ago brings its agent's own list along", async () => {
  const away = { current: false };
  const desk = await open("#/session/s", bareRun("s", away), ownList("s", away));
  await vi.waitFor(() => expect(rows()).toHaveLength(4));
  const asked = desk.calls.filter(({ type }) => type === "session.get").map(({ fields }) => fields.sessionId);
  expect(new Set(asked)).toEqual(new Set(["s", "s-own"]));
});

test("an own list whose run is gone is a page of its own", async () => {
  await open("#/session/s-own", ownList("s"));
  await vi.waitFor(() => expect(rows()).toHaveLength(4));
  expect(location.hash).toBe("#/session/s-own");
});

test("the command bar means the list that is shown", async () => {
  await open("#/session/s", bareRun("s"), ownList("s"));
  await vi.waitFor(() => expect(rows()).toHaveLength(4));
  await user.keyboard("{Control>}k{/Control}/show{Enter}");
  expect((await screen.findByLabelText("Output")).textContent).toContain("[IN_PROGRESS] Step y");
});

test("subagents are with whom they work for, on Now and on its page", async () => {
  const sub = session("sub", [item("k", "in_progress")], { parentSessionId: "s", title: "Look for callers" });
  await open(
    "#/",
    session("young", [item("a")], { createdAt: "2026-11-20T15:00:00Z" }),
    sub,
    session("s", steps()),
  );
  const main = screen.getByRole("main");
  await vi.waitFor(() =>
    expect([...main.querySelectorAll("article h2")].map((name) => name.textContent?.trim())).toEqual([
      "project-young",
      "project-s",
    ]),
  );
  const link = within(main).getByRole("link", { name: /^codex · Look for callers, 0 of 1/ });
  expect(link.closest("article")?.querySelector("h2")?.textContent).toContain("project-s");
  location.hash = "#/session/s";
  const list = await screen.findByRole("list", { name: "Subagents" });
  await user.click(within(list).getByRole("link", { name: /^codex · Look for callers, 0 of 1/ }));
  await screen.findByRole("heading", { name: "Look for callers" });
  const parent = within(screen.getByRole("main")).getByRole("link", { name: "Title of s" });
  expect(parent.getAttribute("href")).toBe("#/session/s");
});

test("a card and its page say the truth about a list that is not there", async () => {
  await open(
    "#/",
    bareRun("never", { listState: "never-called" }),
    bareRun("off", { listState: "tool-off", agent: { name: "claude" } }),
    bareRun("empty", { listState: "known-empty", revision: 2 }),
    bareRun("unknown"),
  );
  const words = [
    "Connected, no list yet",
    "No list: its todo tool is off",
    "The list is empty",
    "No list yet",
  ];
  await screen.findByText(words[0] as string);
  for (const each of words) expect(screen.getByText(each).closest("article")).toBeTruthy();
  const connect = screen.getByRole("link", { name: "Connect" });
  expect(connect.getAttribute("href")).toBe("#/agents");
  location.hash = "#/session/off";
  expect(await screen.findByRole("link", { name: "Connect Claude Code" })).toBeTruthy();
});

test("drift and reasons are told on the card and on the page", async () => {
  const drifting = session("s", steps(), { drifts: true, callsSinceList: 23 });
  const failed = session("f", steps(), { state: "failed", stateReason: "limit\u0007 <b>reached</b>" });
  const calm = session("c", steps(), { callsSinceList: 9 });
  await open("#/", drifting, failed, calm);
  expect(await screen.findAllByText("23 calls since the list changed")).toHaveLength(1);
  expect(screen.queryByText(/9 calls/)).toBeNull();
  expect(screen.getByText("Failed: limit\u2407 <b>reached</b>")).toBeTruthy();
  location.hash = "#/session/s";
  expect(await screen.findByText("23 calls since the list changed")).toBeTruthy();
  location.hash = "#/session/f";
  expect((await screen.findByText("limit\u2407 <b>reached</b>")).closest(".failed")?.textContent).toMatch(
    /^\s*failed/,
  );
});

test("a list that takes no edits offers a message in its agent's chat, with its beginning", async () => {
  const agent = { name: "tek" };
  const run = bareRun("s", { agent, prompts: true, connected: true });
  const desk = await open("#/session/s", run, ownList("s", { agent, readOnly: true }));
  await vi.waitFor(() => expect(rows()).toHaveLength(4));
  await user.click(await screen.findByRole("button", { name: "Ask for a change" }));
  const field = screen.getByLabelText<HTMLInputElement>("Tell the agent");
  await vi.waitFor(() => expect(document.activeElement).toBe(field));
  expect(field.value).toBe("Please change your todo list: ");
  await user.type(field, "fix first{Enter}");
  const fields = { sessionId: "s", text: "Please change your todo list: fix first" };
  await vi.waitFor(() =>
    expect(desk.calls.filter(({ type }) => type === "note.send")).toMatchObject([{ fields }]),
  );
});
