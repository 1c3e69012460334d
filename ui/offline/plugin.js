import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

const { locales } = JSON.parse(readFileSync("./project.inlang/settings.json", "utf8"));

/** Files of `public` that the shell is made of, beside the style that the page has. */
const PUBLIC = ["offline.css", "offline.js", "theme.js", "icon-192.png"];

/**
 * Makes the shell that a browser shows while the gateway cannot be reached (`offline.html`), and the service worker that
 * keeps it (`sw.js`). The worker names its files and a digest of them: a build with another shell is another worker.
 *
 * @returns {import("vite").Plugin}
 */
export function offline() {
  return {
    name: "offline-shell",
    apply: "build",
    generateBundle(_options, bundle) {
      const style = Object.keys(bundle).find((name) => /^assets\/index-.*\.css$/.test(name));
      const sheet = style === undefined ? undefined : bundle[style];
      if (style === undefined || sheet?.type !== "asset") return this.error("the page has no style");
      const html = shell(`/${style}`);
      const digest = createHash("sha256").update(html).update(sheet.source);
      for (const name of PUBLIC) digest.update(readFileSync(`./public/${name}`));
      const files = ["/offline.html", `/${style}`, ...PUBLIC.map((name) => `/${name}`)];
      const worker = readFileSync("./offline/worker.js", "utf8")
        .replace('"BUILD"', JSON.stringify(digest.digest("hex").slice(0, 16)))
        .replace('["FILES"]', JSON.stringify(files));
      this.emitFile({ type: "asset", fileName: "offline.html", source: html });
      this.emitFile({ type: "asset", fileName: "sw.js", source: worker });
    },
  };
}

/**
 * The page of the shell, with its words in every language, of which its script shows one.
 *
 * @param {string} style
 */
function shell(style) {
  const words = locales.map((/** @type {string} */ tag) => {
    const texts = JSON.parse(readFileSync(`./messages/${tag}/offline.json`, "utf8"));
    return `<section lang="${tag}" hidden>
        <h1>${escape(texts.offline_title)}</h1>
        <p><code dir="ltr"></code></p>
        <p>${escape(texts.offline_kept)}</p>
        <p>${escape(texts.offline_again)}</p>
        <button type="button" class="again">${escape(texts.offline_try)}</button>
      </section>`;
  });
  return readFileSync("./offline/shell.html", "utf8")
    .replace("STYLE", style)
    .replace("WORDS", words.join("\n      "));
}

/** @param {string} text */
function escape(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
