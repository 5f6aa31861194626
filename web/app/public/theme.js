// Sets the chosen theme before anything is drawn. See src/theme.ts.
try {
  const theme = localStorage.getItem("obverse.theme");
  if (theme === "light" || theme === "dark") {
    document.documentElement.dataset.theme = theme;
  }
} catch {
  // Storage is forbidden: the system's theme it is.
}
