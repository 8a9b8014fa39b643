/** Searches a listing of any length by a pattern, without holding the page up. */
import type { PathPattern } from './path-pattern.js';

interface ListingPage<T> {
  readonly results: readonly T[];
  readonly pagination: { readonly has_more: boolean; readonly next_offset: string };
}

export interface PathSearch<T> {
  readonly pattern: PathPattern;
  /** The folder that is searched: empty, or with a trailing slash. */
  readonly folder: string;
  /** Where to continue. */
  readonly after?: string;
  /** Paths that are looked at. */
  readonly most: number;
  readonly load: (prefix: string, after: string) => Promise<ListingPage<T>>;
  readonly onProgress: (found: readonly T[], looked: number) => void;
  readonly signal: AbortSignal;
}

/** Milliseconds of matching between two turns of the page. */
const sliceMs = 8;

/** @returns where to continue; `undefined`: all paths have been looked at. */
export async function findPaths<T extends { readonly path: string }>(search: PathSearch<T>): Promise<string | undefined> {
  const { pattern, folder, most, load, onProgress, signal } = search;
  let after = search.after ?? '';
  let looked = 0;
  for (;;) {
    const { results, pagination } = await load(folder + pattern.within, after);
    signal.throwIfAborted();
    let since = performance.now();
    const found: T[] = [];
    for (const item of results) {
      if (pattern.matches(item.path.slice(folder.length))) found.push(item);
      if (performance.now() - since < sliceMs) continue;
      await new Promise(resolve => setTimeout(resolve, 0));
      signal.throwIfAborted();
      since = performance.now();
    }
    looked += results.length;
    onProgress(found, results.length);
    if (!pagination.has_more) return undefined;
    after = pagination.next_offset;
    if (looked >= most) return after;
  }
}
