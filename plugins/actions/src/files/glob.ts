/**
 * Shell patterns of branch and tag names (actions sheet, section 2.3): `*` and `?` stop at `/`, classes are `[abc]`,
 * `[a-z]` and `[^a]`, `\` escapes. `**` is `*`. Existing action files rely on these rules.
 */
import { GlobError, parseGlob } from '@srv/lib-records/glob';
import type { Glob } from '@srv/lib-records/glob';

/** @throws GlobError with the words that existing clients know. */
export function parseShellGlob(pattern: string): Glob {
  try {
    return parseGlob(pattern, { separator: '/', globstar: false, classes: '^' });
  } catch (error) {
    throw error instanceof GlobError ? new GlobError('syntax error in pattern') : error;
  }
}
