// Measures, inside the page, how long after a message its row is painted. Prints one line of JSON.
import { chromium } from "@playwright/test";
import WebSocket from "ws";

const [address] = process.argv.slice(2);
const token = address.split("#token=")[1];
const origin = address.split("/#")[0];

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-background-networking"],
});
const page = await browser.newPage();

// Notes when each list arrives at the page, and when the page has a new frame with it.
await page.addInitScript(() => {
  const arrived = new Map();
  const painted = [];
  window.bench = { painted, mutations: 0, frames: 0 };
  const Native = window.WebSocket;
  window.WebSocket = class extends Native {
    constructor(...args) {
      super(...args);
      this.addEventListener("message", (event) => {
        const match = /"type":"todo.update".*?"revision":(\d+)/.exec(event.data);
        if (match) arrived.set(Number(match[1]), performance.now());
      });
    }
  };
  const look = () => {
    const shown = document.querySelector("[data-revision]")?.getAttribute("data-revision");
    const at = shown === undefined ? undefined : arrived.get(Number(shown));
    if (at === undefined) return;
    arrived.delete(Number(shown));
    requestAnimationFrame((now) => {
      window.bench.frames += 1;
      painted.push(Math.max(0, performance.now() - at, now - at));
    });
  };
  document.addEventListener("DOMContentLoaded", () => {
    new MutationObserver((records) => {
      window.bench.mutations += records.length;
      look();
    }).observe(document.body, { subtree: true, childList: true, attributes: true, characterData: true });
  });
});

await page.goto(address);
const socket = new WebSocket(`${origin.replace("http", "ws")}/gateway?token=${token}`);
await new Promise((resolve, reject) => {
  socket.onopen = resolve;
  socket.onerror = reject;
});
const waiting = new Map();
socket.onmessage = ({ data }) => {
  const message = JSON.parse(data);
  waiting.get(message.id)?.(message);
  waiting.delete(message.id);
};
let sent = 0;
const write = (round) =>
  new Promise((resolve) => {
    const id = String((sent += 1));
    waiting.set(id, resolve);
    const todos = Array.from({ length: 8 }, (_, item) => ({
      id: String(item),
      content: `Step ${item}`,
      activeForm: `Doing step ${item}, round ${round}`,
      status: item < round % 8 ? "completed" : item === round % 8 ? "in_progress" : "pending",
    }));
    socket.send(JSON.stringify({ type: "todo.write", id, session: "bench", todos }));
  });

await write(0);
await page.getByRole("link", { name: /bench/ }).first().click();
await page.waitForSelector('[aria-label="Steps"]');
const frame = await page.evaluate(async () => {
  const next = () => new Promise((resolve) => requestAnimationFrame(resolve));
  await next();
  const begun = await next();
  for (let at = 0; at < 30; at += 1) await next();
  return ((await next()) - begun) / 31;
});

const spread = (times) => {
  const sorted = [...times].sort((a, b) => a - b);
  const at = (share) => sorted[Math.round((sorted.length - 1) * share)] ?? 0;
  return { p50: at(0.5), p99: at(0.99) };
};
const take = () =>
  page.evaluate(() => {
    const taken = {
      painted: window.bench.painted.splice(0),
      mutations: window.bench.mutations,
      frames: window.bench.frames,
    };
    window.bench.mutations = 0;
    window.bench.frames = 0;
    return taken;
  });

await take();
for (let round = 1; round <= 100; round += 1) {
  await write(round);
  await page.evaluate(
    () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
  );
}
const single = await take();

const MESSAGES = 3000;
const begun = performance.now();
const answers = [];
for (let round = 0; round < MESSAGES; round += 1) answers.push(write(round));
await Promise.all(answers);
const burstSeconds = (performance.now() - begun) / 1000;
const burst = await take();

socket.close();
await browser.close();
process.stdout.write(
  JSON.stringify({
    frame,
    single: spread(single.painted),
    burst: spread(burst.painted),
    burstMessages: MESSAGES,
    burstFrames: burst.frames,
    burstSeconds,
    mutationsPerFrame: burst.mutations / Math.max(1, burst.frames),
  }),
);
