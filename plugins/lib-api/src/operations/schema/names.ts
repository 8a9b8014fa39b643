/** Rules of names in paths, queries and bodies. */
import { checkedText, text } from './field.js';

export const repositoryId = text({
  pattern: /^[a-z0-9][a-z0-9-]{2,62}$/,
  problem: 'repository id: invalid value: validation error; 3 to 63 lower-case letters, digits and dashes, not a dash first',
});

export const branchId = text({
  pattern: /^\w[-\w]*$/,
  problem: 'branch id: invalid value: validation error; letters, digits, underscores and dashes, not a dash first',
});

/** Any expression that names a commit: `main`, `main~2`, `v1^2`, a commit id or its beginning. */
export const ref = text({ pattern: /^\S+$/, problem: 'ref: invalid value: validation error; a name or expression without spaces' });

/** Path of an object; kept byte for byte. */
export const path = text({ filled: true, maxBytes: 1024, problem: 'path: required value: validation error; 1 to 1024 bytes' });

export const tagId = checkedText(tagProblem);

export const pullRequestId = text({
  pattern: /^[0-9a-v]{20}$/,
  problem: 'pull request id: invalid value: validation error; 20 characters 0-9 and a-v',
});

const tagHint = 'tag id: invalid value: validation error; ';

/** Why a tag name is not acceptable; `undefined` when it is. */
function tagProblem(name: string): string | undefined {
  if (name === '') return `${tagHint}must not be empty`;
  if (name === '@') return `${tagHint}must not be @`;
  if (name.endsWith('.') || name.endsWith('.lock')) return `${tagHint}must not end in . or .lock`;
  if (name.includes('/') || name.includes('..') || name.includes('@{')) return `${tagHint}must not hold /, .. or @{`;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  if (/[\x00-\x20\x7f^:?*[\\]/.test(name)) return `${tagHint}must not hold spaces, control characters or any of ^ : ? * [ \\`;
  return undefined;
}
