// The snippets for SDKs in docs/agents.md, as they are printed there, and the packages that they are tried with.
import { readFileSync } from "node:fs";
import { join } from "node:path";

const PAGE = join(import.meta.dirname, "../../../../docs/agents.md");

/** A program that gives its agent our tools, with the SDK of one heading of the page. */
export interface Snippet {
  /** The heading. */
  title: string;
  language: string;
  /** The whole program, which reaches us over stdio. */
  program: string;
  /** The paragraph that makes our server, over HTTP. */
  overHttp: string;
  /** The text between heading and program. */
  introduction: string;
}

/** Every SDK of the page. */
export function snippets(): Snippet[] {
  const [, section] = readFileSync(PAGE, "utf8").split("\n## Agents built with an SDK\n");
  const parts = section?.split(/\n## /)[0]?.split("\n### ").slice(1) ?? [];
  return parts.map((part) => {
    const title = part.split("\n")[0]!;
    const blocks = [...part.matchAll(/^```(\w+)\n(.*?)^```$/gms)];
    const [first, second, ...rest] = blocks;
    if (!first || !second || rest.length) throw new Error(`${title} is to have two blocks in ${PAGE}`);
    const introduction = part.slice(0, first.index);
    return { title, language: first[1]!, program: first[2]!, overHttp: second[2]!, introduction };
  });
}

/** The program with its server over HTTP. */
export function overHttp({ title, program, overHttp }: Snippet): string {
  const isServer = (paragraph: string): boolean => /^(const )?sightline = /.test(paragraph);
  const paragraphs = program.split("\n\n");
  if (paragraphs.filter(isServer).length !== 1) throw new Error(`${title} makes its server in one paragraph`);
  return paragraphs.map((paragraph) => (isServer(paragraph) ? overHttp : paragraph)).join("\n\n");
}

/** The packages that are installed for the snippets, each as `name version`. */
export function packages(): string[] {
  const python = readFileSync(join(import.meta.dirname, "requirements.txt"), "utf8");
  const pins = [...python.matchAll(/^([\w-]+)(?:\[.*\])?==(.+)$/gm)].map(
    ([, name, version]) => `${name} ${version}`,
  );
  const { dependencies } = JSON.parse(readFileSync(join(import.meta.dirname, "package.json"), "utf8")) as {
    dependencies: Record<string, string>;
  };
  return [...pins, ...Object.entries(dependencies).map((one) => one.join(" "))];
}
