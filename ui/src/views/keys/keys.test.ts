import { fireEvent, render, screen, within } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { describe, expect, test, vi } from "vitest";
import type { Shell } from "../../backend/shell";
import { acceleratorNames, acceleratorOf, isSafe } from "./accelerator";
import { KEYS } from "./actions";
import { chordWords, isStroke } from "./chords";
import { table } from "./table";
import { Desk } from "../../testing/desk";
import { openSession, row, steps, withBrowser } from "../../testing/page";
import { session } from "../../testing/samples";
import Window from "../../window/Window.svelte";

const user = userEvent.setup();

withBrowser();

const key = (name: string, more: KeyboardEventInit = {}) =>
  new KeyboardEvent("keydown", { key: name, ...more });

test("the numbers lead to the pages in the order in which the rail has them", async () => {
  render(Window, { backend: new Desk([]) });
  const rail = await screen.findByRole("navigation", { name: "Sightline" });
  const pages = within(rail)
    .getAllByRole("link")
    .flatMap((link) =>
      table().flatMap(({ bindings }) => bindings.filter(({ words }) => words() === link.title)),
    );
  const digits = pages
    .flatMap(({ chords, desktop }) => desktop ?? chords)
    .filter((chord) => /\d/.test(chord));
  expect(digits).toEqual(["Mod+1", "Mod+2", "Mod+3", "Mod+4"]);
});

describe("strokes", () => {
  test.each<[string, KeyboardEvent, boolean]>([
    ["Mod+K", key("k", { ctrlKey: true }), true],
    ["Mod+K", key("K", { ctrlKey: true, shiftKey: true }), false],
    ["Mod+Shift+C", key("C", { ctrlKey: true, shiftKey: true }), true],
    ["n", key("n"), true],
    ["n", key("n", { ctrlKey: true }), false],
    ["n", key("N", { shiftKey: true }), false],
    // Shift, as on an American keyboard; a German one has it elsewhere.
    ["?", key("?", { shiftKey: true }), true],
    ["Mod+/", key("/", { ctrlKey: true, shiftKey: true }), true],
    // French: digits are with Shift.
    ["Mod+1", key("&", { ctrlKey: true, code: "Digit1" }), true],
    ["Mod+Comma", key(",", { ctrlKey: true }), true],
    ["Alt+ArrowUp", key("ArrowUp", { altKey: true }), true],
    ["ArrowUp", key("ArrowUp", { altKey: true }), false],
  ])("%s and %o: %s", (stroke, event, is) => {
    expect(isStroke(event, stroke)).toBe(is);
  });

  test("keys are written as on the keyboard", () => {
    expect(chordWords("Mod+Shift+C")).toBe("Ctrl Shift C");
    expect(chordWords("g n")).toBe("G N");
    expect(chordWords("Mod+Comma")).toBe("Ctrl ,");
  });

  test("no keys do two things", () => {
    for (const isDesktop of [false, true]) {
      const active = table()
        .flatMap(({ bindings }) => bindings)
        .filter(({ action }) => action !== undefined);
      const all = active.flatMap(({ chords, desktop = [] }) => (isDesktop ? chords.concat(desktop) : chords));
      expect(new Set(all).size).toBe(all.length);
    }
  });
});

test("every action that has keys is in the table, with its words", () => {
  const shown = table().flatMap(({ bindings }) => bindings.flatMap(({ action }) => action ?? []));
  expect(shown.toSorted()).toEqual(Object.keys(KEYS).toSorted());
});

describe("accelerators", () => {
  test.each<[KeyboardEvent, string | undefined]>([
    [key("l", { code: "KeyL", ctrlKey: true, shiftKey: true }), "CommandOrControl+Shift+L"],
    [key("§", { code: "Digit3", altKey: true }), "Alt+3"],
    [key("F9", { code: "F9" }), "F9"],
    [key("Control", { code: "ControlLeft", ctrlKey: true }), undefined],
  ])("%o is %s", (event, accelerator) => {
    expect(acceleratorOf(event)).toBe(accelerator);
  });

  test("what one types is left to typing", () => {
    expect(["L", "Shift+L", "Alt+L", "F9", "Shift+F9"].map(isSafe)).toEqual([false, false, true, true, true]);
  });

  test("they are written as on the keyboard", () => {
    expect(acceleratorNames("CommandOrControl+Shift+L")).toEqual(["Ctrl", "Shift", "L"]);
    expect(acceleratorNames("Super+Alt+ArrowUp")).toEqual(["Super", "Alt", "↑"]);
  });
});

async function openNow(desk = new Desk([session("s", steps()), session("t", steps())])): Promise<Desk> {
  render(Window, { backend: desk });
  await screen.findByRole("link", { name: /^codex · project-s/ });
  (document.activeElement as HTMLElement).blur();
  return desk;
}

test("g and a letter lead to a page, whose heading has the focus and whose name the window has", async () => {
  await openNow();
  await user.keyboard("gs");
  const heading = await screen.findByRole("heading", { name: "Settings" });
  await vi.waitFor(() => expect(document.activeElement).toBe(heading));
  expect(document.title).toBe("Settings – Sightline");
  await user.keyboard("ga");
  await screen.findByRole("heading", { name: "Agents" });
  await user.keyboard("gn");
  await screen.findByRole("heading", { name: "Now" });
});

test("brackets go from session to session, and round", async () => {
  await openNow();
  await user.keyboard("]");
  await vi.waitFor(() => expect(location.hash).toMatch(/^#\/session\//));
  const first = location.hash;
  await user.keyboard("]");
  await vi.waitFor(() => expect(location.hash).not.toBe(first));
  await user.keyboard("]");
  await vi.waitFor(() => expect(location.hash).toBe(first));
});

test("keys that are typed are text", async () => {
  await openSession();
  const field = screen.getByLabelText<HTMLInputElement>("Add a step");
  await user.type(field, "gn ?[[]k");
  expect(field.value).toBe("gn ?[]k");
  expect(location.hash).toBe("#/session/s");
  expect(screen.queryByRole("dialog")).toBeNull();
});

test("n goes to the field for a new step, k copies the list", async () => {
  const desk = await openSession();
  row("a").focus();
  await user.keyboard("n");
  await vi.waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText("Add a step")));
  row("a").focus();
  await user.keyboard("k");
  await vi.waitFor(() => expect(desk.calls.at(-1)?.type).toBe("session.export"));
});

test("a question mark shows the map, and only its keys are heard there", async () => {
  await openNow();
  await user.keyboard("?");
  const map = within(await screen.findByRole("dialog", { name: "Keyboard" }));
  expect(map.getByText("Find anything").parentElement?.textContent).toMatch(/Ctrl\s*K/);
  expect(map.queryByText("Full screen")).toBeNull();
  await user.keyboard("gs");
  expect(location.hash).toBe("#/");
  await user.keyboard("{Escape}");
  await vi.waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
});

test("the desktop's keys are the page's where its menu does not take them", async () => {
  const acted: string[] = [];
  let listeners: Parameters<Shell["listen"]> | undefined;
  const desk = new Desk([session("s", steps())]);
  const info = { platform: "linux", nativeKeys: false } as Awaited<ReturnType<Shell["info"]>>;
  desk.shell = {
    info: async () => info,
    compact: async () => {},
    testNotification: async () => {},
    act: async (deed) => void acted.push(deed),
    listen(...given) {
      listeners = given;
      return () => {};
    },
  };
  await openNow(desk);
  await user.keyboard("{Control>}w{/Control}{Control>}4{/Control}");
  expect(acted).toEqual(["close"]);
  await vi.waitFor(() => expect(location.hash).toBe("#/agents"));
  listeners?.[0]({ ...info, nativeKeys: true });
  await user.keyboard("{Control>}1{/Control}");
  expect(location.hash).toBe("#/agents");
  listeners?.[1]("keys");
  expect(await screen.findByRole("dialog", { name: "Keyboard" })).toBeTruthy();
  expect(screen.getByText("Full screen")).toBeTruthy();
  await user.keyboard("{Escape}");
  await vi.waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  listeners?.[1]("guide");
  expect(await screen.findByRole("dialog", { name: "Keyboard" })).toBeTruthy();
});

const rightClick = (element: Element) => fireEvent.contextMenu(element, { button: 2 });

test("a right click in the desktop's window opens the menu of a run", async () => {
  const desk = new Desk([session("s", steps())]);
  desk.shell = {
    info: async () => ({ platform: "linux" }) as Awaited<ReturnType<Shell["info"]>>,
    compact: async () => {},
    testNotification: async () => {},
    act: async () => {},
    listen: () => () => {},
  };
  await openNow(desk);
  const isLeft = await rightClick(screen.getByRole("heading", { name: "Now" }));
  expect(isLeft, "there is nothing to do with a heading").toBe(false);
  expect(screen.queryByRole("menu")).toBeNull();
  await rightClick(screen.getByRole("link", { name: /^codex · project-s, / }));
  expect(await screen.findByRole("menu", { name: "Actions for project-s" })).toBeTruthy();
});
