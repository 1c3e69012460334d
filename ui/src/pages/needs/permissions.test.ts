import { cleanup, render, screen, within } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { Failure } from "../../backend/backend";
import type { Permission, Rights } from "../../protocol/types";
import { Desk } from "../../testing/desk";
import { withBrowser } from "../../testing/page";
import { permission, permissionNeed } from "../../testing/permissions";
import { item, need, session } from "../../testing/samples";
import Window from "../../window/Window.svelte";

const user = userEvent.setup();

withBrowser();

function put(desk: Desk, ...asked: Permission[]): void {
  desk.permissions.permissions.push(...asked);
  for (const id of new Set(asked.map(({ sessionId }) => sessionId))) {
    const needs = desk.permissions.permissions
      .filter(({ sessionId, state }) => sessionId === id && state === "open")
      .map(permissionNeed);
    desk.put(session(id, [item("a")], { state: "waiting", needs }));
  }
}

async function open(asked: Permission[], rights?: Rights): Promise<Desk> {
  const desk = new Desk([]);
  desk.rights = rights;
  put(desk, ...asked);
  location.hash = "#/needs";
  render(Window, { backend: desk });
  await screen.findByRole("heading", { name: "Needs you", level: 1 });
  await screen.findAllByRole("group", { name: /^Permission: / });
  return desk;
}

const card = (): HTMLElement => screen.getByRole("group", { name: /^Permission: / });
const button = (name: string): HTMLElement =>
  within(card()).getByRole("button", { name: new RegExp(`^${name}: `) });
const answers = (desk: Desk) =>
  desk.calls.filter(({ type }) => type === "permission.answer").map(({ fields }) => fields);
/** Long enough after it appeared. */
const ready = () => vi.waitFor(() => expect(button("Allow").getAttribute("aria-disabled")).toBeNull());
const edits = (): HTMLElement => screen.getByRole("list", { name: /^Against your edits/ });
const shown = (): string[] =>
  [...document.querySelectorAll<HTMLElement>("[data-need]")].map(
    ({ dataset }) => `${dataset.need?.split(" ")[0]}${dataset.settled === undefined ? "" : " settled"}`,
  );
const cards = (): HTMLElement[] => screen.getAllByRole("group", { name: /^Permission: / });
const allowButtons = (): HTMLElement[] => screen.getAllByRole("button", { name: /^Allow: / });
const field = () => screen.findByLabelText<HTMLTextAreaElement>("Message to the model");
const own = (of: string) => screen.findByLabelText<HTMLInputElement>(`Your own answer: ${of}`);
const IT = { sessionId: "s", permissionId: "p1" };

test("all that is asked is shown, with hidden characters by their numbers, and the exact text on request", async () => {
  await open([
    permission({
      command: "rm -rf \u202Egnp.x",
      input: '{"command":"rm -rf \\u202Egnp.x","timeout":1}',
      alone: true,
      narrowest: { kind: "input", input: "rm -rf \u202Egnp.x" },
    }),
  ]);
  await vi.waitFor(() => expect(card().textContent).toContain("rm -rf <U+202E>gnp.x"));
  for (const words of [
    "codex · project-s · main",
    "Wants to run a command",
    "Bash",
    "timeout",
    "in /home/me/billing",
    "left, then its terminal asks",
    "Its terminal shows nothing until then.",
    "For this session: Bash with exactly rm -rf <U+202E>gnp.x.",
  ]) {
    expect(card().textContent).toContain(words);
  }
  expect(screen.queryByRole("group", { name: /^Arguments as JSON/ })).toBeNull();
  await user.click(within(card()).getByRole("button", { name: "Show exact arguments" }));
  expect(screen.getByRole("group", { name: /^Arguments as JSON/ }).textContent).toBe(
    '{"command":"rm -rf \\u202Egnp.x","timeout":1}',
  );
});

test("a change of a file is shown as a difference", async () => {
  const { command: _, ...more } = permission();
  const input = JSON.stringify({ file_path: "/w/a.rs", old_string: "one", new_string: "two" });
  await open([{ ...more, tool: "Edit", input, narrowest: { kind: "input", input } }]);
  await screen.findByText("/w/a.rs");
  expect(card().querySelector("del")?.textContent).toContain("one");
  expect(card().querySelector("ins")?.textContent).toContain("two");
});

test("it is allowed, and what became of it is said", async () => {
  const desk = await open([permission()]);
  await vi.waitFor(ready);
  await user.click(button("Allow"));
  expect(answers(desk)).toEqual([{ ...IT, allow: true }]);
  await screen.findByText("Allowed: Bash.", { selector: "bdi" });
  await vi.waitFor(() => expect(card().textContent).toContain("Allowed"));
  expect(button("Deny").getAttribute("aria-disabled")).toBe("true");
  await user.hover(screen.getByRole("heading", { name: "Needs you" }));
  expect(await screen.findByText("All clear")).toBeTruthy();
});

test("nothing is allowed in the first half second, by a key or by a click", async () => {
  const desk = await open([permission()]);
  await vi.waitFor(() => button("Allow"));
  button("Allow").focus();
  await user.keyboard("a");
  await user.keyboard("{Enter}");
  await user.click(button("Allow for this session"));
  expect(answers(desk)).toEqual([]);
  await vi.waitFor(ready);
  button("Allow").focus();
  await user.keyboard("a");
  expect(answers(desk)).toEqual([{ ...IT, allow: true }]);
});

test("for a session a rule for exactly such calls is made", async () => {
  const desk = await open([permission()]);
  await vi.waitFor(ready);
  expect(card().textContent).toContain(
    "For this session: single Bash commands that begin with cargo test -p hub.",
  );
  await user.click(button("Allow for this session"));
  const calls = { kind: "command", words: ["cargo", "test", "-p", "hub"] };
  expect(answers(desk)).toEqual([
    { ...IT, allow: true, rule: { allow: true, sessionId: "s", tool: "Bash", calls } },
  ]);
});

test("a rule is made for the first words, in this folder and for this agent, unless it is put otherwise", async () => {
  const desk = await open([permission()]);
  await vi.waitFor(ready);
  await user.click(button("Always allow…"));
  const dialog = await screen.findByRole("dialog", { name: "Always allow" });
  const words = within(dialog).getByLabelText("Command begins with");
  await user.clear(words);
  expect(dialog.textContent).toContain("Enter the first words of one plain command");
  await user.click(within(dialog).getByRole("button", { name: "Always allow" }));
  expect(answers(desk), "no rule without words").toEqual([]);
  await user.type(words, "cargo build");
  expect(dialog.textContent).toContain("This would not cover the command that the agent asks for now.");
  await user.clear(words);
  await user.type(words, "cargo test");
  expect(dialog.textContent).not.toContain("This would not cover");
  expect(dialog.textContent).toMatch(/Covers.*cargo test --verbose.*Doesn’t cover.*cargo test && rm file/s);
  await user.click(within(dialog).getByRole("radio", { name: "Any agent" }));
  await user.click(within(dialog).getByRole("button", { name: "Always allow" }));
  const calls = { kind: "command", words: ["cargo", "test"] };
  const rule = { allow: true, folder: "/home/me/billing", tool: "Bash", calls };
  expect(answers(desk)).toEqual([{ ...IT, allow: true, rule }]);
  expect(screen.queryByRole("dialog")).toBeNull();
});

test("D denies, M denies with words to the model; a letter that is typed does neither", async () => {
  const desk = await open([permission(), permission({ permissionId: "p2", sessionId: "t" })]);
  await vi.waitFor(() => expect(cards()).toHaveLength(2));
  await user.keyboard("j");
  await user.keyboard("m");
  const message = await field();
  expect(document.activeElement).toBe(message);
  await user.keyboard("add a test, and do x");
  expect(answers(desk)).toEqual([]);
  await user.keyboard("{Enter}");
  expect(answers(desk)).toEqual([{ ...IT, allow: false, message: "add a test, and do x" }]);
  await vi.waitFor(() => expect(cards()[1]?.contains(document.activeElement)).toBe(true));
  await user.keyboard("d");
  expect(answers(desk)[1]).toEqual({ sessionId: "t", permissionId: "p2", allow: false });
});

/** Goes to another page and back, and then as after a reload. */
async function* comings(desk: Desk): AsyncGenerator<void> {
  location.hash = "#/agents";
  await vi.waitFor(() => expect(screen.queryByRole("group", { name: /^Permission: / })).toBeNull());
  location.hash = "#/needs";
  yield;
  cleanup();
  render(Window, { backend: desk });
  yield;
}

test("the message of a denial stays until it is sent, also over a reload", async () => {
  const desk = await open([permission()]);
  await user.click(await vi.waitFor(() => button("Deny with a message…")));
  await user.type(await field(), "Add a test");
  for await (const _ of comings(desk)) expect((await field()).value).toBe("Add a test");
  await user.type(await field(), " first{Enter}");
  expect(answers(desk)).toEqual([{ ...IT, allow: false, message: "Add a test first" }]);
  await vi.waitFor(() => expect(sessionStorage).toHaveLength(0));
});

test("the message of a denial is gone once it is cancelled", async () => {
  await open([permission()]);
  await user.click(await vi.waitFor(() => button("Deny with a message…")));
  await user.type(await screen.findByLabelText("Message to the model"), "Add{Escape}");
  expect(screen.queryByLabelText("Message to the model")).toBeNull();
  expect(sessionStorage).toHaveLength(0);
});

test("whoever comes to the next one by itself cannot allow it in the same breath", async () => {
  const desk = await open([permission(), permission({ permissionId: "p2", sessionId: "t" })]);
  await vi.waitFor(() => {
    expect(allowButtons()).toHaveLength(2);
    for (const each of allowButtons()) expect(each.getAttribute("aria-disabled")).toBeNull();
  });
  await user.keyboard("ja");
  await vi.waitFor(() => expect(document.activeElement).toBe(allowButtons()[1]));
  await user.keyboard("a{Enter}");
  expect(answers(desk)).toEqual([{ ...IT, allow: true }]);
});

const option = (label: string) => ({ label, description: `About ${label}` });

test("a single question is answered by a click on an answer, or in own words", async () => {
  const questions = [
    { text: "Which database?", header: "Database", options: [option("SQLite"), option("Postgres")] },
  ];
  const desk = await open([
    permission({ questions }),
    permission({ permissionId: "p2", sessionId: "t", questions }),
  ]);
  const choices = await vi.waitFor(() => {
    const found = screen.getAllByRole("button", { name: /^Postgres/ });
    expect(found[0]?.getAttribute("aria-disabled")).toBeNull();
    return found;
  });
  expect(screen.queryByRole("button", { name: /^Allow/ }), "there is nothing to allow").toBeNull();
  await user.click(choices[0] as HTMLElement);
  expect(answers(desk)).toEqual([{ ...IT, allow: true, answers: [["Postgres"]] }]);
  await user.type(screen.getAllByLabelText("Your own answer: Database")[1] as HTMLElement, "DuckDB{Enter}");
  expect(answers(desk)[1]).toMatchObject({ permissionId: "p2", answers: [["DuckDB"]] });
});

test("of several questions each is ticked, and then all are answered", async () => {
  const questions = [
    { text: "Which?", options: [option("A"), option("B")] },
    { text: "What else?", options: [option("C"), option("D")], multiple: true },
  ];
  const desk = await open([permission({ questions })]);
  const choice = await screen.findByRole("radio", { name: /^B/ });
  await vi.waitFor(() => expect(choice.getAttribute("aria-disabled")).toBeNull());
  await user.click(choice);
  const answer = screen.getByRole("button", { name: "Answer" });
  expect(answer.hasAttribute("disabled"), "one is left").toBe(true);
  await user.click(screen.getByRole("checkbox", { name: /^C/ }));
  await user.click(screen.getByRole("checkbox", { name: /^D/ }));
  await user.click(answer);
  expect(answers(desk)).toEqual([{ ...IT, allow: true, answers: [["B"], ["C", "D"]] }]);
});

test("an answer in own words stays until it is sent, also over a reload", async () => {
  const questions = [
    { text: "Which?", options: [option("A"), option("B")] },
    { text: "What else?", options: [option("C"), option("D")] },
  ];
  const desk = await open([permission({ questions })]);
  await user.type(await own("Which?"), "Neither");
  await user.type(await own("What else?"), "E");
  for await (const _ of comings(desk)) {
    expect([(await own("Which?")).value, (await own("What else?")).value]).toEqual(["Neither", "E"]);
  }
  await user.type(await own("What else?"), "!{Enter}");
  expect(answers(desk)).toEqual([{ ...IT, allow: true, answers: [["Neither"], ["E!"]] }]);
  await vi.waitFor(() => expect(sessionStorage).toHaveLength(0));
});

test("an answer that comes too late is told kindly, and what became of it", async () => {
  const desk = await open([permission()]);
  await vi.waitFor(ready);
  desk.permissions.settle("p1", { state: "elsewhere" });
  await user.click(button("Deny"));
  await screen.findByText("No answer needed any more: it was answered elsewhere, or timed out.", {
    selector: "bdi",
  });
  desk.put(session("s", [item("a")]));
  await vi.waitFor(() => expect(card().textContent).toContain("Answered in its terminal"));
});

test("why an answer was refused is told", async () => {
  const desk = await open([permission()]);
  await vi.waitFor(ready);
  desk.refusal = new Failure("STORAGE", "the disk is full");
  await user.click(button("Allow"));
  const said = "Not answered: the disk is full";
  expect(await screen.findByText(said, { selector: "bdi" })).toBeTruthy();
});

test("without the right to answer the buttons say why they cannot be used", async () => {
  const desk = await open([permission()], "edit");
  const allow = await vi.waitFor(() => button("Allow"));
  expect(allow.hasAttribute("disabled")).toBe(true);
  const why = document.querySelector(`#${CSS.escape(allow.getAttribute("aria-describedby") ?? "")}`);
  expect(why?.textContent).toContain("This page may not answer agents.");
  button("Deny").parentElement?.focus();
  await user.keyboard("ja");
  expect(answers(desk)).toEqual([]);
});

test("details are looked up once for all that wait", async () => {
  const desk = await open([permission(), permission({ permissionId: "p2", sessionId: "t" })]);
  await vi.waitFor(() => expect(screen.getAllByRole("button", { name: /^Allow: / })).toHaveLength(2));
  expect(
    desk.calls.filter(({ type, fields }) => type === "permission.list" && !("sessionId" in fields)),
  ).toHaveLength(1);
});

test("there are three groups, and each can be dismissed whole and brought back", async () => {
  const desk = await open([permission()]);
  desk.put(
    session("o", [], { needs: [need("overridden", { text: "Step" }), need("ignored", { text: "Other" })] }),
  );
  desk.put(session("d", [], { needs: [need("drift", { since: "2026-11-19T09:00:00Z" })] }));
  await vi.waitFor(() =>
    expect(
      screen.getAllByRole("heading", { level: 2 }).map(({ textContent }) => textContent?.trim()),
    ).toEqual(["Blocked on you 1", "Against your edits 2", "Health 1"]),
  );
  await user.click(screen.getByRole("button", { name: "Dismiss all: Against your edits" }));
  await vi.waitFor(() =>
    expect(
      within(edits())
        .getAllByRole("listitem")
        .map(({ textContent }) => textContent),
    ).toEqual([expect.stringContaining("Dismissed"), expect.stringContaining("Dismissed")]),
  );
  await user.click(screen.getByRole("button", { name: "Undo" }));
  await vi.waitFor(() => expect(edits().textContent).not.toContain("Dismissed"));
  expect(desk.calls.filter(({ type }) => type === "need.dismiss")).toHaveLength(4);
});

test("while the pointer is at them entries stay where they are, and new ones come last", async () => {
  const desk = await open([permission()]);
  await vi.waitFor(ready);
  await user.hover(card());
  desk.put(session("z", [], { needs: [need("waiting", { since: "2026-11-19T09:00:00Z" })] }));
  desk.permissions.settle("p1", { state: "expired" });
  desk.put(session("s", [item("a")]));
  await vi.waitFor(() => expect(shown()).toEqual(["s settled", "z"]));
  await vi.waitFor(() => expect(card().textContent).toContain("No answer in time"));
  await user.hover(screen.getByRole("heading", { name: "Needs you" }));
  await vi.waitFor(() => expect(shown()).toEqual(["z"]));
});
