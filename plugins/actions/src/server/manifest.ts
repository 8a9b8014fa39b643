/** The manifest of a run: JSON beside its outputs, for readers of the storage (actions sheet, section 9.4). */

import { wireTime } from '../wire-time.js';
import type { RunRecord, TaskRecord } from './run-record.js';

export function manifestOf(run: RunRecord, tasks: readonly TaskRecord[]): Buffer {
  const hooks = tasks.map(({ runId, hookRunId, hookId, action, start, end, passed }) => ({
    run_id: runId,
    hook_run_id: hookRunId,
    hook_id: hookId,
    action_name: action,
    start_time: wireTime(start),
    end_time: wireTime(end),
    passed,
  }));
  return Buffer.from(
    JSON.stringify({
      run: {
        run_id: run.runId,
        branch_id: run.branch,
        source_ref: run.sourceRef,
        event_type: run.eventType,
        commit_id: run.commitId || undefined,
        start_time: wireTime(run.start),
        end_time: wireTime(run.end),
        passed: run.passed,
      },
      hooks: hooks.length > 0 ? hooks : undefined,
    }),
  );
}
