// Runs before the first paint, so that a chosen look does not flash the other one.
try {
  const { dataset } = document.documentElement;
  const theme = localStorage.getItem("theme");
  if (theme === "light" || theme === "dark") dataset.theme = theme;
  if (localStorage.getItem("density") === "compact") dataset.density = "compact";
  for (const key of ["group", "panes"]) {
    const chosen = localStorage.getItem(key);
    if (chosen) dataset[key] = chosen;
  }
} catch {
  // Storage is closed to us: it looks as it does for everybody.
}
