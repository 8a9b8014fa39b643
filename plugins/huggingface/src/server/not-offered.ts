/** What clients know of the Hub and this server does not offer. */
import { HubError } from './errors.js';

/** By a word of the path: what to do instead. */
const instead: Readonly<Record<string, string>> = {
  'super-squash': 'commits are not rewritten here: make a repository of the files that are wanted',
  move: 'repositories are not renamed here: make one of the other name, and upload the files there',
  settings: 'who may see a repository is set by policies: ask an administrator',
  discussions: 'pull requests are opened by create_pr, and reviewed on the web page',
};

export function notOffered(method: string, path: string, segments: readonly string[]): HubError {
  const word = segments.find((segment, at) => at > 1 && Object.hasOwn(instead, segment));
  if (word === undefined) return new HubError(404, `${method} ${path} is not offered`);
  return new HubError(501, `${method} ${path} is not offered: ${instead[word] ?? ''}`);
}
