import { render, screen, within } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { Failure } from "../../../backend/backend";
import { Desk } from "../../../testing/desk";
import { agent } from "../../../testing/machine";
import { steps, withBrowser } from "../../../testing/page";
import { bareRun } from "../../../testing/runs";
import { session } from "../../../testing/samples";
import Window from "../../../window/Window.svelte";

const user = userEvent.setup();

withBrowser();

async function open(
  agents = [agent("codex"), agent("gemini"), agent("qwen", { program: undefined as never })],
) {
  const desk = new Desk([]);
  desk.machine.agents = agents;
  render(Window, { backend: desk });
  await screen.findByRole("list", { name: "First steps" });
  return desk;
}

/** The steps of the three that are done. */
const done = () =>
  screen
    .getAllByRole("heading", { level: 2, name: /, (done|still open)$/ })
    .map(({ textContent }) => textContent?.endsWith(", done"));
const codex = () => within(document.querySelector<HTMLElement>('[data-agent="codex"]') as HTMLElement);

test("with nothing there it leads the way, and shows only the agents that were found", async () => {
  await open();
  expect(done()).toEqual([true, false, false]);
  const found = await screen.findByRole("list", { name: "Agents found" });
  expect(within(found).getAllByRole("button", { name: /^Connect / })).toHaveLength(2);
  expect(screen.getByText("sightline todo add x")).toBeTruthy();
  expect(screen.getByText("sightline serve --demo")).toBeTruthy();
});

test("who connects no agent can give Sightline’s own one a task", async () => {
  await open();
  const link = screen.getByRole("link", { name: "give Sightline’s own agent a task" });
  expect(link.getAttribute("href")).toBe("#/chat");
});

test("one click connects an agent and tests that; what was changed can be looked up", async () => {
  const desk = await open();
  await user.click(await screen.findByRole("button", { name: "Connect Codex" }));
  await vi.waitFor(() => expect(codex().getByText("Connected and tested")).toBeTruthy());
  const asked = desk.calls
    .map(({ type }) => type)
    .filter((type) => type.startsWith("agents.") && type !== "agents.list");
  expect(asked).toEqual(["agents.plan", "agents.apply", "agents.test"]);
  expect(done()).toEqual([true, true, false]);
  expect(codex().getByText("Changes made")).toBeTruthy();
  expect(codex().getAllByText("/home/me/.codex/config.toml").length).toBeGreaterThan(0);
});

test("while it connects nothing else is offered, in whatever order the answers come", async () => {
  const desk = await open();
  const offered = await screen.findByRole("button", { name: "Connect Codex" });
  const held: (() => void)[] = (desk.machine.held = []);
  const buttons: Node[] = [];
  const observer = new MutationObserver((records) => {
    const added = records.flatMap(({ addedNodes }) => [...addedNodes]);
    buttons.push(...added.filter((node) => node instanceof HTMLButtonElement));
  });
  observer.observe(offered.parentElement as HTMLElement, { childList: true, subtree: true });
  await user.click(offered);
  const [planned, applied, tested, listed, again] = [0, 1, 2, 3, 4];
  const words = { [planned]: "Connecting…", [applied]: "Connecting…" };
  for (const at of [planned, applied, tested, listed, again]) {
    // oxlint-disable-next-line no-await-in-loop
    await vi.waitFor(() => expect(held.length).toBeGreaterThan(at));
    expect(codex().getByText(words[at] ?? "Connected. Testing…")).toBeTruthy();
    held[at]?.();
  }
  await codex().findByText("Connected and tested");
  observer.disconnect();
  expect(buttons).toEqual([]);
});

test("what it would change is shown first to those who ask", async () => {
  const desk = await open();
  await user.click(await screen.findByRole("button", { name: "Preview changes for Codex" }));
  await codex().findByRole("button", { name: "Apply" });
  expect(desk.calls.map(({ type }) => type)).not.toContain("agents.apply");
  await user.click(codex().getByRole("button", { name: "Apply" }));
  await vi.waitFor(() => expect(done()).toEqual([true, true, false]));
});

test("a connection that is refused says why, and what can be done", async () => {
  const desk = await open();
  desk.machine.refusals["agents.apply"] = new Failure("CONFLICT" as never, "the file has changed since");
  await user.click(await screen.findByRole("button", { name: "Connect Codex" }));
  expect((await codex().findByRole("alert")).textContent).toContain("The file has changed since.");
  expect(codex().getByRole("button", { name: "Check again" })).toBeTruthy();
  expect(done()).toEqual([true, false, false]);
});

test("the first list makes the page Now, with the steps over it until they are put away", async () => {
  const desk = await open([agent("codex", { server: "ours" })]);
  desk.put(session("s", steps()));
  await screen.findByRole("link", { name: /^codex · project-s/ });
  const strip = screen.getByRole("region", { name: "First steps" });
  expect(within(strip).getByText(/^Your first list is here/)).toBeTruthy();
  expect(within(strip).getAllByText(", done")).toHaveLength(3);
  await user.click(within(strip).getByRole("button", { name: "Hide first steps" }));
  expect(screen.queryByRole("region", { name: "First steps" })).toBeNull();
});

test("in another order the steps are as true: a list before any agent is connected", async () => {
  const desk = await open();
  desk.put(session("s", steps()));
  const strip = await screen.findByRole("region", { name: "First steps" });
  expect(within(strip).getByRole("link", { name: "Connect an agent" }).getAttribute("href")).toBe("#/agents");
});

test("an agent that is there without a list yet is waited for", async () => {
  const desk = await open([agent("codex", { server: "ours" })]);
  desk.put(bareRun("s", { listState: "never-called" }));
  const strip = await screen.findByRole("region", { name: "First steps" });
  expect(within(strip).getByText(/^Connected\. The first list appears/)).toBeTruthy();
});

test("where no agent is connected that is not said, though one works", async () => {
  const desk = await open();
  desk.put(bareRun("s", { agent: { name: "sightline" } }));
  const strip = await screen.findByRole("region", { name: "First steps" });
  expect(within(strip).getByText("The first list appears as soon as it is written.")).toBeTruthy();
  expect(within(strip).getByRole("link", { name: "Connect an agent" })).toBeTruthy();
  expect(strip.textContent).not.toContain("Connected");
});

test("where there was something from the start, nobody is led anywhere", async () => {
  render(Window, { backend: new Desk([session("s", steps())]) });
  await screen.findByRole("link", { name: /^codex · project-s/ });
  expect(screen.queryByRole("region", { name: "First steps" })).toBeNull();
});
