/** Light, dark, or what the system says. Kept in this browser. */
import { signal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';

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

/** What is drawn now, also while the system decides. */
export function useComputedTheme(): 'light' | 'dark' {
  const [query] = useState(() => matchMedia('(prefers-color-scheme: dark)'));
  const [isDark, setIsDark] = useState(query.matches);
  useEffect(() => {
    const follow = (): void => setIsDark(query.matches);
    query.addEventListener('change', follow);
    return () => query.removeEventListener('change', follow);
  }, [query]);
  if (theme.value !== 'system') return theme.value;
  return isDark ? 'dark' : 'light';
}
