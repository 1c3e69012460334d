// A run that only its hooks tell of, from its first prompt on.
import type { Gateway } from "../parts/gateway.ts";
import { expect, test } from "./test.ts";

const OWN = "0199aa11-2b3c-7d4e-8f50-123456789abc";

/** Tells of an event as a hook of codex does. */
async function tell(gateway: Gateway, event: string, more: Record<string, string> = {}): Promise<void> {
  const response = await fetch(`${gateway.address}/hooks/codex`, {
    method: "POST",
    headers: { Authorization: `Bearer ${gateway.runtime.agentToken}` },
    body: JSON.stringify({ session_id: OWN, cwd: "/home/me/billing", hook_event_name: event, ...more }),
  });
  expect(response.status).toBe(200);
  expect(await response.text(), "there is nothing to tell").toBe("");
}

test("a run is seen from its prompt on, and says what it waits for", async ({ sightline, gateway, page }) => {
  await sightline.open(gateway.page);
  await tell(gateway, "UserPromptSubmit", { prompt: "Prepare the release" });
  const card = page.getByRole("article");
  await expect(card).toContainText("Prepare the release");
  await expect(card.getByRole("link", { name: /codex/ })).toBeVisible();
  await expect(card).toContainText("No list: its todo tool is off");
  await expect(card.getByRole("link", { name: "Connect", exact: true })).toBeVisible();
  await tell(gateway, "PermissionRequest", { tool_name: "Bash" });
  await expect(card).toContainText("Waiting for you: approval: Bash");
  await tell(gateway, "PostToolUse", { tool_name: "Bash" });
  await expect(card).not.toContainText("Waiting for you");
  await tell(gateway, "SessionEnd", { reason: "exit" });
  await expect(card).toContainText("finished just now");
});

test.describe("a browser in German", () => {
  test.use({ locale: "de-DE" });

  test("the first thing it shows of a run is in German", async ({ sightline, gateway, page }) => {
    await tell(gateway, "UserPromptSubmit", { prompt: "Prepare the release" });
    await tell(gateway, "PermissionRequest", { tool_name: "Bash" });
    await sightline.open(gateway.page);
    await expect(page.getByRole("article")).toContainText("Wartet auf Antwort: Zustimmung nötig: Bash");
    await expect(page.getByRole("navigation").first()).toContainText("Zustimmung nötig: Bash");
  });
});
