/** Runs and hooks as tables. */
import { table } from '@srv/lib-commands';
import type { Client } from '@srv/lib-api/client';
import type { Terminal } from '@srv/lib-commands';
import type {} from '../operations.js';

export type ShownRun = Awaited<ReturnType<Client['getRun']>>;
export type ShownHook = Awaited<ReturnType<Client['listRunHooks']>>['results'][number];

/** Shown for an unknown time. */
const noTime = '-';

export function coloured(status: string, { colours }: Terminal): string {
  if (status === 'completed') return colours.green(status);
  return status === 'failed' ? colours.red(status) : colours.yellow(status);
}

export function runTable(
  { run_id, event_type, branch, start_time, end_time = noTime, commit_id, status }: ShownRun,
  terminal: Terminal,
): string {
  const header = ['Run ID', 'Event', 'Branch', 'Start Time', 'End Time', 'Commit ID', 'Status'];
  return table(header, [[run_id, event_type, branch, start_time, end_time, commit_id, coloured(status, terminal)]], terminal);
}

export function hookTable({ hook_run_id, hook_id, start_time, end_time = noTime, action, status }: ShownHook, terminal: Terminal): string {
  const header = ['Hook Run ID', 'Hook ID', 'Start Time', 'End Time', 'Action', 'Status'];
  return table(header, [[hook_run_id, hook_id, start_time, end_time, action, coloured(status, terminal)]], terminal);
}

/** The whole output of a hook. */
export async function outputText(api: Client, repository: string, runId: string, hookRunId: string): Promise<string> {
  const { text } = await import('node:stream/consumers');
  const { body } = await api.getRunHookOutput({ repository, run_id: runId, hook_run_id: hookRunId });
  return text(body);
}
