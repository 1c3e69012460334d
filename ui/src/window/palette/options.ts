import type { Failure } from "../../backend/backend";
import { asideOf } from "../../text/runs";
import type { KnownSession } from "../../state/apply";
import type { Run } from "../../state/runs";
import { nameOf, ownWords, progressWords, stateWords } from "../../text/words";
import { m } from "../../paraglide/messages";

/** Something that can be taken: what its key stands for is the caller's. */
export type Option = {
  key: string;
  label: string;
  detail?: string | undefined;
  /** A name, and nothing that is typed. */
  isName?: boolean;
};

/** The lists that a few letters may mean, those of current runs first. */
export function sessionOptions(order: Run[], sought: string, now: number): Option[] {
  const letters = sought.trim().toLowerCase();
  return order
    .toSorted((a, b) => Number(b.known.session.current) - Number(a.known.session.current))
    .flatMap(optionsOf(now))
    .filter(({ label, detail }) => `${label} ${detail}`.toLowerCase().includes(letters));
}

/** A run's list, and the agent's own where that is another one. */
function optionsOf(now: number): (run: Run) => Option[] {
  return ({ known, listId, own, ours }) => {
    const option = ({ session }: KnownSession, key: string): Option => ({
      key,
      label: nameOf(ours.session),
      detail: [
        asideOf(session),
        ...(session.ownTool === undefined ? [] : [ownWords(session)]),
        progressWords(session.progress),
        stateWords(session, now),
      ].join(" · "),
      isName: true,
    });
    const ownId = own?.session.sessionId;
    return own && ownId !== undefined && ownId !== listId
      ? [option(known, listId), option(own, ownId)]
      : [option(known, listId)];
  };
}

/** Why a line was not done. How a command is used is a sentence of its own (requirements P5, P9). */
export function failureWords({ code, message }: Failure): string {
  return code === "USAGE" ? message : m.command_error({ message });
}

/** The first line of a text that has something in it, and how many more there are. */
export function firstLine(text: string): { line: string; more: number } {
  const [line = "", ...others] = text.split(/\r\n|[\r\n]/).filter((part) => part.trim() !== "");
  return { line, more: others.length };
}
