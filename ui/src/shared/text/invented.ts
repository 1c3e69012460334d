import type { MessagePart } from "../../paraglide/runtime";

/** Languages that nobody speaks, by the names that others use: a long one, and one from right to left. */
export type Invented = "en-XA" | "ar-XB";
/** Texts as Paraglide compiles them. */
type Texts = Record<string, unknown>;

type Text = ((inputs?: object) => string) & { parts?: (inputs?: object) => MessagePart[] };

export const DIRECTIONS: Record<Invented, "ltr" | "rtl"> = { "en-XA": "ltr", "ar-XB": "rtl" };

export const isInvented = (tag: string | undefined): tag is Invented =>
  tag !== undefined && tag in DIRECTIONS;

const PLAIN = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
const ACCENTED = "áƀçðéƒĝĥîĵķļɱñöþǫŕšţûṽŵẋýžÁßÇÐÉƑĜĤÎĴĶĻṀÑÖÞǪŔŠŢÛṼŴẊÝŽ";

/** Longer by about a third, without one letter of English. */
function long(text: string): string {
  return text.replaceAll(/[A-Za-z]/g, (letter) => {
    const accented = ACCENTED[PLAIN.indexOf(letter)] ?? letter;
    return /[aeiou]/.test(letter) ? accented + accented : accented;
  });
}

const TURNED = "אבגדהוזחטיךכלםמןנסעףפץצקרשאבגדהוזחטיךכלםמןנסעףפץצקרש";

/** In letters that run from right to left; marks around English ones would be taken off with those of agents. */
function turned(text: string): string {
  return text.replaceAll(/[A-Za-z]/g, (letter) => TURNED[PLAIN.indexOf(letter)] ?? letter);
}

/**
 * Every text in an invented language: one that shows as English did not come from the catalogue.
 *
 * @public `messages/one-language.js` imports it.
 */
export function invent<T extends Texts>(texts: T, language: Invented): T {
  const change = language === "en-XA" ? long : turned;
  // A text that is cut at either end loses its bracket.
  const whole = language === "en-XA" ? (text: string) => `[${long(text)}]` : turned;
  const changed = (text: Text): Text =>
    Object.assign((inputs?: object) => whole(text(inputs)), {
      parts: (inputs?: object) =>
        (text.parts?.(inputs) ?? []).map((part) =>
          part.type === "text" ? { type: part.type, value: change(part.value) } : part,
        ),
    });
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, changed(text as Text)])) as T;
}
