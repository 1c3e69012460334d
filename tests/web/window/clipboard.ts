// The clipboard as every other program has it.
import { until } from "../parts/process.ts";
import { answered, onScreen, property } from "./screen.ts";

const INPUT_ONLY = 2;

/** The text on the clipboard, asked for as another program asks before it pastes. */
export async function clipboard(): Promise<string> {
  return onScreen(async (screen, root) => {
    const atom = (word: string): Promise<number> =>
      answered((answer) => screen.InternAtom(false, word, answer));
    const [selection, kind, place] = [
      await atom("CLIPBOARD"),
      await atom("UTF8_STRING"),
      await atom("PASTED"),
    ];
    const window = screen.AllocID();
    screen.CreateWindow(window, root, 0, 0, 1, 1, 0, 0, INPUT_ONLY, 0, {});
    screen.ConvertSelection(window, selection, kind, place, 0);
    // Whoever has the clipboard answers when it comes to it; of an empty one nobody does.
    return until(
      "the clipboard is pasted",
      async () => {
        const words = await property(screen, window, "PASTED");
        return words.length > 0 && words.toString("utf8");
      },
      5,
    );
  });
}

/** Waits until something with these words can be pasted. */
export async function expectClipboard(words: string): Promise<void> {
  let seen = "";
  await until(
    `the clipboard has ${words}`,
    async () => (seen = await clipboard().catch(String)).includes(words),
    20,
  ).catch((error: Error) => {
    throw new Error(`${error.message}; it has ${JSON.stringify(seen)}`);
  });
}
