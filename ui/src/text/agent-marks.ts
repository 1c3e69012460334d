/** Letters and a hue of ours by which an agent is recognised at a glance. */
export type AgentMark = { letters: string; hue: number };

/** Hues lie apart where agents are often seen beside each other. */
const MARKS: Readonly<Record<string, AgentMark>> = {
  claude: { letters: "Cl", hue: 45 },
  codex: { letters: "Cx", hue: 165 },
  opencode: { letters: "oc", hue: 285 },
  gemini: { letters: "Gm", hue: 250 },
  qwen: { letters: "Qw", hue: 310 },
  copilot: { letters: "Cp", hue: 205 },
  cline: { letters: "Ci", hue: 130 },
  kilo: { letters: "Ki", hue: 95 },
  kimi: { letters: "Km", hue: 225 },
  vibe: { letters: "Vi", hue: 20 },
  "mistral-vibe": { letters: "Vi", hue: 20 },
  continue: { letters: "Cn", hue: 345 },
  cn: { letters: "Cn", hue: 345 },
  pi: { letters: "π", hue: 265 },
  sightline: { letters: "Si", hue: 264 },
};

/** Some say what they are after their names. */
const ENDING = /-(?:code|cli)$/;

/** The mark of an agent; of one that nobody knows the letters of its name, and a hue that is the same each time. */
export function agentMark(name: string): AgentMark {
  const known = MARKS[name.toLowerCase().replace(ENDING, "")];
  if (known) return known;
  const [first = "?", second = ""] = name.replaceAll(/[^\p{L}\p{N}]/gu, "");
  return { letters: first.toLocaleUpperCase() + second, hue: hueOf(name) };
}

function hueOf(name: string): number {
  let hash = 0;
  for (const letter of name) hash = (hash * 31 + (letter.codePointAt(0) ?? 0)) % 3_600;
  return hash / 10;
}

/** Two letters of a name, such as `ba` of `billing-api`: where there is no room for it. */
export function initialsOf(name: string): string {
  const [first = "", second] = name.match(/[\p{L}\p{N}]+/gu) ?? [];
  return second === undefined
    ? [...first].slice(0, 2).join("")
    : [first, second].map(([letter]) => letter).join("");
}
