import { render, screen } from "@testing-library/svelte";
import { expect, test, vi } from "vitest";
import { edit, session } from "../../testing/samples";
import EditChip from "./EditChip.svelte";

vi.hoisted(() => localStorage.setItem("locale", "de"));

test("a step of the user's says in the language of the page how it was changed", () => {
  const detailText = { name: "change_status", params: { status: "in_progress" } };
  const changed = edit("a", { kind: "set", state: "reflected", detail: "status in_progress", detailText });
  render(EditChip, { edit: changed, of: { session: session("s", []), ways: {} } });
  const title = screen.getByText(/^Sie/).closest<HTMLElement>(".chip")?.title;
  expect(title).toMatch(/^Als in Arbeit markiert/);
  expect(title).not.toContain("in_progress");
});
