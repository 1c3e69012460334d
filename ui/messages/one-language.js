import { readFileSync } from "node:fs";
import { firstTexts } from "./first-texts.js";
import { shortNames, withShortNames } from "./short-names.js";

const { baseLocale, locales } = JSON.parse(readFileSync("./project.inlang/settings.json", "utf8"));

/**
 * Makes the texts of each language files of their own, of which the page loads one language: first the texts of what it
 * shows first, and the rest with the first part of the window that is fetched later (`src/shared/part.svelte.ts`). In
 * another language than English the rest comes at once: the gateway's words, which it sends in English with their names,
 * are on the first page as well.
 * In tests and in development all texts come at once.
 *
 * Paraglide's own index imports every language, and its build for each language makes every file of the page anew.
 *
 * @returns {import("vite").Plugin}
 */
export function oneLanguage() {
  /** @type {Set<string> | undefined} */
  let first;
  let source = "";
  /** @type {Map<string, string> | undefined} */
  let names;
  // Before the build begins they may not be compiled yet.
  const short = () => (names ??= shortNames(`${source}/paraglide/messages/en.js`));
  return {
    name: "one-language",
    enforce: "pre",
    configResolved({ command, root }) {
      source = `${root}/src`;
      if (command === "build") first = firstTexts(source);
    },
    load(id) {
      if (id.endsWith("/src/paraglide/messages.js")) return index(first !== undefined);
      const [file, part] = id.split("?");
      if (!file || !first || (part !== "first" && part !== "rest")) return undefined;
      const isFirst = part === "first";
      const code = readFileSync(file, "utf8");
      let imports = "";
      let texts = "";
      for (const { type, start, end, ...statement } of this.parse(code).body) {
        if (type === "ImportDeclaration") imports += `${code.slice(start, end)}\n`;
        const declared = "declaration" in statement ? statement.declaration : undefined;
        const [text] = declared?.type === "VariableDeclaration" ? declared.declarations : [];
        if (text?.id.type !== "Identifier" || !text.init || first.has(text.id.name) !== isFirst) continue;
        const { name } = text.id;
        texts += `${short().get(name) ?? name}: ${code.slice(text.init.start, text.init.end)},\n`;
      }
      return `${imports}export default {\n${texts}};`;
    },
    transform: {
      filter: { id: /\/src\/(?!paraglide\/).*\.(ts|svelte)$/ },
      handler: (code) => (first ? { code: withShortNames(code, short()), map: null } : undefined),
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
  return `{ ${loads.join(", ")} }[locale]()`;
}

/** @param {boolean} isSplit */
function index(isSplit) {
  const begin = `
    import { invented, locale } from "../shared/text/locale";
    import { invent } from "../shared/text/invented";
    export const m = {};
    const add = (texts) => Object.assign(m, invented ? invent(texts, invented) : texts);`;
  if (!isSplit) return `${begin} add(await ${load("")}); export const fetchRest = () => {};`;
  return `${begin}
    let fetched;
    export const fetchRest = () => (fetched ??= fetchNow().catch((thrown) => { fetched = undefined; throw thrown; }));
    const fetchNow = async () => { add((await ${load("?rest")}).default); };
    const fetchFirst = async () => { add((await ${load("?first")}).default); };
    await Promise.all(locale === "${baseLocale}" ? [fetchFirst()] : [fetchFirst(), fetchRest()]);`;
}
