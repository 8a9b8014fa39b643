/** Provides the services `log` and `audit` as soon as the configuration is known. */
import cluster from 'node:cluster';
import { definePlugin } from '@srv/kernel';
import '../contract.js';
import section from '../config.js';
import { createAudit, createLogger } from './logger.js';
import { openOutputs } from './outputs.js';
import type { Output } from './outputs.js';

const bytesPerMb = 1024 * 1024;

export default definePlugin({
  name: 'logging',
  apply({ hooks, services }) {
    let output: Output | undefined;
    hooks.configured.tapPromise('logging', async config => {
      const values = config.values(section.keys);
      const rules = { maxBytes: values['logging.file_max_size_mb'] * bytesPerMb, keep: values['logging.files_keep'] };
      output = openOutputs(values['logging.output'], values['logging.format'], rules);
      const worker = cluster.worker ? { worker: cluster.worker.id } : {};
      const log = createLogger(values['logging.level'], output, worker);
      services.provide('log', log);
      services.provide('audit', createAudit(log, values['logging.audit_log_level']));
    });
    hooks.stop.tapPromise('logging', async () => output?.close());
  },
});
