import { m } from "../paraglide/messages";
import { baseLocale, getLocale } from "../paraglide/runtime";
import type { Code } from "../protocol/types";

/** Errors that are told whole by their code. The others name a field, a file or a limit, in the gateway's own words. */
const TOLD = [
  "SESSION_NOT_FOUND",
  "ITEM_NOT_FOUND",
  "ITEM_REMOVED",
  "REVISION_NOT_FOUND",
  "READ_ONLY",
  "CANNOT_UNDO",
  "UNAUTHORIZED",
  "FORBIDDEN",
  "PERMISSION_NOT_FOUND",
  "RULE_NOT_FOUND",
  "KEY_NOT_FOUND",
  "STREAM_IN_PROGRESS",
  "NO_PENDING_APPROVAL",
  "NO_PENDING_PREFLIGHT",
  "UNAVAILABLE",
] as const satisfies readonly Code[];

const isTold = (code: Code): code is (typeof TOLD)[number] => (TOLD as readonly Code[]).includes(code);

/** An error in the language of the page. The gateway speaks English, and then in more detail. */
export function inWords(code: Code): string | undefined {
  return getLocale() !== baseLocale && isTold(code) ? m.common_failure({ code }) : undefined;
}
