/**
 * Options of the compiler of the catalogue; which languages and areas there are is told by `project.inlang/settings.json`.
 *
 * @type {import("@inlang/paraglide-js").CompilerOptions}
 */
export const options = {
  project: "./project.inlang",
  outdir: "./src/paraglide",
  // One module a language: with one for each message, tests and `npm run dev` would load hundreds of files.
  outputStructure: "locale-modules",
  // `src/shared/text/locale.ts` says which language it is.
  strategy: ["globalVariable", "baseLocale"],
  isServer: "false",
  disableAsyncLocalStorage: true,
  emitReadme: false,
  includeEslintDisableComment: false,
  // The compiler's own makes a new `Intl` object at each call.
  additionalFiles: { "registry.js": 'export { number, plural } from "../shared/text/registry";\n' },
};
