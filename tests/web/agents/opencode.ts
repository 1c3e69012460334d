import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { DataFolder } from "../parts/gateway.ts";
import type { Child } from "../parts/process.ts";
import type { Model } from "./scripted.ts";

/** The program that `opencode-ai` installs; that package itself asks for platforms that not every registry has. */
export const OPENCODE =
  process.env.OPENCODE_BIN ??
  resolve(import.meta.dirname, "../node_modules/opencode-linux-x64-baseline/bin/opencode");

export const ENVIRONMENT = {
  OPENCODE_DISABLE_AUTOUPDATE: "1",
  OPENCODE_DISABLE_MODELS_FETCH: "1",
  // It would install its plugin package in the background, which nothing here needs.
  npm_config_offline: "true",
};

/** Its configuration, as a project or a user has it. */
export function config(model: Model, mcp: Record<string, unknown> = {}): string {
  return JSON.stringify({
    model: "mock/scripted",
    provider: {
      mock: {
        npm: "@ai-sdk/openai-compatible",
        options: { baseURL: `${model.address}/v1`, apiKey: "none" },
        models: { scripted: {} },
      },
    },
    permission: "allow",
    autoupdate: false,
    share: "disabled",
    mcp,
  });
}

/** A folder to work in, with its configuration. */
export function project(folder: DataFolder, model: Model, mcp: Record<string, unknown> = {}): string {
  const path = join(folder.root, "project");
  mkdirSync(path);
  writeFileSync(join(path, "opencode.json"), config(model, mcp));
  return path;
}

/** One prompt, to its end. */
export function run(folder: DataFolder, path: string, prompt: string): Child {
  const args = ["run", "--format", "json", prompt];
  return folder.spawn("opencode", OPENCODE, args, { PWD: path, ...ENVIRONMENT }, path);
}
