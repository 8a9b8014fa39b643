/** Takes this plugin's records apart for an operator (versioning rules, section 3). */
import { isRepositoryPartition } from '@srv/lib-records';
import {
  branchLogPrefix,
  decodeBranch,
  decodeCommit,
  decodeJump,
  decodeRepository,
  decodeRepositoryMetadata,
  decodeTag,
  deletionPrefix,
} from './messages/index.js';
import { pinPrefix } from './pins/stored-pins.js';
import type { KvEntry } from '@srv/kernel';

const decoders: readonly { readonly prefix: string; readonly decode: (value: Buffer) => unknown }[] = [
  { prefix: 'branches/', decode: describeBranch },
  { prefix: branchLogPrefix, decode: decodeJump },
  { prefix: deletionPrefix, decode: decodeJump },
  { prefix: 'commits/', decode: decodeCommit },
  { prefix: 'tags/', decode: decodeTag },
  { prefix: 'repo-metadata', decode: decodeRepositoryMetadata },
  { prefix: pinPrefix, decode: value => JSON.parse(value.toString('utf8')) },
];

/** `undefined`: not a record of this plugin. @throws SrvError `corrupt`. */
export function describeRecord(partition: string, { key, value }: KvEntry): unknown {
  const name = key.toString('utf8');
  if (partition === 'graveler') return name.startsWith('repos/') ? decodeRepository(value) : undefined;
  if (!isRepositoryPartition(partition)) return undefined;
  return decoders.find(({ prefix }) => name.startsWith(prefix))?.decode(value);
}

function describeBranch(value: Buffer): unknown {
  const { unknown: _, ...branch } = decodeBranch(value);
  return branch;
}
