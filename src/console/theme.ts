/** Light, dark, or as the system says. Kept in the browser. */
export type Theme = "system" | "light" | "dark"

const KEY = "carrel-theme"

export function theme(): Theme {
  const kept = localStorage.getItem(KEY)
  return kept === "light" || kept === "dark" ? kept : "system"
}

export function applyTheme(next: Theme = theme()): void {
  localStorage.setItem(KEY, next)
  if (next === "system") delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = next
}
