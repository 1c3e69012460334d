// Tests of the tray and of notifications, each with a panel and a notification server of its own.
import { Notifications, Tray } from "./desktop.ts";
import { test as base } from "./test.ts";

export { expect } from "./test.ts";

export const test = base.extend<{ tray: Tray; notifications: Notifications }>({
  tray: async ({}, use) => {
    const tray = await Tray.open();
    await use(tray);
    await tray.leave();
  },
  notifications: async ({}, use) => {
    const notifications = await Notifications.open();
    await use(notifications);
    await notifications.leave();
  },
});
