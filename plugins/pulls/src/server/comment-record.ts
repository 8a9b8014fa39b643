/** A comment as it is stored: `pull-comments/<pull request>/<comment>` in the repository's partition. */
import { ProtoWriter, dateOf, readFields, readTimestamp, timestampOf, unknownFieldsOf, withUnknownFields } from '@srv/lib-records';
import type { Comment } from '../contract.js';

const known = new Set(Array.from({ length: 13 }, (_, before) => before + 1));

/** Fields: 1 id, 2 pull request, 3 user, 4 committer, 5 body, 6 parent, 7 created, 8 updated, 9 deleted, 10 and 11 user and committer who resolved it, 12 path, 13 line. */
export function encodeComment(comment: Comment): Buffer {
  return new ProtoWriter()
    .string(1, comment.id)
    .string(2, comment.pull)
    .string(3, comment.author.username)
    .string(4, comment.author.committer)
    .string(5, comment.body)
    .string(6, comment.parent ?? '')
    .timestamp(7, timestampOf(comment.createdAt))
    .timestamp(8, timestampOf(comment.updatedAt))
    .bool(9, comment.deleted)
    .string(10, comment.resolvedBy?.username ?? '')
    .string(11, comment.resolvedBy?.committer ?? '')
    .string(12, comment.path ?? '')
    .int(13, comment.line ?? 0)
    .raw(unknownFieldsOf(comment))
    .finish();
}

/** @throws SrvError `corrupt`. */
export function decodeComment(bytes: Buffer): Comment {
  const texts = new Map<number, string>();
  const times = new Map<number, Date>();
  let [deleted, line] = [false, 0];
  for (const { field, int, bytes: value } of readFields(bytes, 'comment')) {
    if (field === 7 || field === 8) times.set(field, dateOf(readTimestamp(value, 'comment')));
    else if (field === 9) deleted = int !== 0;
    else if (field === 13) line = int;
    else texts.set(field, value.toString('utf8'));
  }
  const [parent, resolver, path] = [texts.get(6), texts.get(10), texts.get(12)];
  const createdAt = times.get(7) ?? new Date(0);
  const comment = {
    id: texts.get(1) ?? '',
    pull: texts.get(2) ?? '',
    author: { username: texts.get(3) ?? '', committer: texts.get(4) ?? '' },
    body: texts.get(5) ?? '',
    ...(parent ? { parent } : {}),
    createdAt,
    updatedAt: times.get(8) ?? createdAt,
    deleted,
    ...(resolver ? { resolvedBy: { username: resolver, committer: texts.get(11) ?? resolver } } : {}),
    ...(path ? { path } : {}),
    ...(line > 0 ? { line } : {}),
  };
  return withUnknownFields(comment, bytes, known);
}
