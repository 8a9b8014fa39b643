/** Finds repositories whose action files a server does not run: what their authors rely on is not checked. */

import { ActionFileSearch } from './action-file-search.js';
import type {} from '@srv/engine/operations';
import type { Client } from '@srv/lib-api/client';
import type { SearchLimits } from './request-budget.js';

const usual: SearchLimits = { requests: 2000, time: 30_000 };
/** Repositories that a sentence names. */
const named = 3;

/** A sentence for each repository, in order of their names, and one for each reason why there may be others. */
export async function ignoredActions(api: Client, limits = usual): Promise<string[]> {
  const { capabilities_config: capabilities } = await api.getConfig({});
  if (capabilities?.actions !== false) return [];
  const search = new ActionFileSearch(api, limits);
  await search.run();
  const sentences = search.found
    .toSorted((a, b) => (a.repository < b.repository ? -1 : 1))
    .map(
      ({ repository, branch, path }) =>
        `Repository ${repository} has action files (${path} on ${branch}), and this server runs none: operations they would stop succeed.`,
    );
  return [...sentences, ...whatWasNotSeen(search)];
}

function whatWasNotSeen({ refused, limit, branches }: ActionFileSearch): string[] {
  const sentences: string[] = [];
  if (refused.length > 0) {
    const names = refused.toSorted().slice(0, named).join(', ');
    const more = refused.length > named ? ` and ${refused.length - named} more` : '';
    sentences.push(
      `Action files were not looked for in ${names}${more}: this user may not list branches or objects there. Run "cli doctor" as an administrator.`,
    );
  }
  if (limit !== undefined)
    sentences.push(
      `The search for action files is not complete: it reached its limit of ${limit} after ${branches} ${branches === 1 ? 'branch' : 'branches'}. Look at others with "cli fs ls srv://REPOSITORY/BRANCH/_lakefs_actions/" or _srv_actions/.`,
    );
  return sentences;
}
