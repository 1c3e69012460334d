// Calls that are written so that they look like others are shown as what they run.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Locator } from "@playwright/test";
import { calls, says, scripted, SIMPLE, steps, COMPLEX, completes, DONE } from "../parts/model.ts";
import { fileServer, WRITE } from "../parts/tools.ts";
import { expect, test } from "./test.ts";

/** The letters of an element as the eye meets them: line by line, from left to right. */
async function painted(element: Locator): Promise<string> {
  return element.evaluate((root) => {
    const letters: { letter: string; line: number; left: number }[] = [];
    const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    for (let text = texts.nextNode(); text; text = texts.nextNode()) {
      for (let at = 0; at < (text.textContent ?? "").length; at += 1) {
        const range = document.createRange();
        range.setStart(text, at);
        range.setEnd(text, at + 1);
        const box = range.getBoundingClientRect();
        const letter = range.toString();
        if (box.width > 0 && letter.trim() !== "") {
          letters.push({ letter, line: Math.round(box.bottom), left: box.left });
        }
      }
    }
    return letters
      .toSorted((one, other) => one.line - other.line || one.left - other.left)
      .map(({ letter }) => letter)
      .join("");
  });
}

const ATTACKS = {
  "a command behind isolates": [
    "echo done \u2067\u2066# \u2069\u2066rm -rf ~\u2069\u2069",
    "echo done <U+2067><U+2066># <U+2069><U+2066>rm -rf ~<U+2069><U+2069>",
  ],
  "an override": ["rm \u202Efdp.krow\u202C", "rm <U+202E>fdp.krow<U+202C>"],
  "embeddings and marks": [
    "a\u202Bb\u202Ac\u202C\u202Cd\u200Fe\u061Cf",
    "a<U+202B>b<U+202A>c<U+202C><U+202C>d<U+200F>e<U+061C>f",
  ],
  "letters without a width": [
    "r\u200Bm\u2060 \u200Dx\uFEFF\u00AD",
    "r<U+200B>m<U+2060> <U+200D>x<U+FEFF><U+00AD>",
  ],
  "other spaces": ["rm -rf /tmp/a\u00A0/\u2800b", "rm -rf /tmp/a<U+00A0>/<U+2800>b"],
  controls: ["a\u0008\u001B[2Jb\rc", "a<U+0008><U+001B>[2Jb<U+000D>c"],
} as const;

for (const [name, [content, shown]] of Object.entries(ATTACKS)) {
  test(`${name} is shown in the order in which it is carried out`, async ({
    sightline,
    gateway,
    folder,
    socket,
    page,
  }) => {
    const path = join(folder.home, "out.txt");
    const answers = [SIMPLE, calls([WRITE, { path, content }]), says("Written.")];
    await socket.ask("settings.update", { ...(await scripted(folder, answers)), ...fileServer(folder.home) });
    const { sessionId } = await socket.ask("chat.send", { content: "Write it" });
    await sightline.open(gateway.page);
    await sightline.goTo(`#/session/${String(sessionId)}`);
    const approval = page.getByRole("region", { name: /^May it call/ });
    const value = approval.getByRole("definition").last();
    await expect(value).toHaveText(shown, { useInnerText: false });
    expect(await painted(value)).toBe(shown.replaceAll(/\s/g, ""));
    expect(existsSync(path)).toBe(false);
    await approval.getByRole("button", { name: "Allow once" }).click();
    await expect(page.getByText("Written.")).toBeVisible();
    expect(readFileSync(path, "utf8")).toBe(content);
  });
}

test("words that are written from right to left do not move what is beside them", async ({
  sightline,
  gateway,
  folder,
  socket,
  page,
}) => {
  const path = join(folder.home, "שלום");
  const content = "cp א 1 ב 2 /tmp/ג; rm ד 3";
  const answers = [SIMPLE, calls([WRITE, { path, content }]), says("Written.")];
  await socket.ask("settings.update", { ...(await scripted(folder, answers)), ...fileServer(folder.home) });
  const { sessionId } = await socket.ask("chat.send", { content: "Write it" });
  await sightline.open(gateway.page);
  await sightline.goTo(`#/session/${String(sessionId)}`);
  const value = page
    .getByRole("region", { name: /^May it call/ })
    .getByRole("definition")
    .last();
  await expect(value).toHaveText(content);
  expect(await painted(value)).toBe(content.replaceAll(" ", ""));
});

test("all of a long call can be read, in a narrow window too", async ({
  sightline,
  gateway,
  folder,
  socket,
  page,
}) => {
  await page.setViewportSize({ width: 380, height: 700 });
  const path = join(folder.home, "out.txt");
  const content = `${"echo nothing; ".repeat(3_000)}rm -rf ~`;
  const answers = [SIMPLE, calls([WRITE, { path, content, ["n".repeat(300)]: "1" }])];
  await socket.ask("settings.update", { ...(await scripted(folder, answers)), ...fileServer(folder.home) });
  const { sessionId } = await socket.ask("chat.send", { content: "Write it" });
  await sightline.open(gateway.page);
  await sightline.goTo(`#/session/${String(sessionId)}`);
  const approval = page.getByRole("region", { name: /^May it call/ });
  const box = approval.getByRole("group", { name: "content" });
  await expect(box).toHaveText(content);
  await box.focus();
  await page.keyboard.press("End");
  await expect
    .poll(() => box.evaluate((pre) => pre.scrollTop + pre.clientHeight >= pre.scrollHeight - 1))
    .toBe(true);
  await expect(approval.getByText("n".repeat(300))).toBeVisible();
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
});

test("a plan hides nothing in its steps", async ({ sightline, gateway, folder, socket, page }) => {
  const words = "Tidy up \u2067\u2066# \u2069\u2066rm -rf ~\u2069\u2069";
  const path = join(folder.home, "out.txt");
  const plan = steps({ content: words, tool: WRITE });
  const answers = [COMPLEX, plan, calls([WRITE, { path, content: "3" }]), completes(1), DONE];
  await socket.ask("settings.update", { ...(await scripted(folder, answers)), ...fileServer(folder.home) });
  const { sessionId } = await socket.ask("chat.send", { content: "Tidy up" });
  await sightline.open(gateway.page);
  await sightline.goTo(`#/session/${String(sessionId)}`);
  const step = page.getByRole("group", { name: "Step 1" });
  await expect(step).toHaveText("Tidy up <U+2067><U+2066># <U+2069><U+2066>rm -rf ~<U+2069><U+2069>");
  await expect(page.getByRole("textbox", { name: "Step 1" })).toHaveCount(0);
  await page.getByRole("button", { name: "Begin" }).click();
  await expect.poll(() => existsSync(path)).toBe(true);
  const { todos } = await socket.ask("session.get", { sessionId });
  expect((todos as { content: string }[])[0]?.content).toBe(words);
});
