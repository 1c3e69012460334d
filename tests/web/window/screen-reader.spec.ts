// The window as a screen reader has it.
import { join } from "node:path";
import { Agent, type Todo } from "../parts/agent.ts";
import { calls, COMPLEX, plan, scripted } from "../parts/model.ts";
import { until } from "../parts/process.ts";
import { STORY } from "../parts/story.ts";
import { fileServer, WRITE } from "../parts/tools.ts";
import { type Node, tree } from "./screen-reader.ts";
import { expect, test } from "./test.ts";

/** Roles of controls; each control has to have a name. */
const CONTROLS = /button|link|entry|combo box|check box|radio button|slider|menu item|toggle/;

type Wanted = [role: string, name: RegExp];

/** The tree, when it has a heading of that name, and what is on its page. */
async function treeOf(heading: string, has: Wanted[] = []): Promise<Node[]> {
  let nodes: Node[] = [];
  const lacking = (): Wanted[] =>
    has.filter(([role, name]) => !nodes.some((node) => node.role === role && name.test(node.name)));
  const isThere = async (): Promise<boolean> => {
    nodes = await tree();
    const titles = nodes.filter(({ role, level }) => role === "heading" && level === "1");
    return titles.some(({ name }) => name === heading) && lacking().length === 0;
  };
  await until(`the tree has the page ${heading}`, isThere).catch((error: Error) => {
    const names = nodes.map(({ role, name }) => `${role}: ${name}`);
    throw new Error(`${error.message}; it lacks ${lacking().join(" and ")} among\n${names.join("\n")}`);
  });
  return nodes;
}

/** Parts of lists that are no entries of theirs: whoever reads a list is told how many it has. */
function strayParts(nodes: Node[]): string[] {
  return nodes.flatMap((list, at) => {
    if (list.role !== "list") return [];
    const end = nodes.findIndex(({ depth }, index) => index > at && depth <= list.depth);
    const parts = nodes
      .slice(at + 1, end < 0 ? undefined : end)
      .filter(({ depth }) => depth === list.depth + 1);
    return parts
      .filter(({ role }) => role !== "list item")
      .map(({ role, name }) => `${list.name}: ${role} ${name}`);
  });
}

function landmarksOf(nodes: Node[]): string[] {
  return nodes
    .filter(({ landmark }) => ["navigation", "main"].includes(landmark))
    .map(({ landmark, name }) => `${landmark}: ${name}`);
}

/** One title, a name for whatever can be used, and lists of entries alone. */
function expectReadable(nodes: Node[], heading: string): void {
  const titles = nodes.filter(({ role, level }) => role === "heading" && level === "1");
  expect(titles, heading).toHaveLength(1);
  const nameless = nodes.filter(({ role, name }) => CONTROLS.test(role) && name.trim() === "");
  expect(nameless, `${heading}: all that can be used has a name`).toEqual([]);
  expect(strayParts(nodes), `${heading}: lists have entries alone`).toEqual([]);
}

/** Writes down what the live regions say from now on. This WebKit sends no events of AT-SPI for them. */
function listen(): void {
  const said: string[] = [];
  Object.assign(window, { said });
  for (const region of document.querySelectorAll("[aria-live], [role=status], [role=alert]")) {
    let before = region.textContent;
    new MutationObserver(() => {
      if (region.textContent === before) return;
      before = region.textContent;
      said.push(before.trim());
    }).observe(region, { subtree: true, childList: true, characterData: true });
  }
}

test("every page has its landmarks, one title, and a name for all that can be used", async ({
  open,
  folder,
}) => {
  const app = await open();
  const agent = await Agent.connect(await folder.gateway(), "window-agent");
  await agent.write([...STORY, { content: "Ask the customer", status: "blocked" }]);
  await app.card("window-agent").waitForExist();
  const pages: [address: string, heading: string, has: Wanted[]][] = [
    [
      "#/",
      "Now",
      [
        ["link", /^window-agent · Read the format page, 1 of 4, running/],
        ["toggle button", /^Dense$/],
      ],
    ],
    [
      "#/needs",
      "Needs you",
      [
        ["list", /^Blocked on you 1$/],
        ["push button", /^Unblock: window-agent/],
      ],
    ],
    [
      "#/history",
      "History",
      [
        ["entry", /^Search/],
        ["list", /^Lists$/],
      ],
    ],
    ["#/agents", "Agents", [["list", /^Agents$/]]],
    [
      "#/settings",
      "Settings",
      [
        ["toggle button", /^When a session needs you$/],
        ["entry", /^Stale after$/],
      ],
    ],
    [
      "session",
      "Read the format page",
      [
        ["progress bar", /^Progress$/],
        ["list", /^Steps$/],
        ["list item", /^2\. Fixing the parser: in progress$/],
        ["push button", /^Status of “Fix the parser”: in progress/],
        ["entry", /^Add a step$/],
        ["entry", /^Tell the agent$/],
      ],
    ],
  ];
  for (const [address, heading, has] of pages) {
    await app.browser.execute((hash) => (location.hash = hash), address === "session" ? "#/" : address);
    if (address === "session") await app.openSession("window-agent");
    const nodes = await treeOf(heading, has);
    const landmarks = landmarksOf(nodes);
    expect(landmarks[0], heading).toBe("navigation: Sightline");
    // Settings have a way to each of their sections.
    expect(landmarks.slice(1), heading).toEqual(
      address === "#/settings" ? ["main: ", "navigation: Sections"] : ["main: "],
    );
    expectReadable(nodes, heading);
    // Those out of view are not in the tree, so each says which one it is.
    const lists = nodes.findIndex(({ role, name }) => role === "list" && name === "Lists");
    if (lists >= 0) expect(nodes[lists + 1]).toMatchObject({ role: "list item", place: ["1", "1"] });
    // The gateway's state, and what is told.
    const live = nodes.filter((node) => node.live === "polite");
    const [state, ...more] = live.map(({ name }) => name);
    expect(state).toMatch(/^Gateway on \d+$/);
    expect(
      more.filter((name) => name !== ""),
      heading,
    ).toEqual([]);
  }
  await agent.close();
});

test("a conversation is read with what it asks, and the strip with its sessions", async ({
  open,
  folder,
}) => {
  const app = await open();
  await folder.gateway();
  const answers = [
    COMPLEX,
    plan("Write the note", "Look it through"),
    calls([WRITE, { path: join(folder.home, "note.md"), content: "Done" }]),
  ];
  await app.invoke("settings_update", { ...(await scripted(folder, answers)), ...fileServer(folder.home) });
  const task = "Write the note and look it through";
  await app.invoke("chat_send", { content: task, folder: folder.home });
  await app.openSession("sightline");
  const nodes = await treeOf(task, [
    ["landmark", /^Conversation$/],
    ["list", /^Messages$/],
    ["list", /^Steps$/],
    ["push button", /^Allow once$/],
    ["push button", /^Refuse$/],
    ["push button", /^Stop$/],
    ["entry", /^Message$/],
  ]);
  expect(landmarksOf(nodes)).toEqual(["navigation: Sightline", "main: "]);
  expectReadable(nodes, task);
  const live = nodes.filter((node) => node.live === "polite").map(({ name }) => name);
  expect(live[0]).toMatch(/^Gateway on \d+$/);

  await app.browser.execute(() => (location.hash = "#/compact"));
  await app.browser.$("main.strip li").waitForExist();
  const strip = await treeOf("1 session", [
    ["list", /^Active sessions: 1$/],
    ["link", /needs you|waiting/i],
    ["link", /^Back to the window$/],
  ]);
  expect(landmarksOf(strip)).toEqual(["main: "]);
  expectReadable(strip, "the strip");
});

test("what is told is few words: nothing while clocks tick, and of a busy agent only the outcome", async ({
  open,
  folder,
}) => {
  const app = await open();
  const agent = await Agent.connect(await folder.gateway(), "window-agent");
  const steps = Array.from({ length: 12 }, (_, at): Todo => ({
    content: `Step ${at + 1}`,
    status: "pending",
  }));
  const at = (done: number): Todo[] =>
    steps.map((step, index) => ({
      ...step,
      status: index < done ? "completed" : index === done ? "in_progress" : "pending",
    }));
  await agent.write(at(0));
  await app.openSession("window-agent");
  await treeOf("Step 1");
  await app.browser.execute(listen);
  const said = () => app.browser.execute(() => (window as unknown as { said: string[] }).said);
  // Each second the step's time, the run's and the last call's change in sight.
  await app.browser.pause(3_000);
  expect(await said()).toEqual([]);
  const begun = Date.now();
  for (let done = 1; done < steps.length; done += 1) await agent.write(at(done));
  await until("the outcome is told", async () => (await said()).some((words) => words.includes("Step 12")));
  const told = await said();
  // Once at first, and then at most every four seconds.
  expect(told.length, told.join("\n")).toBeLessThanOrEqual(2 + (Date.now() - begun) / 4_000);
  await agent.close();
});
