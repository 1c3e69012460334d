import { render, screen } from "@testing-library/svelte";
import { expect, test } from "vitest";
import { Desk } from "../../testing/desk";
import { withBrowser } from "../../testing/page";
import { item, session } from "../../testing/samples";
import Window from "../../window/Window.svelte";

withBrowser();

const said = (id: string) => document.querySelector(`.line[data-session="${id}"] .last`)?.textContent;

test("a dense line tells the last call", async () => {
  const lastCall = { tool: "Edit", text: "/home/me/a/src/lib.rs", at: new Date().toISOString() };
  const many = Array.from({ length: 20 }, (_, at) =>
    session(`s${at}`, [item("x", "in_progress")], { folder: "/home/me/a", lastCall }),
  );
  const idle = session("idle", [item("x", "in_progress")], { state: "idle", lastCall });
  render(Window, { backend: new Desk([...many, idle]) });
  await screen.findAllByRole("link", { name: /project-s3/ });
  expect(said("s19")).toMatch(/^Edit src\/lib\.rs · /);
  expect(said("idle")).toBeUndefined();
});
