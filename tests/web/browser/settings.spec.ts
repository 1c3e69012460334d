// Settings over the real gateway: each applies at once, in every window, and what is refused says why.
import { expect, test } from "./test.ts";

test("a setting applies at once, in every window, and outlasts the gateway", async ({
  sightline,
  gateway,
  context,
  page,
}) => {
  const { port } = gateway.runtime;
  await sightline.open(gateway.page);
  await page.keyboard.press("g");
  await page.keyboard.press("s");
  await expect(page.getByRole("heading", { name: "Settings" })).toBeFocused();
  await expect(page).toHaveTitle("Settings – Sightline");
  const other = await context.newPage();
  await other.goto(gateway.page);
  await expect(other.locator('[role="status"][data-state="connected"]')).toBeAttached();
  await other.goto(`${gateway.address}/#/settings`);

  const finished = page.getByRole("switch", { name: "When a session is over" });
  const before = await finished.isChecked();
  await finished.focus();
  await page.keyboard.press("Space");
  await expect(finished).toBeChecked({ checked: !before });
  await expect(other.getByRole("switch", { name: "When a session is over" })).toBeChecked({
    checked: !before,
  });

  await page.getByRole("switch", { name: "Quiet hours" }).click();
  const from = page.getByLabel("from", { exact: true });
  await from.fill("21.30");
  await from.press("Enter");
  await expect(from, "as the reader writes it").toHaveValue(/^9:30\sPM$/);
  await expect(other.getByLabel("from", { exact: true })).toHaveValue(/^9:30\sPM$/);

  const stale = page.getByLabel("Stale after");
  await stale.fill("0");
  await stale.press("Enter");
  await expect(page.getByRole("alert")).toContainText("from 1 to 1,440");
  await stale.fill("45");
  await stale.press("Enter");
  await expect(page.getByRole("alert")).toHaveCount(0);
  await expect(other.getByLabel("Stale after")).toHaveValue("45");

  await gateway.stop();
  await gateway.start(port);
  await page.reload();
  await expect(stale).toHaveValue("45");
  await expect(finished).toBeChecked({ checked: !before });
  await expect(page.getByLabel("from", { exact: true })).toHaveValue(/^9:30\sPM$/);
});

test("the look is kept, and is there before the first paint", async ({ sightline, gateway, page }) => {
  await sightline.open(gateway.page);
  await page.getByRole("link", { name: "Settings" }).click();
  await page.getByRole("radio", { name: "Dark" }).check();
  await page.getByRole("radio", { name: "Dense" }).check();
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
  await page.reload();
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
  await expect(page.locator("html")).toHaveAttribute("data-density", "compact");
  await expect(page.getByRole("radio", { name: "Dark" })).toBeChecked();
});

test("a file that is too large for one message names the limit and the way to import it", async ({
  sightline,
  gateway,
  page,
}) => {
  await sightline.open(gateway.page);
  await page.getByRole("link", { name: "Settings" }).click();
  const file = (bytes: number) => ({
    name: "lists.json",
    mimeType: "application/json",
    buffer: Buffer.from(JSON.stringify({ sightline: 1, sessions: [], more: "x".repeat(bytes) })),
  });
  const input = page.locator('input[type="file"]');
  const message = page.getByRole("region", { name: "Message" });
  await input.setInputFiles(file(8 * 1024 * 1024));
  await expect(message).toContainText("lists.json is larger than what can be sent at once (8 MiB)");
  await expect(message).toContainText("sightline import --file lists.json");
  await expect(page.locator('[role="status"][data-state="connected"]')).toBeAttached();
  await input.setInputFiles(file(8_000_000));
  await expect(message).toContainText("0 new lists, 0 already there");
});
