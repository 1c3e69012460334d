import { defineConfig, type Project } from "@playwright/test";
import { FONTS } from "./pictures/still.ts";

const CHROMIUM = {
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  // Its headless shell would draw what has no font of its own otherwise than the rest of Chromium does.
  args: ["--no-sandbox", "--font-render-hinting=none"],
};

const BROWSER: Project["use"] = {
  browserName: "chromium",
  launchOptions: CHROMIUM,
  screenshot: "only-on-failure",
};

const PICTURES: Project["use"] = {
  ...BROWSER,
  locale: "en-GB",
  timezoneId: "UTC",
  contextOptions: { reducedMotion: "reduce" },
  launchOptions: { ...CHROMIUM, env: { ...(process.env as Record<string, string>), ...FONTS } },
};

/** One pixel in ten thousand may differ by more than a shade: less than a word, more than an edge drawn otherwise. */
const TOLERANCE = { threshold: 0.04, maxDiffPixelRatio: 0.0001 };

export default defineConfig({
  outputDir: "test-results",
  // Each test starts a gateway and a browser, a window or an agent of its own, and waits for them half of the time.
  workers: 2,
  timeout: 90_000,
  expect: {
    timeout: 20_000,
    toHaveScreenshot: { ...TOLERANCE, animations: "disabled", caret: "hide" },
    toMatchSnapshot: TOLERANCE,
  },
  // A picture that is missing is a test that fails; `cargo xtask pictures` takes it.
  updateSnapshots: "none",
  forbidOnly: !!process.env.CI,
  // A test that fails once and passes then is reported as flaky: a defect to look for, and no reason to lose what else passed.
  retries: process.env.CI ? 1 : 0,
  reporter: [["list"]],
  projects: [
    {
      // First, since it takes longest: its windows share one screen, and only one of them can have the focus.
      name: "window",
      testDir: "window",
      workers: 1,
      timeout: 150_000,
      snapshotPathTemplate: "pictures/window/{arg}{ext}",
    },
    // Its tests note in one file for each agent what they have seen.
    { name: "more-agents", testDir: "more-agents", workers: 1, timeout: 150_000, use: BROWSER },
    { name: "browser", testDir: "browser", use: BROWSER },
    {
      name: "pictures",
      testDir: "pictures",
      testMatch: ["pages.spec.ts", "languages.spec.ts", "fits.spec.ts"],
      use: PICTURES,
      snapshotPathTemplate: "pictures/browser/{arg}{ext}",
    },
    { name: "readme", testDir: "pictures", testMatch: ["readme.spec.ts", "icons.spec.ts"], use: PICTURES },
    { name: "agents", testDir: "agents", timeout: 150_000 },
  ],
});
