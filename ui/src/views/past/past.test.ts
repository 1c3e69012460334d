import { fireEvent, screen, within } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { describe, expect, test, vi } from "vitest";
import { pastRows } from "./rows";
import type { RevisionView, SessionAt } from "../../protocol/types";
import { Gateway } from "../../state/gateway.svelte";
import { Travel } from "../../state/travel.svelte";
import { Desk } from "../../testing/desk";
import { openSession, row, withBrowser } from "../../testing/page";
import { AT, item, session } from "../../testing/samples";
import { causeWords, changeCounts, workedBy } from "../../text/past";

const user = userEvent.setup();

withBrowser();

const change: RevisionView = {
  revision: 2,
  at: AT,
  actor: { kind: "agent", name: "codex", transport: "mcp" },
  cause: "todo.write",
  added: ["n"],
  changed: ["b"],
  removed: ["gone"],
};

describe("the rows of a list as it was", () => {
  const at: SessionAt = {
    session: session("s", []),
    revision: 2,
    todos: [item("a"), item("b"), item("n")],
    change,
    removed: [item("gone")],
    edits: [],
  };

  test("what a revision did stands at each row, and what it took out where it was", () => {
    const rows = pastRows(at, [item("a"), item("gone"), item("b")]);
    expect(rows.map(({ item: { uid }, mark, gone }) => [uid, mark, gone ?? false])).toEqual([
      ["a", undefined, false],
      ["gone", "removed", true],
      ["b", "changed", false],
      ["n", "added", false],
    ]);
  });

  test("where nobody knows how it was before, what is gone stands at the end", () => {
    expect(pastRows(at, undefined).map(({ item: { uid } }) => uid)).toEqual(["a", "b", "n", "gone"]);
  });

  test("it is said who made it, and how much", () => {
    expect(causeWords(change)).toBe("codex over MCP wrote the list");
    expect(causeWords({ ...change, cause: "something.new" })).toBe("codex over MCP changed the list");
    expect(changeCounts(change)).toBe("1 added, 1 changed, 1 removed");
    expect(changeCounts({ ...change, added: [], changed: [], removed: [] })).toBe("nothing changed");
  });

  test("time counts to then, and not to now", () => {
    const later = new Date(Date.parse(AT) + 90_000).toISOString();
    expect(workedBy(item("a", "in_progress", { workedMs: 1_000 }), later)).toBe(91_000);
    expect(workedBy(item("a", "completed", { workedMs: 1_000 }), later)).toBe(1_000);
    expect(workedBy(item("a"), later)).toBeUndefined();
  });
});

function travelling(): { desk: Desk; travel: Travel } {
  const desk = new Desk([session("s", [item("a")])]);
  for (let at = 2; at <= 9; at += 1) desk.write("s", [item("a", "pending", { content: `Round ${at}` })]);
  return { desk, travel: new Travel(new Gateway(desk), "s") };
}
const asked = (desk: Desk) =>
  desk.calls.filter(({ type }) => type === "session.get").map(({ fields }) => fields.revision);

describe("travelling", () => {
  test("of what is passed within a frame the last is asked for, and nothing twice", async () => {
    const { desk, travel } = travelling();
    for (const at of [8, 7, 6, 5]) travel.go(at);
    await vi.waitFor(() => expect(travel.shown?.revision).toBe(5));
    expect(asked(desk)).toEqual([5]);
    travel.go(6);
    await vi.waitFor(() => expect(travel.shown?.revision).toBe(6));
    travel.go(5);
    await vi.waitFor(() => expect(travel.shown?.revision).toBe(5));
    expect(asked(desk)).toEqual([5, 6]);
  });

  test("whoever is back at now is not shown what comes late", async () => {
    const { desk, travel } = travelling();
    const call = desk.call.bind(desk);
    const answers: (() => void)[] = [];
    vi.spyOn(desk, "call").mockImplementation(async (type, fields) => {
      await new Promise<void>((answer) => answers.push(answer));
      return call(type, fields);
    });
    travel.go(4);
    await vi.waitFor(() => expect(answers).toHaveLength(1));
    travel.go(undefined);
    answers[0]?.();
    await vi.mocked(desk.call).mock.results[0]?.value;
    await Promise.resolve();
    expect(travel.shown).toBeUndefined();
  });

  test("a revision that is not kept is told in the gateway's words", async () => {
    const { travel } = travelling();
    travel.go(77);
    await vi.waitFor(() => expect(travel.problem).toBe("There is no revision 77."));
    travel.go(3);
    await vi.waitFor(() => expect(travel.shown?.revision).toBe(3));
    expect(travel.problem).toBeUndefined();
  });

  test("the oldest that is kept is known once all are told", async () => {
    const { travel } = travelling();
    await travel.tellAll(9);
    expect([travel.isAllTold, travel.first, travel.made.size]).toEqual([true, 2, 8]);
  });
});

const count = () => document.querySelector("#timeline-count")?.textContent;
const YOU = { kind: "user", name: "you", transport: "page" } as const;

/** Everything is in view. */
class Seen {
  readonly #tell: IntersectionObserverCallback;
  constructor(tell: IntersectionObserverCallback) {
    this.#tell = tell;
  }
  observe(): void {
    this.#tell([{ isIntersecting: true } as IntersectionObserverEntry], this as never);
  }
  disconnect(): void {}
}

async function openAtThree(): Promise<Desk> {
  const a = item("a");
  const desk = await openSession("s", [a, item("b")]);
  desk.write("s", [a, item("c")]);
  desk.write("s", [item("a", "completed"), item("c")]);
  await screen.findByRole("slider");
  await vi.waitFor(() => expect(slider().max).toBe("3"));
  return desk;
}
const slider = () => screen.getByRole<HTMLInputElement>("slider", { name: "Revisions of this list" });
const pastList = () => screen.findByRole("list", { name: "Steps as they were" });

async function go(to: number): Promise<HTMLElement> {
  await fireEvent.input(slider(), { target: { value: String(to) } });
  const list = await pastList();
  await vi.waitFor(() => expect(list.dataset.past).toBe(String(to)));
  return list;
}

describe("the timeline", () => {
  test("goes back to a revision, marks what it did, and leads back to now", async () => {
    await openAtThree();
    slider().focus();
    const list = await go(2);
    const marks = [...list.querySelectorAll<HTMLElement>("[data-uid]")];
    expect(marks.map(({ dataset }) => [dataset.uid, dataset.mark])).toEqual([
      ["a", undefined],
      ["b", "removed"],
      ["c", "added"],
    ]);
    expect(marks[1]?.getAttribute("aria-label")).toContain("removed here");
    expect(document.activeElement).toBe(slider());
    expect(slider().getAttribute("aria-valuetext")).toContain(
      "Revision 2 of 3: codex over MCP wrote the list",
    );
    expect(screen.queryByRole("button", { name: "Clear list" }), "it is read only").toBeNull();
    await vi.waitFor(() => expect(location.hash).toBe("#/session/s?at=2"));
    await user.click(screen.getByRole("button", { name: "Back to now" }));
    expect(screen.queryByRole("list", { name: "Steps as they were" })).toBeNull();
    expect(row("a").dataset.status).toBe("completed");
    await vi.waitFor(() => expect(location.hash).toBe("#/session/s"));
  });

  test("how many revisions are yours changes as they are made", async () => {
    vi.stubGlobal("IntersectionObserver", Seen);
    const desk = await openAtThree();
    slider().focus();
    await vi.waitFor(() => expect(count()).toBe("2 revisions"));
    desk.write("s", [item("d")], undefined, YOU);
    await vi.waitFor(() => expect(count()).toBe("3 revisions, 1 of them yours"));
    desk.write("s", [item("e")], undefined, YOU);
    await vi.waitFor(() => expect(count()).toBe("4 revisions, 2 of them yours"));
    desk.write("s", [item("f")]);
    await vi.waitFor(() => expect(count()).toBe("5 revisions, 2 of them yours"));
  });

  test("by keys: ten at once, the ends, and Escape", async () => {
    const desk = await openAtThree();
    for (let at = 0; at < 20; at += 1) desk.write("s", [item("a", "completed", { content: `Round ${at}` })]);
    await vi.waitFor(() => expect(slider().max).toBe("23"));
    slider().focus();
    await user.keyboard("{PageDown}");
    await vi.waitFor(() => expect(slider().value).toBe("13"));
    await user.keyboard("{PageDown}{PageUp}{PageUp}");
    await vi.waitFor(() => expect(slider().value).toBe("23"));
    await go(4);
    await user.keyboard("{Escape}");
    await vi.waitFor(() => expect(slider().value).toBe("23"));
    expect(location.hash).toMatch(/^#\/session\/s/);
  });

  // H4
  test("revisions that are not kept are a gap that is named and stepped over", async () => {
    const desk = await openSession("s", [item("a")]);
    for (let at = 2; at <= 9; at += 1) desk.write("s", [item("a", "pending", { content: `Round ${at}` })]);
    desk.trim("s", 4, 6);
    await vi.waitFor(() => expect(slider().max).toBe("9"));
    slider().focus();
    const gap = "Revisions 4 to 6 are not kept";
    await vi.waitFor(() => expect(document.querySelector("#timeline-count")?.textContent).toContain(gap));
    expect(slider().getAttribute("aria-describedby")).toBe("timeline-count");
    expect(document.querySelector("#timeline-count")?.textContent).toContain("5 revisions");
    const timeline = slider().closest<HTMLElement>(".timeline");
    expect(timeline?.querySelectorAll("i")).toHaveLength(5);
    expect(timeline?.querySelectorAll(".hole")).toHaveLength(1);
    await go(7);
    await fireEvent.input(slider(), { target: { value: "6" } });
    await vi.waitFor(() => expect(slider().value).toBe("3"));
    await fireEvent.input(slider(), { target: { value: "4" } });
    await vi.waitFor(() => expect(slider().value).toBe("7"));
    expect(screen.queryByText(/There is no revision/)).toBeNull();
  });

  test("an earlier list is made the list, and that is taken back", async () => {
    const desk = await openAtThree();
    await go(1);
    await user.click(screen.getByRole("button", { name: "Restore this version" }));
    expect(desk.calls.find(({ type }) => type === "session.load")?.fields).toEqual({
      sessionId: "s",
      from: "s",
      revision: 1,
    });
    await vi.waitFor(() => expect(row("b")).toBeTruthy());
    await user.click(await screen.findByRole("button", { name: "Undo" }));
    await vi.waitFor(() => expect(row("c")).toBeTruthy());
  });

  test("a step that the list does not have any more is brought back", async () => {
    const desk = await openAtThree();
    const list = await go(1);
    expect(within(list).queryByRole("button", { name: "Restore “Step a”" })).toBeNull();
    await user.click(within(list).getByRole("button", { name: "Restore “Step b”" }));
    expect(desk.calls.findLast(({ type }) => type === "todo.restore")?.fields).toEqual({
      sessionId: "s",
      uid: "b",
    });
  });

  test("an address leads to a revision and a step in it", async () => {
    const desk = await openAtThree();
    location.hash = "#/";
    await vi.waitFor(() => expect(screen.queryByRole("slider")).toBeNull());
    desk.write("s", [item("c")]);
    location.hash = "#/session/s?at=2&step=a";
    const list = await pastList();
    await vi.waitFor(() => expect((document.activeElement as HTMLElement).dataset.uid).toBe("a"));
    expect(list.dataset.past).toBe("2");
  });
});
