// Sightline's hooks: written by `sightline connect pi`, removed by `sightline disconnect pi`.
//
// pi has no hooks that are commands, so this reports its events to `sightline hook pi`. An answer is what the user
// changed, as the model has to be told.
import { spawn, spawnSync } from "node:child_process";
import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";

const [PROGRAM, ...ARGUMENTS] = ["@WORDS@"] as [string, ...string[]];

/** Set while one is at work: the user and the project may both have it. */
const AT_WORK = Symbol.for("sightline hooks");

/** Milliseconds that a report may take. */
const PATIENCE = 5000;

type Members = Record<string, unknown>;

function payload(event: string, ctx: ExtensionContext, more: Members): string {
  const session = ctx.sessionManager.getSessionId();
  const context = ctx.getContextUsage();
  const used = { model: ctx.model?.id, input_tokens: context?.tokens, context_limit: context?.contextWindow };
  return JSON.stringify({ session_id: session, hook_event_name: event, cwd: ctx.cwd, ...used, ...more });
}

/** Reports an event. The answer is empty where there is nothing to tell. */
function report(event: string, ctx: ExtensionContext, more: Members = {}): Promise<string> {
  return new Promise((resolve) => {
    const child = spawn(PROGRAM, ARGUMENTS, { stdio: ["pipe", "pipe", "ignore"], timeout: PATIENCE, windowsHide: true });
    let answer = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (answer += text));
    child.on("error", () => resolve("")).on("close", (code) => resolve(code === 0 ? answer.trim() : ""));
    child.stdin.on("error", () => {}).end(payload(event, ctx, more));
  });
}

/** The same for the end of a turn, at which pi waits for no promise. */
function reportAtOnce(event: string, ctx: ExtensionContext): string {
  const input = payload(event, ctx, {});
  const done = spawnSync(PROGRAM, ARGUMENTS, { input, encoding: "utf8", timeout: PATIENCE });
  return done.status === 0 ? done.stdout.trim() : "";
}

export default function hooks(pi: ExtensionAPI): void {
  const shared = globalThis as { [AT_WORK]?: ExtensionAPI };
  let isAtWork = false;
  const message = (content: string) => ({ customType: "sightline", content, display: true });

  pi.on("session_start", async (event, ctx) => {
    isAtWork = (shared[AT_WORK] ??= pi) === pi;
    if (isAtWork) await report("SessionStart", ctx, { source: event.reason });
  });

  pi.on("before_agent_start", async (event, ctx) => {
    const told = isAtWork && (await report("UserPromptSubmit", ctx, { prompt: event.prompt }));
    if (told) return { message: message(told) };
  });

  pi.on("tool_result", async (event, ctx) => {
    const name = event.isError ? "PostToolUseFailure" : "PostToolUse";
    const told = isAtWork && (await report(name, ctx, { tool_name: event.toolName, tool_input: event.input }));
    if (told) return { content: [...event.content, { type: "text", text: told }] };
  });

  pi.on("message_end", (event, ctx) => {
    if (event.message.role !== "assistant" || event.message.stopReason !== "stop") return;
    const told = isAtWork && reportAtOnce("Stop", ctx);
    if (told) pi.sendMessage(message(told), { deliverAs: "followUp" });
  });

  pi.on("agent_end", async (event, ctx) => {
    const last = event.messages.at(-1);
    if (last?.role !== "assistant" || !isAtWork) return;
    if (last.stopReason === "error") await report("StopFailure", ctx, { error: last.errorMessage });
    if (last.stopReason === "aborted") await report("Interrupt", ctx);
  });

  pi.on("session_shutdown", async (event, ctx) => {
    if (!isAtWork) return;
    if (event.reason !== "reload") await report("SessionEnd", ctx, { reason: event.reason });
    delete shared[AT_WORK];
  });
}
