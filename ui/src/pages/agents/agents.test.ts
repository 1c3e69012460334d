import { render, screen, within } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { Failure } from "../../backend/backend";
import type { AgentSetup } from "../../protocol/types";
import { Desk } from "../../testing/desk";
import { agent, progress } from "../../testing/machine";
import { isChecked, select, withBrowser } from "../../testing/page";
import { session } from "../../testing/samples";
import Window from "../../window/Window.svelte";

const user = userEvent.setup();

withBrowser();

async function openAgents(agents: AgentSetup[], prepare: (desk: Desk) => void = () => {}): Promise<Desk> {
  const desk = new Desk([session("s", [], { folder: "/home/me/work" })]);
  desk.machine.agents = agents;
  prepare(desk);
  location.hash = "#/agents";
  render(Window, { backend: desk });
  await screen.findByRole("heading", { name: "Agents" });
  return desk;
}

const asked = (desk: Desk, type: string) =>
  desk.calls.filter((call) => call.type === type).map(({ fields }) => fields);
const button = (name: string | RegExp) => screen.getByRole("button", { name });
const panel = (name: string | RegExp) => screen.findByRole("group", { name });

async function takeFromMenu(title: string, label: string | RegExp): Promise<void> {
  await user.click(button(`More for ${title}`));
  await user.click(screen.getByRole("menuitem", { name: label }));
}

test("each agent says how it is, those that are here first", async () => {
  await openAgents([
    agent("away", { program: undefined as never, version: undefined as never }),
    agent("codex", { server: "ours", hooks: "ours", lastList: new Date().toISOString() }),
    agent("gemini", { server: "outdated", serverProblem: "it starts /old/sightline" }),
  ]);
  const rows = within(await screen.findByRole("list", { name: "Agents" })).getAllByRole("listitem");
  expect(rows.map((row) => row.querySelector("h2")?.textContent)).toEqual(["Codex", "Gemini", "Away"]);
  expect(rows[0]?.textContent).toContain("Connected, last list just now");
  expect(rows[0]?.textContent).toContain("1.2.3");
  expect(rows[1]?.textContent).toContain("it starts /old/sightline");
  expect(rows[2]?.textContent).toContain("not found");
  expect(screen.getByText("1 of 2 connected")).toBeTruthy();
  const link = screen.getByRole("link", { name: "Agents" });
  expect(link.getAttribute("aria-current")).toBe("page");
});

test("connecting shows what would change, changes it, and tests it by itself", async () => {
  const desk = await openAgents([agent("codex")]);
  desk.machine.planned.notes = ["restart Codex"];
  await user.click(await screen.findByRole("button", { name: "Connect Codex" }));
  const group = await panel("Connect Codex");
  await within(group).findByText("2 files and 1 command would change:", { exact: false });
  const added = [...group.querySelectorAll("ins code")].map((line) => line.textContent);
  expect(added).toContain("[mcp_servers.sightline]");
  expect([...group.querySelectorAll("del code")].map((line) => line.textContent)).toEqual([
    "-- not a header, a line",
  ]);
  expect(within(group).getByText("Restart Codex.")).toBeTruthy();
  expect(document.activeElement?.textContent).toBe("Connect Codex");
  expect(asked(desk, "agents.apply")).toEqual([]);

  await user.click(button("Apply"));
  await screen.findByText("The test passed.");
  expect(asked(desk, "agents.apply")).toEqual([{ planId: "plan-1" }]);
  expect(asked(desk, "agents.test")).toEqual([{ agent: "codex" }]);
  expect(screen.getByText("Codex is connected.")).toBeTruthy();
  expect(screen.getByText(/config\.toml\.sightline-backup/)).toBeTruthy();
  const steps = within(screen.getByRole("list", { name: "Steps of the test" })).getAllByRole("listitem");
  expect(steps.at(-1)?.textContent).toContain("the test list arrived after 12 ms");
  await screen.findByText("Connected, no list from it yet");
  await user.click(button("Close"));
  expect(screen.queryByRole("group", { name: /Codex/ })).toBeNull();
  expect(document.activeElement).toBe(button("Test Codex"));
});

test("what is left changes nothing, by button or by key", async () => {
  const desk = await openAgents([agent("codex")]);
  await user.click(await screen.findByRole("button", { name: "Connect Codex" }));
  await user.click(await screen.findByRole("button", { name: "Cancel" }));
  expect(screen.queryByRole("group", { name: "Connect Codex" })).toBeNull();
  await user.click(button("Connect Codex"));
  await screen.findByRole("button", { name: "Apply" });
  await user.keyboard("{Escape}");
  expect(screen.queryByRole("button", { name: "Apply" })).toBeNull();
  expect(location.hash).toBe("#/agents");
  expect(asked(desk, "agents.apply")).toEqual([]);
});

test("an answer that comes after it was left shows nothing, and one that is left can be asked for anew", async () => {
  const desk = await openAgents([agent("codex")]);
  await screen.findByRole("button", { name: "Connect Codex" });
  desk.machine.held = [];
  await user.click(button("Connect Codex"));
  await screen.findByText("Checking for changes…");
  expect(button("Connect Codex").hasAttribute("disabled")).toBe(true);
  await user.click(button("Cancel"));
  await takeFromMenu("Codex", "Connect without hooks");
  for (const go of desk.machine.held.splice(0)) go();
  desk.machine.held = undefined;
  expect(await panel("Connect Codex, without hooks")).toBeTruthy();
  await screen.findByRole("button", { name: "Apply" });
  expect(screen.getAllByRole("group", { name: /Codex/ })).toHaveLength(1);
  expect(asked(desk, "agents.plan").at(-1)).toEqual({ agent: "codex", change: "connect", noHooks: true });
});

test("the steps of a test leave the focus where it is", async () => {
  const desk = await openAgents([agent("codex", { server: "ours" })]);
  await screen.findByRole("button", { name: "Test Codex" });
  desk.machine.held = [];
  await user.click(button("Test Codex"));
  await screen.findByText("Testing the connection…");
  button("Close").focus();
  desk.tell({ type: "agents.step", agent: "codex", ok: true, what: "started it", at: 1, of: 4 });
  await screen.findByText("started it");
  expect(document.activeElement).toBe(button("Close"));
});

test("where nothing has to change it says so and offers the test", async () => {
  const desk = await openAgents([agent("codex", { server: "outdated" })]);
  desk.machine.planned.diff = "";
  await user.click(await screen.findByRole("button", { name: "Connect again Codex" }));
  await screen.findByText("Nothing to change.");
  expect(screen.queryByRole("button", { name: "Apply" })).toBeNull();
  await user.click(button("Test it"));
  await screen.findByText("The test passed.");
});

test("a file that was changed meanwhile is looked at again", async () => {
  const desk = await openAgents([agent("codex")]);
  const message = "config.toml was changed meanwhile; nothing was written. Look at the difference again";
  desk.machine.refusals["agents.apply"] = new Failure("INVALID_MESSAGE", message);
  await user.click(await screen.findByRole("button", { name: "Connect Codex" }));
  await user.click(await screen.findByRole("button", { name: "Apply" }));
  expect((await screen.findByRole("alert")).textContent).toContain(message);
  expect(asked(desk, "agents.test")).toEqual([]);
  delete desk.machine.refusals["agents.apply"];
  await user.click(button("Check again"));
  await user.click(await screen.findByRole("button", { name: "Apply" }));
  await screen.findByText("Codex is connected.");
  expect(asked(desk, "agents.apply").at(-1)).toEqual({ planId: "plan-2" });
});

test("another server of our name is replaced only when that is asked for", async () => {
  const desk = await openAgents([agent("codex", { server: "other", serverProblem: "it runs /opt/x" })]);
  desk.machine.refusals["agents.plan"] = new Failure("INVALID_MESSAGE", "It has a server of our name");
  await takeFromMenu("Codex", "Connect in one project only…");
  await user.click(await screen.findByRole("button", { name: "Preview changes" }));
  await screen.findByRole("alert");
  delete desk.machine.refusals["agents.plan"];
  const group = await panel(/Connect Codex in one project/);
  await user.click(within(group).getByRole("button", { name: "Replace…" }));
  await screen.findByRole("button", { name: "Apply" });
  expect(asked(desk, "agents.plan")).toEqual([
    { agent: "codex", change: "connect", folder: "/home/me/work" },
    { agent: "codex", change: "connect", folder: "/home/me/work", replace: true },
  ]);
});

test("a folder is one that is known, or any whole path", async () => {
  const desk = await openAgents([agent("codex")]);
  await takeFromMenu("Codex", "Add the line to a project’s AGENTS.md…");
  const known = await screen.findByRole<HTMLInputElement>("radio", { name: "/home/me/work" });
  expect(isChecked(known)).toBe(true);
  const field = screen.getByLabelText("The folder’s whole path");
  await user.type(field, "~/work{Enter}");
  expect(screen.getByRole("alert").textContent).toBe("Enter the path in full, without ~: /home/you/project.");
  await user.clear(field);
  await user.type(field, "/srv/My project{Enter}");
  await user.click(await screen.findByRole("button", { name: "Apply" }));
  await screen.findByText("AGENTS.md has the line.");
  expect(asked(desk, "agents.plan")).toEqual([
    { agent: "codex", change: "instruct", folder: "/srv/My project" },
  ]);
  expect(asked(desk, "agents.test"), "only a connection is tested").toEqual([]);
});

test("a test that fails says which step, and the mend", async () => {
  const desk = await openAgents([agent("codex", { server: "ours" })]);
  desk.machine.steps = [
    { ok: true, what: "started it" },
    { ok: false, what: "it does not answer" },
  ];
  desk.machine.mend = "run it by hand";
  await user.click(await screen.findByRole("button", { name: "Test Codex" }));
  await screen.findByText("The test failed.");
  expect(screen.getByRole("alert").textContent).toBe("Run it by hand.");
  const [first, second] = within(screen.getByRole("list", { name: "Steps of the test" })).getAllByRole(
    "listitem",
  );
  expect(first?.textContent).toContain("passed");
  expect(second?.textContent).toMatch(/failed.*it does not answer/);
  desk.machine.refusals["agents.test"] = new Failure("UNAVAILABLE", "The gateway is away");
  await user.click(button("Test again"));
  await screen.findByText("The test couldn’t run.");
  expect(screen.getByRole("alert").textContent).toBe("The gateway is away.");
});

test("the steps of a test are seen as they are taken", async () => {
  const desk = await openAgents([agent("codex", { server: "ours" })]);
  await screen.findByRole("button", { name: "Test Codex" });
  desk.machine.held = [];
  await user.click(button("Test Codex"));
  await screen.findByText("Testing the connection…");
  desk.tell({ type: "agents.step", agent: "gemini", ok: true, what: "of another", at: 1, of: 4 });
  desk.tell({ type: "agents.step", agent: "codex", ok: true, what: "started it", at: 1, of: 4 });
  await screen.findByText("started it");
  expect(screen.queryByText("of another")).toBeNull();
  expect(button("Test Codex").hasAttribute("disabled")).toBe(true);
  for (const go of desk.machine.held.splice(0)) go();
  await screen.findByText("The test passed.");
  expect(screen.queryByText("started it")).toBeNull();
});

test("a real call is made only after its price was said", async () => {
  const desk = await openAgents([agent("codex", { server: "ours" })]);
  await screen.findByRole("button", { name: "Test Codex" });
  await takeFromMenu("Codex", "Test with a real call…");
  expect((await panel("Real call through Codex")).textContent).toContain("costs tokens");
  expect(asked(desk, "agents.test")).toEqual([]);
  await user.click(button("Make the call"));
  await screen.findByText("The test passed.");
  expect(asked(desk, "agents.test")).toEqual([{ agent: "codex", real: true }]);
});

test("a real call tells how far it is and for how long, and can be cancelled", async () => {
  const desk = await openAgents([agent("codex", { server: "ours" })]);
  await screen.findByRole("button", { name: "Test Codex" });
  await takeFromMenu("Codex", "Test with a real call…");
  desk.machine.held = [];
  await user.click(button("Make the call"));
  desk.tell({ type: "agents.step", agent: "codex", ok: true, what: "asked Codex", at: 5, of: 6 });
  const steps = within(await screen.findByRole("list", { name: "Steps of the test" }));
  const now = () => steps.getAllByRole("listitem").at(-1);
  await vi.waitFor(() => expect(now()?.textContent).toContain("Step 2 of 6"));
  expect(now()?.querySelector("time")).toBeTruthy();
  expect(screen.queryByRole("button", { name: "Close" })).toBeNull();
  await user.click(button("Cancel test"));
  await screen.findByText("The test was cancelled.");
  expect(asked(desk, "agents.test.cancel")).toEqual([{ agent: "codex" }]);
  expect(button("Test again")).toBeTruthy();
});

test("whoever comes back sees the agents as they are, also after a failure", async () => {
  const desk = await openAgents([agent("codex")], ({ machine }) => {
    machine.refusals["agents.list"] = new Failure("INTERNAL", "no home folder");
  });
  expect((await screen.findByRole("alert")).textContent).toContain("No home folder.");
  delete desk.machine.refusals["agents.list"];
  await user.click(button("Check again"));
  await screen.findByText("Not connected");
  expect(screen.queryByRole("alert")).toBeNull();
  desk.machine.agents = [agent("codex", { server: "ours" })];
  window.dispatchEvent(new Event("focus"));
  await screen.findByText("Connected, no list from it yet");
});

test("the menu is one for the keyboard", async () => {
  await openAgents([agent("codex", { server: "ours", hooks: "ours" })]);
  const opener = await screen.findByRole("button", { name: "More for Codex" });
  opener.focus();
  await user.keyboard("{ArrowUp}");
  await vi.waitFor(() => expect(document.activeElement?.textContent?.trim()).toBe("Disconnect"));
  await user.keyboard("{ArrowDown}");
  expect(document.activeElement?.textContent?.trim()).toBe("Test with a real call…");
  await user.keyboard("a");
  expect(document.activeElement?.textContent?.trim()).toMatch(/^Add the line/);
  await user.keyboard("{Escape}");
  expect(screen.queryByRole("menu")).toBeNull();
  expect(document.activeElement).toBe(opener);
});

test("what agents and files say is text, however long and odd", async () => {
  const odd = `<img src=x onerror=alert(1)>\u0007\u202E${"long ".repeat(400)}مرحبا`;
  const desk = await openAgents([
    agent("codex", { title: odd, version: odd, server: "other", serverProblem: odd, hooksProblem: odd }),
  ]);
  desk.machine.planned = { diff: `--- ${odd}\n+++ ${odd}\n@@ -1 +1 @@\n-${odd}\n+${odd}\n`, notes: [odd] };
  const main = await screen.findByRole("main");
  await user.click(await within(main).findByRole("button", { name: /^Replace/ }));
  await screen.findByRole("button", { name: "Apply" });
  expect(main.querySelector("img")).toBeNull();
  expect(main.textContent).not.toContain("\u0007");
  expect(main.textContent).not.toContain("\u202E");
  expect(main.querySelector("ins code")?.textContent).toContain(
    "<img src=x onerror=alert(1)><U+0007><U+202E>long",
  );
});

test("an import is begun, seen everywhere, and ended", async () => {
  const desk = await openAgents([agent("codex")]);
  await select(user, await screen.findByLabelText("Transcripts of"), "Gemini CLI");
  await user.click(button("Import"));
  await screen.findByRole("progressbar", { name: "Import" });
  expect(asked(desk, "import.start")).toEqual([{ agents: ["gemini"] }]);
  desk.tell({ type: "import.progress", ...progress({ agent: "gemini", read: 3, lists: 2 }) });
  await screen.findByText("Gemini CLI, 3 of 12 transcripts, 2 new lists");
  location.hash = "#/";
  expect(await screen.findByRole("link", { name: "Importing 3 of 12" })).toBeTruthy();
  location.hash = "#/agents";
  await user.click(await screen.findByRole("button", { name: "Cancel" }));
  await screen.findByText("Stopped after 3 of 12 transcripts: 0 runs with a list, nothing new.");
  expect(screen.queryByRole("link", { name: /^Importing/ })).toBeNull();
});

test("an import that ends says what it could not read, and brings the newest of what it found", async () => {
  const desk = await openAgents([agent("codex")]);
  await screen.findByRole("button", { name: "Import" });
  desk.tell({ type: "import.progress", ...progress({ agent: "codex", read: 3 }) });
  const before = asked(desk, "session.list").length;
  const unreadable = ["/a.jsonl: line 3 is cut off", "/b.jsonl: <b>no</b>"];
  desk.tell({
    type: "import.progress",
    ...progress({ read: 12, runs: 2, lists: 5, unreadable, done: true }),
  });
  await screen.findByText("12 transcripts read: 2 runs with a list, 5 new lists.");
  expect(screen.getByText("2 transcripts could not be read")).toBeTruthy();
  expect(screen.getByText("/b.jsonl: <b>no</b>")).toBeTruthy();
  expect(asked(desk, "session.list").length).toBe(before + 1);
  desk.machine.refusals["import.start"] = new Failure("STORAGE", "The disk is full");
  await user.click(button("Import"));
  expect((await screen.findByRole("alert")).textContent).toBe("The disk is full.");
});

test("an import of which nothing is heard any more is not shown as running", async () => {
  const desk = await openAgents([agent("codex")]);
  await screen.findByRole("button", { name: "Import" });
  desk.tell({ type: "import.progress", ...progress({ agent: "codex", read: 3 }) });
  await screen.findByRole("progressbar", { name: "Import" });
  desk.tell({ type: "gateway.state", state: "disconnected" });
  expect(await screen.findByRole("button", { name: "Import" })).toBeTruthy();
  expect(screen.queryByRole("progressbar", { name: "Import" })).toBeNull();
});

test("an agent that is not in the list finds its configuration, to be copied", async () => {
  await openAgents([
    agent("codex", { proof: "newer", version: "1.3.0" }),
    agent("cursor", { proof: "untried" }),
  ]);
  const rows = within(await screen.findByRole("list", { name: "Agents" })).getAllByRole("listitem");
  expect(rows[0]?.textContent).toContain("newer than 1.2.3, the version tested");
  expect(rows[1]?.textContent).toContain("not tested with the program itself");
  const other = screen.getByRole("region", { name: "Another agent" });
  expect(other.textContent).toContain('"command": "/usr/bin/sightline"');
  expect(within(other).getAllByRole("button", { name: "Copy configuration" }).length).toBeGreaterThan(0);
});

test("an agent's questions are answered here once that is wanted, for so many seconds", async () => {
  const desk = new Desk([]);
  desk.machine.agents = [agent("claude", { server: "ours", hooks: "ours", asks: "beside" })];
  location.hash = "#/agents";
  render(Window, { backend: desk });
  await user.click(await screen.findByRole("button", { name: "More for Claude" }));
  await user.click(await screen.findByRole("menuitem", { name: "Answer its questions here…" }));
  const dialog = await screen.findByRole("dialog", { name: "Answer Claude here" });
  expect(dialog.textContent).toContain("The first answer counts");
  const field = within(dialog).getByLabelText("Wait, in seconds");
  await user.clear(field);
  await user.type(field, "4000");
  await user.click(within(dialog).getByRole("button", { name: "Preview changes" }));
  expect(field.getAttribute("aria-invalid")).toBe("true");
  await user.clear(field);
  await user.type(field, "120");
  await user.click(within(dialog).getByRole("button", { name: "Preview changes" }));
  await vi.waitFor(() =>
    expect(desk.calls.findLast(({ type }) => type === "agents.plan")?.fields).toEqual({
      agent: "claude",
      change: "connect",
      answers: 120,
    }),
  );
});

test("an agent that is answered here says for how long it waits, and can ask by itself again", async () => {
  const desk = new Desk([]);
  desk.machine.agents = [
    agent("claude", { server: "ours", hooks: "ours", asks: "beside", answers: 120 }),
    agent("copilot", { server: "ours", hooks: "ours", asks: "everyCall", answers: 1 }),
  ];
  location.hash = "#/agents";
  render(Window, { backend: desk });
  expect(await screen.findByText("Answered here, waits 2 min")).toBeTruthy();
  expect(screen.getByText("Your permission rules decide")).toBeTruthy();
  await user.click(screen.getByRole("button", { name: "More for Claude" }));
  await user.click(await screen.findByRole("menuitem", { name: "Stop answering its questions here" }));
  await vi.waitFor(() =>
    expect(desk.calls.findLast(({ type }) => type === "agents.plan")?.fields).toEqual({
      agent: "claude",
      change: "connect",
      noAnswers: true,
    }),
  );
});
