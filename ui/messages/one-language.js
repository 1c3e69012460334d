import { readFileSync } from "node:fs";
import { firstTexts } from "./first-texts.js";

const { locales } = JSON.parse(readFileSync("./project.inlang/settings.json", "utf8"));

/**
 * Makes the texts of each language files of their own, of which the page loads one language: first the texts of what it
 * shows first, and the rest with the first part of the window that is fetched later (`src/window/parts.svelte.ts`).
 * In tests and in development all texts come at once.
 *
 * Paraglide's own index imports every language, and its build for each language makes every file of the page anew.
 *
 * @returns {import("vite").Plugin}
 */
export function oneLanguage() {
  /** @type {Set<string> | undefined} */
  let first;
  return {
    name: "one-language",
    enforce: "pre",
    configResolved({ command, root }) {
      if (command === "build") first = firstTexts(`${root}/src`);
    },
    load(id) {
      if (id.endsWith("/src/paraglide/messages.js")) return index(first !== undefined);
      const [file, part] = id.split("?");
      if (!file || !first || (part !== "first" && part !== "rest")) return undefined;
      const isFirst = part === "first";
      const code = readFileSync(file, "utf8");
      const statements = this.parse(code).body.filter((statement) => {
        if (statement.type !== "ExportNamedDeclaration") return true;
        const [text] =
          statement.declaration?.type === "VariableDeclaration" ? statement.declaration.declarations : [];
        return text?.id.type === "Identifier" && first?.has(text.id.name) === isFirst;
      });
      return statements.map(({ start, end }) => code.slice(start, end)).join("\n");
    },
  };
}

/**
 * Code that loads the chosen language.
 *
 * @param {string} part
 */
function load(part) {
  const loads = locales.map(
    (/** @type {string} */ tag) => `"${tag}": () => import("./messages/${tag}.js${part}")`,
  );
  return `await { ${loads.join(", ")} }[locale]()`;
}

/** @param {boolean} isSplit */
function index(isSplit) {
  const rest = `
    let fetched;
    export const fetchRest = () => (fetched ??= fetchNow().catch((thrown) => { fetched = undefined; throw thrown; }));
    async function fetchNow() { Object.assign(m, shown(${load("?rest")})); }`;
  return `
    import { invented, locale } from "../shared/text/locale";
    import { invent } from "../shared/text/invented";
    const shown = (texts) => (invented ? invent(texts, invented) : texts);
    export const m = { ...shown(${load(isSplit ? "?first" : "")}) };
    ${isSplit ? rest : "export const fetchRest = () => {};"}`;
}
