import { render, screen, within } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, test, vi } from "vitest";
import { Failure } from "../../backend/backend";
import type { SessionTodos } from "../../protocol/types";
import { live } from "../../shared/live.svelte";
import { Desk } from "../../testing/desk";
import { agent } from "../../testing/machine";
import { withBrowser } from "../../testing/page";
import { edit, item, need, session } from "../../testing/samples";
import Window from "../../window/Window.svelte";

const user = userEvent.setup();

withBrowser();

afterEach(() => {
  vi.useRealTimers();
});

async function open(...sessions: SessionTodos[]): Promise<Desk> {
  const desk = new Desk(sessions);
  location.hash = "#/needs";
  render(Window, { backend: desk });
  await vi.waitFor(() => expect(screen.getByRole("status").dataset.state).toBe("connected"));
  await screen.findByRole("heading", { name: "Needs you" });
  return desk;
}

const rows = (): HTMLElement[] => {
  const groups = screen.queryByRole("group", { name: "Everything that needs you" });
  return groups ? within(groups).getAllByRole("listitem") : [];
};
/** The rows that are not settled. */
const entries = (): HTMLElement[] => rows().filter(({ dataset }) => dataset.settled === undefined);
const button = (name: RegExp): HTMLElement => screen.getByRole("button", { name });
const calls = (desk: Desk, type: string) => desk.calls.filter((call) => call.type === type);

const waiting = (more: Partial<SessionTodos> = {}): SessionTodos =>
  session("w", [item("a", "in_progress")], {
    state: "waiting",
    folder: "/home/me/w",
    needs: [need("waiting", { since: "2026-11-20T14:01:00Z", text: "approval: Bash" })],
    ...more,
  });
const blocked = (): SessionTodos =>
  session("b", [item("x", "blocked", { reason: "No credentials" })], {
    needs: [need("blocked", { uid: "x", text: "Step x", since: "2026-11-20T13:00:00Z" })],
  });
const overridden = (more: Partial<SessionTodos> = {}): SessionTodos =>
  session("o", [item("y")], {
    edits: [
      edit("y", {
        editId: "e",
        kind: "set",
        text: "Step y",
        detail: "status completed",
        state: "overridden",
      }),
    ],
    needs: [need("overridden", { uid: "y", editId: "e", text: "Step y (status completed)" })],
    ...more,
  });

test("with nothing to do it is calm", async () => {
  await open(session("s", [item("a")]));
  expect(await screen.findByText("All clear")).toBeTruthy();
  expect(entries()).toHaveLength(0);
});

test("what was wanted is said in words", async () => {
  const wanted = { kind: "set", text: "Step y", state: "overridden", editId: "e" } as const;
  const detailText = { name: "change_status", params: { status: "in_progress" } };
  await open(overridden({ edits: [edit("y", { ...wanted, detail: "status in_progress", detailText })] }));
  await vi.waitFor(() => expect(entries()).toHaveLength(1));
  expect(entries()[0]?.textContent).toContain("You marked “Step y” as in progress");
});

test("each entry says whose it is, what it is and since when, longest first", async () => {
  await open(waiting(), blocked());
  await vi.waitFor(() => expect(entries()).toHaveLength(2));
  const [first, second] = entries();
  expect(first?.textContent).toMatch(/codex · project-b · main.*Blocked: Step x.*No credentials/s);
  expect(second?.textContent).toMatch(/codex · project-w · main.*Waiting for you: approval: Bash/s);
  const link = within(second as HTMLElement).getByRole("link");
  expect(link.getAttribute("href")).toBe("#/session/w");
});

test("the built-in agent is answered in its session, where one types", async () => {
  const desk = await open({ ...waiting(), agent: { name: "sightline" } });
  desk.chat.open("w");
  expect(screen.queryByRole("button", { name: /^Open terminal/ })).toBeNull();
  await user.click(await screen.findByRole("button", { name: /^Answer/ }));
  expect(location.hash).toBe("#/session/w");
  await vi.waitFor(() =>
    expect(document.activeElement).toBe(screen.getByRole("textbox", { name: "Message" })),
  );
});

test("a terminal opens where somebody waits; where that is not known, the session", async () => {
  const desk = await open(waiting());
  await user.click(await screen.findByRole("button", { name: /^Open terminal/ }));
  expect(calls(desk, "session.open").at(-1)?.fields).toEqual({ sessionId: "w", with: "terminal" });
  const { folder: _, ...placeless } = waiting();
  desk.put(placeless);
  await vi.waitFor(() => expect(screen.queryByRole("button", { name: /^Open terminal/ })).toBeNull());
  await user.click(button(/^Open session/));
  expect(location.hash).toBe("#/session/w");
});

test("its own terminal is gone to; where that cannot be, the reason is told and a new one is offered", async () => {
  const desk = await open(waiting());
  await user.click(await screen.findByRole("button", { name: /^Go to terminal/ }));
  expect(calls(desk, "session.raise").at(-1)?.fields).toEqual({ sessionId: "w" });
  const went = "Brought to the front: tmux pane %2, X11 window 0x1200007.";
  expect(await screen.findByText(went, { selector: ".hidden" })).toBeTruthy();
  desk.refusal = new Failure("UNAVAILABLE", "Wayland lets no program do that");
  await user.click(button(/^Go to terminal/));
  const said = "The agent’s terminal was not brought to the front: Wayland lets no program do that";
  expect(await screen.findByText(said, { selector: "bdi" })).toBeTruthy();
  desk.refusal = undefined;
  await user.click(button(/^Open terminal$/));
  expect(calls(desk, "session.open").at(-1)?.fields).toEqual({ sessionId: "w", with: "terminal" });
});

test("a blocked step is released or skipped right there, and that can be undone", async () => {
  const desk = await open(blocked());
  await user.click(await screen.findByRole("button", { name: /^Unblock/ }));
  expect(calls(desk, "todo.setStatus").at(-1)?.fields).toMatchObject({ uid: "x", status: "pending" });
  await screen.findByText("“Step x” is no longer blocked.", { selector: "bdi" });
  await user.click(button(/^Undo$/));
  await vi.waitFor(() => expect(calls(desk, "todo.undo")).toHaveLength(1));
  await user.click(button(/^Skip: /));
  await vi.waitFor(() =>
    expect(calls(desk, "todo.setStatus").at(-1)?.fields).toMatchObject({ status: "skipped" }),
  );
});

test("an edit that was overridden says what was wanted and what was done, and can be insisted on", async () => {
  const desk = await open(overridden());
  const [entry] = await vi.waitFor(() => {
    expect(entries()).toHaveLength(1);
    return entries();
  });
  expect(entry?.textContent).toContain("You changed “Step y”: status completed");
  expect(entry?.textContent).toContain("codex changed it back. It is now to do.");
  await user.click(button(/^Send again/));
  expect(calls(desk, "edit.insist").at(-1)?.fields).toEqual({ sessionId: "o", editId: "e" });
  await screen.findByText("Sent “Step y” again.", { selector: "bdi" });
});

test("what cannot be changed is not offered", async () => {
  await open(overridden({ readOnly: true }));
  await screen.findByRole("button", { name: /^Open session/ });
  expect(screen.queryByRole("button", { name: /^Send again/ })).toBeNull();
});

test("an agent that drifts is asked for its list, and it is said when that will be heard", async () => {
  const desk = await open(
    session("d", [item("a")], { drifts: true, callsSinceList: 23, needs: [need("drift")] }),
  );
  await screen.findByText("23 calls since the list changed");
  await user.click(button(/^Ask for an updated list/));
  expect(calls(desk, "note.send").at(-1)?.fields).toEqual({
    sessionId: "d",
    text: "Please bring your todo list up to date.",
  });
  await screen.findByText(/^project-d was asked for its list\. Delivered on its next call/, {
    selector: "bdi",
  });
});

const off = (id: string): SessionTodos =>
  session(id, [], {
    agent: { name: "claude" },
    revision: 0,
    listState: "tool-off",
    needs: [need("toolOff")],
  });

test("a list that is off is one entry for its agent, which leads to what would change", async () => {
  const desk = await open(off("a"), off("b"));
  desk.machine.agents = [agent("claude")];
  await screen.findByText(/^2 sessions show no steps/);
  expect(entries()).toHaveLength(1);
  const held: (() => void)[] = (desk.machine.held = []);
  await user.click(button(/^Connect/));
  // The page is there before it is known what would change.
  await vi.waitFor(() => expect(document.activeElement?.textContent).toBe("Agents"));
  desk.machine.held = undefined;
  for (const go of held) go();
  await vi.waitFor(() =>
    expect(calls(desk, "agents.plan").at(-1)?.fields).toEqual({ agent: "claude", change: "connect" }),
  );
  expect(location.hash).toBe("#/agents");
  await vi.waitFor(() => expect(document.activeElement?.closest('[data-agent="claude"]')).toBeTruthy());
  location.hash = "#/needs";
  await user.click(await screen.findByRole("button", { name: /^Dismiss/ }));
  const left = calls(desk, "need.dismiss").map(({ fields }) => fields.sessionId);
  expect(left.toSorted()).toEqual(["a", "b"]);
});

test("what is left as it is goes, comes back by Undo, and the focus stays in the queue", async () => {
  const desk = await open(blocked(), waiting());
  await vi.waitFor(() => expect(entries()).toHaveLength(2));
  await user.keyboard("j");
  expect(document.activeElement?.getAttribute("aria-label")).toMatch(/^Open step/);
  await user.keyboard("x");
  await vi.waitFor(() => expect(entries()).toHaveLength(1));
  expect(calls(desk, "need.dismiss").at(-1)?.fields).toEqual({
    sessionId: "b",
    needId: "blocked:1",
    dismissed: true,
  });
  await vi.waitFor(() =>
    expect(document.activeElement?.getAttribute("aria-label")).toMatch(/^Go to terminal/),
  );
  await user.click(button(/^Undo$/));
  await vi.waitFor(() => expect(entries()).toHaveLength(2));
});

const at = (day: number, hour: number, minute: number): string =>
  new Date(2026, 10, day, hour, minute).toISOString();

test("a need is put off until a time, and Undo brings it back", async () => {
  vi.useFakeTimers({ now: new Date(2026, 10, 20, 14, 10), toFake: ["Date"] });
  const desk = await open(blocked());
  const putOff = async (label: string, toast: RegExp): Promise<string> => {
    await user.click(await screen.findByRole("button", { name: /^Later: / }));
    await user.click(await screen.findByRole("menuitem", { name: label }));
    await vi.waitFor(() => expect(entries()).toHaveLength(0));
    expect(await screen.findByText(toast, { selector: "bdi" })).toBeTruthy();
    const { until, ...fields } = calls(desk, "need.dismiss").at(-1)?.fields ?? {};
    expect(fields).toEqual({ sessionId: "b", needId: "blocked:1", dismissed: true });
    await user.click(button(/^Undo$/));
    await vi.waitFor(() => expect(entries()).toHaveLength(1));
    expect(calls(desk, "need.dismiss").at(-1)?.fields).toEqual({
      sessionId: "b",
      needId: "blocked:1",
      dismissed: false,
    });
    // The faked clock goes on by what the test waits.
    return new Date(new Date(String(until)).setSeconds(0, 0)).toISOString();
  };
  expect(await putOff("In 10 minutes", /^Put off until 14:20: Blocked: Step x/)).toBe(at(20, 14, 20));
  expect(await putOff("In an hour", /^Put off until 15:10/)).toBe(at(20, 15, 10));
  expect(await putOff("Tomorrow", /^Put off until .*21.*09:00/)).toBe(at(21, 9, 0));
});

test("nothing moves while the menu of a row is open, and what was put off says so", async () => {
  const desk = await open(blocked(), overridden());
  await vi.waitFor(() => expect(entries()).toHaveLength(2));
  const [later] = screen.getAllByRole("button", { name: /^Later: / });
  later?.focus();
  await user.keyboard("{Enter}");
  await vi.waitFor(() => expect(document.activeElement?.role).toBe("menuitem"));
  desk.put({ ...overridden(), needs: [] });
  await vi.waitFor(() => expect(entries()).toHaveLength(1));
  expect(rows()).toHaveLength(2);
  await user.hover(rows()[1] ?? document.body);
  await user.keyboard("{Enter}");
  await vi.waitFor(() => expect(entries()).toHaveLength(0));
  expect(rows().map((row) => row.querySelector(".since")?.textContent)).toEqual(["Put off", "Settled"]);
});

test("who waits for an answer is not put off", async () => {
  await open(waiting());
  await screen.findByRole("button", { name: /^Dismiss: / });
  expect(screen.queryByRole("button", { name: /^Later/ })).toBeNull();
});

test("everything goes by key", async () => {
  const desk = await open(blocked(), waiting());
  await vi.waitFor(() => expect(entries()).toHaveLength(2));
  await user.keyboard("{ArrowDown}{ArrowDown}k{ArrowDown}{ArrowDown}");
  expect(entries()[1]?.contains(document.activeElement)).toBe(true);
  await user.keyboard("{Enter}");
  expect(calls(desk, "session.raise")).toHaveLength(1);
  await user.keyboard("k");
  expect(entries()[0]?.contains(document.activeElement)).toBe(true);
  await user.keyboard("jo");
  expect(location.hash).toBe("#/session/w");
});

test("what could not be done is told", async () => {
  const desk = await open(waiting());
  desk.refusal = new Failure("CONFIGURATION", "no terminal was found; name one in the settings");
  await user.click(await screen.findByRole("button", { name: /^Open terminal/ }));
  const said = "No terminal opened: no terminal was found; name one in the settings";
  expect(await screen.findByText(said, { selector: "bdi" })).toBeTruthy();
});

test("new needs are announced once, several as one sentence", async () => {
  const mentioned = vi.spyOn(live, "mention").mockImplementation(() => undefined);
  const news = () => mentioned.mock.calls.findLast(([, kind]) => kind === "needs")?.[0];
  const tell = (): string | undefined => {
    const told = news();
    return typeof told === "function" ? told() : told;
  };
  const desk = await open(waiting(), blocked());
  await vi.waitFor(() => expect(entries()).toHaveLength(2));
  expect(news(), "what was there when the window came is no news").toBeUndefined();
  desk.put(overridden());
  desk.put(session("d", [], { needs: [need("drift")] }));
  await vi.waitFor(() => expect(entries()).toHaveLength(4));
  expect(tell()).toBe("2 more need you");
  expect(tell(), "once").toBeUndefined();
  mentioned.mockClear();
  desk.put(overridden({ lastActivityAt: "2026-11-20T15:00:00Z" }));
  desk.put(session("e", [], { needs: [need("waiting", { text: "Which one?" })] }));
  await vi.waitFor(() => expect(entries()).toHaveLength(5));
  expect(tell()).toBe("codex · project-e · main needs you. Waiting for you: Which one?");
});

test("a session that failed says why; one whose file another changes as well leads to both", async () => {
  await open(
    session("f", [], { state: "failed", needs: [need("failed", { text: "Rate limit reached" })] }),
    session("u", [item("x")], {
      state: "finished",
      needs: [need("unfinished", { text: "Step x", uid: "x" })],
    }),
    session("o", [], { needs: [need("overlap", { text: "/w/src/lib.rs", otherSessionId: "f" })] }),
  );
  await vi.waitFor(() => expect(entries()).toHaveLength(3));
  const words = entries().map(({ textContent }) => textContent ?? "");
  expect(words.some((text) => text.includes("Failed: Rate limit reached"))).toBe(true);
  expect(words.some((text) => text.includes("Finished without your step: Step x"))).toBe(true);
  expect(words[2]).toContain("Another session changes the same file: /w/src/lib.rs");
  await user.click(button(/^Open other session: codex · project-o/));
  expect(location.hash).toBe("#/session/f");
});
