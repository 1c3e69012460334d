// A run that only its hooks tell of, from its first prompt on.
import { expect, test } from "./test.ts";

test("a run is seen from its prompt on, and says what it waits for", async ({ sightline, gateway, page }) => {
  const own = "0199aa11-2b3c-7d4e-8f50-123456789abc";
  const hook = async (event: string, more: Record<string, string> = {}): Promise<void> => {
    const response = await fetch(`${gateway.address}/hooks/codex`, {
      method: "POST",
      headers: { Authorization: `Bearer ${gateway.runtime.agentToken}` },
      body: JSON.stringify({ session_id: own, cwd: "/home/me/billing", hook_event_name: event, ...more }),
    });
    expect(response.status).toBe(200);
    expect(await response.text(), "there is nothing to tell").toBe("");
  };
  await sightline.open(gateway.page);
  await hook("UserPromptSubmit", { prompt: "Prepare the release" });
  const card = page.getByRole("article");
  await expect(card).toContainText("Prepare the release");
  await expect(card.getByRole("link", { name: /codex/ })).toBeVisible();
  await expect(card).toContainText("No list: its todo tool is off");
  await expect(card.getByRole("link", { name: "Connect", exact: true })).toBeVisible();
  await hook("PermissionRequest", { tool_name: "Bash" });
  await expect(card).toContainText("Waiting for you: approval: Bash");
  await hook("PostToolUse", { tool_name: "Bash" });
  await expect(card).not.toContainText("Waiting for you");
  await hook("SessionEnd", { reason: "exit" });
  await expect(card).toContainText("finished just now");
});
