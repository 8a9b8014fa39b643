/** A move of a branch that its commits do not show; a record of this product alone. */
import { ProtoReader, ProtoWriter, dateOf, timestampOf } from '@srv/lib-records';
import type { BranchJump } from '../contract.js';

/** What the keys of these records begin with. */
export const branchLogPrefix = 'branch-log/';

/** What the keys of the last deletion of each branch name begin with. */
export const deletionPrefix = 'branch-deletions/';

const operations = ['', 'reset', 'delete', 'undelete', 'create'] as const;

export function encodeJump(jump: BranchJump): Buffer {
  return new ProtoWriter()
    .string(1, jump.id)
    .string(2, jump.branch)
    .int(3, operations.indexOf(jump.operation))
    .string(4, jump.from)
    .string(5, jump.to)
    .timestamp(6, timestampOf(jump.time))
    .timestamp(7, timestampOf(jump.keptUntil))
    .string(8, jump.user)
    .bool(9, jump.hidden)
    .finish();
}

/** @throws SrvError `corrupt`. */
export function decodeJump(bytes: Buffer): BranchJump {
  const found = { id: '', branch: '', from: '', to: '', user: '', hidden: false, time: new Date(0), keptUntil: new Date(0) };
  let operation: BranchJump['operation'] = 'reset';
  const reader = new ProtoReader(bytes, 'branch log record');
  while (reader.next()) {
    const { field } = reader;
    if (field === 1) found.id = reader.text;
    else if (field === 2) found.branch = reader.text;
    else if (field === 3) operation = operations[reader.int] || 'reset';
    else if (field === 4) found.from = reader.text;
    else if (field === 5) found.to = reader.text;
    else if (field === 6) found.time = dateOf(reader.timestamp);
    else if (field === 7) found.keptUntil = dateOf(reader.timestamp);
    else if (field === 8) found.user = reader.text;
    else if (field === 9) found.hidden = reader.int !== 0;
  }
  return { ...found, operation };
}
