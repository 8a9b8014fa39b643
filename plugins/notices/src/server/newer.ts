/** Order of versions: `v1.10.0` is newer than `1.9.3`, a release newer than its candidates. */

/** @returns whether `candidate` is newer than `current`; false when either is not a version. */
export function isNewer(candidate: string, current: string): boolean {
  const [a, b] = [parse(candidate), parse(current)];
  if (!a || !b) return false;
  for (let i = 0; i < 3; i++) {
    const difference = (a.numbers[i] ?? 0) - (b.numbers[i] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  if (a.candidate === b.candidate) return false;
  if (a.candidate === undefined || b.candidate === undefined) return a.candidate === undefined;
  return a.candidate.localeCompare(b.candidate, 'en', { numeric: true }) > 0;
}

function parse(version: string): { readonly numbers: readonly number[]; readonly candidate: string | undefined } | undefined {
  const [, major, minor, patch, candidate] = /^v?(\d+)\.(\d+)\.(\d+)(?:-([\w.-]+))?(?:\+.*)?$/.exec(version) ?? [];
  return major === undefined ? undefined : { numbers: [major, minor, patch].map(Number), candidate };
}
