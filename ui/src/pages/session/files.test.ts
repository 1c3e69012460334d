import { render, screen, within } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import type { ChangedFile, SessionTodos } from "../../protocol/types";
import { Desk } from "../../testing/desk";
import { withBrowser } from "../../testing/page";
import { AT, item, need, session } from "../../testing/samples";
import Window from "../../window/Window.svelte";

const user = userEvent.setup();

withBrowser();

const calls = (desk: Desk, type: string) => desk.calls.filter((call) => call.type === type);

const file = (path: string, more: Partial<ChangedFile> = {}): ChangedFile => ({
  path,
  times: 1,
  at: AT,
  ...more,
});

async function open(files: ChangedFile[], more: Partial<SessionTodos> = {}): Promise<Desk> {
  const desk = new Desk([session("s", [item("a", "in_progress")], { folder: "/home/me/a", ...more })]);
  desk.files = files;
  location.hash = "#/session/s";
  render(Window, { backend: desk });
  await screen.findByRole("heading", { level: 1 });
  return desk;
}

test("a session lists the files that it changed, and opens those in its folder", async () => {
  const desk = await open([
    file("/home/me/a/src/li\u202Eb.rs", { times: 3, agent: "codex 2" }),
    file("/etc/hosts"),
  ]);
  const list = await screen.findByRole("list", { name: "Changed files", hidden: true });
  const [ours, theirs] = within(list).getAllByRole("listitem", { hidden: true });
  expect(ours?.textContent).toMatch(/^src\/li.+b\.rs\s+changed 3 times, last by codex 2/);
  expect(ours?.textContent).not.toContain("\u202E");
  expect(theirs?.textContent).toMatch(/^\/etc\/hosts\s+changed once/);
  expect(theirs?.querySelector("button"), "nothing outside of the folder opens").toBeNull();
  await user.click(screen.getByText("Files"));
  await user.click(screen.getByRole("button", { name: /^Open in editor: src/ }));
  await user.click(screen.getByRole("button", { name: /^Show diff: src/ }));
  const path = "/home/me/a/src/li\u202Eb.rs";
  expect(calls(desk, "session.open").map(({ fields }) => fields)).toEqual([
    { sessionId: "s", with: "editor", file: path },
    { sessionId: "s", with: "diff", file: path },
  ]);
});

test("a call that may have changed another file has them looked up", async () => {
  const desk = await open([]);
  await vi.waitFor(() => expect(calls(desk, "session.files")).toHaveLength(1));
  expect(screen.queryByText("Files")).toBeNull();
  desk.files = [file("/home/me/a/b.rs")];
  const lastCall = { tool: "Edit", text: "b.rs", at: AT };
  desk.put(session("s", [item("a", "in_progress")], { folder: "/home/me/a", lastCall }));
  expect(await screen.findByText("Files")).toBeTruthy();
});

test("a session says its model, its context and its cost", async () => {
  const usage = { at: AT, model: "gpt-5", contextTokens: 9_050, contextWindow: 258_400, outputTokens: 100 };
  await open([], { usage });
  expect(screen.getAllByText("gpt-5 · 9.05k of 258k")).toHaveLength(2);
  const rows = [...document.querySelectorAll("dl > div")].map((row) => row.textContent?.trim());
  expect(rows).toContainEqual(expect.stringMatching(/^Context\s+9,050 of 258,400 tokens \(3%\)$/));
});

test("a list that may be out of date is put off until later", async () => {
  const desk = await open([], { needs: [need("drift")] });
  await user.click(await screen.findByRole("button", { name: "Later: List may be out of date" }));
  await user.click(await screen.findByRole("menuitem", { name: "In an hour" }));
  const { until, ...fields } = calls(desk, "need.dismiss").at(-1)?.fields ?? {};
  expect(fields).toEqual({ sessionId: "s", needId: "drift:1", dismissed: true });
  expect(Date.parse(String(until))).toBeGreaterThan(Date.now());
});
