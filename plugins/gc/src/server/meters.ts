/** Metrics of runs. */
import type { Metrics } from '@srv/kernel/metrics';
import type { RunRecord } from '../run/run-record.js';

export function runMeter(metrics: Metrics): (record: RunRecord) => void {
  const counter = (name: string, help: string, labels: readonly string[] = []) => metrics.counter({ name, help, labels });
  const runs = counter('gc_runs_total', 'Runs of garbage collection that ended on this server', ['phase']);
  const objects = counter('gc_objects_total', 'Objects that runs of garbage collection dealt with', ['outcome']);
  const bytes = counter('gc_deleted_bytes_total', 'Bytes of the objects that garbage collection removed').labels();
  return ({ phase, listed, kept, candidates, deleted, spared, failures, deletedBytes }) => {
    runs.labels(phase).add();
    for (const [outcome, count] of Object.entries({ listed, kept, candidates, deleted, spared, failed: failures }))
      objects.labels(outcome).add(count);
    bytes.add(deletedBytes);
  };
}
