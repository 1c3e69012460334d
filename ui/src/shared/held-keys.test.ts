import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { heldKeys } from "./held-keys";

const behind = vi.fn<(key: string) => void>();
const ahead = vi.fn<(key: string) => void>();
let field: HTMLInputElement;
let release = (): void => {};

beforeEach(() => {
  document.body.innerText = "";
  const row = document.createElement("button");
  row.addEventListener("keydown", ({ key }) => behind(key));
  field = document.createElement("input");
  field.addEventListener("keydown", ({ key }) => ahead(key));
  document.body.append(row, field);
  row.focus();
});

afterEach(() => {
  release();
  vi.clearAllMocks();
});

/** False if its default is prevented. */
function strike(key: string, more: KeyboardEventInit = {}): boolean {
  const event = new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...more });
  return (document.activeElement ?? document.body).dispatchEvent(event);
}

test("what is struck meanwhile does nothing behind, and is given to what has the focus then, in its order", async () => {
  release = heldKeys.hold(() => {});
  for (const key of ["a", "b", "b", "Backspace", "Enter", "Delete"]) expect(strike(key)).toBe(false);
  expect(behind).not.toHaveBeenCalled();
  field.focus();
  await heldKeys.give();
  expect(field.value).toBe("ab");
  expect(ahead.mock.calls.flat()).toEqual(["a", "b", "b", "Backspace", "Enter", "Delete"]);
  expect(strike("c"), "and no more").toBe(true);
  expect(ahead).toHaveBeenLastCalledWith("c");
});

test("a chord types nothing, a sign that needs AltGr does", async () => {
  release = heldKeys.hold(() => {});
  strike("k", { ctrlKey: true });
  strike("Shift", { shiftKey: true });
  strike("@", { ctrlKey: true, altKey: true, modifierAltGraph: true });
  field.focus();
  await heldKeys.give();
  expect(field.value).toBe("@");
});

test("keys that are struck while others are given come after them", async () => {
  release = heldKeys.hold(() => {});
  strike("a");
  strike("b");
  field.focus();
  const all = heldKeys.give();
  strike("c");
  await all;
  expect(field.value).toBe("abc");
});

test("Escape gives up what is awaited, and what was struck for it is forgotten", async () => {
  const leave = vi.fn<() => void>(() => release());
  release = heldKeys.hold(leave);
  strike("x");
  strike("Escape");
  expect(leave).toHaveBeenCalledOnce();
  strike("d");
  expect(behind.mock.calls.flat()).toEqual(["d"]);
  field.focus();
  await heldKeys.give();
  expect(field.value).toBe("");
});

test("what a key asks for gets those after it", async () => {
  release = heldKeys.hold(() => {});
  const next = document.createElement("input");
  document.body.append(next);
  field.addEventListener("keydown", ({ key }) => {
    if (key === "Enter") release = heldKeys.hold(() => {});
  });
  for (const key of ["a", "Enter", "b"]) strike(key);
  field.focus();
  await heldKeys.give();
  expect([field.value, next.value]).toEqual(["a", ""]);
  next.focus();
  await heldKeys.give();
  expect([field.value, next.value]).toEqual(["a", "b"]);
});
