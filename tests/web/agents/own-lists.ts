// An agent that keeps a list of its own, and then ours as well: one run on the page, with both.
import type { ChatMessage, FixtureResponse } from "@copilotkit/aimock";
import type { Locator } from "@playwright/test";
import type { SightlinePage } from "../browser/page.ts";
import { contents, type Todo } from "../parts/agent.ts";
import { type DataFolder, SIGHTLINE } from "../parts/gateway.ts";
import type { Child } from "../parts/process.ts";
import type { Socket } from "../parts/socket.ts";
import { STORY } from "../parts/story.ts";
import { expect } from "../parts/test.ts";
import { passed, times } from "./edits.ts";
import { LAST_WORD, type Model, since } from "./scripted.ts";

export const PROMPT = "Prepare the release. Keep a list of the steps.";

/** The lists that an agent keeps for itself. */
const PLAN: Todo[] = [
  { id: "1", content: "Reproduce the error", status: "completed" },
  { id: "2", content: "Mend it", status: "in_progress" },
  { id: "3", content: "Write the changelog", status: "pending" },
];

const MENDED: Todo[] = [PLAN[0]!, { ...PLAN[1]!, status: "completed" }, PLAN[2]!];
const ADDED: Todo = { id: "4", content: "Ask the customer", status: "pending" };

/** An agent with a list of its own. */
export interface Keeper {
  name: string;
  /** Its tool. */
  tool: string;
  /** Its model's calls that make this the list, each a revision; `before` is what the list was. */
  keep(todos: Todo[], before: Todo[]): FixtureResponse[];
  /** The calls by which its model writes ours for the first time. */
  write(todos: Todo[]): FixtureResponse[];
}

interface Session {
  sessionId: string;
  parentSessionId?: string;
  title: string;
  state: string;
  ownTool?: string;
  revision: number;
}

interface Revision {
  revision: number;
  actor: { kind: string; transport: string };
}

/** A run that has both lists. */
export class Both {
  /** The authors of the revisions of its own list, in their order. */
  readonly #revised: ("agent" | "user")[] = [];

  private constructor(
    readonly keeper: Keeper,
    readonly model: Model,
    readonly user: Socket,
    readonly ours: string,
    readonly own: string,
  ) {}

  /** The agent keeps its own list, and then ours. */
  static async written(keeper: Keeper, model: Model, user: Socket): Promise<Both> {
    const kept = keeper.keep(PLAN, []);
    for (const answer of kept) await model.answer(answer);
    // Until ours is there, it stands for the run.
    await expect.poll(async () => ownTools(await sessions(user))).toEqual([keeper.tool]);
    for (const answer of keeper.write(STORY)) await model.answer(answer);
    await model.asked();
    // News that come by a file come a little later.
    await expect
      .poll(async () => shape(await sessions(user)))
      .toEqual([
        { title: PROMPT, revisions: 1 },
        { title: PROMPT, ownTool: keeper.tool, revisions: kept.length, isUnderTheOther: true },
      ]);
    const [ours, own] = inOrder(await sessions(user));
    const both = new Both(keeper, model, user, ours!.sessionId, own!.sessionId);
    for (const _ of kept) both.#revised.push("agent");
    return both;
  }

  /** The page has one run: ours first, its own list under it. */
  async shownOn(sightline: SightlinePage): Promise<Locator> {
    const { page } = sightline;
    const card = page.getByRole("article");
    await expect(card).toHaveCount(1);
    await expect(card).toContainText(PROMPT);
    await expect(card).toContainText("Fixing the parser");
    await card.getByRole("link").click();
    await expect(page.getByRole("heading", { name: PROMPT })).toBeVisible();
    await sightline.expectRows(["Read the format page", "Fixing the parser", "Add the tests"]);
    const region = page.getByRole("region", { name: `Built-in list (${this.keeper.tool})` });
    await expectSteps(region, PLAN);
    const [first, second] = [await sightline.list.boundingBox(), await region.boundingBox()];
    expect(first!.y, "ours is first").toBeLessThan(second!.y);
    return region;
  }

  /** The model hears once, with its next request, of a step that the user adds to its own list. */
  async hearsOfAddition(own: Locator, other: FixtureResponse): Promise<void> {
    const { keeper, model, user } = this;
    await own.getByLabel("Add a step", { exact: true }).fill(ADDED.content);
    await own.getByLabel("Add a step", { exact: true }).press("Enter");
    this.#revised.push("user");
    await expectSteps(own, [...PLAN, ADDED]);
    const { edits } = (await user.ask("session.get", { sessionId: this.own })) as unknown as {
      edits: { editId: string }[];
    };
    expect(edits).toHaveLength(1);
    const [{ editId }] = edits as [{ editId: string }];

    const before = await model.asked();
    await model.answer(other);
    const told = await model.asked();
    expect(times(heard(before, told), ADDED.content), "in what is new, and in the list as it is").toBe(2);
    expect(heard(before, told)).toContain(
      `The user changed the todo list that you keep with ${keeper.tool}.`,
    );
    expect(await passed(user, editId, "queued", "delivered")).toMatch(/^hook/);
    await model.answer(other);
    const again = await model.asked();
    expect(heard(told, again), "it was told").not.toContain(ADDED.content);

    await this.#keeps([...MENDED, ADDED]);
    const kept = await model.asked();
    expect(heard(again, kept), "it follows").not.toContain("The user changed");
    await passed(user, editId, "queued", "delivered", "reflected");
    await expectSteps(own, [...MENDED, ADDED]);
  }

  /** Nobody can tell it of changes, and the page says so. */
  async takesNone(own: Locator, sentence: string): Promise<void> {
    const { user } = this;
    await expect(own).toContainText(sentence);
    await expect(own.getByLabel("Add a step")).toHaveCount(0);
    await expect(own.getByRole("button", { name: /^(?!Details of step)/ })).toHaveCount(0);
    const added = user.ask("todo.add", { sessionId: this.own, content: ADDED.content });
    await expect(added).rejects.toThrow("cannot be told");
    await this.#keeps(MENDED);
    await expectSteps(own, MENDED);
  }

  async #keeps(todos: Todo[]): Promise<void> {
    for (const answer of this.keeper.keep(todos, PLAN)) {
      await this.model.answer(answer);
      this.#revised.push("agent");
    }
  }

  /** The run ends; nothing came twice, by whatever way: neither sessions nor revisions. */
  async ends(run: Child, folder: DataFolder, comesBy: "hook" | "file"): Promise<void> {
    const { keeper, model, user } = this;
    await model.answer(LAST_WORD);
    expect(await run.end(90)).toBe(0);
    const states = async () => inOrder(await sessions(user)).map(({ state }) => state);
    await expect.poll(states).toEqual(["finished", "finished"]);
    // All that its files say, read from their beginning.
    const importing = folder.spawn("sightline import", SIGHTLINE, [
      "--data-dir",
      folder.path,
      "import",
      keeper.name,
      "--json",
    ]);
    expect(await importing.end()).toBe(0);
    expect(JSON.parse(importing.output), importing.output).toMatchObject({ runs: 1, lists: 0, done: true });
    expect((await sessions(user)).map(({ sessionId }) => sessionId).sort()).toEqual(
      [this.ours, this.own].sort(),
    );
    expect(await this.#revisions(this.ours)).toEqual(["1 agent mcp"]);
    const own = this.#revised.map((who) => (who === "user" ? "user page" : `agent ${comesBy}`));
    expect(await this.#revisions(this.own)).toEqual(own.map((by, at) => `${at + 1} ${by}`));
  }

  async #revisions(sessionId: string): Promise<string[]> {
    const { revisions } = (await this.user.ask("session.revisions", { sessionId })) as unknown as {
      revisions: Revision[];
    };
    return revisions
      .map(({ revision, actor }) => `${revision} ${actor.kind} ${actor.transport}`)
      .toReversed();
  }
}

async function expectSteps(list: Locator, todos: Todo[]): Promise<void> {
  const rows = list.locator("[data-uid]");
  await expect(rows).toHaveText(contents(todos).map((content) => new RegExp(content)));
  for (const [place, { status }] of todos.entries()) {
    await expect(rows.nth(place)).toHaveAttribute("data-status", status!);
  }
}

async function sessions(user: Socket): Promise<Session[]> {
  return (await user.ask("session.list"))["sessions"] as Session[];
}

/** That of the run, and then its own list's. */
function inOrder(sessions: Session[]): Session[] {
  return sessions.toSorted((a, b) => Number(a.ownTool !== undefined) - Number(b.ownTool !== undefined));
}

function ownTools(sessions: Session[]): (string | undefined)[] {
  return inOrder(sessions).map(({ ownTool }) => ownTool);
}

function shape(sessions: Session[]): object[] {
  const [run] = inOrder(sessions);
  return inOrder(sessions).map(({ title, ownTool, revision, parentSessionId }) => ({
    title,
    revisions: revision,
    ...(ownTool && { ownTool, isUnderTheOther: parentSessionId === run!.sessionId }),
  }));
}

function heard(before: ChatMessage[], now: ChatMessage[]): string {
  return since(before, now).join("\n");
}
