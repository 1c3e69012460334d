/** Settings by what stands in them: sections whose title has all words, or the rows that have them. Returns how many. */
export function narrow(sheet: HTMLElement, query: string): number {
  const words = fold(query).split(/\s+/).filter(Boolean);
  const has = (text: string | null): boolean => {
    const said = fold(text ?? "");
    return words.every((word) => said.includes(word));
  };
  let found = 0;
  for (const section of sectionsIn(sheet)) {
    const rows = [...section.querySelectorAll<HTMLElement>(":scope > .rows > *")];
    const isWhole = has(section.querySelector("h2")?.textContent ?? "");
    for (const row of rows) row.hidden = !isWhole && !has(row.textContent);
    const shown = rows.filter((row) => !row.hidden).length;
    section.hidden = shown === 0;
    found += shown;
  }
  return found;
}

/** The titles of the sections, each with its section. */
export function sectionsOf(sheet: HTMLElement): { title: string; section: HTMLElement }[] {
  return sectionsIn(sheet).flatMap((section) => {
    const title = section.querySelector("h2")?.textContent?.trim();
    return title ? [{ title, section }] : [];
  });
}

/** The sections of the page; those within a row are parts of it. */
function sectionsIn(sheet: HTMLElement): HTMLElement[] {
  return [...sheet.querySelectorAll<HTMLElement>("section")].filter((it) =>
    it.querySelector(":scope > .rows"),
  );
}

function fold(text: string): string {
  return text
    .normalize("NFD")
    .replaceAll(/\p{Mn}/gu, "")
    .toLowerCase();
}
