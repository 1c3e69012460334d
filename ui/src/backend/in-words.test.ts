import { beforeEach, expect, test, vi } from "vitest";

beforeEach(() => {
  vi.resetModules();
  localStorage.clear();
});

const SENT = { code: "SESSION_NOT_FOUND", message: "there is no session abc" };

test.each([
  ["en", "there is no session abc"],
  ["de", "Diese Sitzung gibt es nicht."],
])("in %s an error says: %s", async (language, words) => {
  localStorage.setItem("locale", language);
  const { toFailure } = await import("./backend");
  expect(toFailure(SENT)).toMatchObject({ code: "SESSION_NOT_FOUND", message: words });
});

test("an error whose words name a field keeps them in every language", async () => {
  localStorage.setItem("locale", "ja");
  const { toFailure } = await import("./backend");
  expect(toFailure({ code: "INVALID_SETTING", message: "staleMinutes: from 1" }).message).toBe(
    "staleMinutes: from 1",
  );
});
