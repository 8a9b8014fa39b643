/** Takes this plugin's records apart for an operator: uncommitted entries, tasks, signs of life. */
import { decodeSign, isRepositoryPartition, isSign, isStagingToken } from '@srv/lib-records';
import { decodeStaged } from '../refs/messages/index.js';
import { repositoryPartition } from '../refs/storage-epoch.js';
import { decodeEntry } from './entry-record.js';
import { decodeTask } from './messages/task.js';
import { decodeMove, movePrefix } from './storage-move/move-record.js';
import { heartbeatPartition } from './tasks.js';
import type { KvEntry } from '@srv/kernel';

/** `undefined`: not a record of this plugin. @throws SrvError `corrupt`. */
export function describeRecord(partition: string, { key, value }: KvEntry): unknown {
  if (isStagingToken(partition)) return describeStaged(value);
  const name = key.toString('utf8');
  if (partition === repositoryPartition && name.startsWith(movePrefix)) return decodeMove(value);
  if (partition === heartbeatPartition && isSign(name)) return { updatedAt: decodeSign(value) };
  return isRepositoryPartition(partition) && name.startsWith('tasks/') ? decodeTask(value) : undefined;
}

function describeStaged(value: Buffer): unknown {
  const staged = decodeStaged(value);
  return staged ? { identity: staged.identity.toString('hex'), ...decodeEntry(staged.data) } : { deleted: true };
}
