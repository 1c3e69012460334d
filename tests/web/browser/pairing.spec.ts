// A browser gets a key of its own by a one-time code: nothing in the address, nothing that a script can read.
import { createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { STORY } from "../parts/story.ts";
import { Socket } from "../parts/socket.ts";
import { SightlinePage } from "./page.ts";
import { expect, test } from "./test.ts";

test("a code pairs one browser, which stays paired", async ({ sightline, gateway, agent, page, browser }) => {
  await agent.write(STORY);
  const address = gateway.page;
  await sightline.open(address);
  await expect(page).not.toHaveURL(/pair|token/);
  await page.reload();
  await expect(sightline.connection).toHaveAttribute("data-state", "connected");
  const second = new SightlinePage(await page.context().newPage());
  await second.page.goto(gateway.address);
  await expect(second.connection).toHaveAttribute("data-state", "connected");

  const other = await browser.newContext();
  const stranger = await other.newPage();
  await stranger.goto(address);
  await expect(stranger.getByText("This browser can’t connect")).toBeVisible();
  await expect(stranger.getByText("Fixing the parser")).toHaveCount(0);
  await other.close();
});

test("no script of the page can read its key", async ({ sightline, gateway, page }) => {
  await sightline.open(gateway.page);
  const kept = await page.evaluate(async () => {
    const opened = indexedDB.open("sightline");
    await new Promise((resolve) => opened.addEventListener("success", resolve));
    const asked = opened.result.transaction("keys").objectStore("keys").get("page");
    await new Promise((resolve) => asked.addEventListener("success", resolve));
    const { key } = asked.result as { key: CryptoKey };
    const exported = await crypto.subtle.exportKey("raw", key).then(
      () => "read",
      () => "refused",
    );
    return {
      exported,
      extractable: key.extractable,
      session: sessionStorage.length,
      local: JSON.stringify(localStorage),
    };
  });
  expect(kept).toMatchObject({ exported: "refused", extractable: false, session: 0 });
  expect(kept.local).not.toMatch(/[0-9a-f]{40}/);
});

test("a later page waits, and gets its rights where somebody allows it", async ({
  sightline,
  gateway,
  page,
  browser,
}) => {
  await sightline.open(gateway.page);
  const context = await browser.newContext();
  const later = new SightlinePage(await context.newPage());
  // As a shell gets it, which may look and edit.
  await later.open(gateway.code("administer", ""));
  await later.goTo("#/settings");
  await later.page.getByLabel("Editor").fill("code");
  await later.page.getByLabel("Editor").press("Enter");
  await expect(later.page.getByRole("alert").first()).toContainText("administer");

  await sightline.goTo("#/settings");
  const waiting = page.getByRole("group", { name: "Waiting for you" });
  await expect(waiting).toContainText("Asks to administer");
  const own = later.page.getByText(/^This browser asks to administer/);
  await expect(waiting).toContainText(await own.locator("code").innerText());
  await waiting.getByRole("button", { name: /^Allow / }).click();
  await expect(waiting).toHaveCount(0);
  await expect(own).toHaveCount(0);
  await later.page.getByLabel("Editor").fill("code -n");
  await later.page.getByLabel("Editor").press("Enter");
  await expect(later.page.locator('[data-setting="editor"]')).toContainText("Saved");
  await context.close();
});

test("a page that is revoked is out at once", async ({ sightline, gateway, page }) => {
  await sightline.open(gateway.page);
  const socket = await Socket.open(gateway.runtime);
  const keys = (await socket.ask("key.list")).keys as { keyId: string; name: string; kind: string }[];
  const own = keys.find(({ name }) => name.startsWith("Chrome"));
  await socket.ask("key.revoke", { keyId: own?.keyId });
  await expect(page.getByText("This browser can’t connect")).toBeVisible();
  socket.close();
});

for (const [when, isHere] of [
  ["at work", true],
  ["whose parts are not here yet", false],
] as const) {
  test(`to another program on the port a page ${when} sends nothing, and says so`, async ({
    sightline,
    gateway,
    page,
  }) => {
    const body = "throw new Error('it is not here');";
    if (!isHere) {
      await page.route(/\/assets\/Locked-/, (route) =>
        route.fulfill({ contentType: "text/javascript", body }),
      );
    }
    await sightline.open(gateway.page);
    // A part that is still on its way would be asked of the other program, and be an error.
    await page.waitForLoadState("networkidle");
    const { port } = gateway.runtime;
    await gateway.stop();
    const heard: string[] = [];
    const squatter = createServer((request, response) => {
      heard.push(`${request.method} ${request.url} ${JSON.stringify(request.headers)}`);
      response.setHeader("Content-Type", "application/json");
      response.end(JSON.stringify({ nonce: "1".repeat(64), proof: "2".repeat(64), status: "ok" }));
    });
    squatter.on("upgrade", (request, plug) => {
      heard.push(`upgrade ${request.url}`);
      plug.destroy();
    });
    await once(squatter.listen(port, "127.0.0.1"), "listening");
    expect((squatter.address() as AddressInfo).port).toBe(port);
    await expect(page.getByText("can’t prove that it is your gateway")).toBeVisible({ timeout: 20_000 });
    expect(heard.some((line) => line.startsWith("GET /prove?key="))).toBe(true);
    expect(heard.filter((line) => line.startsWith("upgrade"))).toEqual([]);
    expect(heard.join("\n")).not.toMatch(/authorization|proof\./i);
    expect(
      heard.filter((line) => line.includes("/assets/")),
      "nor is its script fetched",
    ).toEqual([]);
    squatter.closeAllConnections();
    squatter.close();
  });
}
