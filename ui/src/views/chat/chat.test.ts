import { render, screen, within } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { describe, expect, test, vi } from "vitest";
import { groupsOf, typedModel } from "./models";
import { Failure } from "../../backend/backend";
import { approval, builtIn, checklist } from "../../testing/chat";
import { Desk } from "../../testing/desk";
import { openTalk, withBrowser } from "../../testing/page";
import { AT, item } from "../../testing/samples";
import { argsWords, fieldsOf, tookWords } from "../../text/chat";
import Window from "../../window/Window.svelte";

const user = userEvent.setup();

withBrowser();

const open = (prepare: (desk: Desk) => void = () => {}): Promise<Desk> =>
  openTalk({ todos: [item("a", "in_progress")] }, (desk) => {
    desk.settings = { ...desk.settings, chatModel: "ollama:llama3.2" };
    prepare(desk);
  });

const prompt = () => screen.getByRole<HTMLTextAreaElement>("textbox", { name: "Message" });
const button = (name: string | RegExp) => screen.getByRole("button", { name });
const messages = () => screen.getByRole("list", { name: "Messages" });
const last = (desk: Desk, type: string) => desk.calls.findLast((call) => call.type === type)?.fields;

test("a conversation has its list beside it, editable as ever", async () => {
  const desk = await open((made) => {
    made.chat.say("s", { kind: "user", content: "Write the parser" });
    made.chat.say("s", { kind: "assistant", content: "I **will**.", reasoning: "Hm, hm." });
    made.chat.say("s", { kind: "notice", message: "Planning anew" });
  });
  expect(messages().textContent).toMatch(/You:\s*Write the parser.*Sightline:\s*I will\..*Planning anew/s);
  expect(messages().querySelector("strong")?.textContent).toBe("will");
  expect(screen.queryByText("Hm, hm.")).toBeNull();
  await user.click(button("Reasoning"));
  expect(screen.getByText("Hm, hm.")).toBeTruthy();
  const list = screen.getByRole("region", { name: "List" });
  await user.type(within(list).getByLabelText("Add a step"), "Ask the customer{Enter}");
  expect(last(desk, "todo.add")).toMatchObject({ sessionId: "s", content: "Ask the customer" });
});

test("a prompt is sent with Enter; a line begins with Shift and Enter", async () => {
  const desk = await open();
  expect(screen.getByText("No messages yet.")).toBeTruthy();
  await user.type(prompt(), "First{Shift>}{Enter}{/Shift}second{Enter}");
  expect(last(desk, "chat.send")).toEqual({ sessionId: "s", content: "First\nsecond" });
  await vi.waitFor(() => expect(messages().textContent).toContain("second"));
  expect(prompt().value).toBe("");
  expect(document.activeElement).toBe(prompt());
});

test("a conversation from elsewhere is given to no model before the user says so", async () => {
  const desk = await open((made) => {
    made.chat.open("s", { imported: true, canResume: true });
    made.chat.say("s", { kind: "end", outcome: "waiting", message: "" });
  });
  const question = screen.getByRole("region", { name: /This conversation was imported/ });
  expect(screen.queryByRole("textbox", { name: "Message" })).toBeNull();
  expect(screen.queryByRole("button", { name: "Resume" })).toBeNull();
  await user.click(within(question).getByRole("button", { name: "Continue" }));
  expect(question.isConnected).toBe(false);
  expect(document.activeElement).toBe(prompt());
  desk.chat.refusals["chat.send"] = new Failure("UNAVAILABLE", "the connection broke");
  await user.type(prompt(), "Go on{Enter}");
  expect(last(desk, "chat.send")).toEqual({ sessionId: "s", content: "Go on", allowImported: true });
  await screen.findByText(/the connection broke/i);
  expect(prompt().value, "it is not asked twice").toBe("Go on");
  delete desk.chat.refusals["chat.send"];
  await user.type(prompt(), "{Enter}");
  expect(last(desk, "chat.send")).toEqual({ sessionId: "s", content: "Go on", allowImported: true });
  await vi.waitFor(() => expect(messages().textContent).toContain("Go on"));
  expect(screen.queryByRole("region", { name: /This conversation was imported/ })).toBeNull();
});

test("while it works it says what it does, streams, and stops by button or Escape", async () => {
  const desk = await open((made) => made.chat.say("s", { kind: "user", content: "Go" }));
  desk.chat.begin("s", "run-1", "Planning");
  expect(await screen.findByText("Planning")).toBeTruthy();
  desk.chat.stream("s", "# Half");
  expect(await screen.findByRole("heading", { name: "Half" })).toBeTruthy();
  expect(screen.queryByRole("button", { name: "Send" })).toBeNull();
  await user.type(prompt(), "later");
  expect(prompt().value).toBe("later");
  await user.keyboard("{Escape}");
  expect(last(desk, "chat.abort")).toEqual({ sessionId: "s" });
  expect(await screen.findByText("Stopped.")).toBeTruthy();
  expect(prompt().value).toBe("later");
  await user.click(await screen.findByRole("button", { name: "Resume" }));
  expect(last(desk, "chat.resume")).toEqual({ sessionId: "s" });
  await user.click(await screen.findByRole("button", { name: "Stop" }));
});

test("only the last end can be resumed, and only where the gateway says so", async () => {
  const desk = await open((made) => {
    made.chat.end("s", { kind: "end", outcome: "interrupted", message: "" }, true);
    made.chat.end("s", { kind: "end", outcome: "failed", message: "openai answered 429" }, true);
  });
  expect(messages().textContent).toMatch(/Interrupted\..*Failed\.\s*openai answered 429/s);
  expect(screen.getAllByRole("button", { name: "Resume" })).toHaveLength(1);
  desk.chat.end("s", { kind: "end", outcome: "completed", message: "" });
  await vi.waitFor(() => expect(screen.queryByRole("button", { name: "Resume" })).toBeNull());
});

test("what a run took is said at its end, where it is known", async () => {
  const usage = { inputTokens: 12_340, outputTokens: 810, totalTokens: 13_150 };
  const of = (totalCost: number) => tookWords({ usage, cost: { inputCost: 0, outputCost: 0, totalCost } });
  expect(of(0.042)).toEqual(["12,340 tokens read, 810 written", expect.stringMatching(/^(US)?\$0\.04$/)]);
  expect(of(0.0004).at(-1)).toMatch(/^less than (US)?\$0\.01$/);
  expect(of(0)).toHaveLength(1);
  expect(tookWords({})).toEqual([]);
  await open((made) => {
    made.chat.say("s", { kind: "assistant", content: "Done." });
    made.chat.end("s", { kind: "end", outcome: "completed", message: "", usage });
    made.chat.end("s", { kind: "end", outcome: "aborted", message: "The run was stopped." });
    made.chat.end("s", { kind: "end", outcome: "completed", message: "" });
  });
  expect(messages().textContent).toMatch(
    /^\s*Sightline:\s*Done\.\s*12,340 tokens read, 810 written\s*Stopped\.\s*$/,
  );
});

test("a call is a line; opened, what it was made with and what it gave, as text", async () => {
  await open((made) => {
    const call = { kind: "tool", toolName: "files__read", args: { path: "a.rs", many: "1\n2" } } as const;
    made.chat.say("s", { ...call, toolCallId: "1", result: "<b>bold</b>" });
    made.chat.say("s", { ...call, toolCallId: "2", result: "no such file", isError: true });
    made.chat.say("s", { ...call, toolCallId: "3" });
  });
  const [done, failed, lost] = within(messages()).getAllByRole("button");
  expect(done?.textContent).toMatch(/done\s*files__read\s*path: a\.rs, many: 1 2/);
  expect(failed?.textContent).toContain("failed");
  expect(lost?.textContent, "no run goes on that could answer it").toContain("not answered");
  if (done) await user.click(done);
  expect(screen.getByRole("group", { name: "Result" }).textContent).toContain("<b>bold</b>");
  expect(screen.getByRole("group", { name: "many" }).textContent).toContain("1\n2");
  expect(messages().querySelector("b b")).toBeNull();
  if (failed) await user.click(failed);
  expect(screen.getByRole("group", { name: "Error" }).textContent).toContain("no such file");
});

describe("an approval", () => {
  test("shows the call, takes no focus, and is answered in place", async () => {
    const desk = await open();
    prompt().focus();
    desk.chat.begin("s");
    desk.chat.wait("s", { approval: approval("s") });
    const asked = await screen.findByRole("region", { name: /^May it call\s+files__write/ });
    expect(asked.textContent).toMatch(/path\s*src\/main\.rs/);
    expect(within(asked).getByRole("group", { name: "content" }).textContent).toContain("todo!()\n");
    expect(asked.textContent).toMatch(/left/);
    expect(prompt().placeholder).toBe("It is waiting for your answer above.");
    expect(document.activeElement).toBe(prompt());
    await user.click(button("Allow for this session"));
    expect(last(desk, "tool.approval.response")).toEqual({
      toolCallId: "call-1",
      approved: true,
      sessionApprove: true,
    });
    await vi.waitFor(() => expect(screen.queryByRole("button", { name: "Allow once" })).toBeNull());
  });

  test.each([
    ["Allow once", { approved: true, sessionApprove: false }],
    ["Refuse", { approved: false, sessionApprove: false }],
  ])("%s", async (name, fields) => {
    const desk = await open();
    desk.chat.begin("s");
    desk.chat.wait("s", { approval: approval("s", { args: "no JSON" }) });
    await user.click(await screen.findByRole("button", { name }));
    expect(last(desk, "tool.approval.response")).toMatchObject(fields);
  });

  test("that is answered elsewhere is gone, and one whose time is over says so", async () => {
    const desk = await open();
    desk.chat.begin("s");
    desk.chat.wait("s", { approval: approval("s", { expiresAt: AT.replace("2026", "2020") }) });
    expect(await screen.findByText("time is up")).toBeTruthy();
    await desk.call("tool.approval.response", { toolCallId: "call-1", approved: false });
    await vi.waitFor(() => expect(screen.queryByRole("button", { name: "Allow once" })).toBeNull());
  });

  test("cannot hide what it does behind signs", async () => {
    const desk = await open();
    desk.chat.begin("s");
    desk.chat.wait("s", { approval: approval("s", { args: { command: "rm \u202Efdp.a\u0007" } }) });
    const asked = await screen.findByRole("region", { name: /^May it call/ });
    expect(asked.textContent).toContain("rm <U+202E>fdp.a<U+0007>");
  });

  test("is shown whole, its name and its arguments", async () => {
    const desk = await open();
    desk.chat.begin("s");
    const [long, command] = ["n".repeat(300), `${"echo nothing; ".repeat(3_000)}rm -rf ~`];
    desk.chat.wait("s", {
      approval: approval("s", { toolName: `${long}\u200B`, args: { [`${long}\u2066`]: command } }),
    });
    const asked = await screen.findByRole("region", { name: /^May it call/ });
    expect(asked.textContent).toContain(`May it call ${long}<U+200B>?`);
    expect(asked.textContent).toContain(`${long}<U+2066>`);
    expect(asked.querySelector("pre")?.textContent).toBe(command);
    expect(within(asked).queryByRole("button", { name: /^Show all/ })).toBeNull();
    expect([...asked.querySelectorAll(".exact")].map((each) => each.getAttribute("dir"))).toEqual([
      "ltr",
      "ltr",
      "ltr",
    ]);
  });

  test("shows numbers as they are sent, which no number here can hold", async () => {
    const desk = await open();
    desk.chat.begin("s");
    const argsText =
      '{"id":12345678901234567890,"in":{"at":[-9007199254740993,1e400]},"name":"1,{2}: \\"3\\""}';
    desk.chat.wait("s", { approval: approval("s", { args: JSON.parse(argsText) as unknown, argsText }) });
    const asked = await screen.findByRole("region", { name: /^May it call/ });
    expect([...asked.querySelectorAll("dd")].map((value) => value.textContent.trim())).toEqual([
      "12345678901234567890",
      '{"at":[-9007199254740993,1e400]}',
      '1,{2}: "3"',
    ]);
  });

  test("turns only the words that are written from right to left", async () => {
    const desk = await open();
    desk.chat.begin("s");
    desk.chat.wait("s", { approval: approval("s", { args: { command: "cp א ב/1 /tmp/ג" } }) });
    const asked = await screen.findByRole("region", { name: /^May it call/ });
    const turned = [...asked.querySelectorAll('dd [dir="rtl"]')].map((run) => run.textContent);
    expect(turned).toEqual(["א ב", "ג"]);
  });
});

describe("a plan", () => {
  test("begins as it is", async () => {
    const desk = await open();
    desk.chat.begin("s");
    desk.chat.wait("s", { preflight: checklist("s", { warnings: ["Mind the gap"] }) });
    const plan = await screen.findByRole("region", { name: "Its plan. May it begin?" });
    expect(plan.textContent).toMatch(/Begin also allows, .*: files__write\..*Mind the gap/s);
    expect(plan.textContent).toMatch(/files__write\s*allowed by Begin/);
    await user.click(within(plan).getByRole("button", { name: "Begin" }));
    expect(last(desk, "preflight.approval")).toEqual({ requestId: "run-1", approved: true });
  });

  test("hides nothing in its steps, and goes back as it came", async () => {
    const desk = await open();
    desk.chat.begin("s");
    const steps = [
      { description: "Clean \u2067up", toolName: "files__w\u200B", risk: "high", needsApproval: true },
      { description: "Run the tests", risk: "low", needsApproval: false },
    ];
    desk.chat.wait("s", { preflight: checklist("s", { steps, requiredPermissions: ["files__w\u200B"] }) });
    const plan = await screen.findByRole("region", { name: "Its plan. May it begin?" });
    expect(screen.getByRole("group", { name: "Step 1" }).textContent.trim()).toBe("Clean <U+2067>up");
    expect(plan.textContent).toMatch(/: files__w<U\+200B>\..*files__w<U\+200B>\s*allowed by Begin/s);
    await user.click(screen.getByRole("checkbox", { name: "Skip “Run the tests”" }));
    await user.click(button("Begin"));
    expect(last(desk, "preflight.approval")).toMatchObject({
      editedSteps: [{ description: "Clean \u2067up", skip: false }, { skip: true }],
    });
  });

  test("turns only words from right to left, in its steps and its tools", async () => {
    const desk = await open();
    desk.chat.begin("s");
    const tool = "א__ב";
    const steps = [{ description: "cp א ב/1 /tmp/ג", toolName: tool, risk: "high", needsApproval: true }];
    desk.chat.wait("s", { preflight: checklist("s", { steps, requiredPermissions: [tool] }) });
    const plan = await screen.findByRole("region", { name: "Its plan. May it begin?" });
    const turned = [...plan.querySelectorAll('.exact [dir="rtl"]')].map((run) => run.textContent);
    expect(turned).toEqual(["א", "ב", "א ב", "ג", "א", "ב"]);
    expect(plan.querySelectorAll('.exact[dir="ltr"]')).toHaveLength(3);
  });

  test("begins otherwise, with steps left out", async () => {
    const desk = await open();
    desk.chat.begin("s");
    desk.chat.wait("s", { preflight: checklist("s") });
    await screen.findByRole("group", { name: "Step 1" });
    expect(screen.queryByRole("textbox", { name: /^Step/ }), "nothing is edited by accident").toBeNull();
    await user.click(button("Edit step 1"));
    const first = screen.getByRole<HTMLTextAreaElement>("textbox", { name: "Step 1" });
    expect(document.activeElement).toBe(first);
    await user.clear(first);
    await user.type(first, "Read it twice");
    await user.click(screen.getByRole("checkbox", { name: "Skip “Run the tests”" }));
    await user.click(button("Begin"));
    expect(last(desk, "preflight.approval")).toEqual({
      requestId: "run-1",
      approved: true,
      editedSteps: [
        { description: "Read it twice", skip: false },
        { description: "Write the parser", toolName: "files__write", skip: false },
        { description: "Run the tests", toolName: "shell__run", skip: true },
      ],
    });
  });

  test("is refused, and does not begin without a step", async () => {
    const desk = await open();
    desk.chat.begin("s");
    desk.chat.wait("s", { preflight: checklist("s") });
    await screen.findByRole("group", { name: "Step 1" });
    for (const box of screen.getAllByRole("checkbox", { name: /^Skip/ })) {
      // oxlint-disable-next-line no-await-in-loop
      await user.click(box);
    }
    expect(button("Begin").hasAttribute("disabled")).toBe(true);
    await user.click(button("Refuse"));
    expect(last(desk, "preflight.approval")).toEqual({ requestId: "run-1", approved: false });
  });
});

const picker = () => screen.getByRole("dialog", { name: "Models" });
const options = () => screen.getAllByRole("option").map(({ textContent }) => textContent?.trim());

describe("the model", () => {
  test("is found, tried, and used for what is sent next", async () => {
    const desk = await open();
    await user.click(button(/^Model: ollama:llama3\.2/));
    await within(picker()).findByRole("option", { name: /qwen3/ });
    expect(picker().textContent).toContain("anthropic needs a key.");
    expect(picker().textContent, "and no more than that").not.toContain("no key is kept");
    expect(options()).toContain("llama3.2 in use");
    await user.keyboard("gpt mini");
    expect(options()).toEqual(["gpt-5-mini"]);
    await user.click(button("Test"));
    expect(last(desk, "chat.test")).toEqual({ model: "openai:gpt-5-mini" });
    expect(await within(picker()).findByText(/It answers\./)).toBeTruthy();
    desk.chat.refusals["chat.test"] = new Failure("AGENT_ERROR", "openai answered 401; check the key");
    await user.click(button("Test"));
    expect(await within(picker()).findByText("Openai answered 401; check the key.")).toBeTruthy();
    await user.click(button("Use"));
    expect(screen.queryByRole("dialog")).toBeNull();
    await user.type(prompt(), "Go{Enter}");
    expect(last(desk, "chat.send")).toMatchObject({ model: "openai:gpt-5-mini" });
  });

  test("goes on as well with what another one could not do", async () => {
    const desk = await open((made) => {
      made.chat.end("s", { kind: "end", outcome: "failed", message: "ollama is not there" }, true);
    });
    await user.click(button(/^Model: ollama:llama3\.2/));
    await screen.findByRole("option", { name: /qwen3/ });
    await user.keyboard("mistral:large{Enter}");
    await user.click(button("Resume"));
    expect(last(desk, "chat.resume")).toEqual({ sessionId: "s", model: "mistral:large" });
  });

  test("can be typed, and by key alone", async () => {
    await open();
    button(/^Model:/).focus();
    await user.keyboard("{Enter}");
    await screen.findByRole("option", { name: /qwen3/ });
    await user.keyboard("{ArrowDown}");
    expect(screen.getByRole("option", { selected: true }).textContent).toContain("qwen3");
    await user.keyboard("mistral:large{Enter}");
    expect(button(/^Model: mistral:large/)).toBe(document.activeElement);
    await user.keyboard("{Enter}{Escape}");
    expect(screen.queryByRole("dialog")).toBeNull();
  });

  test("lists are searched by words, and what is no model is not taken for one", () => {
    const providers = [{ name: "a", models: ["a:one-two", "a:three"], key: "", needsKey: false }];
    expect(groupsOf(providers, "two a:").map(({ choices }) => choices.length)).toEqual([1]);
    expect(groupsOf(providers, "four")).toEqual([]);
    expect(
      ["a:new", "a:three", "three", "a:", ":x", "a:b c"].map((typed) => typedModel(providers, typed)),
    ).toEqual(["a:new", undefined, undefined, undefined, undefined, undefined]);
  });

  test("that is missing is said where it is needed, with the way to choose one", async () => {
    const desk = await open((made) => {
      made.chat.refusals["chat.send"] = new Failure(
        "PROVIDER_NOT_CONFIGURED",
        "no model is chosen; choose one",
      );
    });
    await user.type(prompt(), "Go{Enter}");
    const alert = await screen.findByRole("alert");
    expect(alert.textContent).toContain("No model is chosen; choose one.");
    expect(prompt().value).toBe("Go");
    expect(within(alert).getByRole("link").getAttribute("href")).toBe("#/settings");
    expect(alert.closest(".composer")?.querySelector("textarea")?.getAttribute("aria-invalid")).toBe("true");
    await user.click(within(alert).getByRole("button", { name: "Choose another model" }));
    expect(await screen.findByRole("dialog", { name: "Models" })).toBeTruthy();
    expect(last(desk, "chat.models")).toEqual({});
    await user.dblClick(await screen.findByRole("option", { name: "gpt-5" }));
    expect(screen.queryByRole("alert"), "it was said of another").toBeNull();
  });
});

async function start(prepare: (desk: Desk) => void = () => {}): Promise<Desk> {
  const desk = new Desk([builtIn("old", { folder: "/home/me/code" })]);
  prepare(desk);
  location.hash = "#/chat";
  render(Window, { backend: desk });
  await screen.findByRole("heading", { name: "New task" });
  return desk;
}

describe("a new task", () => {
  test("is typed at once, begins, and leads to its session", async () => {
    const desk = await start();
    const task = screen.getByRole("textbox", { name: "Task" });
    expect(document.activeElement).toBe(task);
    await user.type(task, "Tidy up");
    await user.type(screen.getByLabelText("Folder"), "/home/me/code");
    await user.click(button("Begin"));
    expect(last(desk, "chat.send")).toEqual({ content: "Tidy up", folder: "/home/me/code" });
    await vi.waitFor(() => expect(location.hash).toBe("#/session/chat-1"));
    expect(await screen.findByRole("heading", { name: "Tidy up" })).toBeTruthy();
    expect(await screen.findByText("Planning")).toBeTruthy();
    await vi.waitFor(() => expect(document.activeElement).toBe(prompt()));
  });

  test("without a model says so once, until one is chosen", async () => {
    const desk = await start((made) => {
      made.chat.models = { providers: [] };
      made.chat.refusals["chat.send"] = new Failure("PROVIDER_NOT_CONFIGURED", "no model is chosen");
    });
    await user.type(screen.getByRole("textbox", { name: "Task" }), "Go{Enter}");
    await screen.findByRole("alert");
    expect(await within(picker()).findByText(/No models yet/)).toBeTruthy();
    await user.keyboard("{Escape}");
    await desk.call("settings.update", { chatModel: "ollama:llama3.2" });
    await vi.waitFor(() => expect(screen.queryByRole("alert")).toBeNull());
  });

  test("the first model that is chosen becomes that of all", async () => {
    const desk = await start();
    await user.click(button(/Choose a model/));
    await user.dblClick(await screen.findByRole("option", { name: "gpt-5" }));
    expect(last(desk, "settings.update")).toEqual({ chatModel: "openai:gpt-5" });
    await user.type(screen.getByRole("textbox", { name: "Task" }), "Go{Enter}");
    expect(last(desk, "chat.send")).toEqual({ content: "Go", model: "openai:gpt-5" });
  });

  test("that is refused stays, and one that is not sent outlives the page", async () => {
    await start((desk) => {
      desk.chat.refusals["chat.send"] = new Failure("PROVIDER_NOT_CONFIGURED", "no model is chosen");
    });
    await user.type(screen.getByRole("textbox", { name: "Task" }), "Tidy up{Enter}");
    expect((await screen.findByRole("alert")).textContent).toContain("No model is chosen.");
    location.hash = "#/settings";
    await screen.findByRole("heading", { name: "Settings" });
    location.hash = "#/chat";
    await screen.findByRole("heading", { name: "New task" });
    expect(screen.getByRole<HTMLTextAreaElement>("textbox", { name: "Task" }).value).toBe("Tidy up");
  });

  test("is a key and an entry away from anywhere", async () => {
    render(Window, { backend: new Desk([builtIn("s")]) });
    await screen.findByRole("heading", { name: "Now" });
    await user.keyboard("gt");
    await screen.findByRole("heading", { name: "New task" });
    expect(document.title).toBe("New task – Sightline");
    location.hash = "#/";
    await screen.findByRole("heading", { name: "Now" });
    await user.keyboard("{Control>}k{/Control}new ta{Enter}");
    await screen.findByRole("heading", { name: "New task" });
  });
});

test("the way to the settings leads to what is missing there", async () => {
  await open();
  await user.click(button(/^Model:/));
  await user.click(await screen.findByRole("link", { name: "Settings of the built-in agent" }));
  await screen.findByRole("heading", { name: "Built-in agent" });
  await vi.waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText("Key of anthropic")));
});

test("there is no command that goes on with it elsewhere", async () => {
  await open();
  await user.click(button(/^Actions for/));
  const entries = screen.getAllByRole("menuitem").map(({ textContent }) => textContent?.trim());
  expect(entries).not.toContain("Copy resume command");
  expect(entries.length).toBeGreaterThan(1);
});

describe("what the model writes", () => {
  test("is never markup, loads nothing, and leads only to web pages", async () => {
    await open((desk) =>
      desk.chat.say("s", {
        kind: "assistant",
        content:
          '<img src="https://evil.example/a.png" onerror="alert(1)"> ![cat](https://evil.example/b.png)\n\n' +
          "[trap](javascript:alert(1)) [page](https://good.example/a) [good.example](https://evil.example)\n\n" +
          "<script>alert(1)</script>\n\n<iframe src=x></iframe>",
      }),
    );
    expect(messages().querySelectorAll("img, script, iframe, [onerror]")).toHaveLength(0);
    expect(messages().textContent).toContain('<img src="https://evil.example/a.png" onerror="alert(1)">');
    expect(messages().textContent).toContain("cat (https://evil.example/b.png)");
    expect(messages().textContent).toContain("trap (javascript:alert(1))");
    const links = within(messages()).getAllByRole("link");
    expect(links.map((link) => link.getAttribute("href"))).toEqual([
      "https://good.example/a",
      "https://evil.example/",
    ]);
    for (const link of links) {
      expect(link.getAttribute("target")).toBe("_blank");
      expect(link.getAttribute("rel")).toContain("noopener");
    }
    expect(messages().textContent).toContain("good.example (https://evil.example/)");
  });

  test("in the desktop's window an address is copied, since no other page is shown there", async () => {
    await open((desk) => {
      desk.shell = {
        info: () => new Promise(() => {}),
        compact: async () => {},
        testNotification: async () => {},
        act: async () => {},
        listen: () => () => {},
      };
      desk.chat.say("s", { kind: "assistant", content: "[page](https://good.example/a)" });
    });
    expect(within(messages()).queryByRole("link")).toBeNull();
    const write = vi.spyOn(navigator.clipboard, "writeText");
    await user.click(within(messages()).getByRole("button", { name: "page" }));
    expect(write).toHaveBeenCalledWith("https://good.example/a");
  });

  test("is headings, lists, tables and code for those who only hear it", async () => {
    await open((desk) =>
      desk.chat.say("s", {
        kind: "assistant",
        content: "## A\n\n#### B\n\n- [x] done\n- [ ] open\n\n|a|\n|-|\n|1|\n\n```js\nlet a;\n```",
      }),
    );
    expect(within(messages()).getByRole("heading", { level: 3, name: "A" })).toBeTruthy();
    expect(within(messages()).getByRole("heading", { level: 4, name: "B" })).toBeTruthy();
    expect(messages().textContent).toMatch(/done:\s*done.*to do:\s*open/s);
    expect(within(messages()).getByRole("table")).toBeTruthy();
    await user.click(within(messages()).getByRole("button", { name: "Copy code" }));
    expect(await navigator.clipboard.readText()).toBe("let a;");
  });

  test("of a giant text the beginning is shown, until all is asked for", async () => {
    await open((desk) =>
      desk.chat.say("s", {
        kind: "tool",
        toolCallId: "1",
        toolName: "t",
        args: {},
        result: "x".repeat(50_000),
      }),
    );
    await user.click(within(messages()).getByRole("button"));
    const result = screen.getByRole("group", { name: "Result" });
    expect(result.textContent?.length).toBeLessThan(21_000);
    await user.click(within(result).getByRole("button", { name: "Show all 50,000 characters" }));
    expect(result.textContent).toHaveLength(50_000);
  });
});

test("a change of the message that streams touches no other", async () => {
  const desk = await open((made) => {
    for (let at = 0; at < 40; at += 1) made.chat.say("s", { kind: "assistant", content: `Answer **${at}**` });
  });
  desk.chat.begin("s");
  desk.chat.stream("s", "Begun");
  await screen.findByText("Begun");
  let touched = 0;
  const observer = new MutationObserver((records) => (touched += records.length));
  observer.observe(messages(), { subtree: true, childList: true, characterData: true, attributes: true });
  desk.chat.stream("s", " and on");
  await screen.findByText("Begun and on");
  expect(touched).toBe(0);
  observer.disconnect();
});

test("arguments are told in a line, whatever they are", () => {
  expect(argsWords({ path: "a.rs", deep: { a: [1] } })).toBe('path: a.rs, deep: {"a":[1]}');
  expect([argsWords("no JSON"), argsWords(undefined), argsWords([1]), argsWords({})]).toEqual([
    "no JSON",
    "",
    "[1]",
    "",
  ]);
  expect(argsWords({ text: "x".repeat(500) }).length).toBeLessThanOrEqual(90);
  expect(fieldsOf({ a: "1\n2", b: null })).toEqual([
    { name: "a", text: "1\n2" },
    { name: "b", text: "null" },
  ]);
  const many = fieldsOf({ ids: Array.from({ length: 40 }, (_, at) => at) });
  expect(many[0]?.text.split("\n"), "a line for each of many").toHaveLength(42);
});
