import { render, screen, within } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
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
});

test("a demo is started by a button, and opened where it has a page", async () => {
  const desk = await open();
  desk.machine.demo = { page: "about:blank#pair=c.secret" };
  await user.click(screen.getByRole("button", { name: "Start demo" }));
  const link = await screen.findByRole("link", { name: "Open demo" });
  expect(link.getAttribute("href")).toBe("about:blank#pair=c.secret");
  expect(desk.calls.map(({ type }) => type)).toContain("demo.start");
  await user.click(link);
  await screen.findByText("The demo ends when you close it.");
  desk.machine.refusals["demo.start"] = new Failure("UNAVAILABLE", "the demo cannot be started: no room");
  await user.click(screen.getByRole("button", { name: "Start demo" }));
  expect((await screen.findByRole("alert")).textContent).toContain("no room");
});

test("who connects no agent can give Sightline’s own one a task", async () => {
  await open();
  const link = screen.getByRole("link", { name: "give Sightline’s own agent a task" });
  expect(link.getAttribute("href")).toBe("#/chat");
});

test("an agent is connected as on its own page: what that changes is seen before, and it is tested after", async () => {
  const desk = await open();
  await user.click(await screen.findByRole("button", { name: "Connect Codex" }));
  const apply = await codex().findByRole("button", { name: "Apply" });
  expect(codex().getByRole("region", { name: "Changes to be made" })).toBeTruthy();
  expect(desk.calls.map(({ type }) => type)).not.toContain("agents.apply");
  await user.click(apply);
  await codex().findByText("The test passed.");
  const asked = desk.calls
    .map(({ type }) => type)
    .filter((type) => type.startsWith("agents.") && type !== "agents.list");
  expect(asked).toEqual(["agents.plan", "agents.apply", "agents.test"]);
  expect(done()).toEqual([true, true, false]);
  expect(codex().getByText("Connected")).toBeTruthy();
  expect(codex().getAllByText("/home/me/.codex/config.toml").length).toBeGreaterThan(0);
});

test("a connection that is refused says why, and what can be done", async () => {
  const desk = await open();
  desk.machine.refusals["agents.apply"] = new Failure("CONFLICT" as never, "the file has changed since");
  await user.click(await screen.findByRole("button", { name: "Connect Codex" }));
  await user.click(await codex().findByRole("button", { name: "Apply" }));
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
  expect(within(strip).getByText(/^Connected\. Waiting for the first list/)).toBeTruthy();
});

test("where no agent is connected that is not said, though one works", async () => {
  const desk = await open();
  desk.put(bareRun("s", { agent: { name: "sightline" } }));
  const strip = await screen.findByRole("region", { name: "First steps" });
  expect(within(strip).getByText("Waiting for the first list.")).toBeTruthy();
  expect(within(strip).getByRole("link", { name: "Connect an agent" })).toBeTruthy();
  expect(strip.textContent).not.toContain("Connected");
});

test("where there was something from the start, nobody is led anywhere", async () => {
  render(Window, { backend: new Desk([session("s", steps())]) });
  await screen.findByRole("link", { name: /^codex · project-s/ });
  expect(screen.queryByRole("region", { name: "First steps" })).toBeNull();
});
