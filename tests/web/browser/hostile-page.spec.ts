// Pages that mean harm, in a real browser on the user's machine, while a gateway runs: they read nothing of it and change
// nothing, neither from an origin of their own nor by a name that leads to the gateway.
import { createServer, type Server } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import type { Page } from "@playwright/test";
import { STORY } from "../parts/story.ts";
import { expect, test as base } from "./test.ts";

/** A name that its owner lets point at this machine. */
const REBOUND = "rebound.example";

/** A name of the page's own origin. */
const HOSTILE = "hostile.example";

const test = base.extend<{ hostile: Server; attacker: string }>({
  hostile: async ({}, use) => {
    const server = createServer((_, response) => {
      response.setHeader("content-type", "text/html").end("<!doctype html><title>Hostile</title>");
    });
    await once(server.listen(0, "127.0.0.1"), "listening");
    await use(server);
    server.closeAllConnections();
    server.close();
  },
  attacker: async ({ hostile }, use) => use(`http://${HOSTILE}:${(hostile.address() as AddressInfo).port}/`),
});

test.use({
  launchOptions: {
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: [
      "--no-sandbox",
      `--host-resolver-rules=MAP *.example 127.0.0.1`,
      // The browser's own walls around the local network: the gateway stands without them.
      "--disable-features=LocalNetworkAccessChecks,BlockInsecurePrivateNetworkRequests,PrivateNetworkAccessSendPreflights",
    ],
  },
});

const PATHS = [
  "",
  "theme.js",
  "favicon.svg",
  "health",
  "gateway",
  "mcp",
  "hooks/claude",
  "hooks/claude/Stop",
];

const CALL = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "hostile", version: "1" } },
});
const HOOK = JSON.stringify({ session_id: "hostile", hook_event_name: "Stop", cwd: "/" });

/** All that a page can try over HTTP; what it could read comes back. */
async function fetches(page: Page, target: string): Promise<string[]> {
  return page.evaluate(
    async ({ at, paths, bodies }) => {
      const read: string[] = [];
      const types = ["text/plain", "application/json", "application/x-www-form-urlencoded"];
      const requests: RequestInit[] = [
        {},
        { mode: "no-cors" },
        { credentials: "include" },
        { headers: { Authorization: "Bearer guessed" } },
        { headers: { Accept: "text/event-stream" } },
        ...bodies.flatMap((body) =>
          types.flatMap((type): RequestInit[] => [
            { method: "POST", body, headers: { "Content-Type": type } },
            { method: "POST", body, headers: { "Content-Type": type }, mode: "no-cors" },
          ]),
        ),
        { method: "DELETE" },
        { method: "OPTIONS" },
      ];
      for (const path of paths) {
        for (const request of requests) {
          try {
            const answer = await fetch(at + path, request);
            const text = await answer.text();
            if (answer.ok || text.includes("session")) read.push(`${request.method} /${path}: ${text}`);
          } catch {
            // Nothing was read.
          }
        }
        for (const body of bodies) navigator.sendBeacon(at + path, body);
      }
      return read;
    },
    { at: target, paths: PATHS, bodies: [CALL, HOOK] },
  );
}

/** The messages that a page gets over a WebSocket, and whether one was opened. */
async function sockets(page: Page, target: string): Promise<string[]> {
  return page.evaluate(async (at) => {
    const heard: string[] = [];
    const attempt = (address: string, protocols: string[]) =>
      new Promise<void>((done) => {
        const socket = new WebSocket(address, protocols);
        socket.addEventListener("open", () => {
          heard.push(`${address} opened`);
          socket.send(JSON.stringify({ type: "session.list", id: "1" }));
        });
        socket.addEventListener("message", (message) => heard.push(String(message.data)));
        socket.addEventListener("close", () => done());
      });
    const gateway = `${at.replace("http", "ws")}gateway`;
    await attempt(gateway, []);
    await attempt(`${gateway}?token=`, []);
    await attempt(`${gateway}?token=guessed`, ["sightline", "tek"]);
    return heard;
  }, target);
}

/** The files of the gateway that a page can put into itself. */
async function embeds(page: Page, target: string): Promise<string[]> {
  return page.evaluate(
    async ({ at, paths }) => {
      const loaded: string[] = [];
      const put = (element: HTMLElement, source: "src" | "href" | "data", address: string) =>
        new Promise<void>((done) => {
          element.addEventListener("load", () => {
            loaded.push(`${element.localName} ${address}`);
            done();
          });
          element.addEventListener("error", () => done());
          element.setAttribute(source, address);
          document.body.append(element);
        });
      for (const path of paths) {
        await put(document.createElement("img"), "src", at + path);
        await put(document.createElement("script"), "src", at + path);
        const sheet = document.createElement("link");
        sheet.rel = "stylesheet";
        await put(sheet, "href", at + path);
      }
      return loaded;
    },
    { at: target, paths: PATHS },
  );
}

/** Shows the gateway in a frame, and sends it forms from there. */
async function frames(page: Page, target: string): Promise<void> {
  const frame = async (name: string, go: () => Promise<void>) => {
    await page.evaluate((title) => {
      const made = document.createElement("iframe");
      made.name = title;
      document.body.append(made);
    }, name);
    await go();
    // The answer, whatever it is, has arrived in the frame.
    await expect
      .poll(async () => page.frame({ name })?.url(), `${name} shows an answer`)
      .not.toMatch(/^(about:blank)?$/);
    const shown = page.frame({ name });
    await expect(shown!.locator("#app, [data-state='connected'], nav")).toHaveCount(0);
    expect(await shown!.locator("body").innerText()).not.toMatch(/Sightline|sessionId|"result"/);
  };
  await frame("page", () =>
    page.evaluate(
      (at) => document.querySelector<HTMLIFrameElement>("[name=page]")!.setAttribute("src", at),
      target,
    ),
  );
  for (const [at, path] of ["mcp", "hooks/claude"].entries()) {
    await frame(`form${at}`, () =>
      page.evaluate(
        ({ action, body, name }) => {
          const form = document.createElement("form");
          Object.assign(form, { action, method: "post", enctype: "text/plain", target: name });
          const field = document.createElement("input");
          // As plain text the field's name and value are JSON together.
          [field.name, field.value] = [`${body.slice(0, -1)},"x":"`, '"}'];
          form.append(field);
          document.body.append(form);
          form.submit();
        },
        { action: target + path, body: at === 0 ? CALL : HOOK, name: `form${at}` },
      ),
    );
  }
}

test("a page of another origin reads nothing and changes nothing", async ({
  gateway,
  agent,
  socket,
  page,
  attacker,
}) => {
  await agent.write(STORY);
  const before = await socket.ask("session.list");
  for (const target of [gateway.address, gateway.address.replace("127.0.0.1", "localhost")]) {
    await page.goto(attacker);
    expect(await fetches(page, `${target}/`)).toEqual([]);
    expect(await sockets(page, `${target}/`)).toEqual([]);
    expect(await embeds(page, `${target}/`)).toEqual([]);
    await frames(page, `${target}/`);
  }
  const after = await socket.ask("session.list");
  expect(after.sessions).toEqual(before.sessions);
});

test("a page does not hold on to the window of the gateway's page", async ({
  gateway,
  page,
  context,
  attacker,
}) => {
  await page.goto(attacker);
  const opened = context.waitForEvent("page");
  await page.evaluate((at) => Object.assign(window, { theirs: window.open(at) }), `${gateway.address}/`);
  const shown = await opened;
  await expect(shown).toHaveTitle(/Sightline/);
  expect(await shown.evaluate(() => window.opener)).toBeNull();
  expect(await page.evaluate(() => (window as unknown as { theirs: Window }).theirs.closed)).toBe(true);
});

test("a name that was bound to this machine anew opens nothing", async ({ gateway, agent, socket, page }) => {
  await agent.write(STORY);
  const before = await socket.ask("session.list");
  const target = `http://${REBOUND}:${gateway.runtime.port}/`;
  const shown = await page.goto(target);
  expect(shown?.status()).toBe(403);
  // A page that it has got before, from where the name led then, has the same origin as the gateway now.
  await page.route(`${target}before`, (route) =>
    route.fulfill({ contentType: "text/html", body: "<!doctype html><title>Hostile</title>" }),
  );
  await page.goto(`${target}before`);
  expect(await page.evaluate(() => origin)).toBe(target.slice(0, -1));
  expect(await fetches(page, target)).toEqual([]);
  expect(await sockets(page, target)).toEqual([]);
  expect(await embeds(page, target)).toEqual([]);
  const after = await socket.ask("session.list");
  expect(after.sessions).toEqual(before.sessions);
});

test("all that is tried works from the gateway's own origin", async ({ gateway, agent, page }) => {
  await agent.write(STORY);
  await page.goto(`${gateway.address}/`);
  const target = `${gateway.address}/`;
  expect((await fetches(page, target)).join("\n")).toContain("/health");
  expect(await embeds(page, target)).toContain(`img ${target}favicon.svg`);
  // Only the key is missing.
  const heard = await page.evaluate(
    async (at) =>
      new Promise<string>((done) => {
        const connection = new WebSocket(at);
        connection.addEventListener("open", () => {
          connection.close();
          done("opened");
        });
        connection.addEventListener("error", () => done("refused"));
      }),
    `${target.replace("http", "ws")}gateway?token=${gateway.runtime.token}`,
  );
  expect(heard).toBe("opened");
});
