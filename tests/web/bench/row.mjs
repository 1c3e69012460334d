// Measures, inside the page, what a message costs until it is painted. Prints one line of JSON; times in milliseconds.
import { chromium } from "@playwright/test";
import { count, spread, sum } from "./counters.mjs";
import { feed, Told } from "./feed.mjs";
import { traced } from "./trace.mjs";
import { writer } from "./writer.mjs";

const [address, token] = process.argv.slice(2);
const origin = address.split("/#")[0];
const MESSAGES = 3000;
const SINGLE = 60;
/** Longer than a change is seen to happen. */
const APART = 250;
const RATE = 1000;
const SECONDS = 4;
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-background-networking"],
});
const agent = await writer(origin, token);
const recorded = await agent.record();

async function open(at) {
  const page = await browser.newPage();
  await page.addInitScript(count);
  await page.goto(at);
  await page.waitForSelector("[data-revision]", { state: "attached" });
  return page;
}

async function openList(page, id) {
  await page.evaluate((to) => (location.hash = `#/session/${to}`), id);
  await page.waitForSelector('[aria-label="Steps"] [data-uid]');
}

const take = (page) => page.evaluate(() => window.bench.take());
const frameOf = (page) =>
  page.evaluate(async () => {
    const next = () => new Promise((resolve) => requestAnimationFrame(resolve));
    await next();
    const begun = await next();
    for (let at = 0; at < 30; at += 1) await next();
    return ((await next()) - begun) / 31;
  });

/** To a page at rest, at all times of a frame. */
async function oneByOne(page, update) {
  await take(page);
  for (let round = 1; round <= SINGLE; round += 1) {
    await update(round);
    await pause(APART + Math.random() * 50);
  }
  return spread((await take(page)).latencies);
}

/** Through the gateway: one update after the other, then as many as it takes. */
async function throughGateway() {
  const page = await open(address);
  await openList(page, recorded.sessionId);
  const frame = await frameOf(page);
  const single = await oneByOne(page, agent.write);

  await page.evaluate(() => window.bench.turn());
  const begun = performance.now();
  await Promise.all(Array.from({ length: MESSAGES }, (_, round) => agent.write(round)));
  const seconds = (performance.now() - begun) / 1000;
  const burst = await take(page);
  await page.close();
  return {
    frame,
    single,
    burst: spread(burst.latencies),
    burstMessages: MESSAGES,
    burstFrames: burst.messages.length,
    burstSeconds: seconds,
    mutationsPerFrame: sum(burst.mutations) / Math.max(1, burst.mutations.length),
  };
}

async function onFeed({ sessions: number, steps, state = "running", view }, measure) {
  const sessions = Array.from(
    { length: number },
    (_, name) => new Told(recorded, String(name), { steps, state }),
  );
  const source = await feed(origin, sessions);
  const page = await open(view === "floor" ? `${source.origin}/floor` : `${source.origin}/#pair=bench.bench`);
  if (view === "session") await openList(page, sessions[0].id);
  await pause(500);
  const measured = await measure(page, source);
  await page.close();
  source.close();
  return measured;
}

/** So many updates a second, of one session after the other. */
const load = (told, rate = RATE) =>
  onFeed(told, async (page, source) => {
    await page.evaluate(() => window.bench.turn());
    await take(page);
    let counted;
    const thread = await traced(browser, page, async () => {
      await source.send(rate, SECONDS);
      counted = await take(page);
    });
    return {
      messagesPerSecond: sum(counted.messages) / thread.seconds,
      framesPerSecond: counted.messages.length / thread.seconds,
      messagesPerFrame: spread(counted.messages),
      mutationsPerFrame: spread(counted.mutations),
      busyPerFrame: spread(thread.busyPerFrame),
      workPerFrame: spread(thread.workPerFrame),
      toPainted: spread(counted.latencies),
      framesToPainted: spread(counted.framesWaited),
    };
  });

/** Nothing comes, and only the clock goes on; where agents are at work, their rings turn with it. */
const idle = (told) =>
  onFeed(told, async (page) => {
    await take(page);
    let rest;
    const thread = await traced(browser, page, async () => {
      await pause(10_000);
      ({ rest } = await take(page));
    });
    return {
      framesPerSecond: thread.frames / thread.seconds,
      paintsPerSecond: thread.paints / thread.seconds,
      mutationsPerSecond: rest.mutations / thread.seconds,
      busyShare: thread.busy / 1000 / thread.seconds,
    };
  });

const measured = {
  ...(await throughGateway()),
  floorSingle: await onFeed({ sessions: 1, steps: 8, view: "floor" }, (page, source) =>
    oneByOne(page, () => source.next()),
  ),
  floor: await load({ sessions: 1, steps: 8, view: "floor" }),
  session: await load({ sessions: 1, steps: 8, view: "session" }),
  long: await load({ sessions: 1, steps: 256, view: "session" }, 100),
  longFloor: await load({ sessions: 1, steps: 256, view: "floor" }, 100),
  now: await load({ sessions: 30, steps: 8, view: "now" }),
  idleQuiet: await idle({ sessions: 100, steps: 8, state: "idle", view: "now" }),
  idleAtWork: await idle({ sessions: 30, steps: 8, state: "running", view: "now" }),
};

agent.close();
await browser.close();
process.stdout.write(JSON.stringify(measured));
