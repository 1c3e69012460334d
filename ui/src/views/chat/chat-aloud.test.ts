// Reasoning that a model writes in tags that are meant for programs, as people read it.
import { screen, within } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import type { Desk } from "../../testing/desk";
import { openTalk, withBrowser } from "../../testing/page";

const user = userEvent.setup();

withBrowser();

const open = (prepare?: (desk: Desk) => void): Promise<Desk> => openTalk({}, prepare);

const messages = () => screen.getByRole("list", { name: "Messages" });

test("results of computations are their values, in code they are code", async () => {
  await open((desk) =>
    desk.chat.say("s", {
      kind: "assistant",
      content:
        "It is <computed>42.5</computed> or <computed></computed>, " +
        'and <computed error="true">It has no &lt;b&gt;.</computed> `<computed>1</computed>`',
    }),
  );
  const [value, nothing] = within(messages()).getAllByRole("group", { name: "computed" });
  expect(value?.textContent).toBe("42.5");
  expect(value?.tagName).toBe("DATA");
  expect(nothing?.textContent).toBe("nothing");
  expect(messages().textContent).toContain("and could not be computed: It has no <b> <computed>1");
  expect(messages().querySelector("code")?.textContent).toBe("<computed>1</computed>");
});

test("what it thinks aloud is folded, before and after it is kept", async () => {
  const desk = await open();
  desk.chat.begin("s");
  desk.chat.stream("s", "Hm. ", "reasoning");
  desk.chat.stream("s", "<think>Let me see <computed>");
  const fold = await screen.findByRole("button", { name: "Thinking…" });
  expect(screen.queryByText(/Let me see/)).toBeNull();
  await user.click(fold);
  expect(document.querySelector(".going .text")?.textContent).toBe("Hm. \n\nLet me see <computed>");
  desk.chat.stream("s", " on.</think>\n\nIt is <computed>4");
  expect(await screen.findByRole("button", { name: "Reasoning" })).toBeTruthy();
  expect(document.querySelector(".going .markdown")?.textContent).toBe("It is ");
  desk.chat.say("s", { kind: "assistant", content: "<think>Aloud.</think>Yes.", reasoning: "Silent." });
  desk.chat.say("s", { kind: "assistant", content: "<think>\n</think>\n\nAt once." });
  desk.chat.say("s", { kind: "assistant", content: "<thinking>Stopped in the mid" });
  await vi.waitFor(() =>
    expect(messages().textContent).toMatch(
      /^\s*Reasoning\s*Sightline:\s*Yes\.\s*Sightline:\s*At once\.\s*Reasoning\s*$/,
    ),
  );
  const [kept] = within(messages()).getAllByRole("button", { name: "Reasoning" });
  if (kept) await user.click(kept);
  expect(messages().querySelector(".text")?.textContent).toBe("Silent.\n\nAloud.");
});
