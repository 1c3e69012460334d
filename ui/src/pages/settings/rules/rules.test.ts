import { render, screen, within } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import type { Rule } from "../../../protocol/types";
import { Desk } from "../../../testing/desk";
import { withBrowser } from "../../../testing/page";
import { AT } from "../../../testing/samples";
import Window from "../../../window/Window.svelte";

const user = userEvent.setup();

withBrowser();

const RULES: Rule[] = [
  {
    ruleId: "a",
    createdAt: AT,
    decided: 3,
    decidedAt: AT,
    allow: true,
    agent: "claude",
    folder: "/home/me/billing",
    tool: "Bash",
    calls: { kind: "command", words: ["cargo", "test"] },
  },
  { ruleId: "b", createdAt: AT, decided: 0, allow: false, tool: "WebFetch", calls: { kind: "tool" } },
];

async function open(rules: Rule[]): Promise<Desk> {
  const desk = new Desk([]);
  desk.permissions.rules = rules;
  location.hash = "#/settings";
  render(Window, { backend: desk });
  await vi.waitFor(() => expect(desk.calls.some(({ type }) => type === "rule.list")).toBe(true));
  return desk;
}

const section = (): HTMLElement => screen.getByRole("region", { name: "Permission rules" });
const lines = (): (string | undefined)[] =>
  within(section())
    .getAllByRole("listitem")
    .map(({ textContent }) => textContent?.replaceAll(/\s+/g, " ").trim());

test("without rules it is said how one is made, and that nothing is allowed by another's", async () => {
  await open([]);
  await vi.waitFor(() =>
    expect(section().textContent).toContain("No rules yet. Make one with “Always allow…”"),
  );
  expect(section().textContent).toContain("Only a rule that you made allows anything.");
});

test("each rule says the calls, the place, the agent and how often it has decided", async () => {
  await open(RULES);
  await vi.waitFor(() => expect(lines()).toHaveLength(2));
  const [allows, denies] = lines();
  expect(allows).toMatch(
    /^Allow single Bash commands that begin with cargo test in \/home\/me\/billing and below/,
  );
  expect(allows).toMatch(/Decided 3 calls, last .* ago$/);
  expect(denies).toMatch(/^Deny every call of WebFetch everywhere any agent Not used yet/);
});

test("a rule is changed", async () => {
  const desk = await open(RULES);
  await user.click(await screen.findByRole("button", { name: "Edit rule: Bash: cargo test …" }));
  const dialog = await screen.findByRole("dialog", { name: "Edit rule" });
  await user.click(within(dialog).getByRole("radio", { name: "Everywhere" }));
  await user.click(within(dialog).getByRole("radio", { name: "Deny" }));
  await user.click(within(dialog).getByRole("button", { name: "Save rule" }));
  const { calls } = RULES[0] as Rule;
  expect(desk.calls.find(({ type }) => type === "rule.edit")?.fields).toEqual({
    ruleId: "a",
    allow: false,
    agent: "claude",
    tool: "Bash",
    calls,
  });
  await vi.waitFor(() => expect(lines()[0]).toMatch(/^Deny single Bash commands/));
});

test("a rule is deleted, and comes back by Undo", async () => {
  const desk = await open(RULES);
  await user.click(await screen.findByRole("button", { name: "Delete rule: Bash: cargo test …" }));
  await vi.waitFor(() => expect(lines()).toHaveLength(1));
  await user.click(screen.getByRole("button", { name: "Undo" }));
  await vi.waitFor(() => expect(lines()).toHaveLength(2));
  const { ruleId: _, createdAt: __, decided: ___, decidedAt: ____, ...says } = RULES[0] as Rule;
  expect(desk.calls.find(({ type }) => type === "rule.new")?.fields).toEqual(says);
});

test("without the right to answer rules are only read", async () => {
  const desk = new Desk([]);
  desk.permissions.rules = RULES;
  desk.rights = "edit";
  location.hash = "#/settings";
  render(Window, { backend: desk });
  const edit = await screen.findByRole("button", { name: "Edit rule: Bash: cargo test …" });
  expect(edit.hasAttribute("disabled")).toBe(true);
});
