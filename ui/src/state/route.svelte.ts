/** What is on the page. */
type Route = { page: "now" } | { page: "agents" } | { page: "session"; sessionId: string };

function routeOf(hash: string): Route {
  if (hash === AGENTS) return { page: "agents" };
  const sessionId = /^#\/session\/([^/]+)$/.exec(hash)?.[1];
  return sessionId ? { page: "session", sessionId: decodeURIComponent(sessionId) } : { page: "now" };
}

export const AGENTS = "#/agents";

export function sessionAddress(sessionId: string): string {
  return `#/session/${encodeURIComponent(sessionId)}`;
}

/** The page's place, kept in the address's fragment: the gateway serves one page only. */
class Place {
  route = $state.raw(routeOf(location.hash));
  /** The session that was left last, so that its card gets the focus again. */
  left: string | undefined;

  constructor() {
    window.addEventListener("hashchange", () => {
      if (this.route.page === "session") this.left = this.route.sessionId;
      this.route = routeOf(location.hash);
    });
  }

  leave(): void {
    location.hash = "#/";
  }

  /** Goes to a session's page instead of this one: the way back does not lead here. */
  instead(sessionId: string): void {
    location.replace(sessionAddress(sessionId));
  }
}

export const place = new Place();

/** For a session's link: takes the focus when its page was left for this one. */
export function focusIfLeft(sessionId: string): (link: HTMLElement) => void {
  return (link) => {
    if (place.left !== sessionId) return;
    place.left = undefined;
    link.focus({ preventScroll: true });
    link.scrollIntoView({ block: "nearest" });
  };
}
