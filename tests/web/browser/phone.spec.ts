// A phone: the page through a proxy with TLS, paired by a code, within its rights, installable, and with a shell for when
// the gateway is gone.
import type { Browser, BrowserContext, Page } from "@playwright/test";
import { HttpsProxy } from "../parts/proxy.ts";
import { Socket } from "../parts/socket.ts";
import { STORY } from "../parts/story.ts";
import { tooSmallToTouch } from "../parts/touch.ts";
import { SightlinePage } from "./page.ts";
import { expect, test as base } from "./test.ts";

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true } as const;

const test = base.extend<{ tls: HttpsProxy; phone: SightlinePage; named: HttpsProxy }>({
  tls: async ({ gateway }, use) => {
    const proxy = await new HttpsProxy(gateway.runtime.port).start();
    await use(proxy);
    await proxy.stop();
  },
  /** The proxy, whose host the gateway knows. */
  named: async ({ gateway, tls }, use) => {
    const socket = await Socket.open({ ...gateway.runtime, token: gateway.folder.keys.strong ?? "" });
    await socket.ask("settings.update", { publicHosts: [tls.host] });
    socket.close();
    await use(tls);
  },
  phone: async ({ browser }, use) => {
    const context = await browser.newContext(PHONE);
    await use(new SightlinePage(await context.newPage()));
    await context.close();
  },
});

// `ignoreHTTPSErrors` is for pages only, not for their service workers.
test.use({
  launchOptions: async ({ launchOptions }, use) =>
    use({ ...launchOptions, args: [...(launchOptions.args ?? []), "--ignore-certificate-errors"] }),
});

/** An address that pairs a phone through the proxy. */
async function codeFor(
  gateway: { runtime: Parameters<typeof Socket.open>[0]; folder: { keys: { strong?: string } } },
  tls: HttpsProxy,
  rights: string,
): Promise<string> {
  const socket = await Socket.open({ ...gateway.runtime, token: gateway.folder.keys.strong ?? "" });
  const { address } = await socket.ask("key.code", { rights, host: tls.host });
  socket.close();
  return String(address);
}

async function isRefused(browser: Browser, address: string): Promise<void> {
  const context: BrowserContext = await browser.newContext(PHONE);
  const page = await context.newPage();
  await page.goto(address);
  await expect(page.getByText("This browser can’t connect")).toBeVisible();
  await context.close();
}

const shell = (page: Page) => page.getByRole("heading", { name: "Sightline can’t be reached" });

/** Waits until the shell is kept. */
async function keeps(page: Page): Promise<string[]> {
  return page.evaluate(async () => {
    await navigator.serviceWorker.ready;
    return caches.keys();
  });
}

test("Settings pair a phone by a code, which is good once, and revoke it while it is open", async ({
  sightline,
  gateway,
  agent,
  tls,
  phone,
  browser,
}) => {
  await agent.write(STORY);
  await sightline.open(gateway.page);
  await sightline.goTo("#/settings");
  const { page } = sightline;
  await page.getByRole("button", { name: "Pair a phone" }).click();
  const dialog = page.getByRole("dialog", { name: "Phone" });
  await dialog.getByLabel("Name of this computer for other devices").fill(`https://${tls.host}/`);
  await dialog.getByRole("button", { name: "Add name" }).click();
  await expect(dialog.getByLabel("Address", { exact: true })).toContainText(tls.host);
  await dialog.getByRole("button", { name: "Show code" }).click();
  const drawing = dialog.getByRole("img", { name: "QR code of the address below" });
  await expect(drawing).toBeVisible();
  const address = await dialog.getByLabel("The address", { exact: true }).innerText();
  expect(address).toContain(`https://${tls.host}/#pair=`);
  const { encode } = (await import(
    new URL("../../../ui/node_modules/uqr/dist/index.mjs", import.meta.url).href
  )) as {
    encode: (text: string, options: object) => { data: boolean[][] };
  };
  const dark = encode(address, { ecc: "M", border: 4 }).data.flat().filter(Boolean).length;
  expect((await drawing.locator("path").getAttribute("d"))?.match(/M/g)).toHaveLength(dark);

  await phone.open(address);
  await expect(phone.page).not.toHaveURL(/pair/);
  await expect(dialog.getByText(/Chrome on .* is paired: look\./)).toBeVisible();
  const code = address.split("#pair=")[1] ?? "";
  expect(tls.heard.join("\n"), "neither servers nor their logs have it").not.toContain(code.split(".")[1]);
  await isRefused(browser, address);

  await phone.card("playwright-agent").click();
  await expect(phone.rows.first()).toBeVisible();
  await expect(phone.page.getByText("This browser may look, not edit.").first()).toBeVisible();
  await expect(phone.page.getByLabel("Add a step")).toHaveCount(0);

  await dialog.getByRole("button", { name: "Done" }).click();
  await page
    .getByRole("button", { name: /^Revoke Chrome on .* 2$|^Revoke Chrome on Android/ })
    .first()
    .click();
  await page.getByRole("button", { name: "Revoke", exact: true }).click();
  await expect(phone.page.getByText("This browser can’t connect")).toBeVisible();
});

test("a phone that may edit does", async ({ gateway, agent, named, phone }) => {
  await agent.write(STORY);
  await phone.open(await codeFor(gateway, named, "edit"));
  await phone.openSession("playwright-agent");
  const before = await phone.rows.count();
  await phone.add("From the phone");
  await expect(phone.rows).toHaveCount(before + 1);
  await expect(phone.page.getByText("This browser may look")).toHaveCount(0);
});

test("a code that was tried without its secret is worth nothing", async ({ gateway, named, browser }) => {
  const address = await codeFor(gateway, named, "look");
  const id = (address.split("#pair=")[1] ?? "").split(".")[0] ?? "";
  const digits = "0".repeat(64);
  for (let tries = 0; tries < 5; tries += 1) {
    const body = {
      key: id,
      clientNonce: digits,
      gatewayNonce: digits,
      proof: digits,
      name: "x",
      client: digits,
      gateway: digits,
    };
    const answer = await fetch(`${gateway.address}/pair`, { method: "POST", body: JSON.stringify(body) });
    expect(answer.status).toBe(401);
  }
  await isRefused(browser, address);
});

test("without the gateway there is a shell that says so, and with it the page again", async ({
  gateway,
  agent,
  named,
  phone,
}) => {
  await agent.write(STORY);
  const { page } = phone;
  const { port } = gateway.runtime;
  await phone.open(await codeFor(gateway, named, "look"));
  await expect(page.getByText("Fixing the parser").first()).toBeVisible();
  expect(await keeps(page)).toHaveLength(1);
  const kept = await page.evaluate(async () => {
    const [name = ""] = await caches.keys();
    return (await (await caches.open(name)).keys()).map(({ url }) => new URL(url).pathname);
  });
  const files = /^\/(offline\.(html|css|js)|theme\.js|icon-192\.png|assets\/index-[\w-]+\.css)$/;
  expect(
    kept.filter((path) => !files.test(path)),
    "neither lists nor answers",
  ).toEqual([]);

  await agent.close();
  await gateway.stop();
  await page.reload();
  await expect(shell(page), "the proxy answers, and the gateway does not").toBeVisible();
  await expect(page.getByText(named.host)).toBeVisible();
  await expect(page.getByText("Fixing the parser")).toHaveCount(0);
  expect(await tooSmallToTouch(page)).toEqual([]);
  await gateway.start(port);
  await expect(phone.connection).toHaveAttribute("data-state", "connected");
  await expect(shell(page)).toHaveCount(0);

  await named.stop();
  await page.goto(`https://${named.host}/`);
  await expect(shell(page), "nothing answers").toBeVisible();
  await named.start();
  await expect(phone.connection).toHaveAttribute("data-state", "connected");
});

test("another build has another shell, and nothing of the old one is left", async ({
  gateway,
  named,
  phone,
}) => {
  const { page } = phone;
  await phone.open(await codeFor(gateway, named, "look"));
  const [before] = await keeps(page);
  named.worker = (script) => script.replace(/shell-\$\{"\w+"\}/, 'shell-${"another"}');
  await page.reload();
  await expect.poll(() => page.evaluate(() => caches.keys())).toEqual(["shell-another"]);
  expect(before).not.toBe("shell-another");
});

test("on this machine no worker stands before the page", async ({ sightline, gateway }) => {
  await sightline.open(gateway.page);
  await expect.poll(() => sightline.page.evaluate(() => document.readyState)).toBe("complete");
  expect(
    await sightline.page.evaluate(async () => (await navigator.serviceWorker.getRegistrations()).length),
  ).toBe(0);
});

test("the page can be installed", async ({ gateway, named, phone }) => {
  const { page } = phone;
  await phone.open(await codeFor(gateway, named, "look"));
  await keeps(page);
  const browser = await page.context().newCDPSession(page);
  const { errors, data = "" } = await browser.send("Page.getAppManifest");
  expect(errors).toEqual([]);
  const manifest = JSON.parse(data) as {
    display: string;
    icons: { src: string; sizes: string; purpose: string }[];
  };
  expect(manifest).toMatchObject({ name: "Sightline", start_url: "/", scope: "/", display: "standalone" });
  expect(manifest.icons.map(({ purpose }) => purpose)).toContain("maskable");
  const { installabilityErrors } = await browser.send("Page.getInstallabilityErrors");
  // A context of a test is one in private, where nothing is installed.
  expect(installabilityErrors.map(({ errorId }) => errorId).filter((id) => id !== "in-incognito")).toEqual(
    [],
  );
  for (const { src, sizes, purpose } of manifest.icons) {
    const drawn = await page.evaluate(async (address) => {
      const image = new Image();
      image.src = address;
      await image.decode();
      const canvas = new OffscreenCanvas(image.width, image.height);
      const pen = canvas.getContext("2d");
      pen?.drawImage(image, 0, 0);
      return { sizes: `${image.width}x${image.height}`, corner: pen?.getImageData(0, 0, 1, 1).data[3] };
    }, src);
    expect(drawn, src).toEqual({ sizes, corner: purpose === "maskable" ? 255 : 0 });
  }
});

for (const colorScheme of ["light", "dark"] as const) {
  test(`what a finger has to hit is 44 px each way, and nothing is cut, in ${colorScheme}`, async ({
    gateway,
    agent,
    named,
    phone,
  }) => {
    await agent.write(STORY);
    const { page } = phone;
    await page.emulateMedia({ colorScheme });
    await phone.open(await codeFor(gateway, named, "answer"));
    for (const place of ["#/", "#/needs", "#/history", "#/agents", "#/settings", "#/chat"]) {
      await phone.goTo(place);
      await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
      await expect(page.locator("main [aria-busy=true]")).toHaveCount(0);
      expect(await tooSmallToTouch(page), place).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth), place).toBe(390);
    }
    await phone.goTo("#/");
    await phone.openSession("playwright-agent");
    expect(await tooSmallToTouch(page), "a session").toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  });
}

test("the page keeps clear of what a phone's screen has cut out", async ({ gateway, named, phone }) => {
  const { page } = phone;
  await phone.open(await codeFor(gateway, named, "look"));
  const browser = await page.context().newCDPSession(page);
  await browser.send("Emulation.setSafeAreaInsetsOverride", {
    insets: { top: 47, topMax: 47, bottom: 34, bottomMax: 34 },
  });
  const heading = page.getByRole("heading", { level: 1 });
  await expect.poll(async () => (await heading.boundingBox())?.y ?? 0).toBeGreaterThan(47);
  const now = page.getByRole("navigation").getByRole("link", { name: "Now" });
  await expect
    .poll(async () => {
      const box = await now.boundingBox();
      return (box?.y ?? 0) + (box?.height ?? 0);
    })
    .toBeLessThanOrEqual(844 - 34);
});
