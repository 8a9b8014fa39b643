/** Where the page is, and how to go elsewhere. */
import { useLocation } from 'preact-iso';
import { absolute, segmentsOf } from './links.js';
import type { Query } from './links.js';

export interface CurrentRoute {
  readonly segments: readonly string[];
  readonly query: Readonly<Record<string, string | undefined>>;
  /** Path and query, as given back to after a login. */
  readonly url: string;
  /** @param href as made by `to`. */
  go(href: string, options?: { readonly replace?: boolean }): void;
  /** The same page with other parameters; `undefined` removes one. */
  vary(changes: Query, options?: { readonly replace?: boolean }): void;
}

export function usePlace(): CurrentRoute {
  const { path, query, url, route } = useLocation();
  return {
    segments: segmentsOf(path),
    query,
    url,
    go: (href, options) => route(absolute(href), options?.replace),
    vary: (changes, options) => {
      // What the address bar says now: several changes may come before the next drawing.
      const next = new URL(location.href);
      for (const [name, value] of Object.entries(changes)) {
        if (value === undefined || value === '' || value === false) next.searchParams.delete(name);
        else next.searchParams.set(name, String(value));
      }
      route(next.pathname + next.search, options?.replace);
    },
  };
}
