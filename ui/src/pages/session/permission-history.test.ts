import { screen, within } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { render } from "@testing-library/svelte";
import { Desk } from "../../testing/desk";
import { withBrowser } from "../../testing/page";
import { permission, permissionNeed } from "../../testing/permissions";
import { item, session } from "../../testing/samples";
import Window from "../../window/Window.svelte";

const user = userEvent.setup();

withBrowser();

test("a session says what was asked in it, and what became of each; one that waits is answered there", async () => {
  const waits = permission({ permissionId: "now" });
  const desk = new Desk([session("s", [item("a")], { needs: [permissionNeed(waits)] })]);
  desk.permissions.permissions = [
    waits,
    permission({ permissionId: "1", state: "denied", command: "rm -rf target", message: "Use cargo clean" }),
    permission({ permissionId: "2", state: "allowed", ruleId: "r" }),
    permission({ permissionId: "3", state: "elsewhere" }),
    permission({ permissionId: "4", state: "expired" }),
    permission({ permissionId: "5", state: "allowed", command: "ls" }),
    permission({ permissionId: "6", sessionId: "other", state: "denied" }),
  ];
  location.hash = "#/session/s";
  render(Window, { backend: desk });
  const list = await screen.findByRole("list", { name: "Permissions asked for" });
  const lines = () =>
    within(list)
      .getAllByRole("listitem")
      .map(({ textContent }) => textContent?.replaceAll(/\s+/g, " ").trim());
  expect(lines()).toEqual([
    expect.stringMatching(/^Bash rm -rf target Denied .*You said: Use cargo clean$/),
    expect.stringMatching(/^Bash cargo test -p hub Allowed by a rule/),
    expect.stringContaining("Answered in its terminal"),
    expect.stringContaining("No answer in time"),
  ]);
  await user.click(screen.getByRole("button", { name: "Show 1 more" }));
  expect(lines()[4]).toMatch(/^Bash ls Allowed/);

  const allow = screen.getByRole("button", { name: /^Allow: / });
  await vi.waitFor(() => expect(allow.getAttribute("aria-disabled")).toBeNull());
  await user.click(allow);
  await vi.waitFor(() => expect(lines()[0]).toMatch(/^Bash cargo test -p hub Allowed/));
  expect(screen.queryByRole("group", { name: /^Permission: / })).toBeNull();
});
