/** Comments of pull requests, in threads. */

import { SrvError } from '@srv/kernel';
import { Records, partitionOf, xid } from '@srv/lib-records';
import { decodeComment, encodeComment } from './comment-record.js';
import type { Engine, Repository } from '@srv/engine/contract';
import type { KvStore } from '@srv/kernel';
import type { Retries } from '@srv/lib-records';
import type { Author, Comment, PullRequest, PullRequestComments } from '../contract.js';
import type { Announce } from './announcement.js';

export const commentPrefix = 'pull-comments';
/** Bytes of a comment. */
const longestComment = 65_536;
const mostOfThread = 1000;

interface CommentParts {
  readonly kv: KvStore;
  readonly engine: Pick<Engine, 'getRepository'>;
  readonly retries: Retries<'update_pull_comment'>;
  /** @throws SrvError `not_found`. */
  readonly pull: (repository: Repository, id: string) => Promise<PullRequest>;
  readonly announce: Announce;
}

export interface CommentsOfPull extends PullRequestComments {
  /** A comment with the others of its thread: at most the first 1,000 of the pull request are looked through. */
  thread(repository: Repository, comment: Comment): Promise<readonly Comment[]>;
}

export function createComments({ kv, engine, retries, pull: find, announce }: CommentParts): CommentsOfPull {
  const records = new Records<Comment>(kv, { prefix: commentPrefix, what: 'comment', encode: encodeComment, decode: decodeComment });
  const keyOf = (pull: string, id: string): string => `${pull}/${id}`;

  /** The partition, once the pull request is known to exist. */
  async function partitionFor(repositoryId: string, pull: string): Promise<string> {
    const repository = await engine.getRepository(repositoryId);
    await find(repository, pull);
    return partitionOf(repository);
  }

  async function change(repository: string, pull: string, id: string, next: (comment: Comment) => Comment): Promise<void> {
    const partition = await partitionFor(repository, pull);
    await retries.run('update_pull_comment', `update comment ${id}`, async () => {
      const { value, predicate } = await records.get(partition, keyOf(pull, id));
      if (value.deleted) throw new SrvError('not_found', `comment ${id} is deleted: comment not found`);
      return (await records.replace(partition, keyOf(pull, id), { ...next(value), updatedAt: new Date() }, predicate)) || undefined;
    });
  }

  return {
    async thread(repository, comment) {
      const top = comment.parent ?? comment.id;
      const request = { prefix: keyOf(comment.pull, ''), amount: mostOfThread };
      const { results } = await records.list(partitionOf(repository), request, ({ pull, id }) => keyOf(pull, id));
      return results.filter(({ id, parent }) => id === top || parent === top);
    },
    async add(repositoryId, pull, { author, body, parent, path, line }) {
      const repository = await engine.getRepository(repositoryId);
      const found = await find(repository, pull);
      const partition = partitionOf(repository);
      checkBody(body);
      if (line !== undefined && path === undefined) throw new SrvError('invalid', `line ${line} of which object? give its path, too`);
      if (parent !== undefined) {
        const above = await records.find(partition, keyOf(pull, parent));
        if (!above) throw new SrvError('not_found', `comment ${parent} not found: a reply needs an existing comment`);
        if (above.value.parent !== undefined)
          throw new SrvError('invalid', `comment ${parent} is itself a reply: reply to ${above.value.parent}, which begins the thread`);
      }
      const now = new Date();
      const comment: Comment = {
        id: xid(),
        pull,
        author,
        body,
        createdAt: now,
        updatedAt: now,
        deleted: false,
        ...(parent === undefined ? {} : { parent }),
        ...(path === undefined ? {} : { path }),
        ...(line === undefined ? {} : { line }),
      };
      await records.create(partition, keyOf(pull, comment.id), comment);
      announce({ repository, pull: found, change: 'commented', by: author, comment });
      return comment;
    },
    get: async (repository, pull, id) => (await records.get(await partitionFor(repository, pull), keyOf(pull, id))).value,
    async list(repository, pull, { after, amount } = {}) {
      const partition = await partitionFor(repository, pull);
      const request = { prefix: keyOf(pull, ''), after: after && keyOf(pull, after), amount };
      const page = await records.list(partition, request, comment => keyOf(comment.pull, comment.id));
      return { ...page, nextOffset: page.nextOffset.slice(keyOf(pull, '').length) };
    },
    async update(repository, pull, id, { by, body, resolved }) {
      if (body !== undefined) checkBody(body);
      await change(repository, pull, id, ({ resolvedBy, ...comment }) => {
        if (body !== undefined) checkOwn(comment, by);
        if (resolved !== undefined && comment.parent !== undefined)
          throw new SrvError('invalid', `comment ${id} is a reply: resolve ${comment.parent}, which begins the thread`);
        const resolver = resolved === undefined ? resolvedBy : resolved ? (resolvedBy ?? by) : undefined;
        return { ...comment, body: body ?? comment.body, resolvedBy: resolver };
      });
    },
    remove: (repository, pull, id, by, anyones) =>
      change(repository, pull, id, comment => {
        if (!anyones) checkOwn(comment, by);
        return { ...comment, body: '', deleted: true };
      }),
  };
}

function checkBody(body: string): void {
  if (body.trim() === '') throw new SrvError('invalid', 'body of a comment: it is empty');
  const bytes = Buffer.byteLength(body);
  if (bytes > longestComment) throw new SrvError('invalid', `body of a comment: ${bytes} bytes; at most ${longestComment} are possible`);
}

function checkOwn({ id, author }: Comment, { username }: Author): void {
  if (author.username !== username)
    throw new SrvError('denied', `insufficient permissions: comment ${id} was written by ${author.username}`);
}
