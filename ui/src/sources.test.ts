import { expect, test } from "vitest";
import page from "../index.html?raw";

const sources = import.meta.glob<string>(["./**/*.{ts,svelte}", "!./**/*.test.ts", "!./protocol/*"], {
  query: "?raw",
  import: "default",
  eager: true,
});

function filesWith(pattern: RegExp): string[] {
  return Object.entries(sources)
    .filter(([, text]) => pattern.test(text))
    .map(([path]) => path);
}

test("there are sources to look at", () => {
  expect(filesWith(/<script lang="ts">/).length).toBeGreaterThan(20);
});

test("nothing is ever rendered as markup", () => {
  const ways =
    /\{@html|innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|createContextualFragment|srcdoc/;
  expect(filesWith(ways)).toEqual([]);
});

test("only one file knows the desktop", () => {
  expect(filesWith(/@tauri-apps/)).toEqual(["./backend/tauri.ts"]);
});

test("a strict content security policy holds: nothing inline", () => {
  expect(filesWith(/\sstyle="/), "style attributes").toEqual([]);
  expect(page).not.toMatch(/\sstyle=|<style|\son\w+=|<script>/);
});

test("no control is the browser's own: what is drawn by the system looks different in each", () => {
  // The slider of the timeline is styled whole, and the system's choice of a file is not shown.
  const kept: Record<string, RegExp> = {
    "./views/past/Timeline.svelte": /type="range"/,
    "./pages/settings/ArchiveSection.svelte": /type="file"/,
  };
  const drawn =
    /\btype="(checkbox|radio|date|time|datetime-local|month|week|color|range|number|file)"|\btype=\{|<(select|dialog|datalist|progress|meter)\b/g;
  const found = Object.entries(sources)
    .filter(([path]) => path.endsWith(".svelte"))
    .flatMap(([path, text]) => [...text.matchAll(drawn)].map(([control]) => ({ path, control })));
  expect(found.filter(({ path, control }) => !kept[path]?.test(control))).toEqual([]);
  expect(found.map(({ path }) => path).toSorted()).toEqual(Object.keys(kept).toSorted());
  const slider = sources["./views/past/Timeline.svelte"];
  expect(slider).toMatch(/input \{[^}]*appearance: none/);
  expect(slider).toMatch(/::-webkit-slider-thumb \{[^}]*appearance: none/);
});

test("every list says that it is one, since WebKit takes the role from those without markers", () => {
  const lists = Object.entries(sources).flatMap(([path, text]) =>
    [...text.matchAll(/<(?:ul|ol)\b[^>]*/g)].map(([tag]) => ({ path, tag })),
  );
  expect(lists.length).toBeGreaterThan(20);
  expect(lists.filter(({ tag }) => !tag.includes("role="))).toEqual([]);
});

const styles = import.meta.glob<string>(["./**/*.{css,svelte}"], {
  query: "?raw",
  import: "default",
  eager: true,
});

const styleOf = (path: string, text: string): string =>
  path.endsWith(".css") ? text : (text.split("<style")[1] ?? "");

test("every page can be mirrored: no style names a side", () => {
  const sides = /(margin|padding|border)-(left|right)\b|^\s*(left|right):|text-align: (left|right)|float:/m;
  const named = Object.entries(styles).filter(([path, text]) => sides.test(styleOf(path, text)));
  expect(named.map(([path]) => path)).toEqual([]);
});
