/** Runs as the commands show them. */
import { setTimeout as sleep } from 'node:timers/promises';
import { labelled } from '@srv/lib-commands';
import type { Client } from '@srv/lib-api/client';
import type { CommandContext } from '@srv/lib-commands';
import type {} from '../operations/index.js';
import type { WireRun } from '../operations/runs.js';

/** Milliseconds between two polls. */
const interval = 1000;

export function runText(run: WireRun): string {
  return labelled([
    ['Run', run.id],
    ['Phase', run.dry_run ? `${run.phase} (dry run)` : run.phase],
    ['Started', run.started_at],
    ['Objects listed', run.listed],
    ['Too young', run.young],
    ['Kept', run.kept],
    ['Garbage', `${run.candidates} (${run.candidate_bytes} B)`],
    ['Removed', `${run.deleted} (${run.deleted_bytes} B)`],
    ['Spared after a last check', run.spared],
    ['Not removed', run.failures],
    ['Unreferenced metadata files', run.metadata_files],
    ['Abandoned uploads ended', run.aborted_uploads],
    ['Old reports removed', run.old_reports],
    ['Other files', `${run.other_files} (${run.other_bytes} B)`],
    ['Error', run.error],
  ]);
}

/** Waits for the end of a run; an interrupt cancels it. @throws Error when it failed. */
export async function follow({ signal, progress, tell }: CommandContext, api: Client, repository: string, id: string): Promise<WireRun> {
  const bar = progress('Collecting garbage');
  let [expected, done] = [0, 0];
  try {
    for (;;) {
      const run = await api.getGarbageCollection({ repository, run: id }, { signal });
      if (run.candidates > expected) bar.expect(run.candidates - expected, run.candidates - expected);
      expected = Math.max(expected, run.candidates);
      bar.advance(run.swept - done);
      for (; done < run.swept; done++) bar.fileDone();
      if (run.phase === 'failed' || run.phase === 'cancelled') throw new Error(`run ${id} ${run.phase}: ${run.error ?? ''}`);
      if (run.phase === 'done' || run.phase === 'marked') return run;
      await sleep(interval, undefined, { signal });
    }
  } catch (error) {
    if (signal.aborted) {
      await api.cancelGarbageCollection({ repository, run: id }).catch(() => {});
      tell(`Run ${id} was cancelled`);
    }
    throw error;
  } finally {
    bar.stop();
  }
}
