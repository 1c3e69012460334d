import { render, screen, within } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, test, vi } from "vitest";
import { Failure } from "../../backend/backend";
import { grouping, panes } from "../../state/look.svelte";
import { Desk } from "../../testing/desk";
import { openSession, select, withBrowser } from "../../testing/page";
import { session } from "../../testing/samples";
import { agentMark } from "../../text/agent-marks";
import Window from "../../window/Window.svelte";

const user = userEvent.setup();

withBrowser();

afterEach(() => {
  grouping.chosen = "auto";
  panes.chosen = "two";
  vi.unstubAllGlobals();
});

const main = () => within(screen.getByRole("main"));
const links = (): string[] =>
  main()
    .queryAllByRole("link", { name: /^codex · (?:project-|shop)/ })
    .map((link) => link.closest<HTMLElement>("[data-session]")?.dataset.session ?? "");
const headings = (): (string | undefined)[] =>
  main()
    .queryAllByRole("heading", { level: 2 })
    .flatMap((heading) => (heading.matches(".caption") ? [heading.textContent?.trim()] : []));

/** The first two are of one project, where it is given. */
async function open(count: number, project?: string): Promise<Desk> {
  const sessions = Array.from({ length: count }, (_, at) =>
    session(`s${at}`, [], {
      ...(at < 2 && { tags: ["release"], ...(project !== undefined && { project }) }),
    }),
  );
  const desk = new Desk(sessions);
  render(Window, { backend: desk });
  await vi.waitFor(() => expect(links()).toHaveLength(count));
  return desk;
}

test("what is typed and chosen narrows the board, stands in the address, and is taken back", async () => {
  await open(5);
  await user.type(main().getByRole("textbox", { name: "Search sessions" }), "project-s3");
  await vi.waitFor(() => expect(links()).toEqual(["s3"]));
  expect(location.hash).toBe("#/?q=project-s3");
  await user.type(main().getByRole("textbox", { name: "Search sessions" }), "{Escape}");
  await vi.waitFor(() => expect(links()).toHaveLength(5));
  await select(user, main().getByLabelText("Tag"), "#release");
  await vi.waitFor(() => expect(links().toSorted()).toEqual(["s0", "s1"]));
  expect(location.hash).toBe("#/?tag=release");
  location.hash = "#/?tag=release&q=nothing";
  await user.click(await main().findByRole("link", { name: "Show all sessions" }));
  await vi.waitFor(() => expect(links()).toHaveLength(5));
});

test("many sessions are grouped by project, or as it is chosen, and that is kept", async () => {
  await open(9, "shop");
  expect(headings()).toContain("shop 2");
  expect(headings()).toContain("Other projects 7");
  await select(user, main().getByLabelText("Group"), "Group by tag");
  await vi.waitFor(() => expect(headings().slice(0, 2)).toEqual(["#release 2", "No tag 7"]));
  expect(localStorage.getItem("group")).toBe("tag");
});

test("a session has tags, which are added and removed on its page", async () => {
  const desk = await openSession("s", undefined, { tags: ["release"] });
  const tags = within(main().getByRole("group", { name: "Tags" }));
  expect(tags.getByRole("link", { name: "Show sessions with tag release" }).getAttribute("href")).toBe(
    "#/?tag=release",
  );
  await user.click(tags.getByRole("button", { name: "Add tag" }));
  await user.keyboard("#Two three{Enter}");
  await vi.waitFor(() =>
    expect(desk.calls.at(-1)).toEqual({
      type: "session.mark",
      fields: { sessionId: "s", addTags: ["#Two", "three"] },
    }),
  );
  await user.click(tags.getByRole("button", { name: "Remove tag release" }));
  await vi.waitFor(() =>
    expect(desk.calls.at(-1)).toEqual({
      type: "session.mark",
      fields: { sessionId: "s", removeTags: ["release"] },
    }),
  );
  desk.refusal = new Failure("INVALID_MESSAGE", "a tag is one word");
  await user.click(tags.getByRole("button", { name: "Add tag" }));
  await user.keyboard("<b>{Enter}");
  await screen.findByText(/a tag is one word/);
  expect((tags.getByRole("textbox", { name: "Add tag" }) as HTMLInputElement).value, "it can be mended").toBe(
    "<b>",
  );
});

test("a card's menu and key lead to its tags", async () => {
  await open(1);
  main()
    .getByRole("link", { name: /^codex · project-s0/ })
    .focus();
  await user.keyboard("h");
  const dialog = await screen.findByRole("dialog", { name: "Tags of project-s0" });
  expect(document.activeElement).toBe(within(dialog).getByRole("textbox", { name: "Add tag" }));
  await user.click(within(dialog).getByRole("button", { name: "Done" }));
  await vi.waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
});

test("where there is room the board stands beside the session, unless it is not wanted", async () => {
  vi.stubGlobal("innerWidth", 1600);
  await open(2);
  await user.click(main().getByRole("link", { name: /^codex · project-s0/ }));
  await screen.findByRole("heading", { name: "Title of s0" });
  expect(links().toSorted(), "the board is still there").toEqual(["s0", "s1"]);
  await user.click(main().getByRole("button", { name: "Board beside session" }));
  await vi.waitFor(() => expect(links()).toEqual([]));
  expect(localStorage.getItem("panes")).toBe("one");
});

test("each agent has a mark of its own, and the same one by each of its names", () => {
  const names = [
    "claude",
    "codex",
    "opencode",
    "gemini",
    "qwen",
    "copilot",
    "cline",
    "kilo",
    "kimi",
    "vibe",
    "continue",
    "pi",
  ];
  const marks = names.map(agentMark);
  expect(new Set(marks.map(({ letters }) => letters)).size).toBe(names.length);
  expect(new Set(marks.map(({ hue }) => hue)).size).toBe(names.length);
  expect(agentMark("claude-code")).toEqual(agentMark("claude"));
  expect(agentMark("Qwen-Code")).toEqual(agentMark("qwen"));
  expect(agentMark("my-own agent").letters).toBe("My");
  expect(agentMark("my-own agent")).toEqual(agentMark("my-own agent"));
  expect(agentMark("").letters).toBe("?");
});
