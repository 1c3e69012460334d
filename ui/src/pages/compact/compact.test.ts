import { render, screen } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import type { Shell } from "../../backend/shell";
import { Desk } from "../../testing/desk";
import { steps, withBrowser } from "../../testing/page";
import { AT, session } from "../../testing/samples";
import Window from "../../window/Window.svelte";

const user = userEvent.setup();

withBrowser();

const WAITING = { state: "waiting", needs: [{ id: "w", kind: "waiting", since: AT, text: "" }] } as const;

async function open(desk: Desk): Promise<void> {
  location.hash = "#/compact";
  render(Window, { backend: desk });
  await vi.waitFor(() => expect(document.querySelector("main.strip")).toBeTruthy());
}

const links = () => screen.getAllByRole("link", { name: /project-/ });

test("each session at work has a line, which says what it does or that it needs one", async () => {
  const desk = new Desk([
    session("a", steps()),
    session("b", steps(), WAITING as never),
    session("c", steps(), { state: "finished" }),
  ]);
  await open(desk);
  await vi.waitFor(() => expect(links()).toHaveLength(2));
  expect(links().map(({ textContent }) => textContent?.replaceAll(/\s+/g, " ").trim())).toEqual([
    expect.stringContaining("project-b needs you"),
    expect.stringContaining("project-a Doing b"),
  ]);
  expect(screen.queryByRole("navigation")).toBeNull();
});

test("a line leads to its session, Escape back to where one was", async () => {
  render(Window, { backend: new Desk([session("a", steps())]) });
  location.hash = "#/agents";
  await screen.findByRole("heading", { name: "Agents" });
  location.hash = "#/compact";
  await vi.waitFor(() => expect(links()).toHaveLength(1));
  await user.keyboard("{Escape}");
  await vi.waitFor(() => expect(location.hash).toBe("#/agents"));
  location.hash = "#/compact";
  await vi.waitFor(() => expect(document.querySelector("main.strip")).toBeTruthy());
  await user.keyboard("{ArrowDown}{Enter}");
  await vi.waitFor(() => expect(location.hash).toBe("#/session/a"));
});

test("without anything at work it says so in a line", async () => {
  await open(new Desk([]));
  expect(await screen.findByText("No session is running.")).toBeTruthy();
});

test("the desktop's window becomes the strip, and what it was", async () => {
  const asked: unknown[] = [];
  const desk = new Desk([session("a", steps())]);
  desk.shell = {
    info: async () => ({ platform: "linux", nativeKeys: false }) as Awaited<ReturnType<Shell["info"]>>,
    compact: async (...args) => void asked.push(args),
    testNotification: async () => {},
    act: async () => {},
    listen: () => () => {},
  };
  render(Window, { backend: desk });
  await screen.findByRole("link", { name: /^codex · project-a/ });
  await user.keyboard("gc");
  expect(asked).toEqual([[true, {}]]);
  location.hash = "#/compact";
  await vi.waitFor(() => expect(document.querySelector("main.strip")).toBeTruthy());
  await user.click(screen.getByRole("link", { name: "Back to the window" }));
  expect(asked.at(-1)).toEqual([false, { route: "#/" }]);
});
