import { m } from "../paraglide/messages";
import type { Usage } from "../protocol/types";
import { compact, money, number, percent } from "../shared/text/numbers";
import { plain } from "../shared/text/plain";

const MICRO = 1_000_000;
const LEAST = 0.01;

/** The model, the context and the cost of a session, as far as they are known: `claude-opus-4-5`, `46K of 200K`, `$0.42`. */
export function usageParts(usage: Usage | undefined): string[] {
  if (!usage) return [];
  const { model, contextTokens, contextWindow } = usage;
  const context =
    contextTokens === undefined
      ? undefined
      : contextWindow === undefined
        ? m.session_usage_tokens({ tokens: compact(contextTokens) })
        : m.session_usage_context({ tokens: compact(contextTokens), window: compact(contextWindow) });
  return [model === undefined ? undefined : shortModel(model), context, costOf(usage)].filter(
    (part) => part !== undefined,
  );
}

/** All that is known of it, in words. */
export function usageDetails(usage: Usage): { name: string; words: string }[] {
  const { model, contextTokens, contextWindow, inputTokens, cachedTokens, outputTokens } = usage;
  const context =
    contextTokens === undefined
      ? undefined
      : contextWindow === undefined
        ? m.session_usage_tokens({ tokens: number(contextTokens) })
        : m.session_usage_share({
            tokens: number(contextTokens),
            window: number(contextWindow),
            share: percent(contextTokens / contextWindow),
          });
  const read =
    inputTokens === undefined
      ? undefined
      : cachedTokens === undefined
        ? m.session_usage_tokens({ tokens: number(inputTokens) })
        : m.session_usage_cached({ tokens: number(inputTokens), cached: number(cachedTokens) });
  const written =
    outputTokens === undefined ? undefined : m.session_usage_tokens({ tokens: number(outputTokens) });
  const rows: [string, string | undefined][] = [
    [m.session_usage_model(), model === undefined ? undefined : plain(model)],
    [m.session_usage_in_context(), context],
    [m.session_usage_read(), read],
    [m.session_usage_written(), written],
    [m.session_usage_cost(), costOf(usage)],
  ];
  return rows.flatMap(([name, words]) => (words === undefined ? [] : [{ name, words }]));
}

/** Less than a cent is not nothing. */
function costOf({ microDollars }: Usage): string | undefined {
  if (microDollars === undefined) return undefined;
  const dollars = microDollars / MICRO;
  return dollars > 0 && dollars < LEAST
    ? m.session_usage_less_than({ amount: money(LEAST) })
    : money(dollars);
}

/** A model's name without the date of its build and its provider. */
function shortModel(model: string): string {
  return plain(model)
    .replace(/^.*\//, "")
    .replace(/-\d{8}$/, "");
}
