import { render, screen, within } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { Failure } from "../../backend/backend";
import { Desk } from "../../testing/desk";
import { withBrowser } from "../../testing/page";
import { sentenceAfter } from "../../text/agents";
import Window from "../../window/Window.svelte";

const user = userEvent.setup();

withBrowser();

const REFUSED = "Connection refused.";

/** The picker, with a model that does not answer. */
async function open(): Promise<Desk> {
  const desk = new Desk([]);
  desk.settings = { ...desk.settings, chatModel: "openai:gpt-5" };
  desk.chat.refusals["chat.test"] = new Failure("AGENT_ERROR", REFUSED);
  location.hash = "#/chat";
  render(Window, { backend: desk });
  await pick();
  return desk;
}

const picker = () => within(screen.getByRole("dialog", { name: "Models" }));
const tryIt = () => user.click(picker().getByRole("button", { name: "Test" }));

async function pick(): Promise<void> {
  await user.click(await screen.findByRole("button", { name: /^Model: openai:gpt-5/ }));
  await screen.findByRole("option", { name: /^gpt-5 / });
}

test("how a model was tried is not there when the picker is opened anew", async () => {
  await open();
  await tryIt();
  await picker().findByText(REFUSED);
  await user.keyboard("{Escape}");
  await pick();
  expect(picker().queryByText(REFUSED)).toBeNull();
});

test("with other providers what was tried, and is being tried, counts no more", async () => {
  const desk = await open();
  const endpoint = "http://127.0.0.1:1/v1/";
  const change = (name: string) =>
    desk.call("settings.update", { chatProviders: [{ name, kind: "openai", endpoint }] });
  await tryIt();
  await picker().findByText(REFUSED);
  await change("one");
  await vi.waitFor(() => expect(picker().queryByText(REFUSED)).toBeNull());
  const held: (() => void)[] = (desk.chat.held = []);
  await tryIt();
  await picker().findByText("Asking it a short question…");
  await change("two");
  await vi.waitFor(() => expect(picker().queryByText("Asking it a short question…")).toBeNull());
  for (const go of held) go();
  await Promise.resolve();
  expect(picker().queryByText(REFUSED)).toBeNull();
});

test("another setting changes nothing about it", async () => {
  const desk = await open();
  await tryIt();
  await picker().findByText(REFUSED);
  await desk.call("settings.update", { chatSteps: 7 });
  expect(picker().getByText(REFUSED)).toBeTruthy();
});

test("a note that begins with the name of its provider goes on from that", () => {
  expect(sentenceAfter("mock", "mock cannot be reached")).toBe("cannot be reached.");
  expect(sentenceAfter("mock", "the key of mock is wrong")).toBe("The key of mock is wrong.");
  expect(sentenceAfter("mock", "mocking is wrong.")).toBe("Mocking is wrong.");
});
