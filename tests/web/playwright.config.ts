import { defineConfig, type Project } from "@playwright/test";

const BROWSER: Project["use"] = {
  browserName: "chromium",
  launchOptions: {
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox"],
  },
  screenshot: "only-on-failure",
};

export default defineConfig({
  outputDir: "test-results",
  // Two cores, and each test starts a gateway and a browser, a window or an agent of its own.
  workers: 1,
  timeout: 90_000,
  expect: { timeout: 20_000 },
  forbidOnly: !!process.env.CI,
  reporter: [["list"]],
  projects: [
    { name: "browser", testDir: "browser", use: BROWSER },
    { name: "window", testDir: "window", timeout: 150_000 },
    { name: "agents", testDir: "agents", timeout: 150_000 },
    { name: "more-agents", testDir: "more-agents", timeout: 150_000, use: BROWSER },
  ],
});
