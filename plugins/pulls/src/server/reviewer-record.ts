/** A reviewer as it is stored: `pull-reviewers/<pull request>/<user>` in the repository's partition. */
import { ProtoWriter, dateOf, readFields, readTimestamp, timestampOf } from '@srv/lib-records';
import type { Reviewer } from '../contract.js';

/** Fields: 1 pull request, 2 user, 3 and 4 user and committer who asked, 5 time. */
export function encodeReviewer({ pull, username, requestedBy, createdAt }: Reviewer): Buffer {
  return new ProtoWriter()
    .string(1, pull)
    .string(2, username)
    .string(3, requestedBy.username)
    .string(4, requestedBy.committer)
    .timestamp(5, timestampOf(createdAt))
    .finish();
}

/** @throws SrvError `corrupt`. */
export function decodeReviewer(bytes: Buffer): Reviewer {
  const texts = new Map<number, string>();
  let createdAt = new Date(0);
  for (const { field, bytes: value } of readFields(bytes, 'reviewer')) {
    if (field === 5) createdAt = dateOf(readTimestamp(value, 'reviewer'));
    else texts.set(field, value.toString('utf8'));
  }
  const requestedBy = { username: texts.get(3) ?? '', committer: texts.get(4) ?? '' };
  return { pull: texts.get(1) ?? '', username: texts.get(2) ?? '', requestedBy, createdAt };
}
