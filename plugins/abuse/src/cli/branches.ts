/** Loads on branches and commits. */

import { setTimeout as sleep } from 'node:timers/promises';
import { argument, branchArgument, defineCommand, everything, numberOf, required, textOf } from '@srv/lib-commands';
import { amountOf, amountOption, linkEmpty, load, parallelismOption, runName } from './define.js';
import { numbers, reportText, runLoad } from './load.js';

export const abuseCommit = defineCommand({
  name: 'abuse commit',
  localEffects: true,
  summary: 'Commit to a branch again and again, without changes',
  examples: ['cli abuse commit srv://example-repo/main --amount 10 --gap 10ms'],
  hidden: true,
  arguments: [branchArgument],
  options: [amountOption(100), { name: 'gap', type: 'duration', default: 2000, description: 'time between two commits' }],
  async run(context, input) {
    const { repository, ref: branch } = context.uri.branch(argument(input, 0));
    const { signal } = context;
    const gap = numberOf(input.options.gap) ?? 0;
    const api = await context.client();
    await api.getRepository({ repository });
    return load(context, input, 'commit', numbers(amountOf(input)), async index => {
      await api.commit({ repository, branch, body: { message: `commit ${index}`, metadata: {}, allow_empty: true } });
      await sleep(gap, undefined, { signal }).catch(() => {});
    });
  },
  render: reportText,
});

export const abuseCreateBranches = defineCommand({
  name: 'abuse create-branches',
  localEffects: true,
  summary: 'Delete the branches of an earlier run, then create many',
  examples: [
    'cli abuse create-branches srv://example-repo/main --amount 10',
    'cli abuse create-branches srv://example-repo/main --clean-only',
  ],
  hidden: true,
  arguments: [required('source ref URI', 'srv://<repository>/<ref>')],
  options: [
    amountOption(1_000_000),
    { name: 'branch-prefix', type: 'string', default: 'abuse-', description: 'prefix of the names; branches with it are deleted' },
    { name: 'clean-only', type: 'bool', default: false, description: 'only delete' },
    parallelismOption,
  ],
  async run(context, input) {
    const { repository, ref } = context.uri.ref(argument(input, 0), 'source ref');
    const prefix = textOf(input.options['branch-prefix']) ?? '';
    if (prefix === '') throw new Error('--branch-prefix must not be empty: every branch with the prefix is deleted');
    const api = await context.client();
    const old = everything(page => api.listBranches({ repository, prefix, ...page }));
    const cleaned = await load(context, input, 'clean-up', old, ({ id }) => api.deleteBranch({ repository, branch: id }));
    if (input.options['clean-only'] === true) return cleaned;
    return load(context, input, 'create-branches', numbers(amountOf(input)), index =>
      api.createBranch({ repository, body: { name: `${prefix}${index}`, source: ref } }),
    );
  },
  render: reportText,
});

export const abuseMerge = defineCommand({
  name: 'abuse merge',
  localEffects: true,
  summary: 'Create branches, commit one object to each and merge them back, in parallel',
  examples: ['cli abuse merge srv://example-repo/main --amount 2 --parallelism 1'],
  hidden: true,
  arguments: [branchArgument],
  options: [amountOption(1000), parallelismOption],
  async run(context, input) {
    const { repository, ref: target } = context.uri.branch(argument(input, 0));
    const api = await context.client();
    const made: string[] = [];
    const run = runName();
    const report = await load(context, input, 'merge', numbers(amountOf(input)), async index => {
      const branch = `merge-${run}-${String(index).padStart(4, '0')}`;
      await api.createBranch({ repository, body: { name: branch, source: target } });
      made.push(branch);
      await linkEmpty(api, { repository, ref: branch }, `object-${branch}`);
      await api.commit({ repository, branch, body: { message: `commit ${branch}`, metadata: {} } });
      await api.mergeIntoBranch({ repository, sourceRef: branch, destinationBranch: target, body: {} });
    });
    const { errors, first_error: first } = await runLoad({
      name: 'clean-up',
      items: made,
      parallelism: context.parallelism(input.options.parallelism),
      // Its branches go even when the load was interrupted.
      signal: new AbortController().signal,
      work: branch => api.deleteBranch({ repository, branch }),
      onLine: context.tell,
    });
    if (errors > 0) context.warn(`${errors} branches merge-${run}-… are left: ${first ?? ''}`);
    return report;
  },
  render: reportText,
});
