import { DataFolder } from "../parts/gateway.ts";
import { test as base } from "../parts/test.ts";
import { AppWindow } from "./app.ts";

type Open = (more?: Record<string, string>, folder?: DataFolder, options?: string[]) => Promise<AppWindow>;

/** Each test opens the windows it needs; they are closed after it, with a picture where it failed. */
export const test = base.extend<{ open: Open }>({
  open: async ({ folder }, use, info) => {
    const windows: AppWindow[] = [];
    await use(async (more = {}, on = folder, options = []) => {
      const window = await AppWindow.open(on, more, options);
      windows.push(window);
      return window;
    });
    for (const window of windows) {
      if (window.driver.hasEnded) continue;
      if (info.status !== info.expectedStatus) {
        await window.picture(info.outputPath("window.png")).catch(() => undefined);
      }
      await window.leave();
    }
  },
});

export { expect } from "../parts/test.ts";
