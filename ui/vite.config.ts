import { paraglideVitePlugin } from "@inlang/paraglide-js";
import { svelte } from "@sveltejs/vite-plugin-svelte";
import { svelteTesting } from "@testing-library/svelte/vite";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";
import { groups } from "./bundle/chunks.js";
import { oneLanguage } from "./messages/one-language.js";
import { options } from "./messages/options.js";
import { offline } from "./offline/plugin.js";

// A gateway that runs on its usual port serves `npm run dev` in a browser.
const gateway = "http://127.0.0.1:3271";

/** Compiles the texts once, before anything else; the dev server has Paraglide's own plugin, which watches them. */
const texts: Plugin = {
  name: "texts",
  configResolved: async () => {
    await import("./messages/compile.js");
  },
};

export default defineConfig(({ command }) => ({
  plugins: [
    oneLanguage(),
    command === "serve" && !process.env.VITEST ? paraglideVitePlugin(options) : texts,
    svelte(),
    svelteTesting(),
    offline(),
  ],
  build: {
    target: ["chrome120", "safari17", "firefox121"],
    // Everything is a file of its own: the content security policy allows nothing inline.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: { output: { codeSplitting: { groups } } },
  },
  server: {
    port: 5173,
    strictPort: true,
    proxy: {
      "/gateway": { target: gateway, ws: true },
      "/health": gateway,
    },
  },
  test: {
    environment: "happy-dom",
    include: ["src/**/*.test.ts"],
    setupFiles: ["src/testing/locale.ts", "src/testing/setup.ts"],
    testTimeout: 60_000,
    // Before the first test every part of the window is fetched.
    hookTimeout: 120_000,
    // Vitest leaves a core to the process that hands out the files, which is half of two cores and waits most of the time.
    maxWorkers: "100%",
    restoreMocks: true,
    // A test that fails once and passes then is reported: a defect to look for, and no reason to lose what else passed.
    retry: process.env.CI ? 1 : 0,
    unstubGlobals: true,
  },
}));
