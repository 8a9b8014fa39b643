/** The commands of a bisection that was started. */
import { defineCommand, logEntry } from '@srv/lib-commands';
import { judge } from './judge.js';
import { bisectStatus, forgetBisect, loadBisect, narrow, pivot, saveBisect } from './state.js';
import type { Command } from '@srv/lib-commands';
import type { BisectState } from './state.js';

/** @param name second name of the verdict, for a search for a change instead of a fault. */
function verdictCommand(verdict: 'good' | 'bad', name: string = verdict): Command<BisectState> {
  return defineCommand({
    name: `bisect ${name}`,
    summary: name === verdict ? `Mark the current commit as ${verdict}` : `Same as bisect ${verdict}`,
    examples: [`cli bisect ${name}`],
    hidden: true,
    localEffects: true,
    async run({ home }) {
      const state = narrow(await loadBisect(home), verdict);
      await saveBisect(home, state);
      return state;
    },
    render: bisectStatus,
  });
}

export const bisectGood = verdictCommand('good');
export const bisectBad = verdictCommand('bad');
export const bisectOld = verdictCommand('good', 'old');
export const bisectNew = verdictCommand('bad', 'new');

export const bisectLog = defineCommand({
  name: 'bisect log',
  summary: 'Show the progress of the search',
  examples: ['cli bisect log'],
  hidden: true,
  run: ({ home }) => loadBisect(home),
  render: bisectStatus,
});

export const bisectView = defineCommand({
  name: 'bisect view',
  summary: 'Show the commits that remain to be judged',
  examples: ['cli bisect view'],
  hidden: true,
  run: async ({ home }) => (await loadBisect(home)).commits,
  render: (commits, { terminal }) => commits.map(commit => logEntry(commit, terminal, { metarange: true })).join('\n'),
});

export const bisectReset = defineCommand({
  name: 'bisect reset',
  localEffects: true,
  summary: 'End the search',
  examples: ['cli bisect reset'],
  hidden: true,
  async run({ home, warn }) {
    if (!(await forgetBisect(home))) warn('No active bisect session');
  },
});

export const bisectRun = defineCommand({
  name: 'bisect run',
  localEffects: true,
  summary: 'Search with a program: exit code 0 means good, any other bad',
  description: [
    'The program finds the commit in BISECT_ID, BISECT_MESSAGE, BISECT_METARANGE_ID and BISECT_COMMITTER,',
    'and :BISECT_ID: and the like in its arguments are replaced. Put -- before a program with options.',
  ].join('\n'),
  examples: ['cli bisect run -- ./test.sh :BISECT_ID:'],
  hidden: true,
  arguments: [{ name: 'command', description: 'program and its arguments', required: true, variadic: true }],
  async run({ home, env, signal, tell }, { args }) {
    let state = await loadBisect(home);
    while (state.commits.length > 1) {
      const commit = state.commits[pivot(state)];
      if (!commit) break;
      tell(`== Commit ${commit.id} ${commit.message}`);
      const verdict = await judge(commit, args, { env, signal });
      tell(`-- ${verdict.toUpperCase()}`);
      state = narrow(state, verdict);
      await saveBisect(home, state);
    }
    return state;
  },
  render: bisectStatus,
});
