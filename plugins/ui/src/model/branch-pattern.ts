/** Patterns of branch names, as the server reads them: `*` any text, `?` one character, everything else itself. */

export function matchesPattern(pattern: string, name: string): boolean {
  const source = [...pattern].map(char => (char === '*' ? '.*' : char === '?' ? '.' : char.replace(/[\\^$.|+()[\]{}/]/g, '\\$&'))).join('');
  return new RegExp(`^${source}$`, 'su').test(name);
}
