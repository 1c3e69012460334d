import { expect, type Page, test as base } from "@playwright/test";
import { SightlinePage } from "../browser/page.ts";
import { DataFolder, SIGHTLINE } from "../parts/gateway.ts";
import { until } from "../parts/process.ts";
import type { Socket } from "../parts/socket.ts";
import { seed } from "./archive.ts";
import { ask } from "./asks.ts";
import { converse } from "./chat.ts";
import { alike, MOMENT, putAlike } from "./still.ts";

/** A scene of the demo; `archive` is the typical one with a month of runs before it, `chat` has conversations alone,
 * `asks` agents that wait for an answer. */
export type Scene = "empty" | "one" | "typical" | "archive" | "chat" | "asks" | "full" | "odd";

const PLAYED: Partial<Record<Scene, string>> = { archive: "typical", chat: "empty", asks: "empty" };

/** A gateway that plays one scene up to the moment of the pictures, and stands still there. */
class Demo {
  readonly #folder = new DataFolder();
  #address = "";
  #sockets: Socket[] = [];

  static async start(scene: Scene): Promise<Demo> {
    const demo = new Demo();
    const played = PLAYED[scene] ?? scene;
    const args = ["serve", "--demo", played, "--still-at", MOMENT, "--json", "--data-dir", demo.#folder.path];
    const child = demo.#folder.spawn("the demo", SIGHTLINE, args, { TZ: "UTC" });
    await until("the demo says where its page is", () => {
      if (child.hasEnded) throw new Error(`the demo has ended: ${child.output}`);
      demo.#address = /"page":"([^"]+)"/.exec(child.output)?.[1] ?? "";
      return demo.#address !== "";
    });
    await demo.#folder.trust(demo.#address);
    if (scene === "archive") await seed(demo.#folder);
    if (scene === "chat") await converse(demo.#folder);
    if (scene === "asks") demo.#sockets = await ask(demo.#folder);
    return demo;
  }

  /** Opens a page of it: `#/` and further. */
  async show(page: Page, place: string): Promise<SightlinePage> {
    await page.clock.setFixedTime(new Date(MOMENT));
    const sightline = new SightlinePage(page);
    await sightline.open(this.#folder.code("administer"));
    // The gateway's words about itself come after the link, on every page that has its port or its folder.
    await expect(sightline.connection).toContainText(new URL(this.#address).port);
    await sightline.goTo(place);
    return sightline;
  }

  /** Puts into the page what is the same in every picture. */
  async still(page: Page): Promise<void> {
    // An element that was clicked is not to look pointed at.
    await page.mouse.move(0, 0);
    await page.evaluate(() => document.fonts.ready);
    await page.evaluate(putAlike, alike(this.#folder, Number(new URL(this.#address).port)));
  }

  async end(): Promise<void> {
    for (const socket of this.#sockets) socket.close();
    await this.#folder.remove();
  }
}

/** The scenes that were asked for; nothing in a picture changes them, so one gateway plays each for all tests. */
export class Demos {
  readonly #running = new Map<Scene, Promise<Demo>>();

  of(scene: Scene): Promise<Demo> {
    const running = this.#running.get(scene) ?? Demo.start(scene);
    this.#running.set(scene, running);
    return running;
  }

  async end(): Promise<void> {
    for (const demo of this.#running.values()) await (await demo).end();
  }
}

export const test = base.extend<object, { demos: Demos }>({
  demos: [
    async ({}, use) => {
      const demos = new Demos();
      await use(demos);
      await demos.end();
    },
    { scope: "worker" },
  ],
});

export { expect } from "@playwright/test";
