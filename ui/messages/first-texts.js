import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

const IMPORT = /(?:^|\n)\s*(?:import|export)\s+(type\s)?(?:[^"';]*?\sfrom\s+)?"(\.[^"]+)"/g;
const TEXT = /\bm\.(\w+)/g;

/**
 * Names of the texts in all files that the page begins with: those that `main.ts` imports, and what these import.
 *
 * @param {string} folder that of the sources
 * @returns {Set<string>}
 */
export function firstTexts(folder) {
  const names = new Set();
  const files = new Set([join(folder, "main.ts")]);
  // A set is gone through with what is added to it meanwhile.
  for (const file of files) {
    const code = readFileSync(file, "utf8");
    for (const [, name] of code.matchAll(TEXT)) names.add(name);
    for (const [, isType, path] of code.matchAll(IMPORT)) {
      const found = isType || !path ? undefined : fileOf(join(dirname(file), path));
      if (found && !found.includes("/paraglide/")) files.add(found);
    }
  }
  return names;
}

/** @param {string} path as it is imported */
function fileOf(path) {
  return [path, `${path}.ts`, `${path}/index.ts`].find(
    (file) => /\.(ts|svelte)$/.test(file) && existsSync(file),
  );
}
