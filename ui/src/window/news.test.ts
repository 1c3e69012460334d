import { expect, test } from "vitest";
import { item } from "../testing/samples";
import { News } from "./news";

const list = (...statuses: Parameters<typeof item>[1][]) =>
  statuses.map((status, at) => item(String(at), status, { activeForm: `Doing ${at}` }));

test("one step that ends is named, and what is begun then", () => {
  const news = new News("docs", list("in_progress", "pending"));
  expect(news.take(list("completed", "in_progress"))).toBe(true);
  expect(news.tell()).toBe("Finished “Step 0”, 1 of 2. Now: Doing 1.");
  expect(news.tell()).toBeUndefined();
});

test("several over several updates are counted", () => {
  const news = new News("docs", list("in_progress", "pending", "pending", "pending"));
  news.take(list("completed", "in_progress", "pending", "pending"));
  news.take(list("completed", "completed", "in_progress", "pending"));
  news.take(list("completed", "completed", "completed", "in_progress"));
  expect(news.tell()).toBe("3 steps finished in docs. Now: Doing 3.");
});

test("what was taken back meanwhile is not told", () => {
  const news = new News("docs", list("in_progress"));
  news.take(list("completed"));
  expect(news.take(list("pending"))).toBe(false);
  expect(news.tell()).toBeUndefined();
});

test("new steps are counted, a text that changes is not told", () => {
  const news = new News("docs", list("pending"));
  expect(news.take([item("0", "pending", { content: "Other" })])).toBe(false);
  expect(news.take([item("0"), item("x"), item("y")])).toBe(true);
  expect(news.tell()).toBe("2 new steps in docs.");
});
