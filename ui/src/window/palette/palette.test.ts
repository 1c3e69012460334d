import { render, screen, within } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { describe, expect, test, vi } from "vitest";
import { piecesOf, search } from "./search";
import { Desk } from "../../testing/desk";
import { openSession, row, steps, withBrowser } from "../../testing/page";
import { item, session } from "../../testing/samples";
import { parts } from "../parts";
import Window from "../Window.svelte";

const user = userEvent.setup();

withBrowser();

describe("search", () => {
  const TEXTS = [
    "Settings",
    "Agents · codex",
    "Fix the parser · billing-api",
    "Исправить разбор",
    "Añadir pruebas",
  ];
  const found = (letters: string) => search(TEXTS, letters, 9).map(({ at }) => TEXTS[at]);

  test("letters may be left out, and words stand in any order", () => {
    expect(found("stng")).toEqual(["Settings"]);
    expect(found("billing fix")).toEqual(["Fix the parser · billing-api"]);
    expect(found("zzz")).toEqual([]);
  });

  test("any alphabet is searched", () => {
    expect(found("разб")).toEqual(["Исправить разбор"]);
    expect(found("añad")).toEqual(["Añadir pruebas"]);
  });

  test("what matched is marked, in the part where it stands", () => {
    const [hit] = search(TEXTS, "codex", 9);
    expect(piecesOf("Agents", hit?.ranges ?? [], 0)).toEqual([{ words: "Agents", isMatch: false }]);
    expect(piecesOf("codex", hit?.ranges ?? [], "Agents · ".length)).toEqual([
      { words: "codex", isMatch: true },
    ]);
  });

  test("a letter that thousands of texts have is answered, too", () => {
    const many = Array.from({ length: 9_000 }, (_, at) => `Step number ${at}`);
    const hits = search(many, "step", 60);
    expect(hits).toHaveLength(60);
    expect(hits[0]?.ranges).toEqual([0, 4]);
  });
});

const line = () => screen.getByRole<HTMLInputElement>("combobox", { name: "Find anything" });
const options = () =>
  within(screen.getByRole("dialog"))
    .queryAllByRole("option")
    .map(({ textContent }) => textContent?.trim() ?? "");
const palette = () => user.keyboard("{Control>}k{/Control}");

/** The palette as it is before it was fetched; gives what ends that. */
function unfetched(): () => void {
  const { here } = parts.palette;
  parts.palette.here = undefined;
  return () => (parts.palette.here = here);
}

test("what is struck before the palette is fetched is what it finds, and does nothing behind", async () => {
  const desk = await openSession();
  row("b").focus();
  const arrive = unfetched();
  await palette();
  await user.keyboard("ag{Delete}");
  arrive();
  await vi.waitFor(() => expect(line().value).toBe("ag"));
  expect(document.activeElement).toBe(line());
  await user.keyboard("en");
  expect(line().value).toBe("agen");
  await user.keyboard("{Escape}");
  await vi.waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  expect(desk.calls.map(({ type }) => type)).not.toContain("todo.delete");
  expect(location.hash, "no key of the page either").toBe("#/session/s");
});

test("Escape gives up a palette that does not come, and the keys are the page's again", async () => {
  await openSession();
  row("b").focus();
  const arrive = unfetched();
  await palette();
  await user.keyboard("x{Escape}gn");
  await screen.findByRole("heading", { name: "Now" });
  arrive();
  expect(screen.queryByRole("dialog")).toBeNull();
});

test("a step that is on comes before those of a subagent that are not", async () => {
  const desk = new Desk([
    session("a", [item("x", "in_progress", { activeForm: "Mending the parser" })]),
    session("sub", [item("y", "pending", { content: "Parser" })], { parentSessionId: "a" }),
  ]);
  render(Window, { backend: desk });
  await screen.findAllByRole("link", { name: /project-a/ });
  await palette();
  await user.keyboard("parser");
  expect(options().slice(0, 2)).toEqual([
    expect.stringContaining("Mending the parser"),
    expect.stringContaining("Parser"),
  ]);
});

test("a page is found and gone to", async () => {
  await openSession();
  await palette();
  expect(document.activeElement).toBe(line());
  await user.keyboard("setti");
  const [first] = screen.getAllByRole("option");
  expect(first?.textContent).toContain("Settings");
  expect(first?.querySelector("mark")?.textContent).toBe("Setti");
  expect(line().getAttribute("aria-activedescendant")).toBe(first?.id);
  await user.keyboard("{Enter}");
  await screen.findByRole("heading", { name: "Settings" });
  expect(screen.queryByRole("dialog")).toBeNull();
});

test("a step of another session is found by its text, and has the focus then", async () => {
  const desk = new Desk([
    session("s", steps()),
    session("t", [item("x", "pending", { content: "Polish the lens" })]),
  ]);
  render(Window, { backend: desk });
  await screen.findByRole("link", { name: /^codex · project-t/ });
  await palette();
  await user.keyboard("lens polish{Enter}");
  await vi.waitFor(() => expect(document.activeElement?.getAttribute("data-uid")).toBe("x"));
  expect(location.hash).toBe("#/session/t");
});

test("what can be done is done to the session that it was opened at", async () => {
  const desk = await openSession();
  row("a").focus();
  await palette();
  await user.keyboard("pin{Enter}");
  await vi.waitFor(() =>
    expect(desk.calls.at(-1)).toEqual({ type: "session.mark", fields: { sessionId: "s", pinned: true } }),
  );
  await vi.waitFor(() => expect(document.activeElement).toBe(row("a")));
});

test("what was taken last is offered first", async () => {
  await openSession();
  await palette();
  expect(options()[0]).toContain("project-s");
  await user.keyboard("agents{Enter}");
  await screen.findByRole("heading", { name: "Agents" });
  await palette();
  expect(options()[0]).toContain("Agents");
});

test("keys stand beside what they do", async () => {
  await openSession();
  await palette();
  await user.keyboard("add a step");
  expect(options()[0]).toMatch(/Add a step.*project-s.*N$/);
});

test("a slash begins a command, and taking everything back leads to finding again", async () => {
  await openSession();
  await palette();
  await user.keyboard("/todo add 1 First{Enter}");
  expect((await screen.findByLabelText("Output")).textContent).toContain("Added TODO at position 1");
  await user.keyboard("{Backspace}");
  expect(document.activeElement).toBe(line());
});

test("arrow keys go round, and what is not there is said", async () => {
  await openSession();
  await palette();
  const count = options().length;
  await user.keyboard("{ArrowUp}");
  expect(line().getAttribute("aria-activedescendant")).toMatch(new RegExp(`-${count - 1}$`));
  await user.keyboard("zzzz{Enter}");
  expect(options()).toEqual([]);
  expect(screen.getAllByText(/^No matches/)).toHaveLength(2);
  await user.keyboard("{Escape}");
  await vi.waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
});
