import { render, screen, within } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { Desk } from "../../../testing/desk";
import { lastCall, openSession, rows, select, withBrowser } from "../../../testing/page";
import { item } from "../../../testing/samples";
import Window from "../../../window/Window.svelte";

const user = userEvent.setup();

withBrowser();

async function open(publicHosts: string[], expires = Date.now() + 600_000): Promise<[Desk, HTMLElement]> {
  const desk = new Desk([]);
  desk.settings = { ...desk.settings, publicHosts };
  desk.codeExpires = new Date(expires).toISOString();
  location.hash = "#/settings";
  render(Window, { backend: desk });
  await user.click(await screen.findByRole("button", { name: "Pair a phone" }));
  return [desk, await screen.findByRole("dialog", { name: "Phone" })];
}

const isDisabled = (control: HTMLElement) => control.closest("fieldset[disabled]") !== null;
const code = (dialog: HTMLElement) => within(dialog).queryByRole("img", { name: /QR code/ });

test("a phone gets the least rights by a named host, and a code with its address", async () => {
  const [desk, dialog] = await open(["box.example.net"]);
  expect(within(dialog).getByLabelText("Rights").textContent).toContain("look");
  expect(code(dialog)).toBeNull();
  await user.click(within(dialog).getByRole("button", { name: "Show code" }));
  expect(lastCall(desk)).toEqual({ type: "key.code", fields: { rights: "look", host: "box.example.net" } });
  expect(code(dialog)).not.toBeNull();
  expect(dialog.textContent).toContain("https://box.example.net/#pair=c.secret");
  expect(dialog.textContent).toContain("Works once, until");
});

test("another choice takes the code away; nobody administers from a phone", async () => {
  const [desk, dialog] = await open(["box.example.net"]);
  await user.click(within(dialog).getByRole("button", { name: "Show code" }));
  await user.click(within(dialog).getByLabelText("Rights"));
  expect(screen.queryByRole("option", { name: "administer" })).toBeNull();
  await user.keyboard("{Escape}");
  await select(user, within(dialog).getByLabelText("Rights"), "edit");
  expect(code(dialog)).toBeNull();
  await select(
    user,
    within(dialog).getByLabelText("Address"),
    "This computer’s own, by an SSH tunnel on the phone",
  );
  await user.click(within(dialog).getByRole("button", { name: "Show code" }));
  expect(lastCall(desk)).toEqual({ type: "key.code", fields: { rights: "edit" } });
});

test("a code that is over is shown no more, and a phone that came is named", async () => {
  const [desk, dialog] = await open(["box.example.net"], Date.now() - 1);
  await user.click(within(dialog).getByRole("button", { name: "Show code" }));
  expect(dialog.textContent).toContain("This code has expired.");
  expect(code(dialog)).toBeNull();
  desk.codeExpires = new Date(Date.now() + 600_000).toISOString();
  await user.click(within(dialog).getByRole("button", { name: "New code" }));
  expect(code(dialog)).not.toBeNull();
  const phone = { keyId: "k9", kind: "page", name: "Chrome on Android", rights: "look" } as const;
  desk.keys = [...desk.keys, { ...phone, createdAt: new Date().toISOString() }];
  desk.tell({ type: "keys.updated", waiting: 0 });
  await vi.waitFor(() => expect(dialog.textContent).toContain("Chrome on Android is paired: look."));
  expect(code(dialog)).toBeNull();
});

test("without a name the ways are told, and one is named there", async () => {
  const [desk, dialog] = await open([]);
  for (const words of ["tailscale serve", "caddy reverse-proxy", "ssh -N -L"]) {
    expect(dialog.textContent).toContain(words);
  }
  await user.type(
    within(dialog).getByLabelText("Name of this computer for other devices"),
    "https://box.example.net/",
  );
  await user.click(within(dialog).getByRole("button", { name: "Add name" }));
  const named = { type: "settings.update", fields: { publicHosts: ["box.example.net"] } };
  await vi.waitFor(() => expect(desk.calls).toContainEqual(named));
  await vi.waitFor(() =>
    expect(within(dialog).getByLabelText("Address").textContent).toContain("https://box.example.net"),
  );
});

test("a page that may only look finds nothing that changes a list, and why", async () => {
  const desk = await openSession("s", [item("a"), item("b")], {}, "look");
  expect(document.body.textContent).toContain("This browser may look, not edit.");
  expect(rows()).toHaveLength(2);
  expect(screen.queryByLabelText("Add a step")).toBeNull();
  expect(screen.queryByLabelText("Tell the agent")).toBeNull();
  expect(screen.queryByRole("button", { name: /^Delete step/ })).toBeNull();
  expect(screen.queryByRole("link", { name: "New task" })).toBeNull();
  location.hash = "#/settings";
  expect(isDisabled(await screen.findByRole("button", { name: "New key" }))).toBe(true);
  expect(isDisabled(screen.getByRole("radio", { name: "Dark" })), "its own look").toBe(false);
  expect(
    desk.calls.map(({ type }) => type).filter((type) => /^(todo|note|settings\.update)/.test(type)),
  ).toEqual([]);
});
