/** Light or dark, as the person chose on this device; `system` follows the device. */

export const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

const KEY = "cairn:theme";

export function storedTheme(): Theme {
  try {
    const stored = localStorage.getItem(KEY);
    return THEMES.find((theme) => theme === stored) ?? "system";
  } catch {
    // The page works in a browser that forbids storage.
    return "system";
  }
}

/** Shows the page so, now and at each later visit. */
export function chooseTheme(theme: Theme): void {
  localStorage.setItem(KEY, theme);
  applyTheme(theme);
}

/** `base.css` reads it. */
export function applyTheme(theme: Theme): void {
  document.documentElement.dataset["theme"] = theme;
}
