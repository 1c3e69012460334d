import { SvelteSet } from "svelte/reactivity";
import { toFailure } from "../../../backend/backend";
import { inWords } from "../../../backend/in-words";
import type { ChatServerTools, ChatTool } from "../../../protocol/types";
import type { Gateway } from "../../../state/gateway.svelte";

/** The tools that servers offer, and why some cannot be had. Servers are started to be asked: that can take its time. */
export class ToolServers {
  /** Nothing before they were asked. */
  there = $state.raw<ChatServerTools[]>();
  /** Why they could not be asked. */
  failure = $state<string>();
  isLooking = $state(false);
  /** Those that were added or changed, and are being tried. */
  readonly trying = new SvelteSet<string>();

  readonly #gateway: Gateway;
  #again = false;

  constructor(gateway: Gateway) {
    this.#gateway = gateway;
  }

  problemOf(name: string): string | undefined {
    const server = this.there?.find((each) => each.name === name);
    return server?.problem && inWords(server.problem, server.problemText);
  }

  /** Asks all of them; once more, where it is wanted anew meanwhile. */
  async look(): Promise<void> {
    this.#again = true;
    if (this.isLooking) return;
    this.isLooking = true;
    while (this.#again) {
      this.#again = false;
      // oxlint-disable-next-line no-await-in-loop
      await this.#ask();
    }
    this.isLooking = false;
    this.trying.clear();
  }

  try(name: string): void {
    this.trying.add(name);
    void this.look();
  }

  /** The tool is the one that is called without asking, from now on. */
  trusted(name: string): void {
    const settled = (tool: ChatTool): ChatTool => (tool.name === name ? { ...tool, changed: false } : tool);
    this.there = this.there?.map((server) => ({ ...server, tools: server.tools.map(settled) }));
  }

  /** Answers of servers that cannot be asked now may no longer be true. */
  async #ask(): Promise<void> {
    try {
      this.there = (await this.#gateway.call("chat.tools", {})).servers;
      this.failure = undefined;
    } catch (thrown) {
      this.there = undefined;
      this.failure = toFailure(thrown).message;
    }
  }
}
