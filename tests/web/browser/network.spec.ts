// The page on a bad line: it says so, comes back by itself with what the gateway has, and loses no edit silently.
import { connect, createServer, type AddressInfo, type Server, type Socket as Plug } from "node:net";
import { once } from "node:events";
import { Agent, contents } from "../parts/agent.ts";
import type { Gateway } from "../parts/gateway.ts";
import { until } from "../parts/process.ts";
import { NEXT, STORY } from "../parts/story.ts";
import { SightlinePage } from "./page.ts";
import { expect, test as base } from "./test.ts";

const SHOWN = ["Read the format page", "Fixing the parser", "Add the tests"];
const SHOWN_NEXT = ["Read the format page", "Fix the parser", "Adding the tests"];

/** Longer than the page may wait for an answer, or for any sign of life, in its own time. */
const PATIENCE = 90_000;

/** A line to a gateway that can be cut, or that swallows what it is given and tells nobody. */
class Line {
  readonly #server: Server;
  readonly #ends = new Set<Plug>();
  /** New connections are swallowed as well. */
  isDead = false;
  #dead = new WeakSet<Plug>();
  /** The number of connections that came while it was dead. */
  swallowed = 0;

  private constructor(readonly gateway: Gateway) {
    const target = gateway.runtime.port;
    this.#server = createServer((client) => {
      const server = connect(target, "127.0.0.1");
      if (this.isDead) this.swallowed += 1;
      for (const [from, to] of [
        [client, server],
        [server, client],
      ] as const) {
        this.#ends.add(from);
        if (this.isDead) this.#dead.add(from);
        from.on("data", (data) => {
          if (this.#dead.has(from)) return;
          to.write(data);
        });
        from.on("error", () => undefined);
        from.on("close", () => {
          this.#ends.delete(from);
          if (!this.#dead.has(from)) to.destroy();
        });
      }
    });
  }

  static async to(gateway: Gateway): Promise<Line> {
    const line = new Line(gateway);
    await once(line.#server.listen(0, "127.0.0.1"), "listening");
    return line;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Leads a browser over it, who takes it for the gateway: that answers to its own address only, and proves its port. */
  get rule(): string {
    return `--host-resolver-rules=MAP 127.0.0.1:${this.gateway.runtime.port} 127.0.0.1:${this.port}`;
  }

  cut(): void {
    for (const end of this.#ends) end.destroy();
  }

  /** All connections go dead, and those that come; those stay dead when it is mended. */
  goDead(): void {
    this.isDead = true;
    for (const end of this.#ends) this.#dead.add(end);
  }

  close(): void {
    this.cut();
    this.#server.close();
  }
}

const test = base.extend<{ line: Line; far: SightlinePage }>({
  line: async ({ gateway }, use) => {
    const line = await Line.to(gateway);
    await use(line);
    line.close();
  },
  /** The page over the line, at the session whose agent has just written the story's list. */
  far: async ({ line, agent, gateway, playwright, launchOptions }, use) => {
    const args = [...(launchOptions.args ?? []), line.rule];
    const browser = await playwright.chromium.launch({ ...launchOptions, args });
    const page = await browser.newPage();
    const far = new SightlinePage(page);
    await page.clock.install();
    await agent.write(STORY);
    await far.open(gateway.page);
    await far.openSession("playwright-agent");
    await far.expectRows(SHOWN);
    await use(far);
    // A line that breaks is what these tests are about; the browser always reports it.
    expect(far.trouble.filter((words) => !words.includes("Failed to load resource"))).toEqual([]);
    await browser.close();
  },
});

/** Lets the page's time pass until it knows that nobody is at the other end. */
async function expectItNotices(far: SightlinePage): Promise<void> {
  const end = Date.now() + PATIENCE / 3;
  for (let passed = 0; passed < PATIENCE; passed += 5_000) {
    if ((await far.connection.getAttribute("data-state")) === "reconnecting") return;
    await far.page.clock.fastForward(5_000);
  }
  await expect(far.connection, "it says that nobody answers").toHaveAttribute("data-state", "reconnecting", {
    timeout: Math.max(1, end - Date.now()),
  });
}

/** Lets the page's time pass until it is connected again. */
async function expectItComesBack(far: SightlinePage): Promise<void> {
  await expect(async () => {
    await far.page.clock.fastForward(5_000);
    await expect(far.connection).toHaveAttribute("data-state", "connected", { timeout: 1_000 });
  }, "it comes back by itself").toPass({ timeout: 30_000 });
}

// D2
test("a line that is cut again and again: nothing is missed", async ({ far, line, agent }) => {
  for (let turn = 0; turn < 5; turn += 1) {
    const steps = [...NEXT, { content: `Turn ${turn}`, status: "pending" }];
    line.cut();
    await agent.write(steps);
    if (turn % 2 === 0) line.cut();
    await far.expectRows([...SHOWN_NEXT, `Turn ${turn}`]);
  }
  await expect(far.connection).toHaveAttribute("data-state", "connected");
});

// D2, D5: what is done while nobody answers is refused, or done once; either way the words are not lost.
test("an edit on a line that is cut is kept or done, never lost", async ({ far, line, agent }) => {
  const { page } = far;
  const field = page.getByLabel("Add a step", { exact: true });
  for (const turn of [1, 2, 3]) {
    const words = `Ask the customer ${turn}`;
    await field.fill(words);
    line.cut();
    await field.press("Enter");
    await expectItComesBack(far);
    const there = async (): Promise<number> =>
      contents((await agent.read()).todos).filter((content) => content === words).length;
    await expect(async () => {
      // The reason may be gone by now: that there is no gateway is over once there is one.
      const kept = (await field.inputValue()) === words;
      expect(kept || (await there()) === 1, "its words are in the field, or in the list").toBe(true);
    }).toPass();
    if ((await there()) === 0) await field.press("Enter");
    await expect(far.row(words)).toHaveCount(1);
    expect(await there()).toBe(1);
    await field.fill("");
  }
});

// D2: nothing comes and nothing breaks, and the user does nothing.
test("a line that goes dead while nobody does anything is noticed", async ({ far, line, agent }) => {
  line.goDead();
  await agent.write(NEXT);
  await expectItNotices(far);
  line.isDead = false;
  await expectItComesBack(far);
  await far.expectRows(SHOWN_NEXT);
});

// D2, D5
test("an edit on a dead line is refused, with its words", async ({ far, line, agent }) => {
  const { page } = far;
  line.goDead();
  const field = page.getByLabel("Add a step", { exact: true });
  await field.fill("Ask the customer");
  await field.press("Enter");
  await expectItNotices(far);
  await expect(page.getByRole("alert")).toContainText("broke before the answer arrived");
  await expect(field).toHaveValue("Ask the customer");
  expect(contents((await agent.read()).todos)).toEqual(contents(STORY));
  line.isDead = false;
  await expectItComesBack(far);
  await far.expectRows(SHOWN);
  await field.press("Enter");
  await far.expectRows([...SHOWN, "Ask the customer"]);
  expect(contents((await agent.read()).todos)).toEqual([...contents(STORY), "Ask the customer"]);
});

// D2: who tries to connect while all is swallowed is not left hanging for good.
test("a page that tried to come back on a dead line comes back when it is mended", async ({
  far,
  line,
  agent,
}) => {
  line.goDead();
  line.cut();
  await expect(far.connection).toHaveAttribute("data-state", "reconnecting");
  await far.page.clock.fastForward(5_000);
  await until("it has tried", () => line.swallowed > 0);
  await agent.write(NEXT);
  line.isDead = false;
  await expectItComesBack(far);
  await far.expectRows(SHOWN_NEXT);
});

// D2, D3
test("the gateway is killed and comes back on its port", async ({ far, line, gateway, agent }) => {
  const { page } = far;
  const { port, pid } = gateway.runtime;
  process.kill(pid, "SIGKILL");
  await expect(far.connection).toHaveAttribute("data-state", "reconnecting");
  await page.getByLabel("Add a step", { exact: true }).fill("Ask the customer");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("alert")).toContainText("Nothing was changed");
  await gateway.start(port);
  await expectItComesBack(far);
  const again = await Agent.connect(gateway.runtime, "playwright-agent", "again");
  await again.write(STORY);
  await again.close();
  await far.expectRows(SHOWN);
  await page.getByLabel("Add a step", { exact: true }).press("Enter");
  await far.expectRows([...SHOWN, "Ask the customer"]);
  expect(contents((await agent.read()).todos)).toEqual([...contents(STORY), "Ask the customer"]);
  line.cut();
  await expectItComesBack(far);
  await far.expectRows([...SHOWN, "Ask the customer"]);
});
