import { render, screen, within } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { Desk } from "../testing/desk";
import { withBrowser } from "../testing/page";
import { permission, permissionNeed } from "../testing/permissions";
import { item, session } from "../testing/samples";
import Window from "./Window.svelte";

const user = userEvent.setup();

withBrowser();

const news = (): HTMLElement | null => screen.queryByRole("region", { name: /asks for permission$/ });
const answers = (desk: Desk) =>
  desk.calls.filter(({ type }) => type === "permission.answer").map(({ fields }) => fields);

function ask(desk: Desk, more: Parameters<typeof permission>[0] = {}): void {
  const asked = permission(more);
  desk.permissions.permissions.push(asked);
  desk.put(session(asked.sessionId, [item("a")], { state: "waiting", needs: [permissionNeed(asked)] }));
}

async function openAgents(): Promise<Desk> {
  const desk = new Desk([session("x", [item("a")])]);
  location.hash = "#/agents";
  render(Window, { backend: desk });
  await screen.findByRole("heading", { name: "Agents", level: 1 });
  await screen.findByRole("link", { name: /project-x/ });
  return desk;
}

test("a permission that is asked for meanwhile is allowed or denied from every page, without taking the focus", async () => {
  const desk = await openAgents();
  const focused = document.activeElement;
  ask(desk);
  await vi.waitFor(() => expect(news()?.textContent).toContain("cargo test -p hub"));
  expect(document.activeElement).toBe(focused);
  const allow = within(news() as HTMLElement).getByRole("button", { name: /^Allow: / });
  await user.click(allow);
  expect(answers(desk), "not in the first half second").toEqual([]);
  await vi.waitFor(() => expect(allow.getAttribute("aria-disabled")).toBeNull());
  await user.click(allow);
  expect(answers(desk)).toEqual([{ sessionId: "s", permissionId: "p1", allow: true }]);
  await vi.waitFor(() => expect(news()).toBeNull());
  ask(desk, { permissionId: "p2" });
  await vi.waitFor(() => expect(news()).toBeTruthy());
  await user.click(await within(news() as HTMLElement).findByRole("button", { name: /^Deny: / }));
  expect(answers(desk)[1]).toEqual({ sessionId: "s", permissionId: "p2", allow: false });
});

test("it is closed, and what stands on the page is not told as well", async () => {
  const desk = await openAgents();
  ask(desk);
  await vi.waitFor(() => expect(news()).toBeTruthy());
  await user.click(within(news() as HTMLElement).getByRole("button", { name: "Close" }));
  expect(news()).toBeNull();
  location.hash = "#/needs";
  await screen.findByRole("heading", { name: "Needs you", level: 1 });
  ask(desk, { permissionId: "p2", sessionId: "t" });
  await vi.waitFor(() => expect(screen.getAllByRole("group", { name: /^Permission: / })).toHaveLength(2));
  expect(news()).toBeNull();
});

test("the strip has Allow and Deny for the first that waits", async () => {
  const desk = new Desk([]);
  ask(desk, { askedAt: "2026-11-20T14:01:00Z" });
  ask(desk, { permissionId: "p2", sessionId: "t" });
  location.hash = "#/compact";
  render(Window, { backend: desk });
  await screen.findByRole("list", { name: /^Active sessions/ });
  const deny = await screen.findByRole("button", { name: /^Deny: codex · project-s/ });
  expect(screen.getAllByRole("button", { name: /^Allow: / })).toHaveLength(1);
  await user.click(deny);
  expect(answers(desk)).toEqual([{ sessionId: "s", permissionId: "p1", allow: false }]);
  await screen.findByRole("button", { name: /^Deny: codex · project-t/ });
});

test("a command that is too long to be seen whole is not allowed there, but opened", async () => {
  const desk = new Desk([]);
  const command = `rm -rf ${"x/".repeat(80)}`;
  ask(desk, { command, input: JSON.stringify({ command }) });
  location.hash = "#/compact";
  render(Window, { backend: desk });
  const open = await screen.findByRole("link", { name: /^Open: codex · project-s/ });
  expect(screen.queryByRole("button", { name: /^Allow: / })).toBeNull();
  expect(screen.getByRole("button", { name: /^Deny: / })).toBeTruthy();
  expect(open.getAttribute("href")).toBe("#/session/s");
});

async function openBand(): Promise<{ desk: Desk; band: HTMLElement }> {
  const desk = new Desk([]);
  ask(desk);
  location.hash = "#/";
  render(Window, { backend: desk });
  const band = await screen.findByRole("region", { name: "Needs you" });
  expect(band.textContent).toContain("permission: Bash: cargo test -p hub");
  expect(screen.queryByRole("group", { name: /^Permission: / }), "nothing pushes the cards down").toBeNull();
  await user.click(within(band).getByRole("button", { name: /^Answer: codex · project-s/ }));
  return { desk, band };
}

const card = () => screen.findByRole("group", { name: /^Permission: codex · project-s/ });

test("the band of Now opens the first of all with all that is asked, and keys answer it", async () => {
  const { desk } = await openBand();
  await vi.waitFor(async () => expect((await card()).textContent).toContain("Allow for this session"));
  expect(document.activeElement).toBe(await card());
  await user.keyboard("{Escape}");
  expect(screen.queryByRole("group", { name: /^Permission: / })).toBeNull();
  const again = screen.getByRole("button", { name: /^Answer: codex · project-s/ });
  expect(document.activeElement).toBe(again);
  await user.keyboard("{Enter}");
  expect(document.activeElement).toBe(await card());
  await user.keyboard("d");
  await vi.waitFor(() =>
    expect(answers(desk)).toEqual([{ sessionId: "s", permissionId: "p1", allow: false }]),
  );
  await vi.waitFor(() => expect(screen.queryByRole("group", { name: /^Permission: / })).toBeNull());
  await screen.findByText("All clear");
});

test("a permission that is open in the band of Now stays when it ends elsewhere, and says how, until it is closed", async () => {
  const { desk } = await openBand();
  await vi.waitFor(async () => expect((await card()).textContent).toContain("Allow for this session"));
  desk.permissions.settle("p1", { state: "elsewhere" });
  desk.put(session("s", [item("a")]));
  await vi.waitFor(async () => expect((await card()).textContent).toContain("Answered in its terminal"));
  await user.click(screen.getByRole("button", { name: /^Close: codex · project-s/ }));
  await screen.findByText("All clear");
});
