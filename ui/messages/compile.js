import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { compile } from "@inlang/paraglide-js";
import { options } from "./options.js";

// Compiles the catalogue, unless what is there was made of the same: all languages take twenty seconds.

/** The sum of what was compiled last. */
const LAST = `${options.outdir}/sum`;

const sum = sumOfInputs();
if (!existsSync(LAST) || readFileSync(LAST, "utf8") !== sum) {
  await compile(options);
  writeFileSync(LAST, sum);
}

/** The sum of the texts, the options, and the versions of the compiler and its plugin. */
function sumOfInputs() {
  const texts = readdirSync("messages", { recursive: true, encoding: "utf8" }).filter((file) =>
    /\.(json|js)$/.test(file),
  );
  const files = texts.toSorted().map((file) => `messages/${file}`);
  const hash = createHash("sha256");
  for (const file of [...files, `${options.project}/settings.json`, "package-lock.json"])
    hash.update(`${file}\0`).update(readFileSync(file));
  return hash.digest("hex");
}
