/** Takes records of runs apart for an operator. */

import { decodeSign, isSign } from '@srv/lib-records';
import { partition } from './run-keys.js';
import { decodeIndex, decodeRun, decodeTask } from './run-record.js';
import { decodeRunning } from './running-runs.js';
import type { KvEntry } from '@srv/kernel';

/** `undefined`: not a record of this plugin. @throws SrvError `corrupt`. */
export function describeRecord(name: string, { key, value }: KvEntry): unknown {
  if (name !== partition) return undefined;
  const [root, , kind] = key.toString('utf8').split('/');
  if (isSign(key.toString('utf8'))) return { updatedAt: decodeSign(value) };
  if (root === 'running') return decodeRunning(value);
  if (root !== 'repos') return undefined;
  if (kind === 'runs') return decodeRun(value);
  if (kind === 'tasks') return decodeTask(value);
  return { primaryKey: decodeIndex(value).toString('utf8') };
}
