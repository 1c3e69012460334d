/**
 * Modules that stand in a file together.
 *
 * All that the page begins with is one file: as files of their own, modules that later parts share with it cost some
 * hundred bytes each, for names that go from file to file and for the lists of what a part needs. What the texts of a
 * language are made of stays apart, since the first file waits for the texts before it is done itself; and what fetches
 * files, since it fetches the first one.
 */
export const groups = [
  { name: "fetch", test: /preload-helper/, priority: 2 },
  { debugName: "texts", name: chunk("texts"), priority: 1 },
  { debugName: "first", name: chunk("first") },
];

/** @typedef {{ getModuleInfo: (id: string) => { importedIds: string[], dynamicallyImportedIds: string[] } | null }} Graph */

/** @param {string} wanted */
function chunk(wanted) {
  return (/** @type {string} */ id, /** @type {Graph} */ graph) =>
    chunksOf(graph).get(id) === wanted ? wanted : null;
}

/** @type {Map<string, string> | undefined} */
let known;

/** @param {Graph} graph */
function chunksOf(graph) {
  if (known) return known;
  known = new Map();
  const source = `${process.cwd()}/src`;
  for (const id of reached(graph, [`${source}/main.ts`])) known.set(id, "first");
  const texts = graph.getModuleInfo(`${source}/paraglide/messages.js`)?.dynamicallyImportedIds ?? [];
  for (const id of reached(graph, texts)) known.set(id, "texts");
  for (const id of texts) known.delete(id);
  return known;
}

/**
 * Modules, and all that they import at once.
 *
 * @param {Graph} graph
 * @param {string[]} from
 */
function reached(graph, from) {
  const ids = new Set(from);
  // A set is gone through with what is added to it meanwhile.
  for (const id of ids) for (const next of graph.getModuleInfo(id)?.importedIds ?? []) ids.add(next);
  return ids;
}
