import { render, screen, within } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { describe, expect, test, vi } from "vitest";
import { Failure } from "../../backend/backend";
import type { ChatServer, ChatTool } from "../../protocol/types";
import { Desk } from "../../testing/desk";
import { isChecked, select, withBrowser } from "../../testing/page";
import { joinCommand, readPairs, splitCommand, writePairs } from "../../text/command-line";
import Window from "../../window/Window.svelte";

const user = userEvent.setup();

withBrowser();

const FILES: ChatServer = {
  name: "files",
  command: ["npx", "-y", "server", "/my files"],
  env: { MODE: "fast" },
  folder: "",
  url: "",
  headers: {},
  disabled: false,
  confined: false,
};

function tool(name: string, fields: Partial<ChatTool> = {}): ChatTool {
  return { name, description: "", policy: "ask", digest: "a".repeat(64), changed: false, ...fields };
}

async function open(prepare: (desk: Desk) => void = () => {}): Promise<Desk> {
  const desk = new Desk([]);
  prepare(desk);
  location.hash = "#/settings";
  render(Window, { backend: desk });
  await screen.findByRole("heading", { name: "Built-in agent" });
  return desk;
}

const section = () => within(screen.getByRole("region", { name: "Built-in agent" }));
const button = (name: string | RegExp) => section().getByRole("button", { name });
const dialog = () => within(screen.getByRole("dialog"));
const last = (desk: Desk, type: string) => desk.calls.findLast((call) => call.type === type)?.fields;

test("a key is given, told where it is, never shown, and deleted", async () => {
  const desk = await open();
  const field = section().getByLabelText<HTMLInputElement>("Key of anthropic");
  expect(field.type).toBe("password");
  await user.type(field, "sk-secret");
  await user.click(button("Set the key of anthropic"));
  expect(last(desk, "vault.keys.set")).toEqual({ provider: "anthropic", key: "sk-secret" });
  await vi.waitFor(() => expect(field.value).toBe(""));
  expect(field.closest("form")?.textContent).toContain("in the keyring");
  await user.click(button("Delete the key of anthropic"));
  expect(last(desk, "vault.keys.delete")).toEqual({ provider: "anthropic" });
  await vi.waitFor(() => expect(field.closest("form")?.textContent).toContain("needs a key"));
  const openai = section().getByLabelText("Key of openai").closest("form");
  expect(openai?.textContent).toContain("from the environment");
  expect(section().queryByRole("button", { name: "Delete the key of openai" })).toBeNull();
});

test("a key that is refused stays typed, with the reason", async () => {
  await open((desk) => {
    desk.chat.refusals["vault.keys.set"] = new Failure("STORAGE", "the keyring is locked");
  });
  const field = section().getByLabelText<HTMLInputElement>("Key of gemini");
  await user.type(field, "k{Enter}");
  expect((await section().findByRole("alert")).textContent).toContain("The keyring is locked.");
  expect(field.value).toBe("k");
});

test("a provider is added, changed and removed", async () => {
  const desk = await open();
  await user.click(button("Add a provider…"));
  await user.type(dialog().getByLabelText("Name"), "lm studio");
  await user.click(dialog().getByRole("button", { name: "Add" }));
  expect(
    dialog()
      .getAllByRole("alert")
      .map(({ textContent }) => textContent),
  ).toEqual([expect.stringContaining("Letters, digits and hyphens"), "It begins with http:// or https://"]);
  await user.clear(dialog().getByLabelText("Name"));
  await user.type(dialog().getByLabelText("Name"), "lmstudio");
  await user.type(dialog().getByLabelText("Address"), "http://127.0.0.1:1234/v1/");
  await select(user, dialog().getByLabelText("Compatible with"), "Anthropic");
  await user.click(dialog().getByRole("button", { name: "Add" }));
  const added = { name: "lmstudio", kind: "anthropic", endpoint: "http://127.0.0.1:1234/v1/" };
  expect(desk.settings.chatProviders).toEqual([added]);
  await vi.waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  expect(section().getByLabelText("Key of lmstudio")).toBeTruthy();
  await user.click(button("Change lmstudio"));
  await select(user, dialog().getByLabelText("Compatible with"), "OpenAI");
  await user.click(dialog().getByRole("button", { name: "Save" }));
  expect(desk.settings.chatProviders).toEqual([{ ...added, kind: "openai" }]);
  await vi.waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  await user.click(button("Remove lmstudio"));
  expect(desk.settings.chatProviders).toEqual([]);
});

test("a server of tools is a command with its environment, or an address", async () => {
  const desk = await open();
  await user.click(button("Add a server…"));
  await user.type(dialog().getByLabelText("Name"), "files");
  await user.type(dialog().getByLabelText("Command"), 'npx -y server "/my files"');
  await user.type(dialog().getByLabelText("Environment"), "MODE=fast{Enter}bad");
  await user.click(dialog().getByRole("button", { name: "Add" }));
  expect(dialog().getByRole("alert").textContent).toBe("This line has no name: bad");
  await user.type(dialog().getByLabelText("Environment"), "{Backspace}{Backspace}{Backspace}");
  await user.click(dialog().getByRole("button", { name: "Add" }));
  expect(desk.settings.chatServers).toEqual([FILES]);
  await vi.waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  await user.click(section().getByRole("checkbox", { name: "files is on" }));
  expect(desk.settings.chatServers).toEqual([{ ...FILES, disabled: true }]);
  await user.click(button("Change files"));
  await user.click(dialog().getByRole("radio", { name: "An address" }));
  await user.type(dialog().getByLabelText("Address"), "http://127.0.0.1:8080/mcp");
  await user.type(dialog().getByLabelText("Headers"), "Authorization: Bearer $");
  await user.click(dialog().getByRole("button", { name: "Save" }));
  expect(desk.settings.chatServers).toEqual([
    {
      ...FILES,
      command: [],
      env: {},
      url: "http://127.0.0.1:8080/mcp",
      headers: { Authorization: "Bearer $" },
      disabled: true,
    },
  ]);
});

test("a server that was added, changed or turned on is tried, and its line says why it is not there", async () => {
  const desk = await open();
  const asked = () => desk.calls.filter(({ type }) => type === "chat.tools").length;
  const problem = '"npx" cannot be started';
  desk.chat.tools = { servers: [{ name: "files", tools: [], problem }] };
  const held: (() => void)[] = (desk.chat.held = []);
  await user.click(button("Add a server…"));
  await user.type(dialog().getByLabelText("Name"), "files");
  await user.type(dialog().getByLabelText("Command"), "npx");
  await user.click(dialog().getByRole("button", { name: "Add" }));
  expect(await section().findByText("Asking it for its tools…")).toBeTruthy();
  held.at(-1)?.();
  expect((await section().findByRole("alert")).textContent).toBe('"npx" cannot be started.');
  expect(section().queryByRole("region", { name: "Tools of files" }), "unasked").toBeNull();
  const checkbox = section().getByRole("checkbox", { name: "files is on" });
  await user.click(checkbox);
  await vi.waitFor(() => expect(section().queryByRole("alert")).toBeNull());
  expect(asked()).toBe(1);
  desk.chat.held = undefined;
  desk.chat.tools = { servers: [{ name: "files", tools: [] }] };
  await user.click(checkbox);
  await vi.waitFor(() => expect(asked()).toBe(2));
  await vi.waitFor(() => expect(section().queryByText("Asking it for its tools…")).toBeNull());
  expect(section().queryByRole("alert")).toBeNull();
});

test("what the gateway refuses is said in the dialog, which stays", async () => {
  const desk = await open();
  const update = vi.spyOn(desk, "call");
  await user.click(button("Add a provider…"));
  await user.type(dialog().getByLabelText("Name"), "x");
  await user.type(dialog().getByLabelText("Address"), "http://a/");
  update.mockRejectedValueOnce(new Failure("INVALID_SETTING", "that is too much"));
  await user.click(dialog().getByRole("button", { name: "Add" }));
  expect((await dialog().findByRole("alert")).textContent).toBe("That is too much.");
});

test("tools are shown when they are asked for, each with its policy", async () => {
  const desk = await open((made) => {
    made.settings = {
      ...made.settings,
      chatTools: { files__read: "auto" },
      chatToolDigests: { files__read: "a".repeat(64) },
    };
    made.chat.tools = {
      servers: [
        {
          name: "files",
          tools: [
            tool("files__read", { description: "Reads <b>a file</b>.", policy: "auto" }),
            tool("files__write"),
          ],
        },
        { name: "off", tools: [], problem: "npx is not installed" },
      ],
    };
  });
  expect(desk.calls.some(({ type }) => type === "chat.tools")).toBe(false);
  await user.click(button("Show tools"));
  const read = await section().findByLabelText("Before files__read is called");
  expect(read.textContent).toBe("Just call");
  expect(section().getByText("Reads <b>a file</b>.")).toBeTruthy();
  expect(section().getByText("Npx is not installed.")).toBeTruthy();
  await select(user, section().getByLabelText("Before files__write is called"), "Never call");
  expect(last(desk, "settings.update")).toEqual({
    chatTools: { files__read: "auto", files__write: "deny" },
    chatToolDigests: { files__read: "a".repeat(64) },
  });
});

test("a tool that has changed is asked for, until it is trusted as it is now", async () => {
  const desk = await open((made) => {
    made.settings = {
      ...made.settings,
      chatTools: { files__read: "auto", other: "auto" },
      chatToolDigests: { files__read: "a".repeat(64), other: "b".repeat(64) },
    };
    const read = tool("files__read", { policy: "ask", changed: true, digest: "c".repeat(64) });
    made.chat.tools = { servers: [{ name: "files", tools: [read] }] };
  });
  await user.click(button("Show tools"));
  const policy = await section().findByLabelText("Before files__read is called");
  expect(policy.textContent).toBe("Ask me");
  expect(section().getByText(/^Changed since you chose “Just call”/)).toBeTruthy();
  await select(user, policy, "Just call");
  expect(last(desk, "settings.update")).toEqual({
    chatTools: { files__read: "auto", other: "auto" },
    chatToolDigests: { files__read: "c".repeat(64), other: "b".repeat(64) },
  });
  await vi.waitFor(() => expect(section().queryByText(/^Changed since/)).toBeNull());
  expect(policy.textContent).toBe("Just call");
  await select(user, policy, "Ask me");
  expect(last(desk, "settings.update")).toEqual({
    chatTools: { files__read: "ask", other: "auto" },
    chatToolDigests: { other: "b".repeat(64) },
  });
});

test("a key belongs to the address beside it, and is wanted anew for another", async () => {
  const withheld =
    "The key of openai belongs to https://api.openai.com and is not sent to https://a.example.";
  const desk = await open((made) => {
    made.chat.keys = { openai: "keyring" };
    made.chat.origins = { openai: "https://a.example" };
    made.chat.withheld = { openai: withheld };
  });
  const line = section().getByLabelText("Key of openai").closest("form");
  if (!line) throw new Error("the key has no line");
  await within(line).findByText(withheld);
  expect(line.textContent).toContain("not sent to this address");
  expect(line.textContent).toContain("https://a.example");
  expect(line.textContent).not.toContain("in the keyring");
  desk.chat.withheld = {};
  await user.type(section().getByLabelText("Key of openai"), "sk-new{Enter}");
  expect(last(desk, "vault.keys.set")).toEqual({
    provider: "openai",
    key: "sk-new",
    origin: "https://a.example",
  });
  await vi.waitFor(() => expect(line.textContent).toContain("in the keyring"));
});

test("a key of the environment is sent to the address for which that was allowed", async () => {
  const desk = await open();
  await user.click(button("Add a provider…"));
  await user.type(dialog().getByLabelText("Name"), "my-lab");
  expect(dialog().queryByRole("checkbox")).toBeNull();
  const address = dialog().getByLabelText("Address");
  await user.type(address, "https://lab.example/v1");
  await user.click(dialog().getByRole("checkbox", { name: "Send MY_LAB_API_KEY to https://lab.example" }));
  // Another address is not what was allowed.
  await user.clear(address);
  await user.type(address, "https://lab.example:444/v1");
  const again = dialog().getByRole("checkbox", { name: "Send MY_LAB_API_KEY to https://lab.example:444" });
  expect(isChecked(again)).toBe(false);
  await user.click(dialog().getByRole("button", { name: "Add" }));
  const lab = { name: "my-lab", kind: "openai", endpoint: "https://lab.example:444/v1" };
  expect(last(desk, "settings.update")).toEqual({ chatProviders: [lab] });
  await user.click(button("Change my-lab"));
  await user.click(dialog().getByRole("checkbox"));
  await user.click(dialog().getByRole("button", { name: "Save" }));
  const sent = { ...lab, environmentKey: "https://lab.example:444" };
  expect(last(desk, "settings.update")).toEqual({ chatProviders: [sent] });
});

test("a program is run confined where that is chosen", async () => {
  const desk = await open();
  await user.click(button("Add a server…"));
  await user.type(dialog().getByLabelText("Name"), "files");
  await user.type(dialog().getByLabelText("Command"), "npx");
  const confined = dialog().getByRole("checkbox", { name: "Run it confined" });
  expect(isChecked(confined)).toBe(false);
  confined.focus();
  await user.keyboard(" ");
  expect(isChecked(confined)).toBe(true);
  await user.click(dialog().getByRole("button", { name: "Add" }));
  expect(last(desk, "settings.update")).toMatchObject({ chatServers: [{ name: "files", confined: true }] });
  expect(await section().findByText("Confined")).toBeTruthy();
  await user.click(button("Change files"));
  const still = dialog().getByRole("checkbox", { name: "Run it confined" });
  expect(isChecked(still)).toBe(true);
  // As in any field of a form.
  still.focus();
  await user.keyboard("{Enter}");
  await vi.waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  await user.click(button("Change files"));
  await user.click(dialog().getByRole("radio", { name: "An address" }));
  expect(dialog().queryByRole("checkbox")).toBeNull();
});

describe("what is one of a few, or a number", () => {
  test("applies at once", async () => {
    const desk = await open();
    await user.click(section().getByRole("radio", { name: "Just call" }));
    expect(last(desk, "settings.update")).toEqual({ chatOtherTools: "auto" });
    await user.click(section().getByRole("radio", { name: "Always" }));
    expect(last(desk, "settings.update")).toEqual({ chatArchiving: "always" });
    const steps = section().getByLabelText("Step limit");
    await user.clear(steps);
    await user.type(steps, "50{Tab}");
    expect(last(desk, "settings.update")).toEqual({ chatSteps: 50 });
    const continuations = section().getByLabelText("Continuations");
    await user.clear(continuations);
    await user.type(continuations, "0{Tab}");
    expect(last(desk, "settings.update")).toEqual({ chatContinuations: 0 });
  });

  test.each(["21", "-1", "1.5", " "])("is not %o continuations", async (typed) => {
    const desk = await open();
    const continuations = section().getByLabelText("Continuations");
    await user.clear(continuations);
    await user.type(continuations, `${typed}{Tab}`);
    expect((await section().findByRole("alert")).textContent).toContain("from 0 to 20");
    expect(last(desk, "settings.update")).toBeUndefined();
  });

  test("says what it can be", async () => {
    const desk = await open();
    const time = section().getByLabelText("Wait for an approval");
    await user.clear(time);
    await user.type(time, "5{Tab}");
    expect((await section().findByRole("alert")).textContent).toContain("from 10 to 86,400");
    expect(last(desk, "settings.update")).toBeUndefined();
  });
});

test("the model is chosen for all new tasks", async () => {
  const desk = await open();
  await user.click(button(/Choose a model/));
  await screen.findByRole("option", { name: "gpt-5" });
  await user.keyboard("qwen{Enter}");
  expect(last(desk, "settings.update")).toEqual({ chatModel: "ollama:qwen3:8b" });
});

describe("a command line", () => {
  test.each<[string, string[]]>([
    ["npx -y  server", ["npx", "-y", "server"]],
    [`a "b c" 'd "e'`, ["a", "b c", 'd "e']],
    [String.raw`a\ b "c\"d" C:\tools\x.exe`, ["a b", 'c"d', String.raw`C:\tools\x.exe`]],
    [`""`, [""]],
    ["  ", []],
    [`open "end`, ["open", "end"]],
  ])("%s", (line, words) => {
    expect(splitCommand(line)).toEqual(words);
  });

  test("is written so that it is read as the same", () => {
    for (const words of [["a", "b c", 'd"e', String.raw`f\g h`, "", "i'j"], [String.raw`\\server\x`]]) {
      expect(splitCommand(joinCommand(words))).toEqual(words);
    }
  });

  test("pairs are one a line", () => {
    expect(readPairs("A=1\n\n B = x=y \n", "=")).toEqual({ A: "1", B: "x=y" });
    expect(readPairs("A: b:c", ":")).toEqual({ A: "b:c" });
    expect([readPairs("A", "="), readPairs("=1", "="), readPairs("A B=1", "=")]).toEqual([
      "A",
      "=1",
      "A B=1",
    ]);
    expect(writePairs({ A: "1", B: "" }, "=")).toBe("A=1\nB=");
  });
});
