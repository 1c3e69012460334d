import { render, screen, within } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { Desk } from "../../testing/desk";
import { select, withBrowser } from "../../testing/page";
import { session } from "../../testing/samples";
import { size } from "../../shared/text/numbers";
import Window from "../../window/Window.svelte";

const user = userEvent.setup();

withBrowser();

async function open(): Promise<Desk> {
  const desk = new Desk([]);
  desk.archive.sessions = [session("a", []), session("b", [])];
  location.hash = "#/settings";
  render(Window, { backend: desk });
  await screen.findByText("2 lists, 212 MB on disk");
  return desk;
}

const updates = (desk: Desk) =>
  desk.calls.filter(({ type }) => type === "settings.update").map(({ fields }) => fields);

test("a bound says what would go, and applies when it is told to", async () => {
  const desk = await open();
  desk.archive.due = 312;
  const days = screen.getByLabelText("Keep lists");
  await user.type(days, "90");
  expect(await screen.findByText("312 lists would be deleted.")).toBeTruthy();
  expect(desk.calls.at(-1)?.fields).toEqual({
    with: { keepDays: 90, keepProjects: {}, keepMegabytes: 0, keepRevisions: 0 },
  });
  expect(updates(desk)).toEqual([]);
  await user.click(screen.getByRole("button", { name: "Apply" }));
  await vi.waitFor(() => expect(updates(desk)).toEqual([{ keepDays: 90 }]));
  await vi.waitFor(() => expect(screen.queryByRole("button", { name: "Apply" })).toBeNull());
});

test("what cannot be is said, and Escape leaves it as it was", async () => {
  const desk = await open();
  const most = screen.getByLabelText<HTMLInputElement>("Keep at most");
  await user.type(most, "5");
  expect(screen.getByText("Enter a whole number from 10 to 4,000,000, or nothing.")).toBeTruthy();
  expect(screen.getByRole<HTMLButtonElement>("button", { name: "Apply" }).disabled).toBe(true);
  await user.keyboard("{Escape}");
  expect(most.value).toBe("");
  expect(updates(desk)).toEqual([]);
});

test("a project is kept for a time of its own", async () => {
  const desk = await open();
  await select(user, screen.getByLabelText("Project"), "project-a");
  await vi.waitFor(() => expect(updates(desk)).toEqual([{ keepProjects: { "project-a": 0 } }]));
  await user.type(await screen.findByLabelText("project-a is kept"), "30{Enter}");
  await screen.findByText("No list would be deleted now.");
  await user.click(screen.getByRole("button", { name: "Apply" }));
  await vi.waitFor(() => expect(desk.settings.keepProjects).toEqual({ "project-a": 30 }));
  await user.click(screen.getByRole("button", { name: "Treat project-a like all others" }));
  await vi.waitFor(() => expect(desk.settings.keepProjects).toEqual({}));
});

test("an export is taken in, and it is told what of it is new", async () => {
  const desk = await open();
  const input = screen.getByLabelText<HTMLInputElement>("Import", { selector: "input" });
  await user.upload(input, new File(['{"sessions":[]}'], "lists.json", { type: "application/json" }));
  const message = await screen.findByRole("region", { name: "Message" });
  expect(within(message).getByText("1 new list, 2 already there")).toBeTruthy();
  expect(desk.calls.find(({ type }) => type === "session.import")?.fields).toEqual({
    text: '{"sessions":[]}',
  });
});

test.each([
  [0, "0 byte"],
  [9_400, "9.4 kB"],
  [212_000_000, "212 MB"],
])("%d bytes are %s", (bytes, words) => {
  expect(size(bytes)).toBe(words);
});
