import { test as base } from "@playwright/test";
import { DataFolder, Gateway } from "./gateway.ts";

/** Each test has a data folder of its own; what its processes said is printed when the test fails. */
export const test = base.extend<{ folder: DataFolder; gateway: Gateway }>({
  folder: async ({}, use, info) => {
    const folder = new DataFolder();
    await use(folder);
    const failed = info.status !== info.expectedStatus;
    try {
      await folder.remove();
    } finally {
      if (failed) console.log(folder.log);
    }
  },
  gateway: async ({ folder }, use) => {
    await use(await new Gateway(folder).start());
  },
});

export { expect } from "@playwright/test";
