import { readFileSync } from "node:fs";

const { locales } = JSON.parse(readFileSync("./project.inlang/settings.json", "utf8"));

/**
 * Makes the texts of each language a file of its own, of which the page loads one.
 *
 * Paraglide's own index imports every language, and its build for each language makes every file of the page anew.
 *
 * @returns {import("vite").Plugin}
 */
export function oneLanguage() {
  const loads = locales.map((tag) => `"${tag}": () => import("./messages/${tag}.js")`);
  const code = `
    import { invented, locale } from "../shared/text/locale";
    import { invent } from "../shared/text/invented";
    const texts = await { ${loads.join(", ")} }[locale]();
    export const m = invented ? invent(texts, invented) : texts;`;
  return {
    name: "one-language",
    enforce: "pre",
    load: (id) => (id.endsWith("/src/paraglide/messages.js") ? code : undefined),
  };
}
