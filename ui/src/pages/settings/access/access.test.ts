import { render, screen, within } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { Failure } from "../../../backend/backend";
import { Desk } from "../../../testing/desk";
import { lastCall, withBrowser } from "../../../testing/page";
import Window from "../../../window/Window.svelte";

const user = userEvent.setup();

withBrowser();

async function open(): Promise<Desk> {
  const desk = new Desk([]);
  location.hash = "#/settings";
  render(Window, { backend: desk });
  await screen.findByText("Firefox on Linux");
  return desk;
}

const calls = (desk: Desk): string[] => desk.calls.map(({ type }) => type);

test("each key is listed with what it may, when it was made and when it was used", async () => {
  await open();
  const section = screen.getByRole("region", { name: "Access" });
  for (const words of ["Browser · administer", "Program · look", "Agent", "never used"]) {
    expect(section.textContent).toContain(words);
  }
  const lines = [...section.querySelectorAll("[data-key]")];
  expect(lines.length).toBeGreaterThan(0);
  for (const line of lines) expect(line.textContent, "when it was made").toMatch(/· made\s+\S+.* ·/s);
});

test("the log says by which door each came, and which is a key's name", async () => {
  await open();
  const log = screen.getByRole("region", { name: "Access" }).textContent;
  expect(log).toContain("You, in the window changed settings");
  expect(log).toContain("stale after, terminal");
  expect(log).toContain("A program of yours made a key");
  expect(log).toContain("Key “backup” connected");
});

test("one that waits is allowed or denied", async () => {
  const desk = await open();
  const waiting = screen.getByRole("group", { name: "Waiting for you" });
  expect(waiting.textContent).toContain("Asks to answer approvals");
  expect(within(waiting).getByText("k4")).toBeTruthy();
  await user.click(within(waiting).getByRole("button", { name: "Deny Phone" }));
  expect(lastCall(desk)).toEqual({ type: "key.confirm", fields: { keyId: "k4", accept: false } });
  await user.click(within(waiting).getByRole("button", { name: "Allow Phone" }));
  expect(lastCall(desk)).toEqual({ type: "key.confirm", fields: { keyId: "k4", accept: true } });
});

test("a key is ended only after it was asked", async () => {
  const desk = await open();
  await user.click(screen.getByRole("button", { name: "Revoke backup" }));
  expect(calls(desk)).not.toContain("key.revoke");
  await user.click(screen.getByRole("button", { name: "Cancel" }));
  await user.click(screen.getByRole("button", { name: "Revoke backup" }));
  await user.click(screen.getByRole("button", { name: "Revoke" }));
  expect(lastCall(desk)).toEqual({ type: "key.revoke", fields: { keyId: "k2" } });
});

test("a new key is shown once, and a refusal where it is made", async () => {
  const desk = await open();
  await user.click(screen.getByRole("button", { name: "New key" }));
  await user.type(screen.getByLabelText("Name"), "script");
  desk.refusal = new Failure("INVALID_KEY", 'there is a key "script" already');
  await user.click(screen.getByRole("button", { name: "Make key" }));
  expect((await screen.findByRole("alert")).textContent).toContain('There is a key "script" already.');
  desk.refusal = undefined;
  await user.click(screen.getByRole("button", { name: "Make key" }));
  expect(await screen.findByText("k9.secret")).toBeTruthy();
  expect(lastCall(desk)).toEqual({ type: "key.new", fields: { name: "script", rights: "look" } });
  await user.click(screen.getByRole("button", { name: "Done" }));
  expect(screen.queryByText("k9.secret")).toBeNull();
});

test("a page has no secret to renew, and a program's is shown", async () => {
  await open();
  expect(screen.queryByRole("button", { name: "Renew the key of Firefox on Linux" })).toBeNull();
  await user.click(screen.getByRole("button", { name: "Renew the key of backup" }));
  expect(await screen.findByText("k2.secret")).toBeTruthy();
});

test("an address pairs one browser", async () => {
  const desk = await open();
  await user.click(screen.getByRole("button", { name: "Make address" }));
  expect(await screen.findByText("http://127.0.0.1:3271/#pair=c.secret")).toBeTruthy();
  expect(lastCall(desk)).toEqual({ type: "key.code", fields: { rights: "administer" } });
});

test("keys that change are looked at anew", async () => {
  const desk = await open();
  const before = calls(desk).filter((type) => type === "key.list").length;
  desk.tell({ type: "keys.updated", waiting: 0 });
  await vi.waitFor(() => expect(calls(desk).filter((type) => type === "key.list")).toHaveLength(before + 1));
});

test("names for other machines are set as they are typed", async () => {
  const desk = await open();
  const field = screen.getByLabelText("Names for other machines");
  await user.type(field, "box.example.net  hub:8443{Enter}");
  const publicHosts = ["box.example.net", "hub:8443"];
  await vi.waitFor(() => expect(desk.settings.publicHosts).toEqual(publicHosts));
  expect(lastCall(desk)).toEqual({ type: "settings.update", fields: { publicHosts } });
});
