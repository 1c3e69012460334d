import { render, screen, within } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { Desk } from "../../testing/desk";
import { withBrowser } from "../../testing/page";
import Window from "../../window/Window.svelte";

const user = userEvent.setup();

withBrowser();

const shown = (): string[] =>
  [...document.querySelectorAll<HTMLElement>("main section:not([hidden]) > h2")].map(
    (each) => each.textContent ?? "",
  );

test("settings are found by their words, and by their section's", async () => {
  location.hash = "#/settings";
  render(Window, { backend: new Desk([]) });
  const main = within(screen.getByRole("main"));
  await main.findByRole("switch", { name: "When a session needs you" });
  const all = shown();
  expect(within(main.getByRole("navigation", { name: "Sections" })).getAllByRole("button")).toHaveLength(
    all.length,
  );
  const search = main.getByRole("textbox", { name: "Search settings" });
  await user.type(search, "quiet hours");
  await vi.waitFor(() => expect(shown()).toEqual(["Notifications"]));
  expect(
    main.queryByRole("switch", { name: "When a session needs you" }),
    "another row of that section",
  ).toBeNull();
  await user.clear(search);
  await user.type(search, "notifications");
  await vi.waitFor(() =>
    expect(main.queryByRole("switch", { name: "When a session needs you" })).toBeTruthy(),
  );
  await user.clear(search);
  await user.type(search, "nothing of the kind");
  await main.findByText("No settings match");
  await user.type(search, "{Escape}");
  await vi.waitFor(() => expect(shown()).toEqual(all));
  // The words that are sought outlive the page.
  await user.type(search, "quiet");
  location.hash = "#/agents";
  await screen.findByRole("heading", { level: 1, name: "Agents" });
  location.hash = "#/settings";
  const again = await screen.findByRole<HTMLInputElement>("textbox", { name: "Search settings" });
  expect(again.value).toBe("quiet");
  await user.type(again, "{Escape}");
  expect(sessionStorage.getItem("search settings-search")).toBeNull();
});
