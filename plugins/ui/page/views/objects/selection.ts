/** Rows that are ticked. */
import { useState } from 'preact/hooks';

export interface Selection {
  readonly paths: ReadonlySet<string>;
  readonly count: number;
  toggle(path: string, on: boolean): void;
  set(paths: readonly string[]): void;
  clear(): void;
}

/** @param key a selection belongs to one folder. */
export function useSelection(key: readonly string[]): Selection {
  const name = JSON.stringify(key);
  const [state, setState] = useState<{ name: string; paths: ReadonlySet<string> }>({ name, paths: new Set() });
  const paths = state.name === name ? state.paths : new Set<string>();
  const put = (next: Iterable<string>): void => setState({ name, paths: new Set(next) });
  return {
    paths,
    count: paths.size,
    toggle: (path, on) => put(on ? [...paths, path] : [...paths].filter(other => other !== path)),
    set: put,
    clear: () => put([]),
  };
}
