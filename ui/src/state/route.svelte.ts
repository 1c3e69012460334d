import { HISTORY, historyAddress, readAsked, type Asked } from "./asked";
import { boardAddress, readBoard, type BoardAsked } from "./board-asked";

/** The content of the page. */
export type Route =
  | { page: "now"; asked: BoardAsked }
  | { page: "needs" }
  | { page: "history"; asked: Asked }
  | { page: "insight"; days: number }
  | { page: "agents" }
  | { page: "settings" }
  | { page: "chat" }
  | { page: "compact" }
  | {
      page: "session";
      sessionId: string;
      /** The revision that is looked back at. */
      at?: number;
      /** The step that is looked for. */
      uid?: string;
    };

export const NOW = "#/";
export const NEEDS = "#/needs";
export const INSIGHT = "#/history/insight";
export const AGENTS = "#/agents";
export const SETTINGS = "#/settings";
export const CHAT = "#/chat";
export const COMPACT = "#/compact";

const INSIGHT_DAYS = 30;

const PAGES: Readonly<Record<string, Route>> = {
  [NEEDS]: { page: "needs" },
  [AGENTS]: { page: "agents" },
  [SETTINGS]: { page: "settings" },
  [CHAT]: { page: "chat" },
  [COMPACT]: { page: "compact" },
};

export function routeOf(hash: string): Route {
  const page = PAGES[hash];
  if (page) return page;
  const [path = "", query = ""] = hash.split("?", 2);
  if (path === HISTORY) return { page: "history", asked: readAsked(query) };
  const fields = new URLSearchParams(query);
  if (path === INSIGHT) return { page: "insight", days: Number(fields.get("days")) || INSIGHT_DAYS };
  const sessionId = /^#\/session\/([^/]+)$/.exec(path)?.[1];
  if (!sessionId) return { page: "now", asked: readBoard(path === NOW ? query : "") };
  const at = Number(fields.get("at"));
  const uid = fields.get("step");
  return {
    page: "session",
    sessionId: decodeURIComponent(sessionId),
    ...(Number.isSafeInteger(at) && at > 0 && { at }),
    ...(uid && { uid }),
  };
}

/** Selectors of fields of the built-in agent's. */
export const AGENT_MODEL = 'main [data-setting="chatModel"] button';
export const PROMPT = 'main [data-field="prompt"] textarea';
export const AGENT_KEYS = 'main [data-field="key"] input';

/** A session's page; as it was at a revision, and at one step, where these are given. */
export function sessionAddress(sessionId: string, at?: number, uid?: string): string {
  const fields = [
    ...(at === undefined ? [] : [`at=${at}`]),
    ...(uid === undefined ? [] : [`step=${encodeURIComponent(uid)}`]),
  ];
  const query = fields.length > 0 ? `?${fields.join("&")}` : "";
  return `#/session/${encodeURIComponent(sessionId)}${query}`;
}

/** The page's place, kept in the address's fragment: the gateway serves one page only. */
class PagePlace {
  route = $state.raw(routeOf(location.hash));
  /** The session that was left last, so that its card gets the focus again. */
  left: string | undefined;
  /** The selector of the element that gets the focus: the one that had it when the page was left, or the one that is sought. */
  sought: string | undefined;
  /** Where one was before the strip. */
  #before = NOW;
  /** The places of the history, and what had the focus where. */
  #at = 0;
  readonly #focused = new Map<number, string | undefined>();
  #asked: string | undefined;
  /** True if the user came back to the page. */
  isReturn = false;
  /** The page that a session was opened from stands beside it. */
  hasPanes = false;
  /** Where a session's page leads back to. */
  origin = $state(NOW);

  constructor() {
    if (this.route.page === "session") this.origin = noted().origin ?? NOW;
    this.#note();
    window.addEventListener("hashchange", ({ oldURL }) => {
      if (this.route.page === "session") this.left = this.route.sessionId;
      if (this.route.page !== "compact") this.#before = new URL(oldURL || location.href).hash || NOW;
      this.#focused.set(this.#at, selectorOf(document.activeElement));
      this.#arrive();
    });
  }

  #arrive(): void {
    this.#follow();
    const before = this.route;
    this.sought = this.#asked ?? this.sought;
    this.#asked = undefined;
    this.route = routeOf(location.hash);
    const isBack = before.page === "session" && this.route.page !== "session";
    if (isBack && (this.route.page === "history" || this.hasPanes)) {
      this.isReturn = true;
      this.sought ??= `main [data-session="${CSS.escape(before.sessionId)}"] a`;
    }
    this.origin = this.#originAfter(before);
    this.#note();
    if (this.sought === undefined && this.route.page === "session" && this.route.uid !== undefined) {
      this.sought = stepSelector(this.route.uid);
    }
  }

  /** A session that one comes back to stands beside the page that it stood beside. */
  #originAfter(before: Route): string {
    if (this.route.page !== "session") return NOW;
    const known = this.isReturn ? noted().origin : undefined;
    if (known !== undefined) return known;
    if (before.page === "history") return historyAddress(before.asked);
    return before.page === "now" ? boardAddress(before.asked) : this.origin;
  }

  /** Says in the address what of the page is shown; the way back does not lead through it. */
  refine(address: string): void {
    if (this.#isBeside(address)) {
      this.origin = address;
      this.#note();
      return;
    }
    if (address === location.hash) return;
    history.replaceState(history.state, "", address);
    this.sought = undefined;
    this.route = routeOf(address);
  }

  /** Shows another part of the page: a place of its own, or the same one where a session stands beside the page. */
  narrow(address: string): void {
    if (this.#isBeside(address)) this.refine(address);
    else location.hash = address;
  }

  /** True if an address is that of the page beside a session, not of the session itself. */
  #isBeside(address: string): boolean {
    return this.hasPanes && this.route.page === "session" && routeOf(address).page !== "session";
  }

  /** Where the strip leads back to. */
  get before(): string {
    return this.#before;
  }

  leave(): void {
    location.hash = this.origin;
  }

  /** Goes to an address, and there to what a selector finds, as soon as it is there. */
  go(address: string, sought: string): void {
    this.#asked = sought;
    if (location.hash === address) this.#arrive();
    else location.hash = address;
  }

  /** Goes to a session's page instead of this one, and there to what a selector finds: the way back does not lead here. */
  instead(sessionId: string, sought?: string): void {
    this.#asked = sought;
    location.replace(sessionAddress(sessionId));
  }

  /** A place without a number is new; one with a number was come back to. */
  #follow(): void {
    const known = noted().at;
    this.isReturn = known !== undefined;
    this.sought = known === undefined ? undefined : this.#focused.get(known);
    this.#at = known ?? this.#at + 1;
  }

  #note(): void {
    const { origin } = this;
    history.replaceState({ ...noted(), at: this.#at, origin }, "");
  }
}

/** The number of a place, and the page that a session was opened from, as the browser keeps them with the place. */
function noted(): { at?: number; origin?: string } {
  return (history.state as { at?: number; origin?: string } | null) ?? {};
}

/** The selector of a step on its session's page. */
export function stepSelector(uid: string): string {
  return `main [data-uid="${CSS.escape(uid)}"]`;
}

/** The selector of an element, to find it again once its page was made anew. */
function selectorOf(element: Element | null): string | undefined {
  const uid = element?.getAttribute("data-uid");
  if (uid) return stepSelector(uid);
  const href = element?.closest("main") ? element.getAttribute("href") : undefined;
  if (href) return `main a[href="${CSS.escape(href)}"]`;
  return element?.id ? `#${CSS.escape(element.id)}` : undefined;
}

export const place = new PagePlace();

/** For a session's link: takes the focus when its page was left for this one. */
export function focusIfLeft(sessionId: string): (link: HTMLElement) => void {
  return (link) => {
    if (place.left !== sessionId) return;
    place.left = undefined;
    link.focus({ preventScroll: true });
    link.scrollIntoView({ block: "nearest" });
  };
}
