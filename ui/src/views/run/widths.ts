import { isUnder, type Run } from "../../state/runs";
import { runAside, runName } from "../../text/runs";

/** Characters that the columns of a list take: as many as the longest needs, within bounds. */
export function widthsOf(runs: readonly Run[]): { name: number; aside: number } {
  const name = runs.map((run) => runName(run).length + (isUnder(run) ? 6 : 2));
  const aside = runs.map((run) => runAside(run).length + 2);
  return { name: Math.min(30, Math.max(10, ...name)), aside: Math.min(64, Math.max(12, ...aside)) };
}
