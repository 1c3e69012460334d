import { figureOf } from "./runs";
import { m } from "../paraglide/messages";
import type { Route } from "../state/route.svelte";
import type { Run } from "../state/runs";
import { activeOf, wordsOf } from "../state/steps";
import { number } from "../shared/text/numbers";
import { brief } from "../shared/text/plain";

/** The title of the window: where one is, before it how often one is needed. */
export function titleOf(route: Route, order: Run[], needs: number): string {
  const page = pageOf(route, order);
  const title = page === undefined ? m.common_sightline() : m.common_title({ page });
  return needs > 0 ? m.common_title_needs({ needs: number(needs), title }) : title;
}

function pageOf(route: Route, order: Run[]): string | undefined {
  switch (route.page) {
    case "needs":
      return m.rail_needs();
    case "history":
      return m.rail_history();
    case "insight":
      return m.history_insight();
    case "agents":
      return m.rail_agents();
    case "settings":
      return m.rail_settings();
    case "chat":
      return m.chat_new();
    case "session":
      return sessionTitle(
        order.find(({ id, listId }) => id === route.sessionId || listId === route.sessionId),
      );
    default: {
      const count = order.filter(({ known: { session } }) => session.current && !session.dismissed).length;
      return count > 0 ? m.now_title({ count }) : undefined;
    }
  }
}

/** `3/8 Fixing the parser`. */
function sessionTitle(run: Run | undefined): string | undefined {
  if (!run) return undefined;
  const { session, todos } = run.known;
  const active = activeOf(todos);
  const doing = brief(active ? wordsOf(active) : session.title || session.agent.name);
  const figure = figureOf(session.progress);
  return figure === "" ? doing : m.common_title_figure({ figure, doing });
}
