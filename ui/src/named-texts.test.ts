import { render, screen, within } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test, vi } from "vitest";
import { Desk } from "./testing/desk";
import { agent, progress } from "./testing/machine";
import { withBrowser } from "./testing/page";
import { AT, item, session } from "./testing/samples";
import Window from "./window/Window.svelte";

vi.hoisted(() => localStorage.setItem("locale", "de"));

const user = userEvent.setup();

withBrowser();
beforeEach(() => localStorage.setItem("locale", "de"));

function open(hash: string, desk = new Desk([])): Desk {
  location.hash = hash;
  render(Window, { backend: desk });
  return desk;
}

test("a damaged database is told in the language of the page", async () => {
  const desk = new Desk([]);
  desk.notice = "The database was damaged and nothing of it could be read.";
  desk.noticeText = { name: "database_lost", params: { path: "/d/old.db" } };
  open("#/settings", desk);
  const told = (await screen.findByRole("alert")).textContent;
  expect(told).toMatch(/^Die Datenbank war beschädigt, .*\/d\/old\.db/);
  expect(document.querySelector(".toast")?.textContent).toContain(told);
});

test("a refusal by another machine is worded here, one without a name stays as it came", async () => {
  const refused = { kind: "note.send", at: AT, problem: "of its own words" };
  const problemText = { name: "no_subtask", params: { position: "1.2" } };
  const sending = [
    { key: "1", text: "A", ...refused, problemText },
    { key: "2", text: "B", ...refused },
  ];
  open("#/session/s1", new Desk([{ ...session("s1", [item("a")]), host: "box", sending }]));
  const list = await screen.findByRole("list", { name: /box/ });
  const [named, nameless] = within(list).getAllByRole("listitem");
  expect(named?.textContent).toMatch(/Abgelehnt: .*1\.2/);
  expect(named?.textContent).not.toContain("of its own words");
  expect(nameless?.textContent).toContain("Abgelehnt: of its own words");
});

test("what an import could not read is told in the language of the page, with the reason", async () => {
  const desk = new Desk([]);
  desk.machine.agents = [agent("codex")];
  open("#/agents", desk);
  await screen.findByRole("heading", { name: "Agenten" });
  const why = { name: "place_hangs" };
  const unreadableTexts = [
    { name: "import_unread", params: { path: "/a", problem: "it does not answer" }, texts: { problem: why } },
  ];
  const unreadable = ["/a: it does not answer"];
  desk.tell({ type: "import.progress", ...progress({ unreadable, unreadableTexts, done: true }) });
  expect(await screen.findByText("/a: er antwortet nicht")).toBeTruthy();
});

test("why a tool server is not there, and a key is not sent, is told in the language of the page", async () => {
  const desk = new Desk([]);
  const problem = "It does not answer as an MCP server: the connection broke.";
  const params = { problem: "the connection broke" };
  const problemText = { name: "server_no_answer", params, texts: { problem: { name: "fault_broke" } } };
  desk.chat.tools = { servers: [{ name: "files", tools: [], problem, problemText }] };
  desk.chat.keys = { openai: "keyring" };
  desk.chat.withheld = { openai: "not sent" };
  desk.chat.withheldTexts = {
    openai: { name: "withheld_alone", params: { provider: "openai", address: "https://a" } },
  };
  open("#/settings", desk);
  expect(await screen.findByText(/^Der Schlüssel von openai wurde ohne seine Adresse/)).toBeTruthy();
  await user.click(await screen.findByRole("button", { name: "Tools anzeigen" }));
  const tools = await screen.findByRole("region", { name: "Tools von files" });
  await within(tools).findByText("Er antwortet nicht als MCP-Server: die Verbindung ist abgebrochen.");
});

test("why the window has no gateway is told in the language of the page", async () => {
  const desk = open("#/");
  await vi.waitFor(() => expect(document.querySelector('[data-state="connected"]')).toBeTruthy());
  const message = "the connection to the gateway was lost";
  desk.tell({ type: "gateway.state", state: "disconnected", message, text: { name: "remote_lost" } });
  await vi.waitFor(() => {
    const title = document.querySelector<HTMLElement>('[data-state="reconnecting"]')?.title;
    expect(title).toBe("die Verbindung zum Gateway ist abgebrochen");
  });
});
