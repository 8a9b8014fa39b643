/** Light, dark, or what the system says. Kept in this browser. */
import { signal } from '@preact/signals';

type Theme = 'system' | 'light' | 'dark';

const key = 'srv.theme';

function stored(): Theme {
  try {
    const value = localStorage.getItem(key);
    return value === 'light' || value === 'dark' ? value : 'system';
  } catch {
    // Storage may be forbidden.
    return 'system';
  }
}

export const theme = signal<Theme>(stored());

export function setTheme(value: Theme): void {
  theme.value = value;
  show();
  try {
    if (value === 'system') localStorage.removeItem(key);
    else localStorage.setItem(key, value);
  } catch {
    // Then it holds for this page only.
  }
}

export function show(): void {
  if (theme.value === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme.value;
}
