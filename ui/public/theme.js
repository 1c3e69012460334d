// Runs before the first paint, so that a chosen look does not flash the other one.
try {
  const { dataset } = document.documentElement;
  const theme = localStorage.getItem("theme");
  if (theme === "light" || theme === "dark") {
    dataset.theme = theme;
    // The bars of an installed page go by its look, and not by the system's.
    for (const bar of document.querySelectorAll("meta[name=theme-color]")) {
      bar.setAttribute("content", theme === "dark" ? "#0e1114" : "#f6f7f9");
    }
  }
  if (localStorage.getItem("density") === "compact") dataset.density = "compact";
  for (const key of ["group", "panes"]) {
    const chosen = localStorage.getItem(key);
    if (chosen) dataset[key] = chosen;
  }
} catch {
  // Storage is closed to us: it looks as it does for everybody.
}
