import { expect, test, vi } from "vitest";
import { actorWords } from "./actors";

vi.hoisted(() => localStorage.setItem("locale", "de"));

test("whoever is at the window is called so in the language of the texts, and an agent by its name", () => {
  const you = { kind: "user", name: "you", transport: "window" } as const;
  expect(actorWords(you)).toBe("Sie im Fenster");
  expect(actorWords({ ...you, kind: "agent" })).toBe("you im Fenster");
});
