/** A repository's references as they are in the database this moment: nothing here comes from a cache. */

import { branchLogPrefix, decodeBranch, decodeCommit, decodeJump, decodeTag } from '@srv/engine/refs/messages';
import { partitionOf, recordsBelow } from '@srv/lib-records';
import { factsOf } from './active-commits.js';
import type { Branch, Repository, Tag } from '@srv/engine/contract';
import type { KvStore } from '@srv/kernel';
import type { CommitFacts, Head } from './active-commits.js';

/** Every branch, hidden ones too, in order of names. @throws the store's error: a part of them is never taken for all. */
export function branchesOf(kv: KvStore, repository: Repository, from = ''): AsyncIterable<Branch> {
  return recordsOf(kv, repository, 'branches/', decodeBranch, from);
}

/**
 * Where every branch is, and where branches were that may be restored. A branch that is deleted meanwhile is found: its log
 * is written first and read last.
 */
export async function headsOf(kv: KvStore, repository: Repository, now: Date): Promise<Head[]> {
  const heads: Head[] = [];
  for await (const { id, commitId } of branchesOf(kv, repository)) heads.push({ branch: id, commitId });
  for await (const { branch, from, keptUntil } of recordsOf(kv, repository, branchLogPrefix, decodeJump))
    if (from !== '' && keptUntil > now) heads.push({ branch, commitId: from });
  return heads;
}

export function tagsOf(kv: KvStore, repository: Repository): AsyncIterable<Tag> {
  return recordsOf(kv, repository, 'tags/', decodeTag);
}

export async function commitsOf(kv: KvStore, repository: Repository): Promise<Map<string, CommitFacts>> {
  const found = new Map<string, CommitFacts>();
  for await (const facts of recordsOf(kv, repository, 'commits/', bytes => factsOf(decodeCommit(bytes)))) found.set(facts.id, facts);
  return found;
}

export async function branchOf(kv: KvStore, repository: Repository, id: string): Promise<Branch | undefined> {
  const found = await kv.get(partitionOf(repository), Buffer.from(`branches/${id}`));
  return found && decodeBranch(found.value);
}

export async function gather<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

async function* recordsOf<T>(
  kv: KvStore,
  repository: Repository,
  prefix: string,
  decode: (bytes: Buffer) => T,
  from = '',
): AsyncGenerator<T> {
  for await (const { value } of recordsBelow(kv, partitionOf(repository), prefix, { start: from })) yield decode(value);
}
