import { defineCommand } from '@srv/lib-commands';
import type { Diagnosis } from './diagnose.js';

export const doctor = defineCommand({
  name: 'doctor',
  summary: 'Run a basic diagnosis of the configuration',
  description: 'Finds what is wrong and says how to fix it; the exit code is 1 if the server cannot be used. "srv doctor" checks a server.',
  examples: ['cli doctor', 'cli doctor --verbose'],
  run: async (context): Promise<Diagnosis> => (await import('./diagnose.js')).diagnose(context),
  failed: ({ healthy }) => !healthy,
  render: ({ findings, sources = [] }) =>
    [...findings, ...sources.map(({ key, value, source }) => `${key}: ${JSON.stringify(value ?? null)}  # ${source}`)].join('\n'),
});
