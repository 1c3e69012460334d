const BEGUN = /^\s*<(think|thinking)\s*>/i;
const TAGS = ["<think>", "<thinking>"];
const LONGEST_TAG = 16;
/** A tail of the text that may become the end tag. */
const HALF_END = /<(?:\/[a-z]*\s*)?$/i;

/** Splits an answer into the model's reasoning, in tags of its own, and the answer proper. */
export function thoughtIn(text: string, isGoing = false): { thought: string; answer: string } {
  const begun = BEGUN.exec(text);
  if (!begun) {
    const half = text.trimStart().slice(0, LONGEST_TAG).toLowerCase();
    const isHalf = isGoing && half !== "" && TAGS.some((tag) => tag.startsWith(half));
    return { thought: "", answer: isHalf ? "" : text };
  }
  const rest = text.slice(begun[0].length);
  const end = new RegExp(`</${begun[1]}\\s*>`, "i").exec(rest);
  if (!end) return { thought: (isGoing ? rest.replace(HALF_END, "") : rest).trim(), answer: "" };
  return {
    thought: rest.slice(0, end.index).trim(),
    answer: rest.slice(end.index + end[0].length).trimStart(),
  };
}

/** Thoughts one after the other, without those that are empty. */
export function thoughts(...all: (string | undefined)[]): string {
  return all.filter((each) => each !== undefined && each !== "").join("\n\n");
}
