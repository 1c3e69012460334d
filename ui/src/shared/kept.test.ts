import { afterEach, expect, test, vi } from "vitest";
import { KeptText } from "./kept.svelte";

afterEach(() => {
  vi.unstubAllGlobals();
  sessionStorage.clear();
});

function shut(): never {
  throw new DOMException("closed", "SecurityError");
}

test("what is typed is there again after a reload, until it is sent", () => {
  new KeptText("draft:s").text = "Half a th";
  expect(new KeptText("draft:s").text).toBe("Half a th");
  expect(new KeptText("draft:t").text, "of another").toBe("");
  new KeptText("draft:s").text = "";
  expect(sessionStorage).toHaveLength(0);
});

test("without a storage, or with a full one, it lasts as long as the page", () => {
  vi.stubGlobal("sessionStorage", { getItem: shut, setItem: shut, removeItem: shut });
  const text = new KeptText("draft:s");
  expect(text.text).toBe("");
  text.text = "Half";
  expect(text.text).toBe("Half");
  text.text = "";
  expect(text.text).toBe("");
});
