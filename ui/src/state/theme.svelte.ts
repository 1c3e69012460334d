export const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

const KEY = "theme";

/** The chosen theme; `theme.js` has put a kept one on the document already. */
class ThemeChoice {
  #chosen = $state<Theme>(asTheme(document.documentElement.dataset.theme));

  get chosen(): Theme {
    return this.#chosen;
  }

  set chosen(theme: Theme) {
    this.#chosen = theme;
    if (theme === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    try {
      if (theme === "system") localStorage.removeItem(KEY);
      else localStorage.setItem(KEY, theme);
    } catch {
      // Storage is closed to us: the choice lasts as long as this page.
    }
  }
}

function asTheme(value: string | undefined): Theme {
  return THEMES.find((theme) => theme === value) ?? "system";
}

export const themeChoice = new ThemeChoice();
