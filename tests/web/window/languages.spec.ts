// The desktop beside its page in other languages: the tray, the menu bar and the notifications.
import { Run } from "../parts/codex-run.ts";
import { until } from "../parts/process.ts";
import { Socket } from "../parts/socket.ts";
import type { AppWindow } from "./app.ts";
import { Tray } from "./desktop.ts";
import { tree } from "./screen-reader.ts";
import { expect, test } from "./shell-test.ts";

/** Waits until the menu bar has these menus, in this order. */
async function expectMenuBar(names: string[]): Promise<void> {
  let seen: string[] = [];
  const has = async (): Promise<boolean> => {
    const nodes = await tree();
    const at = nodes.findIndex(({ role }) => role === "menu bar");
    const depth = (nodes[at]?.depth ?? 0) + 1;
    const rest = at < 0 ? [] : nodes.slice(at + 1);
    const end = rest.findIndex((node) => node.depth < depth);
    const menus = end < 0 ? rest : rest.slice(0, end);
    seen = menus.filter((node) => node.depth === depth).map(({ name }) => name);
    return seen.join() === names.join();
  };
  await until(`the menu bar has ${names.join(", ")}`, has).catch((error: Error) => {
    throw new Error(`${error.message}; it has ${seen.join(", ")}`);
  });
}

const languageOf = (app: AppWindow): Promise<string> =>
  app.browser.execute(() => document.documentElement.lang);

/** Chooses a language in Settings, as one that does not read the present one finds it. */
async function choose(app: AppWindow, language: string, tag: string): Promise<void> {
  await app.browser.execute(() => void (location.hash = "#/settings"));
  const field = app.browser.$("#language");
  await field.waitForClickable();
  await field.click();
  await app.browser.$(`//*[@role="option"][contains(., "${language}")]`).click();
  await until(`the page speaks ${language}`, async () => (await languageOf(app)) === tag);
}

test("tray, menu bar and notifications speak the language that is chosen", async ({
  open,
  folder,
  notifications,
  tray,
}) => {
  const app = await open();
  const socket = await Socket.open(await folder.gateway());
  await socket.ask("settings.update", { menuBar: true });
  await tray.expectTooltip("Nothing is running");
  await expectMenuBar(["File", "Edit", "View", "Session", "Help"]);
  await choose(app, "Deutsch", "de");
  await tray.expectTooltip("Nichts läuft");
  await tray.expectEntry("Sightline ausblenden");
  await tray.expectEntry("Einstellungen…");
  await expectMenuBar(["Datei", "Bearbeiten", "Ansicht", "Sitzung", "Hilfe"]);

  const run = await new Run(await folder.gateway(), 1, "billing-api").begin();
  await tray.expectTooltip("1 von 1 in Arbeit, 1 mit Handlungsbedarf");
  await run.wait();
  await tray.expectEntry("Codex · billing-api: Zustimmung nötig: Bash");
  const notice = await notifications.first("Handlungsbedarf: Codex · billing-api");
  expect(notice.actions).toEqual({ default: "Öffnen", open: "Öffnen", terminal: "Terminal öffnen" });

  await choose(app, "Español", "es");
  await tray.expectEntry("Ocultar Sightline");
  await expectMenuBar(["Archivo", "Editar", "Ver", "Sesión", "Ayuda"]);
  socket.close();
  await app.close();

  // Before there is a page, it is the language of the last start.
  await tray.leave();
  const another = await Tray.open();
  await open();
  await another.expectEntry("Ocultar Sightline");
  await another.leave();
});
