import { render, screen, within } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, test, vi } from "vitest";
import { Failure } from "../../backend/backend";
import { boardOf, countOf, midnightBefore } from "../../views/run/board";
import { runLabel, waitsFor } from "../../text/runs";
import { sizeBeside, sizeFor } from "../../views/run/layout";
import type { SessionTodos } from "../../protocol/types";
import { density } from "../../state/look.svelte";
import type { Run } from "../../state/runs";
import { orderOf } from "../../testing/runs";
import { Desk } from "../../testing/desk";
import { steps, withBrowser } from "../../testing/page";
import { edit, item, need, session } from "../../testing/samples";
import Window from "../../window/Window.svelte";

const user = userEvent.setup();

withBrowser();

afterEach(() => {
  vi.useRealTimers();
  location.hash = "#/";
  density.chosen = "comfortable";
});

async function open(...sessions: SessionTodos[]): Promise<Desk> {
  const desk = new Desk(sessions);
  render(Window, { backend: desk });
  await vi.waitFor(() => expect(screen.getByRole("status").dataset.state).toBe("connected"));
  await vi.waitFor(() => expect(main().queryByText("Waiting for the gateway…")).toBeNull());
  return desk;
}

const main = () => within(screen.getByRole("main"));
const link = (id: string): HTMLElement =>
  main().getByRole("link", { name: new RegExp(`^codex · project-${id}, `) });
const calls = (desk: Desk, type: string) => desk.calls.filter((call) => call.type === type);
const listed = (name: string): string[] =>
  within(main().getByRole("list", { name }))
    .getAllByRole("link")
    .map((each) => each.closest<HTMLElement>("[data-session]")?.dataset.session ?? "");

const ids = (runs: Run[]): string[] => runs.map(({ id }) => id);
const AWAY = { current: false, connected: false, state: "finished" } as const;

test("the board has each run in its part", () => {
  const board = boardOf(
    orderOf(
      session("running", []),
      session("sub", [], { parentSessionId: "running" }),
      session("waiting", [], { state: "waiting", stateAt: "2026-11-20T14:03:00Z" }),
      session("failed", [], { state: "failed" }),
      session("idle", [], { state: "idle" }),
      session("blocked", [], { state: "idle", needs: [need("blocked")] }),
      session("over", [], { state: "finished" }),
      session("pinned", [], { ...AWAY, pinned: true }),
      session("muted", [], { muted: true }),
      session("dismissed", [], { state: "idle", dismissed: true }),
      session("today", [], { ...AWAY, lastActivityAt: "2026-11-20T09:00:00Z" }),
      session("earlier", [], { ...AWAY, lastActivityAt: "2026-11-19T09:00:00Z" }),
    ),
    "2026-11-20T00:00:00.000Z",
  );
  expect(Object.fromEntries(Object.entries(board).map(([part, runs]) => [part, ids(runs)]))).toEqual({
    pinned: ["pinned"],
    active: ["waiting", "running", "failed", "blocked"],
    idle: ["idle"],
    finished: ["over"],
    muted: ["muted"],
    today: ["today"],
    earlier: ["earlier"],
  });
  expect(countOf(board)).toBe(7);
});

test("a run whose subagent is at work is at work", () => {
  const child = session("sub", [], { parentSessionId: "s" });
  const board = boardOf(orderOf(session("s", [], { state: "idle" }), child), midnightBefore(0));
  expect(ids(board.active)).toEqual(["s"]);
});

test("how much is shown of each follows how many there are, the window and the user's wish", () => {
  const window = { width: 920, height: 670 };
  const wide = { width: 2_300, height: 1_290 };
  const phone = { width: 362, height: 650 };
  const sizes = (room: typeof window) =>
    [1, 2, 4, 6, 12, 30].map((count) => sizeFor(count, room, "comfortable"));
  expect(sizes(window)).toEqual(["page", "large", "card", "card", "small", "line"]);
  expect(sizes(wide)).toEqual(["page", "large", "large", "large", "large", "card"]);
  expect(sizeFor(8, window, "comfortable"), "three columns, all in view").toBe("small");
  expect(sizes(phone)).toEqual(["page", "card", "small", "line", "line", "line"]);
  expect(sizeFor(4, window, "compact")).toBe("small");
  expect(sizeFor(12, window, "compact")).toBe("line");
  expect(sizeBeside("large", 2)).toBe("card");
  expect(sizeBeside("card", 20)).toBe("line");
});

test("a step names those that it waits for", () => {
  const todos = [
    item("a", "completed"),
    item("b", "pending", { subtasks: [item("b1", "in_progress")] }),
    item("c", "pending", { waiting: true, dependsOnUids: ["a", "b1", "b", null] }),
  ];
  expect(todos[2] && waitsFor(todos[2], todos)).toBe("2, 2.1");
  expect(todos[0] && waitsFor(todos[0], todos)).toBeUndefined();
});

test("what is over today and what is muted stands below, out of the way", async () => {
  // At noon: no midnight comes between its end and the look at it.
  vi.useFakeTimers({ now: new Date(2026, 10, 20, 12), toFake: ["Date"] });
  const today = { ...AWAY, lastActivityAt: new Date().toISOString() };
  await open(
    session("s", steps()),
    session("done", [item("a", "completed")], today),
    session("m", [], { muted: true }),
  );
  await vi.waitFor(() => expect(listed("Finished today")).toEqual(["done"]));
  expect(listed("Running")).toEqual(["s"]);
  const muted = main().getByText(/^Muted/);
  expect(muted.closest("details")?.open).toBe(false);
});

function over(id: string, day: number): SessionTodos {
  return session(id, [], { ...AWAY, lastActivityAt: new Date(Date.now() - day * 86_400_000).toISOString() });
}

test("with nothing on the board the newest of other days are shown", async () => {
  await open(over("older", 9), over("newer", 2));
  await screen.findByText("No session is running.");
  await vi.waitFor(() => expect(listed("Earlier sessions")).toEqual(["newer", "older"]));
});

test("sessions of one project are told apart by what was asked", async () => {
  await open(session("a", steps(), { project: "api" }), session("b", steps(), { project: "api" }));
  const titles = await main().findAllByText(/^Title of [ab]$/);
  expect(titles.map((title) => title.closest("p")?.className)).toEqual(
    titles.map(() => expect.stringContaining("asked")),
  );
});

test("who waits longest stands above the board, with what settles it and the way to the others", async () => {
  const desk = await open(
    session("s", steps(), {
      state: "waiting",
      folder: "/home/me",
      needs: [need("waiting", { text: "approval: Bash" })],
    }),
    // A need that can wait comes after it, however long it has been there.
    session("b", [item("x")], { drifts: true, needs: [need("drift", { since: "2026-11-20T10:00:00Z" })] }),
  );
  const band = within(await screen.findByRole("region", { name: "Needs you" }));
  expect(band.getByText("Waiting for you: approval: Bash")).toBeTruthy();
  expect(band.getByRole("link", { name: "1 more needs you" }).getAttribute("href")).toBe("#/needs");
  await user.click(band.getByRole("button", { name: /^Go to terminal/ }));
  expect(calls(desk, "session.raise").at(-1)?.fields).toEqual({ sessionId: "s" });
});

test("of an edit that was not followed the band says what was wanted, and who went against it", async () => {
  await open(
    session("s", steps(), {
      edits: [edit("c", { kind: "set", state: "ignored", text: "Step c", detail: "status skipped" })],
      needs: [need("ignored", { uid: "c", editId: "edit-c", text: "Step c" })],
    }),
  );
  const band = await screen.findByRole("region", { name: "Needs you" });
  expect(band.textContent).toContain("You changed “Step c”: status skipped");
  expect(band.textContent).toContain("codex received it, but hasn’t followed it.");
});

test("the menu of a card has what can be done, and opens by key", async () => {
  const folder = "/home/me/s";
  const desk = await open(session("s", steps(), { folder }), session("t", steps(), { state: "idle" }));
  link("s").focus();
  await user.keyboard("{Shift>}{F10}{/Shift}");
  const menu = await screen.findByRole("menu", { name: "Actions for project-s" });
  const entries = within(menu).getAllByRole("menuitem");
  expect(entries.map(({ textContent }) => textContent?.trim())).toEqual([
    "Pin",
    "Mute",
    "Edit tags",
    "Go to terminal",
    "Open folder",
    "Open terminal here",
    "Open editor",
    "Copy resume command",
    "Copy list as Markdown",
  ]);
  await user.keyboard("{Enter}");
  expect(calls(desk, "session.mark").at(-1)?.fields).toEqual({ sessionId: "s", pinned: true });
  await screen.findByText("Pinned", { selector: ".hidden" });
  await user.click(screen.getByRole("button", { name: "Actions for project-t" }));
  const other = await screen.findByRole("menu", { name: "Actions for project-t" });
  expect(within(other).getByRole("menuitem", { name: "Dismiss" })).toBeTruthy();
  expect(within(other).queryByRole("menuitem", { name: "Open folder" })).toBeNull();
});

test("each key on a card does what its menu does", async () => {
  const desk = await open(session("s", steps(), { folder: "/home/me/s" }), session("t", steps()));
  link("s").focus();
  await user.keyboard("wote");
  expect(calls(desk, "session.raise").map(({ fields }) => fields.sessionId)).toEqual(["s"]);
  expect(calls(desk, "session.open").map(({ fields }) => fields.with)).toEqual([
    "folder",
    "terminal",
    "editor",
  ]);
  await user.keyboard("{Control>}p{/Control}x");
  expect(calls(desk, "session.mark"), "a session that runs is not dismissed").toEqual([]);
  await user.keyboard("m");
  expect(calls(desk, "session.mark").at(-1)?.fields).toEqual({ sessionId: "s", muted: true });
  await screen.findByText("project-s is muted. No notifications about it.", { selector: "bdi" });
  await vi.waitFor(() => expect(listed("Muted sessions")).toEqual(["s"]));
  await user.click(screen.getByRole("button", { name: "Undo" }));
  expect(calls(desk, "session.mark").at(-1)?.fields).toEqual({ sessionId: "s", muted: false });
});

test("a label is shared with all agents by the user's word, and taken back", async () => {
  const desk = await open(session("s", steps(), { label: "release" }), session("t", steps()));
  link("s").focus();
  await user.keyboard("l");
  expect(calls(desk, "session.mark").at(-1)?.fields).toEqual({ sessionId: "s", shared: true });
  await screen.findByText("Agents with the label “release” share this list now.", {
    selector: "bdi",
  });
  await user.click(screen.getByRole("button", { name: "Undo" }));
  expect(calls(desk, "session.mark").at(-1)?.fields).toEqual({ sessionId: "s", shared: false });
  const marks = calls(desk, "session.mark").length;
  link("t").focus();
  await user.keyboard("l");
  expect(calls(desk, "session.mark"), "there is no label to say").toHaveLength(marks);
});

const foot = (id: string) => link(id).closest("article")?.querySelector("footer");

test("a card that runs has its last call where the time of its last activity stands", async () => {
  const at = new Date(Date.now() - 125_000).toISOString();
  const lastCall = { tool: "Edit", text: "/home/me/a/src/\u202Elib.rs", at };
  await open(
    session("a", [item("x", "in_progress")], { folder: "/home/me/a", lastCall }),
    session("b", [item("y", "in_progress")]),
    session("c", [item("z", "in_progress")], { state: "idle", lastCall }),
  );
  expect(foot("a")?.textContent).toMatch(/^\s*Edit src\/\uFFFDlib\.rs · 2 min ago\s+running for /);
  expect(foot("a")?.querySelector("bdi.cut")?.textContent).toBe("Edit src/\uFFFDlib.rs");
  expect(foot("a")?.querySelectorAll("time")).toHaveLength(1);
  expect(foot("b")?.textContent).not.toContain("·");
  expect(foot("c")?.textContent).not.toContain("Edit");
});

test("what is dismissed goes until it is heard of again, and Undo brings it back", async () => {
  const desk = await open(session("s", steps(), { state: "idle" }), session("t", steps()));
  link("s").focus();
  await user.keyboard("x");
  expect(calls(desk, "session.mark").at(-1)?.fields).toEqual({ sessionId: "s", dismissed: true });
  await screen.findByText("project-s is off the board until it is active again.", { selector: "bdi" });
  await vi.waitFor(() => expect(main().queryByRole("link", { name: /project-s/ })).toBeNull());
  await user.click(screen.getByRole("button", { name: "Undo" }));
  await vi.waitFor(() => expect(link("s")).toBeTruthy());
});

test("the resume command and the list are copied", async () => {
  await open(session("s", steps()));
  link("s").focus();
  await user.keyboard("c");
  await screen.findByText(/^Copied\. Paste it into a terminal/, { selector: "bdi" });
  expect(await navigator.clipboard.readText()).toBe("cd /home/me && codex resume s");
  await user.keyboard("k");
  await screen.findByText("The list of project-s is copied as Markdown.", { selector: "bdi" });
  expect(await navigator.clipboard.readText()).toContain("1. [COMPLETED] Step a");
});

test("what is over recedes to a chip beside what is at work, and can still be pinned there", async () => {
  const desk = await open(session("s", steps(), { state: "finished" }));
  await vi.waitFor(() => expect(link("s").closest("article")).toBeTruthy());
  desk.put(session("t", steps()));
  await vi.waitFor(() => expect(link("s").closest("article")).toBeNull());
  link("s").focus();
  await user.keyboard("p");
  await vi.waitFor(() => expect(link("s").closest("article")?.querySelector(".pin")).toBeTruthy());
});

test("what could not be done is told with what to do", async () => {
  const desk = await open(session("s", steps(), { folder: "/home/me/s" }));
  desk.refusal = new Failure("CONFIGURATION", "There is no editor here.");
  link("s").focus();
  await user.keyboard("e");
  const said = "No editor opened: There is no editor here.";
  expect(await screen.findByText(said, { selector: "bdi" })).toBeTruthy();
  await user.keyboard("p");
  await screen.findByText("project-s was not changed. There is no editor here.", { selector: "bdi" });
});

test("arrow keys go from run to run, also into the next part, and a card that moves keeps the focus", async () => {
  const desk = await open(
    session("a", steps(), { createdAt: "2026-11-20T14:05:00Z" }),
    session("b", steps()),
    session("i", steps(), { state: "idle" }),
  );
  link("a").focus();
  await user.keyboard("{ArrowRight}");
  expect(document.activeElement).toBe(link("b"));
  await user.keyboard("{ArrowRight}");
  expect(document.activeElement).toBe(link("i"));
  desk.put(session("i", steps(), { state: "waiting" }));
  // "Running" would count a session that the head of the page counts among those that wait.
  await vi.waitFor(() => expect(listed("Active")).toEqual(["a", "i", "b"]));
  await vi.waitFor(() => expect(document.activeElement).toBe(link("i")));
});

const at = (minute: number) => ({ createdAt: `2026-11-20T14:0${minute}:00Z` });

test("a card is put elsewhere by key and by hand, and stays there whatever happens", async () => {
  const desk = await open(
    session("a", steps(), at(3)),
    session("b", steps(), at(2)),
    session("c", steps(), at(1)),
  );
  expect(listed("Running")).toEqual(["a", "b", "c"]);
  link("a").focus();
  await user.keyboard("{Alt>}{ArrowRight}{/Alt}");
  await vi.waitFor(() => expect(listed("Running")).toEqual(["b", "a", "c"]));
  expect(document.activeElement).toBe(link("a"));
  const target = link("b").closest("li");
  document.elementFromPoint = () => target;
  await user.pointer([
    { keys: "[MouseLeft>]", target: link("c"), coords: { x: 0, y: 0 } },
    { target: document.body, coords: { x: 40, y: 40 } },
    { keys: "[/MouseLeft]" },
  ]);
  await vi.waitFor(() => expect(listed("Running")).toEqual(["c", "b", "a"]));
  desk.put(session("a", steps(), { ...at(3), state: "waiting", lastActivityAt: "2026-11-20T15:00:00Z" }));
  await vi.waitFor(() => expect(link("a").closest("article")?.className).toContain("needs"));
  expect(listed("Active")).toEqual(["c", "b", "a"]);
  expect(localStorage.getItem("places")).toBe('["c","b","a"]');
  localStorage.removeItem("places");
});

test("compact is a choice", async () => {
  await open(session("a", steps()), session("b", steps()));
  const choice = main().getByRole("button", { name: "Dense" });
  expect(choice.getAttribute("aria-pressed")).toBe("false");
  await user.click(choice);
  expect(choice.getAttribute("aria-pressed")).toBe("true");
  expect(density.chosen).toBe("compact");
});

test("a run's label tells all that its card does to who only hears it", () => {
  const [run] = orderOf(session("s", steps(), { state: "waiting" }));
  expect(run && runLabel(run, 0)).toBe("codex · project-s, 1 of 3, waiting for you");
});

const tones = (runs: ParentNode): string[] =>
  [...runs.querySelectorAll("[data-run]")].flatMap((run) =>
    run.querySelector(".ring.active") ? [run.getAttribute("data-run") ?? ""] : [],
  );

test("one clock: the run's time and the step's agree to the second, and rail, header and cards on what runs", async () => {
  const begun = Date.parse("2026-11-20T14:02:00Z");
  vi.useFakeTimers({ now: begun + 58_400, shouldAdvanceTime: true });
  await open(
    session("a", [item("x", "in_progress")]),
    session("b", [item("y", "in_progress")], { state: "idle" }),
    session("c", [], { state: "failed" }),
  );
  const card = link("a").closest("article");
  const told = (): (string | undefined)[] => [
    card?.querySelector(".band time")?.textContent,
    /running for (.*)/.exec(card?.querySelector("footer")?.textContent ?? "")?.[1]?.trim(),
  ];
  expect(told()).toEqual(["58 s", "58 s"]);
  vi.advanceTimersByTime(700);
  await vi.waitFor(() => expect(told()).toEqual(["59 s", "59 s"]));
  vi.advanceTimersByTime(1_000);
  await vi.waitFor(() => expect(told()).toEqual(["1 min", "1 min"]));

  expect(main().getByText("1 failed · 1 running · 1 idle")).toBeTruthy();
  expect(tones(screen.getByRole("navigation"))).toEqual(["a"]);
  expect(tones(screen.getByRole("main"))).toEqual(["a"]);
});

test("a list of the user's own begins with its first step, and is opened", async () => {
  const desk = await open(session("a", []));
  await user.click(main().getByRole("button", { name: "New list" }));
  const dialog = within(await screen.findByRole("dialog", { name: "New list" }));
  await user.click(dialog.getByRole("button", { name: "Create list" }));
  expect(dialog.getByRole("alert").textContent).toBe("Enter the first step.");
  await user.type(dialog.getByLabelText("First step"), "Ask the customer");
  await user.type(dialog.getByLabelText("Label (optional)"), "x".repeat(201));
  await user.click(dialog.getByRole("button", { name: "Create list" }));
  await vi.waitFor(() => expect(dialog.getByRole("alert").textContent).toContain("1 to 200"));
  await user.clear(dialog.getByLabelText("Label (optional)"));
  await user.type(dialog.getByLabelText("Label (optional)"), "billing");
  await user.click(dialog.getByRole("button", { name: "Create list" }));
  await vi.waitFor(() => expect(location.hash).toMatch(/^#\/session\/own-/));
  expect(screen.queryByRole("dialog")).toBeNull();
  expect(calls(desk, "todo.add").at(-1)?.fields).toEqual({ content: "Ask the customer", label: "billing" });
  expect(await main().findByText("Ask the customer")).toBeTruthy();
});
