import { render, screen, within } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { Failure } from "../../backend/backend";
import type { Shell, ShellInfo } from "../../backend/shell";
import { Desk } from "../../testing/desk";
import { isChecked, lastCall, withBrowser } from "../../testing/page";
import Window from "../../window/Window.svelte";

const user = userEvent.setup();

withBrowser();

const INFO: ShellInfo = {
  platform: "linux",
  version: "0.1.0",
  tray: true,
  shortcut: { state: "off" },
  startAtLogin: { state: "off" },
  compact: false,
  zoom: 1,
  menuBar: false,
  nativeKeys: false,
};

function shell(more: Partial<ShellInfo> = {}): Shell {
  return {
    info: async () => ({ ...INFO, ...more }),
    compact: async () => {},
    testNotification: async () => {},
    act: async () => {},
    listen: () => () => {},
  };
}

async function open(desk = new Desk([])): Promise<Desk> {
  location.hash = "#/settings";
  render(Window, { backend: desk });
  await screen.findByRole("heading", { name: "Notifications" });
  return desk;
}

const needs = () => screen.getByRole("switch", { name: "When a session needs you" });
const editor = () => screen.getByLabelText<HTMLInputElement>("Editor");

test("a switch applies at once, and says so", async () => {
  const desk = await open();
  expect(isChecked(needs())).toBe(true);
  await user.click(needs());
  expect(lastCall(desk)).toEqual({ type: "settings.update", fields: { notifyNeeds: false } });
  await vi.waitFor(() => expect(isChecked(needs())).toBe(false));
  expect(document.querySelector('[data-setting="notifyNeeds"]')?.textContent).toContain("Saved");
});

test("what is refused is as it was, with the reason beside it", async () => {
  const desk = await open();
  desk.refusal = new Failure("STORAGE", "the disk is full");
  await user.click(needs());
  expect((await screen.findByRole("alert")).textContent).toContain("The disk is full.");
  expect(isChecked(needs())).toBe(true);
  expect(needs().getAttribute("aria-invalid")).toBe("true");
});

test("a command that is refused stays in its field to be mended", async () => {
  const desk = await open();
  await user.type(editor(), "nowhere {{folder}{Enter}");
  const alert = await screen.findByRole("alert");
  expect(alert.textContent).toContain("There is no program nowhere");
  expect(editor().value).toBe("nowhere {folder}");
  expect(editor().getAttribute("aria-describedby")).toContain(alert.id);
  await user.clear(editor());
  await user.type(editor(), "code {{folder}{Enter}");
  await vi.waitFor(() => expect(desk.settings.editor).toBe("code {folder}"));
  expect(screen.queryByRole("alert")).toBeNull();
  expect(editor().value).toBe("code {folder}");
});

test("a window tests its notifications, and opens the data folder and the browser", async () => {
  const tested: boolean[] = [];
  const desktop = {
    ...shell(),
    testNotification: async (sound: boolean) => {
      tested.push(sound);
      if (!sound) throw new Failure("UNAVAILABLE", "nobody shows notifications here");
    },
  };
  const desk = await open(Object.assign(new Desk([]), { shell: desktop }));
  await user.click(screen.getByRole("button", { name: "Show" }));
  await user.click(screen.getByRole("switch", { name: "Sound" }));
  expect(lastCall(desk)).toEqual({ type: "settings.update", fields: { notifySound: false } });
  await vi.waitFor(() => expect(isChecked(screen.getByRole("switch", { name: "Sound" }))).toBe(false));
  await user.click(screen.getByRole("button", { name: "Show" }));
  expect((await screen.findByRole("alert")).textContent).toContain("Nobody shows notifications here.");
  expect(tested).toEqual([true, false]);
  await user.click(screen.getByRole("button", { name: "Open data folder" }));
  await user.click(screen.getByRole("button", { name: "Open in browser" }));
  const opened = desk.calls.filter(({ type }) => type === "gateway.open").map(({ fields }) => fields);
  expect(opened).toEqual([{ what: "dataFolder" }, { what: "page" }]);
});

test("what another window changes shows, but not over what is being typed", async () => {
  const desk = await open();
  await user.type(editor(), "co");
  desk.tell({
    type: "settings.updated",
    cursor: "db:9",
    ...desk.settings,
    editor: "vim",
    notifyFinished: true,
  });
  await vi.waitFor(() =>
    expect(isChecked(screen.getByRole("switch", { name: "When a session is over" }))).toBe(true),
  );
  expect(editor().value).toBe("co");
  await user.keyboard("{Escape}");
  expect(editor().value).toBe("vim");
});

test("minutes out of range are not sent, and the range is told", async () => {
  const desk = await open();
  const field = screen.getByLabelText<HTMLInputElement>("Stale after");
  await user.clear(field);
  await user.type(field, "0");
  await user.tab();
  expect((await screen.findByRole("alert")).textContent).toContain("from 1 to 1,440");
  expect(desk.calls.map(({ type }) => type)).not.toContain("settings.update");
  await user.clear(field);
  await user.type(field, "30");
  await user.tab();
  await vi.waitFor(() => expect(desk.settings.staleMinutes).toBe(30));
});

test("quiet hours come with usual times, which can be others", async () => {
  const desk = await open();
  await user.click(screen.getByRole("switch", { name: "Quiet hours" }));
  await vi.waitFor(() => expect(desk.settings).toMatchObject({ quietFrom: "22:00", quietTo: "08:00" }));
  const from = await screen.findByRole<HTMLInputElement>("textbox", { name: "from" });
  await user.clear(from);
  await user.type(from, "9.30 pm{Enter}");
  await vi.waitFor(() => expect(desk.settings).toMatchObject({ quietFrom: "21:30", quietTo: "08:00" }));
  expect(from.value, "as the reader writes it").toBe("21:30");
  const to = screen.getByRole<HTMLInputElement>("textbox", { name: "to" });
  await user.type(to, "{ArrowUp}{ArrowUp}{ArrowDown}");
  await vi.waitFor(() => expect(desk.settings).toMatchObject({ quietFrom: "21:30", quietTo: "08:15" }));
  await user.click(screen.getByRole("switch", { name: "Quiet hours" }));
  await vi.waitFor(() => expect(desk.settings).toMatchObject({ quietFrom: "", quietTo: "" }));
});

test("a time that is none stays to be mended, says what is one, and goes with Escape", async () => {
  const desk = await open();
  await user.click(screen.getByRole("switch", { name: "Quiet hours" }));
  const to = await screen.findByRole<HTMLInputElement>("textbox", { name: "to" });
  const asked = desk.calls.length;
  await user.clear(to);
  await user.type(to, "25:00");
  expect(screen.queryByRole("alert"), "while it is typed").toBeNull();
  await user.tab();
  expect((await screen.findByRole("alert")).textContent).toContain("a time such as 22:00");
  expect([to.value, to.getAttribute("aria-invalid")]).toEqual(["25:00", "true"]);
  expect(screen.getByRole("textbox", { name: "from" }).getAttribute("aria-invalid")).toBe("false");
  await user.type(to, "{Escape}");
  expect(screen.queryByRole("alert")).toBeNull();
  expect(to.value).toBe("08:00");
  desk.refusal = new Failure("LIMIT_EXCEEDED", "not now");
  await user.clear(to);
  await user.type(to, "7{Enter}");
  expect((await screen.findByRole("alert")).textContent).toContain("Not now");
  expect(to.value, "it stays").toBe("7");
  expect(desk.calls.slice(asked).map(({ fields }) => fields)).toEqual([
    { quietFrom: "22:00", quietTo: "07:00" },
  ]);
});

test("the look is this window's: on the document, and kept", async () => {
  const desk = await open();
  await user.click(screen.getByRole("radio", { name: "Dark" }));
  await user.click(
    within(screen.getByRole("radiogroup", { name: "Density" })).getByRole("radio", { name: "Dense" }),
  );
  expect(document.documentElement.dataset).toMatchObject({ theme: "dark", density: "compact" });
  expect([localStorage.getItem("theme"), localStorage.getItem("density")]).toEqual(["dark", "compact"]);
  await user.click(screen.getByRole("radio", { name: "System" }));
  await user.click(screen.getByRole("radio", { name: "Comfortable" }));
  expect(document.documentElement.dataset.theme).toBeUndefined();
  expect(localStorage.getItem("theme")).toBeNull();
  expect(desk.calls.map(({ type }) => type)).not.toContain("settings.update");
});

test("in a browser it says once where the window's settings are", async () => {
  await open();
  expect(screen.getByText(/^Tray, start at login/)).toBeTruthy();
  expect(screen.queryByRole("switch", { name: "Keep in the tray" })).toBeNull();
});

test("in the desktop's window they are there, with what the system made of them", async () => {
  const desk = new Desk([]);
  desk.shell = shell({ tray: false, startAtLogin: { state: "refused", message: "the folder is read-only" } });
  desk.settings = { ...desk.settings, startAtLogin: true };
  await open(desk);
  const said = await screen.findAllByRole("alert");
  expect(said.map(({ textContent }) => textContent)).toEqual([
    expect.stringContaining("shows no tray"),
    expect.stringContaining("The folder is read-only."),
  ]);
});

test("the global shortcut is set by pressing it, and removed", async () => {
  const desk = new Desk([]);
  desk.shell = shell();
  await open(desk);
  const button = screen.getByRole("button", { name: /^Global shortcut/ });
  await user.click(button);
  expect(button.textContent).toContain("Press the keys");
  await user.keyboard("l");
  expect((await screen.findByRole("alert")).textContent).toContain("Add Ctrl, Alt or ⌘");
  await user.keyboard("{Control>}{Shift>}l{/Shift}{/Control}");
  await vi.waitFor(() => expect(desk.settings.shortcut).toBe("CommandOrControl+Shift+L"));
  expect(screen.queryByRole("alert")).toBeNull();
  await vi.waitFor(() => expect(button.textContent).toMatch(/Ctrl\s*Shift\s*L/));
  await user.click(screen.getByRole("button", { name: "Remove the global shortcut" }));
  await vi.waitFor(() => expect(desk.settings.shortcut).toBe(""));
});

test("that the data was damaged is told, and stands in the settings", async () => {
  const desk = new Desk([]);
  const notice = "The database was damaged. 3 sessions could be read";
  desk.notice = notice;
  await open(desk);
  expect((await screen.findByRole("alert")).textContent).toBe(notice);
  expect(document.querySelector(".toast")?.textContent).toContain(notice);
});
