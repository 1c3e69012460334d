import { isApple, keyNames } from "./chords";

/** The native shell's way to write keys: `CommandOrControl+Shift+L`. */
type Accelerator = string;

const MODIFIERS = new Set(["Control", "Shift", "Alt", "AltGraph", "Meta", "OS", "Super", "Hyper", "Fn"]);
const NAMED: Record<string, string> = {
  Minus: "-",
  Equal: "=",
  Comma: ",",
  Period: ".",
  Slash: "/",
  Semicolon: ";",
  Backquote: "`",
};
const AS_THEY_ARE =
  /^(F([1-9]|1\d|2[0-4])|Space|Tab|Enter|Insert|Home|End|PageUp|PageDown|Arrow(Up|Down|Left|Right))$/;

/** The accelerator of keys struck together; nothing while only modifiers are held, or for a key that cannot be taken. */
export function acceleratorOf(event: KeyboardEvent): Accelerator | undefined {
  if (MODIFIERS.has(event.key)) return undefined;
  const key = keyOf(event.code);
  if (key === undefined) return undefined;
  const main = isApple ? event.metaKey : event.ctrlKey;
  const other = isApple ? event.ctrlKey : event.metaKey;
  return [
    ...(main ? ["CommandOrControl"] : []),
    ...(other ? [isApple ? "Control" : "Super"] : []),
    ...(event.altKey ? ["Alt"] : []),
    ...(event.shiftKey ? ["Shift"] : []),
    key,
  ].join("+");
}

function keyOf(code: string): string | undefined {
  const letter = /^(?:Key|Digit)(.)$/.exec(code)?.[1];
  return letter ?? NAMED[code] ?? (AS_THEY_ARE.test(code) ? code : undefined);
}

/** True if nobody would type it: a letter alone, or with Shift, would be taken from everybody. */
export function isSafe(accelerator: Accelerator): boolean {
  return /^(CommandOrControl|Control|Super|Alt)\+/.test(accelerator) || /(^|\+)F\d/.test(accelerator);
}

/** The keys as they are written on this machine's keyboard. */
export function acceleratorNames(accelerator: Accelerator): string[] {
  return accelerator
    .split("+")
    .map((part) => part.replace(/^(CommandOrControl|CmdOrCtrl)$/, "Mod"))
    .flatMap((part) => {
      if (part === "Mod" || part === "Alt" || part === "Shift") return keyNames(`${part}+x`).slice(0, 1);
      return part === "Super" || part === "Control" ? [part] : keyNames(part);
    });
}
