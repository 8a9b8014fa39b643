/** Runs of actions as they travel. */
import { ask } from '@srv/lib-page/page';
import type { Page } from '@srv/lib-page/page';

type RunStatus = 'failed' | 'completed' | 'running' | 'skipped';

export interface ActionRun {
  readonly run_id: string;
  readonly branch: string;
  readonly start_time: string;
  readonly end_time?: string;
  readonly event_type: string;
  readonly status: RunStatus;
  readonly commit_id: string;
  /** Id of the run that it repeats. */
  readonly repeats?: string;
}

export interface HookRun {
  readonly hook_run_id: string;
  readonly action: string;
  readonly hook_id: string;
  readonly start_time: string;
  readonly end_time?: string;
  readonly status: RunStatus;
}

export const listRuns = async (
  repository: string,
  filter: { branch?: string | undefined; commit?: string | undefined },
  after: string,
  signal: AbortSignal,
): Promise<Page<ActionRun>> =>
  (await ask('listRepositoryRuns', { repository, ...filter, after, amount: 100 }, { signal })) as Page<ActionRun>;

export const getRun = async (repository: string, run: string, signal: AbortSignal): Promise<ActionRun> =>
  (await ask('getRun', { repository, run_id: run }, { signal })) as ActionRun;

export const listHooks = async (repository: string, run: string, after: string, signal: AbortSignal): Promise<Page<HookRun>> =>
  (await ask('listRunHooks', { repository, run_id: run, after, amount: 1000 }, { signal })) as Page<HookRun>;

/** @returns the id of the new run. */
export async function repeatRun(repository: string, run: string, hook: string | undefined): Promise<string> {
  const body = hook === undefined ? {} : { hook_run_id: hook };
  return ((await ask('rerunAction', { repository, run_id: run, body })) as { readonly run_id: string }).run_id;
}

export const badgeOf: Readonly<Record<RunStatus, string>> = { completed: 'added', failed: 'removed', running: 'accent', skipped: '' };

/** Whole seconds. */
export function tookText(start: string, end: string | undefined): string {
  const milliseconds = (end === undefined ? Date.now() : Date.parse(end)) - Date.parse(start);
  return milliseconds < 1000 ? `${Math.max(0, milliseconds)} ms` : `${(milliseconds / 1000).toFixed(milliseconds < 10_000 ? 1 : 0)} s`;
}
