/** Light, dark, or as the system says. */
export type Theme = 'system' | 'light' | 'dark';

const NAME = 'ramet-theme';

/** The theme a person chose. */
export function readTheme(): Theme {
  const kept = localStorage.getItem(NAME);
  return kept === 'light' || kept === 'dark' ? kept : 'system';
}

/** Applies a theme and keeps it. */
export function applyTheme(theme: Theme): void {
  if (theme === 'system') {
    localStorage.removeItem(NAME);
    delete document.documentElement.dataset.theme;
    return;
  }
  localStorage.setItem(NAME, theme);
  document.documentElement.dataset.theme = theme;
}
