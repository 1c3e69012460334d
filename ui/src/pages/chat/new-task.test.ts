import { render, screen } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { Desk } from "../../testing/desk";
import { agent } from "../../testing/machine";
import { select, withBrowser } from "../../testing/page";
import { session } from "../../testing/samples";
import Window from "../../window/Window.svelte";

const user = userEvent.setup();

withBrowser();

const start = () => screen.getByRole("button", { name: "Start in a terminal" });

/** The options of the list that is open. */
const offered = () => screen.queryAllByRole("option").map((option) => option.textContent?.trim());

async function open(rights?: "edit"): Promise<{ desk: Desk; leave: () => void }> {
  const desk = new Desk([session("s", [], { folder: "/home/me/billing" })]);
  if (rights) desk.rights = rights;
  desk.machine.agents = [
    agent("claude", { server: "ours", title: "Claude Code" }),
    agent("codex", { hooks: "ours" }),
    agent("gemini"),
    { ...agent("qwen", { server: "ours" }), program: undefined as never },
  ];
  location.hash = "#/chat";
  const { unmount } = render(Window, { backend: desk });
  await screen.findByRole("combobox", { name: "Agent" });
  return { desk, leave: unmount };
}

test("a connected agent is started with the task, and the last choices are there the next time", async () => {
  const { desk, leave } = await open();
  await user.click(screen.getByRole("combobox", { name: "Agent" }));
  await screen.findAllByRole("option");
  expect(offered(), "those that are connected and installed").toEqual(["Sightline", "Claude Code", "Codex"]);
  await user.click(screen.getByRole("option", { name: "Codex" }));
  await user.type(screen.getByRole("textbox", { name: "Task" }), 'Fix it; "rm" $(x)');
  expect(start(), "it has to work somewhere").toHaveProperty("disabled", true);
  await user.type(screen.getByRole("combobox", { name: "Folder" }), "/home/me/billing");
  await user.click(start());
  await screen.findByText("Codex starts in a terminal", { selector: "bdi" });
  expect(desk.calls.findLast(({ type }) => type === "agents.start")?.fields).toEqual({
    agent: "codex",
    folder: "/home/me/billing",
    task: 'Fix it; "rm" $(x)',
  });
  leave();
  sessionStorage.clear();
  await open();
  await vi.waitFor(() =>
    expect(screen.getByRole("combobox", { name: "Agent" }).textContent).toContain("Codex"),
  );
  expect(screen.getByRole("combobox", { name: "Folder" })).toHaveProperty("value", "/home/me/billing");
});

test("a page that may not answer starts nothing but the built-in agent", async () => {
  await open("edit");
  await select(user, screen.getByRole("combobox", { name: "Agent" }), "Codex");
  await user.type(screen.getByRole("textbox", { name: "Task" }), "Fix it");
  await user.type(screen.getByRole("combobox", { name: "Folder" }), "/home/me/billing");
  expect(start()).toHaveProperty("disabled", true);
});

test("folders of sessions are offered while a path is typed, and are taken by key or by the pointer", async () => {
  const { desk } = await open();
  desk.put(session("t", [], { folder: "/home/me/search" }));
  const field = screen.getByRole<HTMLInputElement>("combobox", { name: "Folder" });
  await user.click(field);
  await vi.waitFor(() => expect(offered().toSorted()).toEqual(["/home/me/billing", "/home/me/search"]));
  expect(field.getAttribute("aria-expanded")).toBe("true");
  await user.type(field, "sea");
  expect(offered()).toEqual(["/home/me/search"]);
  await user.keyboard("{Escape}");
  expect(offered()).toEqual([]);
  expect(field.value).toBe("sea");
  await user.keyboard("{ArrowDown}");
  const marked = screen.getByRole("option", { selected: true });
  expect(field.getAttribute("aria-activedescendant")).toBe(marked.id);
  await user.keyboard("{Enter}");
  expect(field.value).toBe("/home/me/search");
  expect(offered()).toEqual([]);
  await user.clear(field);
  await user.click(await screen.findByRole("option", { name: "/home/me/billing" }));
  expect(field.value).toBe("/home/me/billing");
  expect(document.activeElement).toBe(field);
  // A path that nobody offers is typed as it is.
  await user.clear(field);
  await user.type(field, "/srv/new{Enter}");
  expect(field.value).toBe("/srv/new");
});
