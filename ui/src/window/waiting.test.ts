import { render, screen } from "@testing-library/svelte";
import { expect, test, vi } from "vitest";
import type { Key } from "../protocol/types";
import { Desk } from "../testing/desk";
import { withBrowser } from "../testing/page";
import { AT } from "../testing/samples";
import Window from "./Window.svelte";

withBrowser();

/** A desk for a page that has that key. */
class PageDesk extends Desk {
  readonly keyId = "k9";
}

function key(keyId: string, more: Partial<Key> = {}): Key {
  return { keyId, kind: "page", name: "Firefox on Linux", rights: "edit", createdAt: AT, ...more };
}

test("a page that waits shows the id of its own key until somebody has decided", async () => {
  const desk = new PageDesk([]);
  // Another of the same name waits, too.
  desk.keys = [key("k8", { wanted: "administer" }), key("k9", { wanted: "answer" })];
  render(Window, { backend: desk });
  const said = await screen.findByText(/^This browser asks to answer approvals/);
  expect(said.querySelector("code")?.textContent).toBe("k9");
  desk.keys = [key("k8", { wanted: "administer" }), key("k9", { rights: "answer" })];
  desk.tell({ type: "keys.updated", waiting: 1 });
  await vi.waitFor(() => expect(screen.queryByText(/^This browser asks/)).toBeNull());
});

test("a page that waits for nothing, and the window, say nothing of keys", async () => {
  for (const desk of [new PageDesk([]), new Desk([])]) {
    desk.keys = [key("k9"), key("k8", { wanted: "administer" })];
    const { unmount } = render(Window, { backend: desk });
    // oxlint-disable-next-line no-await-in-loop
    await vi.waitFor(() => expect(desk.calls.length).toBeGreaterThan(0));
    // oxlint-disable-next-line no-await-in-loop
    await screen.findByText("sightline todo add x");
    expect(screen.queryByText(/^This browser asks/)).toBeNull();
    unmount();
  }
});
