// Makes two pictures of the same thing the same.
import { join } from "node:path";
import window from "../../../ui/package.json" with { type: "json" };
import type { DataFolder } from "../parts/gateway.ts";

/** When every picture is taken: the demo's clock stands there, and the page's. */
export const MOMENT = "2026-11-21T14:30:00Z";

/** For what draws text. */
export const FONTS = { FONTCONFIG_FILE: join(import.meta.dirname, "fonts.conf") };

/** Words of one run or one version, and what stands for them in every picture. */
export interface Alike {
  pattern: string;
  words: string;
}

export function alike(folder: DataFolder, port: number): Alike[] {
  return [
    { pattern: "\\S*/sightline(?= todo )", words: "sightline" },
    { pattern: folder.home, words: "/home/me" },
    // In a text of an invented language, which has other letters, and one or two for each.
    { pattern: folder.home.replaceAll(/[a-z]/gi, "\\p{L}{1,2}"), words: "/home/me" },
    { pattern: folder.path, words: "/home/me/.local/share/dev.sightline.desktop" },
    { pattern: `\\b${port}\\b`, words: "3271" },
    { pattern: `^${window.version}$`, words: "1.0.0" },
  ];
}

/** Puts what stands for them into the page, in which this runs. */
export function putAlike(all: Alike[]): void {
  // The keys and the log of one run: as many browsers as pictures were taken.
  document.querySelectorAll("[data-key], #access-log-list, #access-log-more").forEach((one) => one.remove());
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let text = texts.nextNode(); text; text = texts.nextNode()) {
    const its = text.nodeValue ?? "";
    const same = all.reduce(
      (now, { pattern, words }) => now.replaceAll(new RegExp(pattern, "gu"), words),
      its,
    );
    if (same !== its) text.nodeValue = same;
  }
}
