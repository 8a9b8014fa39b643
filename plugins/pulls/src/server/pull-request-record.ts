/** PullRequestData and SecondaryIndex (io.treeverse.lakefs.graveler, …kv). */
import { ProtoWriter, dateOf, readFields, readTimestamp, timestampOf, unknownFieldsOf, withUnknownFields } from '@srv/lib-records';
import type { PullRequest, PullRequestStatus } from '../contract.js';

/** Our addition: the name of the user who is the author. */
const authorUsernameField = 101;
const known = new Set([...Array.from({ length: 10 }, (_, before) => before + 1), authorUsernameField]);
const statuses: readonly PullRequestStatus[] = ['open', 'closed', 'merged'];

export function encodePullRequest(pull: PullRequest): Buffer {
  return new ProtoWriter()
    .string(1, pull.id)
    .int(2, statuses.indexOf(pull.status))
    .timestamp(3, timestampOf(pull.createdAt))
    .string(4, pull.title)
    .string(5, pull.author)
    .string(6, pull.description)
    .string(7, pull.source)
    .string(8, pull.destination)
    .string(9, pull.commitId ?? '', pull.commitId !== undefined)
    .timestamp(10, pull.closedAt && timestampOf(pull.closedAt))
    .string(authorUsernameField, pull.authorUsername ?? '')
    .raw(unknownFieldsOf(pull))
    .finish();
}

export function decodePullRequest(bytes: Buffer): PullRequest {
  const texts = new Map<number, string>();
  const times = new Map<number, Date>();
  let status: PullRequestStatus = 'open';
  for (const { field, int, bytes: value } of readFields(bytes, 'pull request')) {
    if (field === 2) status = statuses[int] ?? 'open';
    else if (field === 3 || field === 10) times.set(field, dateOf(readTimestamp(value, 'pull request')));
    else texts.set(field, value.toString('utf8'));
  }
  const [commitId, closedAt, authorUsername] = [texts.get(9), times.get(10), texts.get(authorUsernameField)];
  const pull = {
    id: texts.get(1) ?? '',
    status,
    createdAt: times.get(3) ?? new Date(0),
    title: texts.get(4) ?? '',
    author: texts.get(5) ?? '',
    description: texts.get(6) ?? '',
    source: texts.get(7) ?? '',
    destination: texts.get(8) ?? '',
    ...(authorUsername === undefined ? {} : { authorUsername }),
    ...(commitId === undefined ? {} : { commitId }),
    ...(closedAt === undefined ? {} : { closedAt }),
  };
  return withUnknownFields(pull, bytes, known);
}

export function encodeSecondaryIndex(primaryKey: Buffer): Buffer {
  return new ProtoWriter().bytes(1, primaryKey).finish();
}
