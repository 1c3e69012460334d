import type { Failure } from "../backend/backend";
import { asideOf } from "../now/card";
import type { Shown } from "../state/gateway.svelte";
import { nameOf, stateWords } from "../text/words";

/** Something that can be taken: what its key stands for is the caller's. */
export type Option = {
  key: string;
  label: string;
  detail?: string | undefined;
  /** A name, and nothing that is typed. */
  isName?: boolean;
};

/** The sessions that a few letters may mean, current ones first. */
export function sessionOptions(order: Shown[], sought: string, now: number): Option[] {
  const letters = sought.trim().toLowerCase();
  return order
    .toSorted((a, b) => Number(b.known.session.current) - Number(a.known.session.current))
    .map(({ id, known: { session } }) => ({
      key: id,
      label: nameOf(session),
      detail: [
        asideOf(session),
        `${session.progress.completed} of ${session.progress.total}`,
        stateWords(session, now),
      ].join(" · "),
      isName: true,
    }))
    .filter(({ label, detail }) => `${label} ${detail}`.toLowerCase().includes(letters));
}

/** Why a line was not done. How a command is used is a sentence of its own (REQUIREMENTS P5, P9). */
export function failureWords({ code, message }: Failure): string {
  return code === "USAGE" ? message : `Error: ${message}`;
}

/** The first line of a text that has something in it, and how many more there are. */
export function firstLine(text: string): { line: string; more: number } {
  const [line = "", ...others] = text.split(/\r\n|[\r\n]/).filter((part) => part.trim() !== "");
  return { line, more: others.length };
}
