/** Rows of whole steps in the life of a repository: commits, merges, diffs, imports. */
import { timeOf } from '../benchmark.js';
import { importFolder } from './import.js';
import { upload } from './reads-and-writes.js';
import { pathOf, repository } from './work.js';
import type { Side } from './side.js';
import type { Scale, Work } from './work.js';

const changes = 100;

export function versions(scale: Scale, source: string): readonly Work[] {
  const spread = Array.from({ length: changes }, (_, i) => pathOf(Math.floor((i * scale.objects) / changes)));
  const branch = (side: Side, name: string): Promise<unknown> =>
    side.call('POST', `${repository}/branches`, { name, source: 'main', force: false });
  const commit = (side: Side, name: string): Promise<unknown> =>
    side.call('POST', `${repository}/branches/${name}/commits`, { message: name });
  const row = (what: string, rounds: number, measure: Work['measure']): Work => ({ what, unit: 'ms', rounds, measure });
  const committing = async (side: Side, name: string, paths: readonly string[]): Promise<number> => {
    await branch(side, name);
    await upload(side, name, paths, name);
    return timeOf(() => commit(side, name));
  };
  const numbered = (folder: string, count: number): readonly string[] => Array.from({ length: count }, (_, i) => `${folder}/${i}`);
  const again = (what: string, path: string, prepare?: (side: Side) => Promise<unknown>): Work =>
    row(what, 2 * scale.rounds, async (side, round) => {
      if (round === 0) await prepare?.(side);
      const times = [];
      for (let i = 0; i < 10; i++) times.push(await timeOf(() => side.call('GET', path)));
      return times.reduce((sum, time) => sum + time) / times.length;
    });
  return [
    row(`first commit after a start: ${scale.first} objects`, scale.rounds, async (side, round) => {
      await side.restart();
      return committing(side, `first-${round}`, numbered('first', scale.first));
    }),
    row(`commit of ${scale.committed} objects`, scale.rounds, (side, round) =>
      committing(side, `large-${round}`, numbered('large', scale.committed)),
    ),
    row(`commit of ${changes} spread changes`, scale.steps, (side, round) => committing(side, `spread-${round}`, spread)),
    row(`merge of ${changes} spread changes`, scale.steps, async (side, round) => {
      await committing(side, `merged-${round}`, spread);
      return timeOf(() =>
        side.call('POST', `${repository}/refs/merged-${round}/merge/merged`, { message: 'merge', strategy: 'source-wins' }),
      );
    }),
    again('diff of two branches', `${repository}/refs/main/diff/differing?amount=1000`, side => committing(side, 'differing', spread)),
    row('diff uncommitted', scale.steps, async (side, round) => {
      await branch(side, `changed-${round}`);
      await upload(side, `changed-${round}`, spread, 'changed');
      return timeOf(() => side.call('GET', `${repository}/branches/changed-${round}/diff?amount=1000`));
    }),
    again('log of 100', `${repository}/refs/main/commits?amount=100`),
    row('revert', scale.steps, async (side, round) => {
      await committing(side, `reverted-${round}`, spread);
      return timeOf(() =>
        side.call('POST', `${repository}/branches/reverted-${round}/revert`, { ref: `reverted-${round}`, parent_number: 0 }),
      );
    }),
    row(`import of a folder of ${scale.imported} files`, scale.rounds, async (side, round) => {
      await branch(side, `import-${round}`);
      return timeOf(() => importFolder(side, `import-${round}`, source));
    }),
  ];
}
