/** An approval as it is stored: `pull-approvals/<destination>/<commit>/<pull request>/<user>` in the repository's partition. */
import { ProtoWriter, dateOf, readFields, readTimestamp, timestampOf } from '@srv/lib-records';
import type { Approval } from '../contract.js';

/** Fields: 1 pull request, 2 user, 3 committer, 4 destination, 5 commit, 6 time, 7 address of the user. */
export function encodeApproval({ pull, by, destination, commitId, createdAt, sourceIp }: Approval): Buffer {
  return new ProtoWriter()
    .string(1, pull)
    .string(2, by.username)
    .string(3, by.committer)
    .string(4, destination)
    .string(5, commitId)
    .timestamp(6, timestampOf(createdAt))
    .string(7, sourceIp ?? '')
    .finish();
}

/** @throws SrvError `corrupt`. */
export function decodeApproval(bytes: Buffer): Approval {
  const texts = new Map<number, string>();
  let createdAt = new Date(0);
  for (const { field, bytes: value } of readFields(bytes, 'approval')) {
    if (field === 6) createdAt = dateOf(readTimestamp(value, 'approval'));
    else texts.set(field, value.toString('utf8'));
  }
  const sourceIp = texts.get(7);
  return {
    pull: texts.get(1) ?? '',
    by: { username: texts.get(2) ?? '', committer: texts.get(3) ?? '' },
    destination: texts.get(4) ?? '',
    commitId: texts.get(5) ?? '',
    createdAt,
    ...(sourceIp ? { sourceIp } : {}),
  };
}
