/** Patterns of branch names, as the server reads them. */
import { branchSyntax, isMatch } from '@srv/lib-records/glob';

/** `false` for a pattern that is not finished, such as `[a`. */
export function matchesPattern(pattern: string, name: string): boolean {
  return isMatch(pattern, name, branchSyntax);
}
