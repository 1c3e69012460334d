import type { Answers, Code, Event, EventsSnapshot, Request, Rights, TextRef } from "../protocol/types";
import { errorInWords } from "./in-words";
import type { Shell } from "./shell";

/** The fields of a request, without its `type`. */
export type Fields<T extends Request["type"]> = Omit<Extract<Request, { type: T }>, "type">;

/** Ours alone: our key is not taken, by the gateway or, where it `isForeign`, by another program in its place. */
type Rejected = { type: "gateway.rejected"; message: string; isForeign: boolean };

/** Ours alone: the rights of the connection that has just been opened. */
type Greeted = { type: "gateway.greeted"; rights: Rights };

/** The messages of the stream: a snapshot at the start and after each gap, then events. */
export type Message = ({ type: "events.subscribe.result" } & EventsSnapshot) | Event | Rejected | Greeted;

/** The one way to a gateway; the window and the page each have their own. */
export interface Backend {
  /** Asks; rejects with a [`Failure`], at once where there is no connection. */
  call<T extends Request["type"]>(type: T, fields: Fields<T>): Promise<Answers[T]>;
  /** Starts the stream, which keeps itself alive. Returns what ends it. */
  follow(onMessage: (message: Message) => void): () => void;
  /** The desktop's window, where the page is in one. */
  readonly shell?: Shell;
  /** Id of the key that the page has, where it needs one. */
  readonly keyId?: string;
}

/** An error: a code to branch on, a message in the language of the page that says what to do. */
export class Failure extends Error {
  readonly code: Code;

  constructor(code: Code, message: string) {
    super(message);
    this.name = "Failure";
    this.code = code;
  }
}

/** Makes a `Failure` of whatever was thrown. */
export function toFailure(thrown: unknown): Failure {
  if (thrown instanceof Failure) return thrown;
  if (typeof thrown === "object" && thrown !== null && "code" in thrown && "message" in thrown) {
    const { code, message, text } = thrown as { code: Code; message: unknown; text?: TextRef };
    return new Failure(code, errorInWords(code, String(message), text));
  }
  return new Failure("INTERNAL", thrown instanceof Error ? thrown.message : String(thrown));
}
