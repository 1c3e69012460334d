import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Gateway } from "../parts/gateway.ts";
import type { Child } from "../parts/process.ts";
import { connect } from "./connect.ts";
import type { Model } from "./scripted.ts";

export const GEMINI = resolve(import.meta.dirname, "../node_modules/@google/gemini-cli/bundle/gemini.js");

/** The configuration that it had before us. */
const SETTINGS = {
  security: { auth: { selectedType: "gemini-api-key" } },
  privacy: { usageStatisticsEnabled: false },
  general: { enableAutoUpdate: false },
  tools: { useRipgrep: false },
};

/** A user's home, and a folder to work in. */
export class Gemini {
  readonly project: string;

  private constructor(
    readonly gateway: Gateway,
    readonly model: Model,
  ) {
    const { folder } = gateway;
    this.project = join(folder.root, "project");
    mkdirSync(this.project);
    mkdirSync(join(folder.home, ".gemini"));
    writeFileSync(join(folder.home, ".gemini/settings.json"), JSON.stringify(SETTINGS));
  }

  /** One that was connected as a person does it. */
  static async connected(gateway: Gateway, model: Model): Promise<Gemini> {
    const gemini = new Gemini(gateway, model);
    await connect("gemini", gateway.folder);
    return gemini;
  }

  /** The way in which it finds its model. */
  get environment(): Record<string, string> {
    return {
      GOOGLE_GEMINI_BASE_URL: this.model.address,
      GEMINI_API_KEY: "none",
      GEMINI_MODEL: "gemini-2.5-flash",
    };
  }

  /** One prompt, to its end. */
  run(prompt: string, ...more: string[]): Child {
    const args = ["--approval-mode", "yolo", "-o", "stream-json"];
    return this.gateway.folder.spawn(
      "gemini",
      process.execPath,
      [GEMINI, ...args, ...more, "-p", prompt],
      { ...this.environment, GEMINI_CLI_TRUST_WORKSPACE: "true" },
      this.project,
    );
  }
}
