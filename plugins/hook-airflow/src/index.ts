/** The hook type `airflow`: starts a run of an Airflow DAG, and may wait for its end. */
import { definePlugin } from '@srv/kernel';
import { airflowProperties } from './properties.js';
import type { HookType } from '@srv/lib-api/hook-types';
import type { AirflowProperties } from './properties.js';

const airflow: HookType<AirflowProperties> = {
  properties: airflowProperties,
  // Loaded with the first hook that runs: programs that only check files need no HTTP client.
  run: async request => (await import('./dag-run.js')).runDag(request),
};

export default definePlugin({
  name: 'hook-airflow',
  apply: ({ hooks }) => hooks.hookType.for('airflow').tap('hook-airflow', () => airflow),
});
