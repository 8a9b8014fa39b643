import { argument, defineCommand, required, sameRepository } from '@srv/lib-commands';
import { everyCommit } from './commits.js';
import { bisectStatus, saveBisect } from './state.js';
import type { Commit } from '@srv/engine/client';
import type { BisectState } from './state.js';

export const bisectStart = defineCommand({
  name: 'bisect start',
  localEffects: true,
  summary: 'Start a search for the commit that introduced a fault',
  examples: ['cli bisect start srv://example-repo/main srv://example-repo/v1'],
  hidden: true,
  arguments: [required('bad ref URI', 'srv://<repository>/<ref>'), required('good ref URI', 'srv://<repository>/<ref>')],
  async run(context, input): Promise<BisectState> {
    const bad = context.uri.ref(argument(input, 0), 'bad ref URI');
    const good = context.uri.ref(argument(input, 1), 'good ref URI');
    sameRepository(bad, good, 'both references must belong to the same repository');
    const { repository } = bad;
    const api = await context.client();
    const [badCommit, goodCommit] = await Promise.all([
      api.getCommit({ repository, commitId: bad.ref }),
      api.getCommit({ repository, commitId: good.ref }),
    ]);
    const commits: Commit[] = [];
    for await (const commit of everyCommit(api, repository, badCommit.id)) {
      if (commit.id === goodCommit.id) {
        const state = { created: new Date().toISOString(), repository, badCommit: badCommit.id, goodCommit: goodCommit.id, commits };
        await saveBisect(context.home, state);
        return state;
      }
      commits.push(commit);
    }
    throw new Error(`good commit not found: ${good.ref} is not in the history of ${bad.ref}`);
  },
  render: bisectStatus,
});
