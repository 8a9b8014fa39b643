/** Branches and tags that were visited in this browser. */

const key = (repository: string): string => `srv.recent.${repository}`;
const mostRecent = 10;

/** Newest first. */
export function recentRefs(repository: string): readonly string[] {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(key(repository)) ?? '[]');
    return Array.isArray(found) ? found.filter((ref): ref is string => typeof ref === 'string') : [];
  } catch {
    return [];
  }
}

export function rememberRef(repository: string, ref: string): void {
  try {
    localStorage.setItem(
      key(repository),
      JSON.stringify([ref, ...recentRefs(repository).filter(other => other !== ref)].slice(0, mostRecent)),
    );
  } catch {
    // A convenience only.
  }
}
