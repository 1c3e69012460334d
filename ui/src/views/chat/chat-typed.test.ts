// Text that the user types beside a run that goes on, and that nothing takes it away.
import { render, screen, within } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { describe, expect, test, vi } from "vitest";
import { Failure } from "../../backend/backend";
import { builtIn, checklist } from "../../testing/chat";
import { Desk } from "../../testing/desk";
import { isChecked, openConversation, openTalk, withBrowser } from "../../testing/page";
import { item } from "../../testing/samples";
import Window from "../../window/Window.svelte";

const user = userEvent.setup();

withBrowser();

const open = (prepare?: (desk: Desk) => void): Promise<Desk> =>
  openTalk({ todos: [item("a", "in_progress"), item("b")] }, prepare);

const prompt = () => screen.getByRole<HTMLTextAreaElement>("textbox", { name: "Message" });
const button = (name: string | RegExp) => screen.getByRole("button", { name });
const last = (desk: Desk, type: string) => desk.calls.findLast((call) => call.type === type)?.fields;

describe("while a run goes on", () => {
  test("Enter leaves a note, says when it is told, and shows it where notes are", async () => {
    const desk = await open();
    desk.chat.begin("s");
    expect(await screen.findByText("Enter delivers it with the next step, Esc stops the agent")).toBeTruthy();
    await user.type(prompt(), "  Mind the gap {Enter}");
    expect(last(desk, "note.send")).toEqual({ sessionId: "s", text: "Mind the gap" });
    expect(last(desk, "chat.send")).toBeUndefined();
    expect(prompt().value).toBe("");
    expect(document.activeElement).toBe(prompt());
    expect(await screen.findByText("Delivered with its next step")).toBeTruthy();
    const list = screen.getByRole("region", { name: "List" });
    expect(await within(list).findByText("Mind the gap")).toBeTruthy();
    await user.type(prompt(), "x");
    expect(screen.queryByText("Delivered with its next step")).toBeNull();
  });

  test("a note that is refused goes back into the field", async () => {
    const desk = await open();
    desk.chat.begin("s");
    await screen.findByText("Planning");
    desk.refusal = new Failure("LIMIT_EXCEEDED", "a message has 1 to 2000 characters");
    await user.type(prompt(), "Too long{Enter}");
    expect((await screen.findByRole("alert")).textContent).toContain("1 to 2000 characters");
    expect(prompt().value).toBe("Too long");
  });

  test("an empty line is no note", async () => {
    const desk = await open();
    desk.chat.begin("s");
    await screen.findByText("Planning");
    await user.type(prompt(), " {Enter}");
    expect(last(desk, "note.send")).toBeUndefined();
  });

  test.each(["click", "key"])("after Stop by %s one types the next message", async (how) => {
    const desk = await open();
    desk.chat.begin("s");
    const stop = await screen.findByRole("button", { name: "Stop" });
    stop.focus();
    if (how === "click") await user.click(stop);
    else await user.keyboard("{Enter}");
    expect(last(desk, "chat.abort")).toEqual({ sessionId: "s" });
    await screen.findByText("Stopped.");
    expect(document.activeElement).toBe(prompt());
  });
});

describe("a plan", () => {
  test("is put otherwise for as long as it waits, whatever page is looked at", async () => {
    const desk = await open();
    desk.chat.begin("s");
    desk.chat.wait("s", { preflight: checklist("s") });
    await user.click(await screen.findByRole("button", { name: "Edit step 1" }));
    const first = screen.getByRole<HTMLTextAreaElement>("textbox", { name: "Step 1" });
    await user.clear(first);
    await user.type(first, "Read it twice");
    await user.click(screen.getByRole("checkbox", { name: "Skip “Run the tests”" }));
    location.hash = "#/";
    await screen.findByRole("heading", { name: "Now" });
    location.hash = "#/session/s";
    const again = await screen.findByRole("group", { name: "Step 1" });
    expect(again.textContent.trim()).toBe("Read it twice");
    expect(isChecked(screen.getByRole("checkbox", { name: "Skip “Run the tests”" }))).toBe(true);
    desk.chat.begin("s", "run-2");
    desk.chat.wait("s", { preflight: checklist("s", { requestId: "run-2" }) });
    await vi.waitFor(() =>
      expect(screen.getByRole("group", { name: "Step 1" }).textContent.trim()).toBe("Read the format page"),
    );
  });

  test("says what Begin allows: what is left out is not allowed", async () => {
    const desk = await open();
    desk.chat.begin("s");
    desk.chat.wait("s", { preflight: checklist("s") });
    const plan = await screen.findByRole("region", { name: "Its plan. May it begin?" });
    expect(plan.textContent).toContain("without asking again in this run: files__write.");
    await user.click(screen.getByRole("checkbox", { name: "Skip “Write the parser”" }));
    expect(plan.textContent).not.toMatch(/Begin also allows|allowed by Begin/);
  });
});

describe("a reload", () => {
  test("takes nothing that is typed; what is sent is gone", async () => {
    const desk = new Desk([builtIn("s")]);
    desk.chat.open("s");
    const leave = await openConversation(desk);
    await user.type(prompt(), "Half a th");
    leave();
    await openConversation(desk);
    expect(prompt().value).toBe("Half a th");
    await user.type(prompt(), "ought{Enter}");
    expect(last(desk, "chat.send")).toMatchObject({ content: "Half a thought" });
    expect(sessionStorage).toHaveLength(0);
  });

  test("takes no task, and not its folder", async () => {
    const desk = new Desk([]);
    location.hash = "#/chat";
    const { unmount } = render(Window, { backend: desk });
    await user.type(await screen.findByRole("textbox", { name: "Task" }), "Tidy up");
    await user.type(screen.getByLabelText("Folder"), "/home/me");
    unmount();
    render(Window, { backend: desk });
    expect((await screen.findByRole<HTMLTextAreaElement>("textbox", { name: "Task" })).value).toBe("Tidy up");
    await user.click(button("Begin"));
    expect(last(desk, "chat.send")).toEqual({ content: "Tidy up", folder: "/home/me" });
    await vi.waitFor(() => expect(sessionStorage).toHaveLength(0));
  });
});

test("with the last of the earlier messages the focus goes to the conversation", async () => {
  await open((desk) => {
    for (let at = 0; at < 250; at += 1) desk.chat.say("s", { kind: "user", content: `Message ${at}` });
  });
  button("Earlier messages").focus();
  await user.keyboard("{Enter}");
  await screen.findByText("Message 0");
  expect(screen.queryByRole("button", { name: "Earlier messages" })).toBeNull();
  expect(document.activeElement).toBe(screen.getByRole("region", { name: "Conversation" }));
});

test("a conversation that is left while it scrolls is left without an error", async () => {
  await open((desk) => desk.chat.say("s", { kind: "user", content: "Go" }));
  const conversation = screen.getByRole("region", { name: "Conversation" });
  location.hash = "#/";
  await screen.findByRole("heading", { name: "Now" });
  // A browser tells of it in its next frame, whether it is still there or not.
  const thrown = vi.fn<() => void>();
  window.addEventListener("error", thrown, { once: true });
  conversation.dispatchEvent(new Event("scroll"));
  expect(thrown).not.toHaveBeenCalled();
});

test("a call that was never made is told as such, and why", async () => {
  await open((desk) =>
    desk.chat.say("s", {
      kind: "tool",
      toolCallId: "1",
      toolName: "files__write",
      args: {},
      result: "The run was ended.",
      isError: true,
      notMade: true,
    }),
  );
  const call = within(screen.getByRole("list", { name: "Messages" })).getByRole("button");
  expect(call.textContent).toMatch(/not called\s*files__write/);
  await user.click(call);
  expect(screen.getByRole("group", { name: "Reason" }).textContent).toContain("The run was ended.");
});

test("the list follows the step in progress, unless somebody is at it", async () => {
  const scrolled = vi.spyOn(Element.prototype, "scrollIntoView");
  const desk = await open();
  const followed = () => scrolled.mock.contexts.map((row) => (row as HTMLElement).dataset.uid);
  const work = (uid: string) => {
    const todos = ["a", "b"].map((each) => item(each, each === uid ? "in_progress" : "pending"));
    desk.put(builtIn("s", { todos }));
  };
  await vi.waitFor(() => expect(followed()).toContain("a"));
  scrolled.mockClear();
  work("b");
  await vi.waitFor(() => expect(followed()).toContain("b"));
  screen.getByLabelText("Add a step").focus();
  scrolled.mockClear();
  work("a");
  await vi.waitFor(() =>
    expect(document.querySelector('[data-uid="a"][data-status="in_progress"]')).toBeTruthy(),
  );
  expect(followed()).not.toContain("a");
});
