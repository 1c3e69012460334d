import { fireEvent, render, screen, within } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { arrange, arrangeHits } from "../../state/arrange";
import { mean, sumUp } from "./insight";
import type { Message } from "../../backend/backend";
import type { HourOfWork, Session } from "../../protocol/types";
import { Archive } from "../../state/archive.svelte";
import { filterOf, historyAddress, readAsked } from "../../state/asked";
import { Gateway } from "../../state/gateway.svelte";
import { present, searchHit } from "../../testing/archive";
import { Desk } from "../../testing/desk";
import { Measured } from "../../testing/measured";
import { select, withBrowser } from "../../testing/page";
import { AT, session } from "../../testing/samples";
import { dayWords, whenWords } from "../../text/history";
import Window from "../../window/Window.svelte";

const user = userEvent.setup();
const NOW = Date.parse(AT);
const DAY = 86_400_000;

withBrowser();

beforeEach(() => {
  vi.stubGlobal("ResizeObserver", Measured);
});

function past(id: string, ago: number, more: Partial<Session> = {}): Session {
  const lastActivityAt = new Date(NOW - ago).toISOString();
  const { todos: _, edits: __, ...told } = session(id, []);
  return { ...told, current: false, state: "finished", lastActivityAt, createdAt: lastActivityAt, ...more };
}

const ids = (lines: { id: string }[]): string[] => lines.map(({ id }) => id);

describe("the lines", () => {
  test("current ones first, then by day, and of each day by project", () => {
    const lines = arrange(
      [
        past("now", 0, { current: true }),
        past("a", 60_000, { project: "x" }),
        past("b", 120_000, { project: "y" }),
        past("c", 180_000, { project: "x" }),
        past("d", 2 * DAY, { project: "x" }),
      ].map(present),
      true,
    );
    expect(ids(lines)).toEqual(["now", "a", "c", "b", "d"]);
    expect(lines.map(({ heading }) => heading && [heading.is, "count" in heading && heading.count])).toEqual([
      ["current", 1],
      ["day", 3],
      undefined,
      undefined,
      ["day", 1],
    ]);
    expect(lines.map(({ isSameProject }) => isSameProject)).toEqual([false, false, true, false, false]);
  });

  test("a day that may go on is not counted", () => {
    const [line] = arrange([present(past("a", 0))], false);
    expect(line?.heading).toMatchObject({ is: "day", count: undefined });
  });

  test("what comes later moves nothing that is far above", () => {
    const many = Array.from({ length: 300 }, (_, at) =>
      present(past(`s${at}`, at, { project: `p${at % 7}` })),
    );
    const before = ids(arrange(many.slice(0, 200), false)).slice(0, 100);
    expect(ids(arrange(many, false)).slice(0, 100)).toEqual(before);
  });

  test("what was found stays in the order in which it came, titles apart from steps", () => {
    const found = [searchHit(past("a", 0), "T"), searchHit(past("b", DAY), "T", { uid: "u" })];
    const lines = arrangeHits(found);
    expect(lines.map(({ id, heading }) => [id, heading?.is])).toEqual([
      ["a ", "titles"],
      ["b u", "steps"],
    ]);
  });

  test("a current one says when it was heard of under its heading, and that it is current as a hit", () => {
    const waiting = past("w", 2 * DAY, { current: true });
    const [line] = arrange([present(waiting)], true);
    expect(line && whenWords(line, NOW)).toBe("2 days ago");
    const [hit] = arrangeHits([searchHit(waiting, "T")]);
    expect(hit && whenWords(hit, NOW)).toBe("current");
  });

  test.each([
    [0, "Today"],
    [DAY, "Yesterday"],
    [3 * DAY, "Tuesday 17 November"],
    [400 * DAY, "Thu, 16 October 2025"],
  ])("a day %d ms ago is %s", (ago, words) => {
    expect(dayWords(new Date(NOW - ago).toISOString(), NOW)).toBe(words);
  });
});

test("what is asked for stands in the address, and comes back from it", () => {
  const asked = { q: "a b&c", agent: "codex", state: "failed", unfinished: true, days: 7 } as const;
  expect(readAsked(historyAddress(asked).split("?")[1] ?? "")).toEqual(asked);
  expect(historyAddress({ q: "" })).toBe("#/history");
  expect(readAsked("state=odd&days=99&q=x")).toEqual({ q: "x" });
});

test("a day begins at midnight where the user is", () => {
  const midnight = new Date(NOW);
  midnight.setHours(0, 0, 0, 0);
  expect(filterOf({ q: "x", days: 1, agent: "a" }, NOW)).toEqual({
    agent: "a",
    since: midnight.toISOString(),
  });
});

const archiveOf = (sessions: Session[]): { desk: Desk; archive: Archive } => {
  const desk = new Desk([]);
  desk.archive.sessions = sessions;
  return { desk, archive: new Archive(new Gateway(desk)) };
};
const asks = (desk: Desk): number => desk.calls.filter(({ type }) => type === "archive.lists").length;

describe("the archive", () => {
  test("a page that is short has a next one all the same", async () => {
    const all = Array.from({ length: 500 }, (_, at) =>
      past(`s${at}`, at, { agent: { name: at < 400 ? "codex" : "qwen" } }),
    );
    const { archive } = archiveOf(all);
    archive.look({ q: "", agent: "qwen" });
    await vi.waitFor(() => expect(archive.lists.length).toBeGreaterThan(0));
    for (let page = 0; page < 9 && !archive.isOver; page += 1) {
      // oxlint-disable-next-line no-await-in-loop
      await archive.more();
    }
    expect(archive.lists).toHaveLength(100);
    expect(archive.isOver).toBe(true);
  });

  test("more is asked for once, and nothing is shown twice", async () => {
    const { desk, archive } = archiveOf(Array.from({ length: 100 }, (_, at) => past(`s${at}`, at)));
    archive.look({ q: "" });
    await vi.waitFor(() => expect(archive.lists).toHaveLength(60));
    // One came in before the others meanwhile.
    desk.archive.sessions = [past("new", 0), ...desk.archive.sessions];
    await Promise.all([archive.more(), archive.more()]);
    expect(asks(desk)).toBe(2);
    expect(new Set(archive.lists.map(({ listId }) => listId)).size).toBe(archive.lists.length);
    expect(archive.lists).toHaveLength(100);
  });

  test("the answer to the newest question wins, whichever comes last", async () => {
    const { desk, archive } = archiveOf([past("a", 0, { title: "abc" }), past("b", 1, { title: "ab" })]);
    desk.archive.held = [];
    archive.look({ q: "ab" });
    archive.look({ q: "abc" });
    await vi.waitFor(() => expect(desk.archive.held).toHaveLength(2));
    const [first, second] = desk.archive.held;
    second?.();
    await vi.waitFor(() => expect(archive.results.map(({ sessionId }) => sessionId)).toEqual(["a"]));
    first?.();
    await Promise.resolve();
    expect(archive.results).toHaveLength(1);
    expect(archive.shown?.q).toBe("abc");
  });

  test("while somebody types, not every letter is asked for", async () => {
    const { desk, archive } = archiveOf([past("a", 0, { title: "abcdef" })]);
    for (const q of ["a", "ab", "abc", "abcd", "abcde"]) archive.look({ q });
    await vi.waitFor(() => expect(archive.shown?.q).toBe("abcde"));
    expect(desk.calls.map(({ fields }) => fields.query)).toEqual(["a", "abcde"]);
  });
});

async function openPage(sessions: Session[], address = "#/history"): Promise<Desk> {
  const desk = new Desk([]);
  desk.archive.sessions = sessions;
  location.hash = address;
  render(Window, { backend: desk });
  await screen.findByRole("heading", { name: /History|Insight/, level: 1 });
  return desk;
}
const line = (name: RegExp) => screen.findByRole("link", { name });
const field = () => screen.getByRole("textbox", { name: "Search every list" });
const message = () => screen.getByRole("region", { name: "Message" }).textContent;

describe("the page", () => {
  test("says that there is nothing yet, and what will be", async () => {
    await openPage([]);
    expect(await screen.findByRole("heading", { name: "No lists yet" })).toBeTruthy();
    expect(screen.queryByRole("button", { name: "Show all lists" })).toBeNull();
  });

  test("what is typed is searched for, marked, and kept in the address; nothing found leads back to all", async () => {
    await openPage([past("a", 0, { title: "Fix the parser now" }), past("b", 1)]);
    await user.type(field(), "parser");
    // Before the search there is a line of that name, too.
    await vi.waitFor(() => {
      const hit = screen.getByRole("link", { name: /Fix the parser now/ });
      expect(hit.querySelector("mark")?.textContent).toBe("parser");
    });
    expect(location.hash).toBe("#/history?q=parser");
    await user.type(field(), '"(');
    expect(await screen.findByRole("heading", { name: "Nothing found" })).toBeTruthy();
    expect(screen.queryByRole("alert")).toBeNull();
    await user.click(screen.getByRole("button", { name: "Show all lists" }));
    expect(await line(/Title of b/)).toBeTruthy();
    expect(location.hash).toBe("#/history");
  });

  test("a filter is a place of its own", async () => {
    const desk = await openPage([past("a", 0), past("b", 1, { agent: { name: "qwen" } })]);
    await line(/Title of a/);
    await select(user, screen.getByLabelText("Agent"), "Qwen Code");
    await vi.waitFor(() => expect(screen.queryByRole("link", { name: /Title of a/ })).toBeNull());
    expect(location.hash).toBe("#/history?agent=qwen");
    expect(desk.calls.findLast(({ type }) => type === "archive.lists")).toMatchObject({
      fields: { filter: { agent: "qwen" } },
    });
  });

  test("arrows go from line to line, x picks, and what is deleted can be brought back", async () => {
    const desk = await openPage([past("a", 0), past("b", 1), past("c", 2)]);
    (await line(/Title of a/)).focus();
    await user.keyboard("{ArrowDown}x{Shift>}{ArrowDown}{/Shift}");
    await vi.waitFor(async () => expect(document.activeElement).toBe(await line(/Title of c/)));
    const bar = screen.getByRole("toolbar");
    expect(bar.textContent).toContain("2 selected");
    await user.click(within(bar).getByRole("button", { name: "Delete" }));
    await vi.waitFor(() => expect(desk.archive.sessions.map(({ sessionId }) => sessionId)).toEqual(["a"]));
    expect(message()).toContain("2 lists deleted");
    await user.click(screen.getByRole("button", { name: "Undo" }));
    expect(await line(/Title of c/)).toBeTruthy();
    expect(desk.archive.deleted).toEqual([]);
  });

  test("the menu of a line opens, selects, exports and deletes it, or all that are selected with it", async () => {
    const desk = await openPage([past("a", 0), past("b", 1), past("c", 2)]);
    const open = async (name: RegExp): Promise<HTMLElement> => {
      expect(await fireEvent.contextMenu(await line(name), { button: 2 })).toBe(false);
      return screen.findByRole("menu", { name: /^Actions for Title of / });
    };
    const choose = async (menu: HTMLElement, name: string): Promise<void> =>
      user.click(within(menu).getByRole("menuitem", { name }));
    const menu = await open(/Title of a/);
    const labels = within(menu).getAllByRole("menuitem");
    expect(labels.map((entry) => entry.querySelector(".rest")?.textContent)).toEqual([
      "Open",
      "Select",
      "Export",
      "Delete",
    ]);
    await choose(menu, "Select");
    await vi.waitFor(() => expect(screen.queryByRole("menu")).toBeNull());
    (await line(/Title of a/)).focus();
    await user.keyboard("{ArrowDown}x");
    await choose(await open(/Title of c/), "Delete");
    await vi.waitFor(() => expect(desk.archive.sessions).toHaveLength(2));
    expect(screen.getByRole("toolbar").textContent).toContain("2 selected");
    await choose(await open(/Title of b/), "Delete");
    await vi.waitFor(() => expect(desk.archive.sessions).toEqual([]));
  });

  test("a list that has ended is a line of its own, opened at its revision, exported and deleted by itself", async () => {
    const ended = {
      listId: "list-1",
      session: past("a", 0),
      ended: {
        listId: "list-1",
        title: "Write the lexer",
        progress: { completed: 1, total: 4, fraction: 0.25 },
        firstRevision: 1,
        revision: 7,
        createdAt: new Date(NOW - 2 * DAY).toISOString(),
        endedAt: new Date(NOW - DAY).toISOString(),
      },
    };
    const desk = new Desk([]);
    desk.archive.sessions = [past("a", 0)];
    desk.archive.ended = [ended];
    location.hash = "#/history";
    render(Window, { backend: desk });
    const old = await line(/Write the lexer, 1 of 4/);
    expect(old.getAttribute("href")).toBe("#/session/a?at=7");
    expect((await line(/Title of a/)).getAttribute("href")).toBe("#/session/a");
    expect(await screen.findByText("2 lists")).toBeTruthy();
    old.focus();
    await user.keyboard("x");
    await user.click(within(screen.getByRole("toolbar")).getByRole("button", { name: "Delete" }));
    await vi.waitFor(() => expect(screen.queryByRole("link", { name: /Write the lexer/ })).toBeNull());
    expect(desk.calls.find(({ type }) => type === "list.delete")?.fields).toEqual({ listId: "list-1" });
    expect(await line(/Title of a/)).toBeTruthy();
  });

  test("a list that another window deletes goes, and one that it brings back comes", async () => {
    const desk = await openPage([past("a", 0), past("b", 1)]);
    await line(/Title of a/);
    const [gone] = desk.archive.sessions.splice(0, 1);
    const { listId } = present(gone as Session);
    const { sessionId } = gone as Session;
    desk.tell({ type: "list.deleted", cursor: "db:9", sessionId, listId } as Message);
    await vi.waitFor(() => expect(screen.queryByRole("link", { name: /Title of a/ })).toBeNull());
    expect(await line(/Title of b/)).toBeTruthy();
    desk.archive.sessions.unshift(gone as Session);
    desk.tell({ type: "list.undeleted", cursor: "db:10", sessionId, listId } as Message);
    await vi.waitFor(() => expect(screen.getByRole("link", { name: /Title of a/ })).toBeTruthy(), 5_000);
  });

  test("an export says of how many sessions something is left out", async () => {
    const files: Blob[] = [];
    URL.createObjectURL = (file) => `blob:${files.push(file as Blob)}`;
    URL.revokeObjectURL = () => {};
    const click = vi.spyOn(HTMLAnchorElement.prototype, "click").mockImplementation(() => {});
    const desk = await openPage([past("a", 0), past("b", 1), past("c", 2)]);
    const saveAs = async (name: string): Promise<void> => {
      await user.click(within(screen.getByRole("toolbar")).getByRole("button", { name: "Export" }));
      await user.click(await screen.findByRole("menuitem", { name }));
    };
    (await line(/Title of a/)).focus();
    await user.keyboard("x{Shift>}{ArrowDown}{ArrowDown}{/Shift}");
    await saveAs("Markdown");
    await vi.waitFor(() => expect(message()).toMatch(/Saved as sightline-[-\d]+\.md(?!.*left out)/));
    // Two sentences of one session, one of another.
    desk.leftOut = ["a: 2 prompts", "a: 1 message", "c: 1 prompt"];
    await saveAs("Training examples (JSON Lines)");
    await vi.waitFor(() => expect(message()).toContain("Parts of 2 sessions are left out"));
    desk.leftOut = ["b: 1 prompt"];
    await saveAs("Training examples (JSON Lines)");
    await vi.waitFor(() => expect(message()).toContain("Parts of 1 session are left out"));
    expect(desk.calls.findLast(({ type }) => type === "session.export")?.fields).toEqual({
      sessionId: "a",
      and: ["b", "c"],
      format: "training",
    });
    expect(files.map(({ type }) => type)).toEqual(["text/markdown", ...Array(2).fill("application/jsonl")]);
    expect(click).toHaveBeenCalledTimes(3);
    click.mockRestore();
  });

  test("for good is asked about first", async () => {
    const desk = await openPage([past("a", 0)], "#/history?deleted");
    desk.archive.deleted = [past("z", 9, { deletedAt: AT })];
    location.hash = "#/history?deleted&unfinished";
    const gone = await screen.findByRole("group", { name: /Title of z/ });
    expect(screen.queryByRole("link", { name: /Title of z/ })).toBeNull();
    gone.focus();
    await user.keyboard("x");
    await user.click(screen.getByRole("button", { name: "Delete permanently" }));
    const dialog = await screen.findByRole("dialog", { name: "Delete 1 list permanently?" });
    expect(desk.archive.deleted).toHaveLength(1);
    await user.click(within(dialog).getByRole("button", { name: "Delete permanently" }));
    await vi.waitFor(() => expect(desk.archive.deleted).toEqual([]));
  });
});

const hour = (ago: number, agent: string, more: Partial<HourOfWork> = {}): HourOfWork => ({
  at: new Date(NOW - ago).toISOString(),
  agent,
  lists: 1,
  finished: 2,
  skipped: 0,
  reopened: 1,
  workedMs: 120_000,
  estimated: 1,
  estimatedMs: 60_000,
  actualMs: 90_000,
  ...more,
});

describe("insight", () => {
  test("hours add up to the user's days, by agent", () => {
    const summed = sumUp(
      [hour(0, "codex"), hour(3_600_000, "codex"), hour(DAY, "qwen", { finished: 9 }), hour(40 * DAY, "old")],
      7,
      NOW,
    );
    expect(summed.days).toHaveLength(7);
    expect(summed.agents).toEqual(["qwen", "codex"]);
    expect(summed.rows.map(({ agent, work }) => [agent, work.finished, work.workedMs])).toEqual([
      ["codex", 4, 240_000],
      ["qwen", 9, 120_000],
    ]);
    expect(summed.total).toMatchObject({ lists: 3, finished: 13, reopened: 3 });
  });

  test("of nothing there is no mean", () => {
    expect([mean(90, 2), mean(0, 0)]).toEqual([45, undefined]);
  });

  test("the table says the same as the chart", async () => {
    const desk = new Desk([]);
    const at = new Date().toISOString();
    desk.archive.hours = [hour(0, "codex", { at, estimated: 0, estimatedMs: 0, actualMs: 0 })];
    location.hash = "#/history/insight?days=7";
    render(Window, { backend: desk });
    const table = await screen.findByRole("table");
    const cells = [...table.querySelectorAll("tbody:last-child tr :is(th, td)")];
    expect(cells.map(({ textContent }) => textContent?.trim())).toEqual([
      "Today",
      "Codex",
      "1",
      "2",
      "1 min",
      "–none",
      "–none",
      "1",
      "0",
    ]);
    expect(screen.getByRole("img", { name: /by agent/ })).toBeTruthy();
  });
});
