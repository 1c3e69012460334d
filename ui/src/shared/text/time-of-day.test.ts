import { expect, test, vi } from "vitest";
import { minutesLater } from "./time-of-day";

/** The module as it is for somebody whose first language that is. */
async function of(language: string): Promise<typeof import("./time-of-day")> {
  Object.defineProperty(navigator, "languages", { value: [language], configurable: true });
  vi.resetModules();
  return import("./time-of-day");
}

/** Without the spaces that do not break. */
const plainly = (text: string): string => text.replaceAll(/\s/g, " ");

test.each([
  ["en-GB", "21:30", "00:05"],
  ["en-US", "9:30 PM", "12:05 AM"],
  ["de-DE", "21:30", "00:05"],
  ["ja-JP", "21:30", "0:05"],
  ["zh-CN", "21:30", "00:05"],
  ["es-US", "9:30 p.m.", "12:05 a.m."],
])("for %s times of the day are %s and %s, and read as they are shown", async (language, evening, night) => {
  const { timeOfDay, readTimeOfDay } = await of(language);
  expect(plainly(timeOfDay("21:30"))).toBe(evening);
  expect(plainly(timeOfDay("00:05"))).toBe(night);
  for (let hour = 0; hour < 24; hour += 1) {
    const time = `${String(hour).padStart(2, "0")}:05`;
    expect(readTimeOfDay(timeOfDay(time))).toBe(time);
  }
});

test.each([
  ["21:30", "21:30"],
  ["9:30", "09:30"],
  ["21.30", "21:30"],
  ["2130", "21:30"],
  ["930", "09:30"],
  ["21", "21:00"],
  ["21h30", "21:30"],
  ["２１：３０", "21:30"],
  ["21時30", "21:30"],
  [" 9:30 pm ", "21:30"],
  ["9p", "21:00"],
  ["12 am", "00:00"],
  ["12:15 PM", "12:15"],
  ["12.15 p.m.", "12:15"],
  ["21:30 pm", "21:30"],
  ["", undefined],
  ["noon", undefined],
  ["24:00", undefined],
  ["21:60", undefined],
  ["21:3", undefined],
  ["13 am", undefined],
  ["21:30:10", undefined],
  ["-1", undefined],
  ["9 xm", undefined],
  ["9".repeat(1_000), undefined],
])("%j is typed for %s", async (typed, time) => {
  const { readTimeOfDay } = await of("en-GB");
  expect(readTimeOfDay(typed)).toBe(time);
});

test("minutes go around the clock", () => {
  expect([minutesLater("22:00", 15), minutesLater("23:50", 15), minutesLater("00:05", -15)]).toEqual([
    "22:15",
    "00:05",
    "23:50",
  ]);
});
